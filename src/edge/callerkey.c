/*
 * A keyed hash to 64 bits, with a key made anew for each process. 0 means the server itself and is never
 * given out.
 */
#include "edge/callerkey.h"

#include "base/address.h"
#include "base/uuid.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>

static unsigned char hash_key[crypto_shorthash_KEYBYTES];
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
    random_bytes(hash_key, sizeof(hash_key));
}

uint64_t callerkey(const char *bytes, size_t len)
{
    union {
        unsigned char bytes[crypto_shorthash_BYTES];
        uint64_t number;
    } hash;

    pthread_once(&key_once, make_key);
    crypto_shorthash(hash.bytes, (const unsigned char *)bytes, len, hash_key);
    return hash.number ? hash.number : 1;
}

uint64_t callerkey_of(const struct caller *caller)
{
    ARENA_AUTO arena = { 0 };
    const char *who = caller->kind == CALLER_LINK ? caller->credential : caller->id;
    const char *whole = arena_format(&arena, "%s %s", caller_kind_name(caller->kind), who ? who : "");

    return callerkey(whole, strlen(whole));
}

uint64_t callerkey_at(const char *remote)
{
    char address[ADDRESS_KEY_SIZE];

    address_key(remote, address);
    return callerkey(address, strlen(address));
}

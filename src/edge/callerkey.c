#include "edge/callerkey.h"

#include "base/uuid.h"

#include <pthread.h>
#include <sodium.h>

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

/*
 * A name that nobody has is checked against a hash all the same, made once by the same function, so that the
 * time a login takes does not say whether there is such a user.
 */
#include "core/caller/secret.h"

#include "base/uuid.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_BYTES 32

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char nobodys_hash[crypto_pwhash_STRBYTES];

static bool argon(char hash[static crypto_pwhash_STRBYTES], const char *password)
{
    return crypto_pwhash_str(hash, password, strlen(password), crypto_pwhash_OPSLIMIT_INTERACTIVE,
                             crypto_pwhash_MEMLIMIT_INTERACTIVE) == 0;
}

/* The hash that is tried for names nobody has: made here, so that it costs what the others cost. */
static void prepare(void)
{
    char random[RANDOM_BYTES * 2 + 1];
    unsigned char bytes[RANDOM_BYTES];

    if (sodium_init() < 0)
        abort();
    random_bytes(bytes, sizeof(bytes));
    sodium_bin2hex(random, sizeof(random), bytes, sizeof(bytes));
    if (!argon(nobodys_hash, random))
        nobodys_hash[0] = '\0';
}

char *secret_make(struct arena *arena, const char *prefix)
{
    unsigned char bytes[RANDOM_BYTES];
    char text[sodium_base64_ENCODED_LEN(RANDOM_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING)];

    random_bytes(bytes, sizeof(bytes));
    sodium_bin2base64(text, sizeof(text), bytes, sizeof(bytes), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(bytes, sizeof(bytes));
    return arena_format(arena, "%s%s", prefix, text);
}

char *secret_hash(struct arena *arena, const char *secret)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    char hex[sizeof(hash) * 2 + 1];

    crypto_hash_sha256(hash, (const unsigned char *)secret, strlen(secret));
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    return arena_text(arena, hex);
}

bool secret_password_hash(struct arena *arena, const char *password, char **hash, struct err *err)
{
    char text[crypto_pwhash_STRBYTES];

    pthread_once(&once, prepare);
    if (!argon(text, password))
        return err_set(err, ERR_UNAVAILABLE, "There is not enough memory to hash a password. Try again.");
    *hash = arena_text(arena, text);
    return true;
}

bool secret_password_matches(const char *hash, const char *password)
{
    bool matches;

    pthread_once(&once, prepare);
    matches = crypto_pwhash_str_verify(hash ? hash : nobodys_hash, password, strlen(password)) == 0;
    return hash && matches;
}

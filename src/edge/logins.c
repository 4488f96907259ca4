/*
 * Each bucket is a rate limit with a key of another kind. An account's key holds the share that the address
 * has by a secret hash, so a guesser cannot find out which other addresses share a bucket with the owner of
 * the account.
 */
#include "edge/logins.h"

#include "base/address.h"
#include "base/limits.h"
#include "base/settings.h"
#include "base/uuid.h"
#include "edge/ratelimit.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_MS 60000

struct logins {
    struct ratelimit *addresses, *owned, *accounts;
    unsigned char share_key[crypto_shorthash_KEYBYTES];
};

struct logins *logins_new(void)
{
    struct logins *logins = calloc(1, sizeof(*logins));
    int64_t rate = settings()->limits_login_rate;

    if (!logins)
        abort();
    logins->addresses = ratelimit_new(rate, MINUTE_MS, rate);
    logins->owned = ratelimit_new(rate, MINUTE_MS, rate);
    logins->accounts = ratelimit_new(rate, (int64_t)LOGIN_SHARES * MINUTE_MS, LOGIN_BURST);
    random_bytes(logins->share_key, sizeof(logins->share_key));
    return logins;
}

void logins_free(struct logins *logins)
{
    if (!logins)
        return;
    ratelimit_free(logins->addresses);
    ratelimit_free(logins->owned);
    ratelimit_free(logins->accounts);
    free(logins);
}

static bool take(struct ratelimit *limit, const char *key, int64_t now_us, const char *why, struct err *err)
{
    int retry_after_s;

    if (ratelimit_take(limit, key, strlen(key), now_us, &retry_after_s))
        return true;
    err_set(err, ERR_RATE_LIMITED, "%s", why);
    err->retry_after_s = retry_after_s;
    return false;
}

/* Which share of an account an address has is a secret of this process: nobody can look for another's. */
static unsigned share_of(const struct logins *logins, const char *address)
{
    unsigned char hash[crypto_shorthash_BYTES];

    crypto_shorthash(hash, (const unsigned char *)address, strlen(address), logins->share_key);
    return hash[0] % LOGIN_SHARES;
}

static bool take_account(struct logins *logins, const char *account, const char *address, int64_t now_us,
                         struct err *err)
{
    ARENA_AUTO arena = { 0 };
    const char *key = arena_format(&arena, "%u:%s", share_of(logins, address), account);

    if (take(logins->accounts, key, now_us, "Too many tries to log in as this user.", err))
        return true;
    return err_hint(err, "Log in from a browser or a network that you have logged in from before, or wait.");
}

bool logins_admit(struct logins *logins, const struct login_try *tried, const char *remote, int64_t now_us,
                  struct err *err)
{
    char address[ADDRESS_KEY_SIZE];

    if (tried->own)
        return take(logins->owned, tried->own, now_us, "Too many tries with a password.", err);
    address_key(remote ? remote : "", address);
    return take(logins->addresses, address, now_us, "Too many logins from this address.", err) &&
           (tried->known_address || take_account(logins, tried->account, address, now_us, err));
}

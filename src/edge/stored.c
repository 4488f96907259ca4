/*
 * A day's worth is a rate limit whose unit is a kilobyte and whose burst is the whole day. It is asked before
 * the write and charged after it, so that a write which fails costs nothing.
 */
#include "edge/stored.h"

#include "base/address.h"
#include "base/limits.h"
#include "base/settings.h"
#include "edge/callerkey.h"
#include "edge/ratelimit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS (24LL * 3600 * 1000)

enum { BY_CALLER, BY_WORKSPACE, BY_ADDRESS, KINDS };

static const struct {
    const char *whose, *setting;
} kinds[KINDS] = {
    { "This token or user", "limits.token_stored" },
    { "This workspace", "limits.workspace_stored" },
    { "This address", "limits.address_stored" },
};

struct stored {
    struct ratelimit *limits[KINDS]; /* NULL: no limit */
};

static struct ratelimit *limit_of(int64_t bytes)
{
    int64_t count = (bytes + KB - 1) / KB;

    return count > 0 ? ratelimit_new(count, DAY_MS, count) : NULL;
}

struct stored *stored_new(void)
{
    struct stored *stored = calloc(1, sizeof(*stored));

    if (!stored)
        abort();
    stored->limits[BY_CALLER] = limit_of(settings()->limits_token_stored);
    stored->limits[BY_WORKSPACE] = limit_of(settings()->limits_workspace_stored);
    stored->limits[BY_ADDRESS] = limit_of(settings()->limits_address_stored);
    return stored;
}

void stored_free(struct stored *stored)
{
    if (!stored)
        return;
    for (int kind = 0; kind < KINDS; kind++)
        ratelimit_free(stored->limits[kind]);
    free(stored);
}

/* The keys of what is counted for one caller; NULL where it is not. */
struct keys {
    char owner[20], address[ADDRESS_KEY_SIZE];
    const char *of[KINDS];
};

static void find_keys(const struct stored *stored, const struct caller *caller, const char *remote,
                      struct keys *keys)
{
    bool counted = caller->kind != CALLER_LOCAL && caller->kind != CALLER_NOBODY;

    address_key(remote, keys->address);
    snprintf(keys->owner, sizeof(keys->owner), "%" PRIx64, callerkey_of(caller));
    keys->of[BY_CALLER] = counted ? keys->owner : NULL;
    keys->of[BY_WORKSPACE] = caller->workspace_id;
    keys->of[BY_ADDRESS] = address_is_loopback(remote) ? NULL : keys->address;
    for (int kind = 0; kind < KINDS; kind++)
        if (!stored->limits[kind])
            keys->of[kind] = NULL;
}

static int64_t units(size_t bytes)
{
    return (int64_t)((bytes + KB - 1) / KB);
}

bool stored_admit(struct stored *stored, const struct caller *caller, const char *remote, size_t bytes,
                  int64_t now_us, struct err *err)
{
    struct keys keys;
    int retry_after_s;

    find_keys(stored, caller, remote, &keys);
    for (int kind = 0; kind < KINDS; kind++) {
        if (!keys.of[kind] || ratelimit_allows(stored->limits[kind], keys.of[kind], strlen(keys.of[kind]),
                                               units(bytes), now_us, &retry_after_s))
            continue;
        err_set(err, ERR_RATE_LIMITED, "%s has stored as much as it may in a day.", kinds[kind].whose);
        err->retry_after_s = retry_after_s;
        return err_hint(err, "Try again later, or raise %s.", kinds[kind].setting);
    }
    return true;
}

void stored_note(struct stored *stored, const struct caller *caller, const char *remote, size_t bytes,
                 int64_t now_us)
{
    struct keys keys;

    find_keys(stored, caller, remote, &keys);
    for (int kind = 0; kind < KINDS; kind++)
        if (keys.of[kind])
            ratelimit_spend(stored->limits[kind], keys.of[kind], strlen(keys.of[kind]), units(bytes), now_us);
}

/*
 * Address, caller and workspace are taken one after the other, and those already taken are given back when a
 * later one refuses. All three live in one tally; the kind is hashed in with the key, so that they cannot
 * meet.
 */
#include "edge/holds.h"

#include "base/address.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/tally.h"
#include "base/uuid.h"
#include "edge/callerkey.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define COME_BACK_S 5

struct holds {
    struct tally *tally; /* of all three kinds, whose hashes do not meet */
    unsigned char hash_key[crypto_shorthash_KEYBYTES];
};

struct holds *holds_new(void)
{
    struct holds *holds = calloc(1, sizeof(*holds));

    if (!holds)
        abort();
    holds->tally = tally_new();
    random_bytes(holds->hash_key, sizeof(holds->hash_key));
    return holds;
}

void holds_free(struct holds *holds)
{
    if (!holds)
        return;
    tally_free(holds->tally);
    free(holds);
}

static uint64_t key_of(const struct holds *holds, const char *kind, const char *text)
{
    ARENA_AUTO arena = { 0 };
    const char *whole = arena_format(&arena, "%s %s", kind, text);
    union {
        unsigned char bytes[crypto_shorthash_BYTES];
        uint64_t number;
    } hash;

    crypto_shorthash(hash.bytes, (const unsigned char *)whole, strlen(whole), holds->hash_key);
    return hash.number ? hash.number : 1;
}

static bool take(struct holds *holds, uint64_t key, int64_t most, const char *whose, const char *setting,
                 struct err *err)
{
    if (key == 0 || tally_take(holds->tally, &key, sizeof(key), (unsigned)most))
        return true;
    err_set(err, ERR_RATE_LIMITED, "%s has too many event streams and waits open: %lld at most.", whose,
            (long long)most);
    err->retry_after_s = COME_BACK_S;
    return err_hint(err, "Close some, or raise %s.", setting);
}

static void give(struct holds *holds, uint64_t key)
{
    if (key != 0)
        tally_give(holds->tally, &key, sizeof(key));
}

bool holds_take(struct holds *holds, const struct caller *caller, const char *remote, struct hold *hold,
                struct err *err)
{
    const struct settings *set = settings();
    char address[ADDRESS_KEY_SIZE];
    struct hold wanted = { .holds = holds,
                           .workspace =
                               key_of(holds, "workspace", caller->workspace_id ? caller->workspace_id : "") };

    if (caller->kind != CALLER_LOCAL)
        wanted.caller = callerkey_of(caller);
    address_key(remote, address);
    if (!address_is_loopback(remote))
        wanted.address = key_of(holds, "address", address);
    if (!take(holds, wanted.address, set->limits_address_streams, "This address", "limits.address_streams",
              err))
        return false;
    if (!take(holds, wanted.caller, set->limits_token_streams, "This token or user", "limits.token_streams",
              err)) {
        give(holds, wanted.address);
        return false;
    }
    if (!take(holds, wanted.workspace, set->limits_workspace_streams, "This workspace",
              "limits.workspace_streams", err)) {
        give(holds, wanted.address);
        give(holds, wanted.caller);
        return false;
    }
    *hold = wanted;
    return true;
}

void hold_give(struct hold *hold)
{
    if (!hold->holds)
        return;
    give(hold->holds, hold->address);
    give(hold->holds, hold->caller);
    give(hold->holds, hold->workspace);
    *hold = (struct hold){ 0 };
}

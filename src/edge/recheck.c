/*
 * A role that has changed ends a stream like one that is gone: what may be heard was decided when it began.
 */
#include "edge/recheck.h"

#include "base/clock.h"

static bool judge(const struct tx *tx, const struct recheck_one *one)
{
    struct err *refused = tx->err;
    struct caller caller;

    if (!caller_recheck(tx, one->credential, one->workspace_id, &caller))
        return refused->code == ERR_UNAUTHORIZED || refused->code == ERR_NOT_FOUND;
    if (!((unsigned)caller.role & ROLES_READ))
        err_set(refused, ERR_FORBIDDEN, "This role may not read.");
    else if (caller.role != one->role)
        err_set(refused, ERR_FORBIDDEN, "The role has changed: open the stream again.");
    return true;
}

static bool run(struct db *db, struct work *work)
{
    struct recheck *recheck = (struct recheck *)work;

    for (size_t i = 0; i < recheck->count; i++) {
        struct recheck_one *one = &recheck->all[i];
        struct tx tx = tx_of(db, &recheck->arena, clock_now_ms(), &one->refused);

        arena_reset(&recheck->arena);
        one->refused = (struct err){ 0 };
        if (!judge(&tx, one)) {
            work->err = one->refused;
            return false;
        }
    }
    return true;
}

bool recheck_run(struct recheck *recheck, struct store *store)
{
    recheck->work = (struct work){ .run = run };
    if (!store_can_read_here(store))
        return store_read_wait(store, &recheck->work);
    store_read_here(store, &recheck->work);
    return recheck->work.err.code == ERR_NONE;
}

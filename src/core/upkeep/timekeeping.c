/*
 * A reading that took long is not believed, because nobody knows at which moment of it the database looked at
 * its clock. The first one is, since a server without any time cannot start.
 */
#include "core/upkeep/timekeeping.h"

#include "base/clock.h"
#include "base/limits.h"
#include "core/log/audit.h"

bool timekeeping_read(const struct tx *tx, struct timekeeping *read)
{
    struct db_rows newest, now;
    int64_t before_ms;

    if (!tx_query(tx, SQL_CLOCK_NEWEST, DB_NO_ARGS, &newest))
        return false;
    before_ms = clock_ticks_ms();
    if (!tx_query(tx, SQL_DATABASE_NOW, DB_NO_ARGS, &now))
        return false;
    read->read_at_ms = clock_ticks_ms();
    read->took_ms = read->read_at_ms - before_ms;
    read->db_now_ms = db_cell_int(&now, 0, 0);
    read->newest_ms = db_cell_int(&newest, 0, 0);
    return true;
}

enum timekeeping_jump timekeeping_apply(const struct timekeeping *read, bool first, int64_t *by_ms)
{
    if (!first && read->took_ms > CLOCK_JUMP_MS / 4)
        return JUMP_NONE;

    /* It may have been a while since: this process can be stopped at any moment. */
    int64_t jump_ms = clock_follow(read->db_now_ms + clock_ticks_ms() - read->read_at_ms);

    if (first && read->newest_ms) {
        int64_t raised_ms = clock_raise(read->newest_ms);

        if (raised_ms >= CLOCK_JUMP_MS) {
            *by_ms = raised_ms;
            return JUMP_BEHIND;
        }
    }
    *by_ms = jump_ms < 0 ? -jump_ms : jump_ms;
    return *by_ms < CLOCK_JUMP_MS ? JUMP_NONE : jump_ms > 0 ? JUMP_FORWARD : JUMP_BACK;
}

const char *timekeeping_says(enum timekeeping_jump jump)
{
    switch (jump) {
    case JUMP_NONE: break;
    case JUMP_FORWARD: return "the database's clock was set forward, and ours followed";
    case JUMP_BACK: return "the database's clock was set back; ours goes on, slower, until it has caught up";
    case JUMP_BEHIND:
        return "the database's clock is behind the newest row; ours starts there, slower, until it has caught up";
    }
    return "the database's clock did not jump";
}

static const char *direction(enum timekeeping_jump jump)
{
    return jump == JUMP_FORWARD ? "forward" : jump == JUMP_BACK ? "back" : "behind";
}

bool timekeeping_audit(const struct tx *tx, enum timekeeping_jump jump, int64_t by_ms)
{
    return audit_append(
        tx, &(struct audit_entry){ .workspace_id = DEFAULT_WORKSPACE_ID,
                                   .actor_kind = "system",
                                   .actor = "system",
                                   .operation = "clock_jump",
                                   .detail = arena_format(tx->arena, "{\"direction\":\"%s\",\"ms\":%lld}",
                                                          direction(jump), (long long)by_ms),
                                   .at_ms = clock_now_ms() });
}

#include "core/log/idempotency.h"

#include "base/clock.h"
#include "base/settings.h"
#include "base/str.h"

#include <sodium.h>
#include <string.h>

static bool claim_found(struct db *db, struct arena *arena, const struct idempotency *claim,
                        struct idempotency_reply *reply, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_IDEMPOTENCY_GET,
                  DB_ARGS(db_text(claim->workspace_id), db_text(claim->caller), db_text(claim->operation),
                          db_text(claim->key)),
                  &rows, err))
        return false;
    if (rows.count == 0)
        return err_set(err, ERR_RETRY, "The earlier request with this Idempotency-Key has just been undone.");
    if (!str_equal(db_cell(&rows, 0, 0), claim->body_hash)) {
        err_set(err, ERR_CONFLICT, "This Idempotency-Key was used for a different request.");
        return err_hint(err, "Repeat the first request word for word, or choose a new key for this one.");
    }
    if (!db_cell(&rows, 0, 2)) {
        err_set(err, ERR_CONFLICT,
                "This request was done before, and its reply held a secret that is not kept.");
        return err_hint(err,
                        "Make a new one with a new Idempotency-Key, and revoke the old one if it was lost.");
    }
    *reply = (struct idempotency_reply){ .found = true,
                                         .status = (int)db_cell_int(&rows, 0, 1),
                                         .body = db_cell(&rows, 0, 2) };
    return true;
}

bool idempotency_claim(struct db *db, struct arena *arena, const struct idempotency *claim, int64_t now_ms,
                       struct idempotency_reply *reply, struct err *err)
{
    int64_t before_ms = now_ms - settings()->idempotency_lifetime_ms;
    struct db_rows rows;

    if (!db_query(db, arena, SQL_IDEMPOTENCY_CLAIM,
                  DB_ARGS(db_text(claim->workspace_id), db_text(claim->caller), db_text(claim->operation),
                          db_text(claim->key), db_text(claim->body_hash), db_int(now_ms), db_int(before_ms),
                          db_text(clock_text(arena, before_ms))),
                  &rows, err))
        return false;
    if (rows.count == 0)
        return claim_found(db, arena, claim, reply, err);
    *reply = (struct idempotency_reply){ 0 };
    return true;
}

bool idempotency_keep(struct db *db, struct arena *arena, const struct idempotency *claim, int status,
                      const char *body, struct err *err)
{
    return db_exec(db, arena, SQL_IDEMPOTENCY_KEEP,
                   DB_ARGS(db_text(claim->workspace_id), db_text(claim->caller), db_text(claim->operation),
                           db_text(claim->key), db_int(status), db_text(body), db_text(claim->question_id),
                           db_text(claim->prompt_id)),
                   NULL, err);
}

bool idempotency_prune(struct db *db, struct arena *arena, int64_t now_ms, size_t limit, size_t *pruned,
                       struct err *err)
{
    int64_t before_ms = now_ms - settings()->idempotency_lifetime_ms;
    size_t renewed;

    if (!db_exec(db, arena, SQL_IDEMPOTENCY_RENEW,
                 DB_ARGS(db_int(before_ms), db_int((int64_t)limit), db_int(now_ms),
                         db_text(clock_text(arena, before_ms))),
                 &renewed, err) ||
        !db_exec(db, arena, SQL_IDEMPOTENCY_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned,
                 err))
        return false;
    if (*pruned == 0)
        *pruned = renewed;
    return true;
}

const char *idempotency_hash(struct arena *arena, const void *body, size_t len, const char *path_values)
{
    crypto_hash_sha256_state state;
    unsigned char hash[crypto_hash_sha256_BYTES];
    char *hex = arena_array(arena, char, 2 * sizeof(hash) + 1);

    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, (const unsigned char *)path_values, strlen(path_values) + 1);
    if (len > 0)
        crypto_hash_sha256_update(&state, body, len);
    crypto_hash_sha256_final(&state, hash);
    return sodium_bin2hex(hex, 2 * sizeof(hash) + 1, hash, sizeof(hash));
}

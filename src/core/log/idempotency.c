/*
 * The claim is an insert on a unique index: a second request waits in the database for the first to commit,
 * without a lock of ours. The hash covers path and body, so a key that is used for something else is noticed
 * and not answered with the wrong reply.
 */
#include "core/log/idempotency.h"

#include "base/clock.h"
#include "base/settings.h"
#include "base/str.h"

#include <sodium.h>
#include <string.h>

static bool claim_found(const struct tx *tx, const struct idempotency *claim, struct idempotency_reply *reply)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_IDEMPOTENCY_GET,
                  DB_ARGS(db_text(claim->workspace_id), db_text(claim->caller), db_text(claim->operation),
                          db_text(claim->key)),
                  &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_RETRY,
                       "The earlier request with this Idempotency-Key has just been undone.");
    if (!str_equal(db_cell(&rows, 0, 0), claim->body_hash)) {
        err_set(tx->err, ERR_CONFLICT, "This Idempotency-Key was used for a different request.");
        return err_hint(tx->err, "Repeat the first request word for word, or choose a new key for this one.");
    }
    if (!db_cell(&rows, 0, 2)) {
        err_set(tx->err, ERR_CONFLICT,
                "This request was done before, and its reply held a secret that is not kept.");
        return err_hint(tx->err,
                        "Make a new one with a new Idempotency-Key, and revoke the old one if it was lost.");
    }
    *reply = (struct idempotency_reply){ .found = true,
                                         .status = (int)db_cell_int(&rows, 0, 1),
                                         .body = db_cell(&rows, 0, 2) };
    return true;
}

bool idempotency_claim(const struct tx *tx, const struct idempotency *claim, struct idempotency_reply *reply)
{
    int64_t before_ms = claim->while_open ? tx->now_ms + 1 : tx->now_ms - settings()->idempotency_lifetime_ms;
    struct db_rows rows;

    if (!tx_query(tx, SQL_IDEMPOTENCY_CLAIM,
                  DB_ARGS(db_text(claim->workspace_id), db_text(claim->caller), db_text(claim->operation),
                          db_text(claim->key), db_text(claim->body_hash), db_int(tx->now_ms),
                          db_int(before_ms), db_text(clock_text(tx->arena, before_ms))),
                  &rows))
        return false;
    if (rows.count == 0)
        return claim_found(tx, claim, reply);
    *reply = (struct idempotency_reply){ 0 };
    return true;
}

bool idempotency_keep(const struct tx *tx, const struct idempotency *claim, int status, const char *body)
{
    return tx_exec(tx, SQL_IDEMPOTENCY_KEEP,
                   DB_ARGS(db_text(claim->workspace_id), db_text(claim->caller), db_text(claim->operation),
                           db_text(claim->key), db_int(status), db_text(body), db_text(claim->question_id),
                           db_text(claim->prompt_id)),
                   NULL);
}

bool idempotency_prune(const struct tx *tx, size_t limit, size_t *pruned)
{
    int64_t before_ms = tx->now_ms - settings()->idempotency_lifetime_ms;
    size_t renewed;

    if (!tx_exec(tx, SQL_IDEMPOTENCY_RENEW,
                 DB_ARGS(db_int(before_ms), db_int((int64_t)limit), db_int(tx->now_ms),
                         db_text(clock_text(tx->arena, before_ms))),
                 &renewed) ||
        !tx_exec(tx, SQL_IDEMPOTENCY_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned))
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

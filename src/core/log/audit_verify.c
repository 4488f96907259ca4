/*
 * Each chain is walked once, page by page, with one hash in hand. A row that lost its person cannot be hashed
 * any more: its stored hash is taken on trust and added to a digest, and the trust is paid back when the
 * record of that erasure is met further on. What is still owed at the end is a break.
 */
#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/log/audit.h"
#include "core/log/audit_keep.h"
#include "core/log/audit_row.h"

#include <stdio.h>
#include <string.h>

/* A number and a hash: where a chain ends (its head) or where what is left of it begins (its checkpoint). */
struct mark {
    bool there;
    int64_t seq;
    char hash[AUDIT_HASH_SIZE];
};

/* Rows that say they lost their person to one erasure; its record comes later in the chain. */
struct erased {
    char id[UUID_SIZE];
    int64_t first, count;
    crypto_hash_sha256_state digest;
    bool proven;
};

/* One chain, while it is walked from its checkpoint to its head. */
struct chain_walk {
    const char *workspace_id;
    struct mark head, checkpoint;
    char previous[AUDIT_HASH_SIZE];
    int64_t seq, rows;
    int64_t broken_at;
    bool broken;
    bool checkpoint_proven; /* the last audit_purge row names this checkpoint */
    struct erased *erased;
    size_t erased_count, erased_room;
    struct arena arena; /* of `erased` */
    struct buf bytes;
};

static bool read_mark(const struct tx *tx, enum sql_id sql, const char *workspace_id, struct mark *mark)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    struct db_rows rows;

    if (!tx_query(&own, sql, DB_ARGS(db_text(workspace_id)), &rows))
        return false;
    *mark = (struct mark){ .there = rows.count > 0 };
    if (mark->there) {
        mark->seq = db_cell_int(&rows, 0, 0);
        snprintf(mark->hash, sizeof(mark->hash), "%s", db_cell(&rows, 0, 1));
    }
    return true;
}

static bool break_at(struct chain_walk *walk, int64_t seq)
{
    walk->broken = true;
    walk->broken_at = seq;
    return false;
}

static struct erased *erased_of(struct chain_walk *walk, const char *id)
{
    for (size_t i = walk->erased_count; i > 0; i--)
        if (strcmp(walk->erased[i - 1].id, id) == 0)
            return &walk->erased[i - 1];
    return NULL;
}

static struct erased *erased_add(struct chain_walk *walk, const char *id, int64_t seq)
{
    if (walk->erased_count == walk->erased_room) {
        size_t room = walk->erased_room ? walk->erased_room * 2 : 8;
        struct erased *grown = arena_array(&walk->arena, struct erased, room);

        if (walk->erased_count > 0)
            memcpy(grown, walk->erased, walk->erased_count * sizeof(*grown));
        walk->erased = grown;
        walk->erased_room = room;
    }
    struct erased *erased = &walk->erased[walk->erased_count++];

    *erased = (struct erased){ .first = seq };
    snprintf(erased->id, sizeof(erased->id), "%s", id);
    crypto_hash_sha256_init(&erased->digest);
    return erased;
}

/* The hash is taken as it stands: the erasure's record vouches for it, for what it follows and what is left.
 */
static bool take_erased(struct chain_walk *walk, const struct db_rows *rows, size_t row)
{
    const char *id = db_cell(rows, row, AUDIT_COLUMN_ERASURE), *hash = db_cell(rows, row, AUDIT_COLUMN_HASH);
    struct erased *erased = erased_of(walk, id);

    if (!uuid_valid(id) || !hash || strlen(hash) + 1 != AUDIT_HASH_SIZE || (erased && erased->proven))
        return break_at(walk, walk->seq);
    if (!erased)
        erased = erased_add(walk, id, walk->seq);
    audit_digest_erased(&erased->digest, walk->previous, rows, row, &walk->bytes);
    erased->count++;
    memcpy(walk->previous, hash, AUDIT_HASH_SIZE);
    return true;
}

static void prove_erasure(struct chain_walk *walk, const char *detail)
{
    struct audit_erase_record record;
    struct erased *erased;
    crypto_hash_sha256_state so_far;
    unsigned char hash[crypto_hash_sha256_BYTES];
    char hex[AUDIT_HASH_SIZE];

    if (!audit_erase_record_read(detail, &record) || !(erased = erased_of(walk, record.erasure)) ||
        erased->proven)
        return;
    /* Where the first rows of an erasure have been purged since, a later record is about those that are left.
     */
    so_far = erased->digest;
    crypto_hash_sha256_final(&so_far, hash);
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    erased->proven = record.rows == erased->count && strcmp(hex, record.digest) == 0;
}

static void prove_checkpoint(struct chain_walk *walk, const char *detail)
{
    struct audit_purge_record record;

    if (audit_purge_record_read(detail, &record))
        walk->checkpoint_proven = walk->checkpoint.there && record.through == walk->checkpoint.seq &&
                                  strcmp(record.hash, walk->checkpoint.hash) == 0;
}

static bool take_row(struct chain_walk *walk, const struct db_rows *rows, size_t row)
{
    const char *operation = db_cell(rows, row, COL_AUDIT_OPERATION);
    char hash[AUDIT_HASH_SIZE];

    walk->seq = db_cell_int(rows, row, COL_AUDIT_SEQ);
    walk->rows++;
    if (db_cell(rows, row, AUDIT_COLUMN_ERASURE))
        return take_erased(walk, rows, row);
    audit_row_hash(walk->previous, rows, row, &walk->bytes, hash);
    if (!str_equal(hash, db_cell(rows, row, AUDIT_COLUMN_HASH)))
        return break_at(walk, walk->seq);
    memcpy(walk->previous, hash, sizeof(hash));
    if (str_equal(operation, AUDIT_PURGE))
        prove_checkpoint(walk, db_cell(rows, row, COL_AUDIT_DETAIL));
    else if (str_equal(operation, AUDIT_ERASE))
        prove_erasure(walk, db_cell(rows, row, COL_AUDIT_DETAIL));
    return true;
}

/* What only the whole chain can tell. */
static void judge_end(struct chain_walk *walk)
{
    /* Rows cut off at the end leave a chain that fits, but not one that ends where the head says. */
    if (walk->seq != walk->head.seq || strcmp(walk->previous, walk->head.hash) != 0) {
        break_at(walk, walk->head.seq);
        return;
    }
    if (walk->checkpoint.there && !walk->checkpoint_proven) {
        break_at(walk, walk->checkpoint.seq);
        return;
    }
    for (size_t i = 0; i < walk->erased_count && !walk->broken; i++)
        if (!walk->erased[i].proven)
            break_at(walk, walk->erased[i].first);
}

/* Walks the rows up to the head. A row that was changed or taken out breaks the hash of what follows. */
static bool walk_chain(const struct tx *tx, struct chain_walk *walk)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    struct db_rows rows = { .count = AUDIT_VERIFY_PAGE };

    walk->seq = walk->checkpoint.seq;
    memcpy(walk->previous, walk->checkpoint.hash, sizeof(walk->previous));
    while (rows.count == AUDIT_VERIFY_PAGE) {
        arena_reset(&arena);
        if (!tx_query(&own, SQL_AUDIT_CHAIN,
                      DB_ARGS(db_text(walk->workspace_id), db_int(walk->seq), db_int(walk->head.seq),
                              db_int(AUDIT_VERIFY_PAGE)),
                      &rows))
            return false;
        for (size_t row = 0; row < rows.count; row++)
            if (!take_row(walk, &rows, row))
                return true;
    }
    judge_end(walk);
    return true;
}

/* Rows that say they are sealed, or a checkpoint, in a chain that nobody sealed. */
static bool find_headless(const struct tx *tx, struct chain_walk *walk)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    struct db_rows rows;

    if (!tx_query(&own, SQL_AUDIT_HEADLESS, DB_ARGS(db_text(walk->workspace_id)), &rows))
        return false;
    if (rows.count > 0)
        break_at(walk, db_cell_int(&rows, 0, 0));
    else if (walk->checkpoint.there)
        break_at(walk, walk->checkpoint.seq);
    return true;
}

static bool verify_chain(const struct tx *tx, const char *workspace_id, struct audit_verdict *verdict)
{
    struct chain_walk walk = { .workspace_id = workspace_id };
    bool good = read_mark(tx, SQL_AUDIT_HEAD, workspace_id, &walk.head) &&
                read_mark(tx, SQL_AUDIT_CHECKPOINT, workspace_id, &walk.checkpoint) &&
                (walk.head.there ? walk_chain(tx, &walk) : find_headless(tx, &walk));

    verdict->rows += walk.rows;
    for (size_t i = 0; i < walk.erased_count; i++)
        verdict->erased += walk.erased[i].count;
    if (good && walk.broken && verdict->whole) {
        verdict->whole = false;
        verdict->broken_at = walk.broken_at;
        verdict->broken_in = arena_text(tx->arena, workspace_id);
    }
    arena_done(&walk.arena);
    buf_done(&walk.bytes);
    return good;
}

/* The chain that follows in the order of ids; "" when there is none. */
static bool next_chain(const struct tx *tx, char workspace_id[static LIMIT_REF + 1])
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    struct db_rows rows;
    const char *next = NULL;

    if (!tx_query(&own, SQL_AUDIT_NEXT_CHAIN, DB_ARGS(db_text(workspace_id)), &rows))
        return false;
    for (size_t i = 0; i < rows.width; i++) {
        const char *found = db_cell(&rows, 0, i);

        if (found && (!next || strcmp(found, next) < 0))
            next = found;
    }
    snprintf(workspace_id, LIMIT_REF + 1, "%s", next ? next : "");
    return true;
}

/*
 * Numbers have no gaps: a chain that was taken out whole, head and all, leaves some. Nor does a row stand
 * where none can be, before the first number or among those that were purged.
 */
static bool verify_numbers(const struct tx *tx, struct audit_verdict *verdict)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    struct db_rows rows;

    if (!tx_query(&own, SQL_AUDIT_EXTENT, DB_NO_ARGS, &rows))
        return false;
    verdict->unsealed = db_cell_int(&rows, 0, 0);
    verdict->purged = db_cell_int(&rows, 0, 2);
    if (!verdict->whole)
        return true;
    if (db_cell(&rows, 0, 3) && db_cell_int(&rows, 0, 3) <= verdict->purged) {
        verdict->whole = false;
        verdict->broken_at = db_cell_int(&rows, 0, 3);
        return true;
    }
    if (db_cell_int(&rows, 0, 1) - verdict->purged == verdict->rows)
        return true;
    if (!tx_query(&own, SQL_AUDIT_FIRST_GAP, DB_ARGS(db_int(verdict->purged)), &rows))
        return false;
    verdict->whole = false;
    verdict->broken_at = db_cell_int(&rows, 0, 0);
    return true;
}

bool audit_verify(const struct tx *tx, struct audit_verdict *verdict)
{
    struct audit_verdict found = { .whole = true };
    char workspace_id[LIMIT_REF + 1] = "";

    if (!next_chain(tx, workspace_id))
        return false;
    while (workspace_id[0]) {
        if (!verify_chain(tx, workspace_id, &found) || !next_chain(tx, workspace_id))
            return false;
    }
    if (!verify_numbers(tx, &found))
        return false;
    *verdict = found;
    return true;
}

/*
 * Page by page, each in an arena of its own. A key is only ever written where nobody else has it: a unique
 * index that refused one would end the transaction, and with it the start of the server.
 */
#include "core/upkeep/refold.h"

#include "base/clock.h"
#include "base/str.h"
#include "core/chat/voices.h"

#define FACT       "names_folded_by"
#define PAGE       500
#define BEFORE_ALL "00000000-0000-0000-0000-000000000000"

/* Where keys stand, and how a page of them is folded. */
struct keyed {
    enum sql_id page, set, holder;
    bool (*fold)(const struct tx *tx, const struct keyed *table, const struct db_rows *rows, size_t *changed);
};

static bool is_free(const struct tx *tx, const struct keyed *table, const struct db_rows *rows, size_t row,
                    const char *key, bool *free)
{
    struct db_rows holder;

    if (!tx_query(tx, table->holder, DB_ARGS(db_text(db_cell(rows, row, COL_REFOLD_SCOPE)), db_text(key)),
                  &holder))
        return false;
    *free = holder.count == 0 || str_equal(db_cell(&holder, 0, 0), db_cell(rows, row, COL_REFOLD_ID));
    return true;
}

static bool store_key(const struct tx *tx, const struct keyed *table, const struct db_rows *rows, size_t row,
                      const char *key, size_t *changed)
{
    if (str_equal(key, db_cell(rows, row, COL_REFOLD_STORED)))
        return true;
    ++*changed;
    return tx_exec(tx, table->set, DB_ARGS(db_text(db_cell(rows, row, COL_REFOLD_ID)), db_text(key)), NULL);
}

/* Each is somebody's alone: a name folded; if that is another's, what it was before; if that is, too, the id.
 */
static bool fold_unique(const struct tx *tx, const struct keyed *table, const struct db_rows *rows,
                        size_t *changed)
{
    for (size_t row = 0; row < rows->count; row++) {
        const char *name = db_cell(rows, row, COL_REFOLD_NAME);
        const char *keys[] = { str_fold(tx->arena, name), str_fold_apart(tx->arena, name),
                               str_fold_apart(tx->arena, db_cell(rows, row, COL_REFOLD_ID)) };
        bool free = false;

        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !free; i++)
            if (!is_free(tx, table, rows, row, keys[i], &free) ||
                (free && !store_key(tx, table, rows, row, keys[i], changed)))
                return false;
    }
    return true;
}

/* Any number of rows may have one. */
static bool fold_shared(const struct tx *tx, const struct keyed *table, const struct db_rows *rows,
                        size_t *changed)
{
    for (size_t row = 0; row < rows->count; row++)
        if (!store_key(tx, table, rows, row, str_fold(tx->arena, db_cell(rows, row, COL_REFOLD_NAME)),
                       changed))
            return false;
    return true;
}

static bool fold_mentions(const struct tx *tx, const char *prompt_id)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_REFOLD_MENTIONS, DB_ARGS(db_text(prompt_id)), &rows))
        return false;
    for (size_t row = 0; row < rows.count; row++) {
        const char *key = db_cell(&rows, row, 0), *folded = str_fold(tx->arena, key);

        if (!str_equal(key, folded) &&
            (!tx_exec(tx, SQL_REFOLD_UNMENTION, DB_ARGS(db_text(prompt_id), db_text(key)), NULL) ||
             !tx_exec(tx, SQL_MENTION_INSERT_PROMPT,
                      DB_ARGS(db_text(prompt_id), db_text(folded), db_text(db_cell(&rows, row, 1)),
                              db_text(db_cell(&rows, row, 2))),
                      NULL)))
            return false;
    }
    return true;
}

static bool fold_prompts(const struct tx *tx, const struct keyed *table, const struct db_rows *rows,
                         size_t *changed)
{
    (void)table;
    for (size_t row = 0; row < rows->count; row++)
        if (!voices_fold(tx, db_cell(rows, row, 0)) || !fold_mentions(tx, db_cell(rows, row, 0)))
            return false;
    *changed += rows->count;
    return true;
}

static const struct keyed users = { SQL_REFOLD_USERS, SQL_REFOLD_USER, SQL_REFOLD_USER_HOLDER, fold_unique };
static const struct keyed agents = { SQL_REFOLD_AGENTS, SQL_REFOLD_AGENT, SQL_REFOLD_AGENT_HOLDER,
                                     fold_unique };
static const struct keyed agents_new = { SQL_REFOLD_AGENTS_NEW, SQL_REFOLD_AGENT, SQL_REFOLD_AGENT_HOLDER,
                                         fold_unique };
static const struct keyed inboxes = { .page = SQL_REFOLD_NOTIFICATIONS,
                                      .set = SQL_REFOLD_NOTIFICATION,
                                      .fold = fold_shared };
static const struct keyed turns = { .page = SQL_REFOLD_TURNS, .set = SQL_REFOLD_TURN, .fold = fold_shared };
static const struct keyed prompts = { .page = SQL_REFOLD_PROMPTS, .fold = fold_prompts };

static bool fold_table(const struct tx *tx, const struct keyed *table, size_t *changed)
{
    const char *after = BEFORE_ALL;
    struct db_rows rows;

    do {
        ARENA_AUTO arena = { 0 };
        struct tx page = *tx;

        page.arena = &arena;
        if (!tx_query(&page, table->page, DB_ARGS(db_text(after), db_int(PAGE)), &rows) ||
            !table->fold(&page, table, &rows, changed))
            return false;
        if (rows.count > 0)
            after = arena_text(tx->arena, db_cell(&rows, rows.count - 1, 0));
    } while (rows.count == PAGE);
    return true;
}

static bool refold(const struct tx *tx, size_t *changed)
{
    const char *version = str_fold_version(tx->arena), *apart;
    struct db_rows rows;

    if (!tx_exec(tx, SQL_SCHEMA_LOCK, DB_NO_ARGS, NULL) ||
        !tx_query(tx, SQL_FACT_GET, DB_ARGS(db_text(FACT)), &rows) || !refold_apart(tx, &apart))
        return false;
    bool current = rows.count > 0 && str_equal(db_cell(&rows, 0, 0), version);

    if (current && !apart)
        return true;
    if (!fold_table(tx, &users, changed) || !fold_table(tx, &agents, changed))
        return false;
    return current ||
           (fold_table(tx, &inboxes, changed) && fold_table(tx, &turns, changed) &&
            fold_table(tx, &prompts, changed) && tx_exec(tx, SQL_REFOLD_SEARCH, DB_NO_ARGS, NULL) &&
            tx_exec(tx, SQL_FACT_SET, DB_ARGS(db_text(FACT), db_text(version)), NULL));
}

bool refold_store(struct db *db, struct arena *arena, size_t *changed, struct err *err)
{
    struct tx tx = tx_of(db, arena, clock_now_ms(), err);

    *changed = 0;
    if (!db_begin(db, true, err))
        return false;
    if (!refold(&tx, changed)) {
        db_rollback(db);
        return false;
    }
    return db_commit(db, err);
}

bool refold_apart(const struct tx *tx, const char **names)
{
    const char *all = NULL;
    struct db_rows rows;

    if (!tx_query(tx, SQL_REFOLD_APART, DB_ARGS(db_text("\n"), db_text("\v")), &rows))
        return false;
    for (size_t row = 0; row < rows.count; row++)
        all = arena_format(tx->arena, "%s%s%s %s", all ? all : "", all ? ", " : "",
                           db_cell(&rows, row, COL_REFOLD_APART_KIND),
                           db_cell(&rows, row, COL_REFOLD_APART_NAME));
    *names = all;
    return true;
}

bool refold_sweep(const struct tx *tx, size_t limit, size_t *swept)
{
    struct db_rows rows;

    *swept = 0;
    return tx_query(tx, agents_new.page, DB_ARGS(db_text(BEFORE_ALL), db_int((int64_t)limit)), &rows) &&
           agents_new.fold(tx, &agents_new, &rows, swept);
}

bool refold_waiting(const struct tx *tx, bool *waiting)
{
    struct db_rows rows;

    if (!tx_query(tx, agents_new.page, DB_ARGS(db_text(BEFORE_ALL), db_int(1)), &rows))
        return false;
    *waiting = rows.count > 0;
    return true;
}

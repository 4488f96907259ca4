/*
 * The figures are columns of the log, so that a sum is one statement, however long the discussion is.
 */
#include "core/council/spent.h"

#include "base/limits.h"

void spent_add(struct spent *into, const struct spent *more)
{
    into->calls += more->calls;
    into->tokens_in += more->tokens_in;
    into->tokens_out += more->tokens_out;
    into->missing += more->missing;
}

static void write_tokens(struct json_out *out, const char *name, const struct spent *spent, int64_t tokens)
{
    if (spent->calls > spent->missing || spent->calls == 0)
        json_int(out, name, tokens);
    else
        json_none(out, name);
}

void spent_members(const struct spent *spent, struct json_out *out)
{
    json_int(out, "calls", spent->calls);
    write_tokens(out, "tokensIn", spent, spent->tokens_in);
    write_tokens(out, "tokensOut", spent, spent->tokens_out);
    json_int(out, "callsNotReported", spent->missing);
}

bool spent_by_speaker(const struct tx *tx, const char *discussion_id, struct spent_by **list, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_SPENT_BY_SPEAKER, DB_ARGS(db_text(discussion_id), db_int(LIMIT_SPEAKERS)), &rows))
        return false;
    *list = arena_array(tx->arena, struct spent_by, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*list)[i] = (struct spent_by){
            .agent_id = db_cell(&rows, i, 0),
            .speaker = db_cell(&rows, i, 1),
            .turns = db_cell_int(&rows, i, 2),
            .passes = db_cell_int(&rows, i, 3),
            .spent = { .calls = db_cell_int(&rows, i, 4),
                       .tokens_in = db_cell_int(&rows, i, 5),
                       .tokens_out = db_cell_int(&rows, i, 6),
                       .missing = db_cell_int(&rows, i, 7) },
        };
    return true;
}

bool spent_by_others(const struct tx *tx, const struct spent_moment *moment, struct spent *spent)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_SPENT_BY_OTHERS,
                  DB_ARGS(db_text(moment->root_id), db_text(moment->discussion_id), db_int(moment->at_ms)),
                  &rows))
        return false;
    *spent = (struct spent){ .calls = db_cell_int(&rows, 0, 0), .tokens_in = db_cell_int(&rows, 0, 1) };
    return true;
}

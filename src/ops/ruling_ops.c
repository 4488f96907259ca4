/*
 * What a discussion has decided, and whether it would decide so again.
 */
#include "base/str.h"
#include "core/council/replay_rows.h"
#include "ops/discussion.h"
#include "ops/tables.h"

static const struct field decision_fields[] = {
    { "seq", T_INT, REQUIRED, "Its number." },
    { "kind", T_TEXT, REQUIRED, "What was decided." },
    { "round", T_INT, REQUIRED, "In which round." },
    { "turn", T_INT, REQUIRED, "At which place; -1: of the round as a whole." },
    { "afterSeq", T_INT, REQUIRED, "The last row of the log that it knew." },
    { "inputs", T_OBJECT, REQUIRED, "From what.", .flags = F_OPEN },
    { "verdict", T_TEXT, REQUIRED, "What." },
    { "reason", T_TEXT, REQUIRED, "Why." },
    { "at", T_TIME, REQUIRED, "When." },
    { 0 },
};

static const struct field decisions_reply[] = {
    { "decisions", T_LIST, REQUIRED, "Every decision, oldest first.", .items = T_OBJECT,
      .fields = decision_fields },
    { 0 },
};

static const struct field replay_reply[] = {
    { "agrees", T_BOOL, REQUIRED, "Whether every decision comes out as it is stored." },
    { "decisions", T_INT, REQUIRED, "How many were made again." },
    { "differences", T_LIST, REQUIRED, "A sentence for each that does not.", .items = T_TEXT },
    { 0 },
};

static bool run_discussion_decisions(struct call *call)
{
    struct discussion d;
    struct db_rows rows;

    if (!discussion_get(&call->tx, arg_text(call, "id"), &d) ||
        !tx_query(&call->tx, SQL_DECIDED_LIST, DB_ARGS(db_text(d.id), db_int(LIMIT_ENTRIES)), &rows))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "decisions");
    for (size_t i = 0; i < rows.count; i++) {
        json_map(&call->out, NULL);
        json_int(&call->out, "seq", db_cell_int(&rows, i, COL_DECIDED_SEQ));
        json_text(&call->out, "kind", db_cell(&rows, i, COL_DECIDED_KIND));
        json_int(&call->out, "round", db_cell_int(&rows, i, COL_DECIDED_ROUND_NUMBER));
        json_int(&call->out, "turn", db_cell_int(&rows, i, COL_DECIDED_TURN_INDEX));
        json_int(&call->out, "afterSeq", db_cell_int(&rows, i, COL_DECIDED_AFTER_SEQ));
        json_raw(&call->out, "inputs", db_cell(&rows, i, COL_DECIDED_INPUTS));
        json_text(&call->out, "verdict", db_cell(&rows, i, COL_DECIDED_VERDICT));
        json_text(&call->out, "reason", db_cell(&rows, i, COL_DECIDED_REASON));
        json_time(&call->out, "at", db_cell_int(&rows, i, COL_DECIDED_CREATED_AT));
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
    json_map_end(&call->out);
    return true;
}

static bool run_discussion_replay(struct call *call)
{
    struct replay replay;

    if (!replay_run(&call->tx, arg_text(call, "id"), &replay))
        return false;
    json_map(&call->out, NULL);
    json_bool(&call->out, "agrees", replay.difference_count == 0);
    json_int(&call->out, "decisions", (int64_t)replay.decisions);
    json_list(&call->out, "differences");
    for (size_t i = 0; i < replay.difference_count; i++)
        json_text(&call->out, NULL, replay.differences[i]);
    json_list_end(&call->out);
    json_map_end(&call->out);
    return true;
}

const struct op ruling_ops[] = {
    {
        .name = "discussion_decisions",
        .http = "GET /api/discussions/{id}/decisions",
        .tag = TAG_DISCUSSIONS,
        .help = "Every decision that was made in a discussion, with its reason.",
        .needs = ROLES_READ,
        .reaches = REACH_DISCUSSION,
        .kind = OP_READ,
        .run = run_discussion_decisions,
        .reply = decisions_reply,
        .params = { DISCUSSION_PARAM },
    },
    {
        .name = "discussion_replay",
        .http = "GET /api/discussions/{id}/replay",
        .tag = TAG_DISCUSSIONS,
        .help =
            "Make every decision of a discussion again, from its log alone, and compare with what is stored. "
            "No model is called, and nothing is changed.",
        .needs = ROLES_READ,
        .reaches = REACH_DISCUSSION,
        .kind = OP_READ,
        .run = run_discussion_replay,
        .reply = replay_reply,
        .params = { DISCUSSION_PARAM },
    },
    { 0 },
};

/*
 * What a run has done, and whether it would decide so again. Runs are made, looked at and cancelled as the
 * jobs that they belong to (job_ops.c).
 */
#include "base/str.h"
#include "core/runs/run.h"
#include "gen/nouns/run_call_fields.h"
#include "gen/nouns/run_entry_fields.h"
#include "gen/nouns/run_fields.h"
#include "ops/fields.h"
#include "ops/question_fields.h"
#include "ops/tables.h"

static const char *const orders[] = { "oldest", "newest", NULL };

/* Of a budget null is any amount. */
static const struct field run_budget_fields[] = {
    { "steps", T_INT, REQUIRED, "How often its model may reply.", .flags = F_NULL },
    { "tokens", T_INT, REQUIRED, "How many tokens it may use, read and written.", .flags = F_NULL },
    { "seconds", T_INT, REQUIRED, "How long it may take; waiting for others does not count.",
      .flags = F_NULL },
    { "money", T_REAL, REQUIRED, "What it may cost, in the currency of the models' prices.",
      .flags = F_NULL },
    { 0 },
};

static const struct field run_spent_fields[] = {
    { "steps", T_INT, REQUIRED, "How often its model has replied." },
    { "tokensIn", T_INT, REQUIRED, "Tokens that were read." },
    { "tokensOut", T_INT, REQUIRED, "Tokens that were written." },
    { "seconds", T_REAL, REQUIRED, "How long it took until its last step, without waiting for others." },
    { "money", T_REAL, REQUIRED, "What that cost, where the model's prices are known." },
    { "usageMissing", T_INT, REQUIRED,
      "Calls of the model that did not say what they took; the tokens are estimated then." },
    { 0 },
};

static const struct field run_wait_fields[] = {
    { "callId", T_UUID, REQUIRED, "The call that waits; null: the run itself, for advice on an error.",
      .flags = F_NULL },
    { "name", T_TEXT, REQUIRED, "Its tool.", .flags = F_NULL },
    { "state", T_ENUM, REQUIRED, "How it waits.", .values = run_call_states },
    { "questionId", T_UUID, REQUIRED, "The question that people are asked.", .flags = F_NULL },
    { "discussionId", T_UUID, REQUIRED, "The discussion that it waits for.", .flags = F_NULL },
    { "promptId", T_UUID, REQUIRED, "The prompt to the squad.", .flags = F_NULL },
    { 0 },
};

static const struct field run_fields[] = { RUN_FIELDS, { 0 } };
static const struct field call_fields[] = { RUN_CALL_FIELDS, { 0 } };
static const struct field entry_fields[] = {
    RUN_ENTRY_FIELDS,
    { "call", T_OBJECT, REQUIRED, "Of a call and its result: the call as it stands now.",
      .fields = call_fields, .flags = F_NULL },
    { 0 },
};

static const struct field trace_reply[] = {
    { "run", T_OBJECT, REQUIRED, "The run as a whole.", .fields = run_fields },
    { "entries", T_LIST, REQUIRED,
      "What was told, said, called and decided, in the order that was asked for.", .items = T_OBJECT,
      .fields = entry_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field difference_fields[] = {
    { "seq", T_INT, REQUIRED, "The entry of the decision." },
    { "stored", T_TEXT, REQUIRED, "What was decided." },
    { "recomputed", T_TEXT, REQUIRED, "What comes out of the log." },
    { 0 },
};

static const struct field replay_reply[] = {
    { "same", T_BOOL, REQUIRED, "Whether every decision comes out as it is stored." },
    { "steps", T_INT, REQUIRED, "How many steps were gone through." },
    { "decisions", T_INT, REQUIRED, "How many decisions were made again." },
    { "differences", T_LIST, REQUIRED, "Those that come out otherwise.", .items = T_OBJECT,
      .fields = difference_fields },
    { 0 },
};

/* Where the page begins: behind what a cursor or `after` names. */
static bool read_filter(struct call *call, struct run_entry_filter *filter)
{
    const char *cursor = arg_text(call, "cursor");

    *filter = (struct run_entry_filter){ .newest = str_equal(arg_text(call, "order"), "newest"),
                                         .from = arg_int(call, "after"),
                                         .limit = (size_t)arg_int(call, "limit") + 1 };
    if (filter->newest && arg_given(call, "after"))
        return err_field(&call->err, "after", "after follows a run on: it goes with order oldest.");
    return !cursor || (str_to_int(cursor, &filter->from) && filter->from > 0) ||
           err_field(&call->err, "cursor", "cursor must be a nextCursor of this list.");
}

static void write_entry(const struct run_entry *entry, const struct run_call *of, struct json_out *out)
{
    json_map(out, NULL);
    run_entry_write_members(entry, out);
    if (of)
        run_call_write(of, "call", out);
    else
        json_none(out, "call");
    json_map_end(out);
}

static bool run_run_trace(struct call *call)
{
    const char *id = arg_text(call, "id");
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct run_entry_filter filter;
    const struct run_call **calls;
    struct run_entry *entries;
    struct run run;

    if (!read_filter(call, &filter) || !run_get(&call->tx, id, &run) ||
        !run_entries(&call->tx, id, &filter, &entries, &calls, &count))
        return false;
    call->ended = run.phase == RUN_ENDED;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_map(&call->out, "run");
    run_write_members(&run, &call->out);
    json_map_end(&call->out);
    json_list(&call->out, "entries");
    for (size_t i = 0; i < shown; i++)
        write_entry(&entries[i], calls[i], &call->out);
    json_list_end(&call->out);
    json_text(&call->out, "nextCursor",
              count > shown ? arena_format(call->tx.arena, "%lld", (long long)entries[shown - 1].seq) : NULL);
    json_map_end(&call->out);
    return true;
}

static bool run_run_replay(struct call *call)
{
    struct run_replay replay;

    if (!run_replay(&call->tx, arg_text(call, "id"), &replay))
        return false;
    json_map(&call->out, NULL);
    json_bool(&call->out, "same", replay.difference_count == 0);
    json_int(&call->out, "steps", replay.steps);
    json_int(&call->out, "decisions", replay.decisions);
    json_list(&call->out, "differences");
    for (size_t i = 0; i < replay.difference_count; i++) {
        json_map(&call->out, NULL);
        json_int(&call->out, "seq", replay.differences[i].seq);
        json_text(&call->out, "stored", replay.differences[i].stored);
        json_text(&call->out, "recomputed", replay.differences[i].recomputed);
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
    json_map_end(&call->out);
    return true;
}

#define ID_PARAM \
    { \
        "id", T_UUID, REQUIRED, "The job." \
    }

const struct op run_ops[] = {
    {
        .name = "run_trace",
        .http = "GET /api/jobs/{id}/trace",
        .tag = TAG_JOBS,
        .help = "Read what an agent of the runner did: what its model was told and said, the tools that it called with arguments and output, and every decision with its reason. "
                "Give the number of the last entry as after to go on from there; the event run.moved says when there are others.",
        .needs = ROLES_READ,
        .reaches = REACH_JOB,
        .kind = OP_READ,
        .run = run_run_trace,
        .reply = trace_reply,
        .params = {
            ID_PARAM,
            { "order", T_ENUM, OPTIONAL, "Which entries come first; newest reads a long one from its end.",
              .values = orders, .fallback = "oldest" },
            { "after", T_INT, OPTIONAL, "Only entries behind the one with this number.", .min = 0,
              .max = INT64_MAX },
            PAGE_PARAMS_UP_TO(LIMIT_LOG_PAGE),
        },
    },
    {
        .name = "run_replay",
        .http = "GET /api/jobs/{id}/replay",
        .tag = TAG_JOBS,
        .help = "Make every decision of a run again, from its log alone, and compare with what is stored. "
                "No model and no tool is called, and nothing is changed.",
        .needs = ROLES_READ,
        .reaches = REACH_JOB,
        .kind = OP_READ,
        .heavy = true,
        .run = run_run_replay,
        .reply = replay_reply,
        .params = { ID_PARAM },
    },
    { 0 },
};

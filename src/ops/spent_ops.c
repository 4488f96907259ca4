/*
 * What a discussion took, and each of those who spoke in it.
 */
#include "core/council/spent_by.h"
#include "ops/discussion.h"
#include "ops/tables.h"

#define SPENT_FIELDS \
    { "turns", T_INT, REQUIRED, "Turns in which something was said." }, \
        { "passes", T_INT, REQUIRED, "Turns that were passed." }, \
        { "calls", T_INT, REQUIRED, "Calls to models; failed ones and those cut off count." }, \
        { "tokensIn", T_INT, REQUIRED, "Tokens that were read; null: not reported.", .flags = F_NULL }, \
        { "tokensOut", T_INT, REQUIRED, "Tokens that were written; null: not reported.", .flags = F_NULL }, \
    { \
        "callsNotReported", T_INT, REQUIRED, "Calls whose provider did not report what they took." \
    }

static const struct field agent_fields[] = {
    { "speaker", T_TEXT, REQUIRED, "Who; judge and summary are asked on the discussion's behalf." },
    { "agentId", T_UUID, REQUIRED, "Which agent, if one.", .flags = F_NULL },
    SPENT_FIELDS,
    { 0 },
};

static const struct field total_fields[] = { SPENT_FIELDS, { 0 } };

static const struct field usage_reply[] = {
    { "agents", T_LIST, REQUIRED, "Each who spoke, in the order of their first words.", .items = T_OBJECT,
      .fields = agent_fields },
    { "total", T_OBJECT, REQUIRED,
      "All of it; more than the sum where a cancel cut calls off before a word was said.",
      .fields = total_fields },
    { 0 },
};

static void write_one(struct json_out *out, const struct spent_by *by)
{
    json_int(out, "turns", by->turns);
    json_int(out, "passes", by->passes);
    spent_members(&by->spent, out);
    json_map_end(out);
}

static bool run_discussion_usage(struct call *call)
{
    struct spent_by total = { 0 }, *list;
    struct discussion d;
    size_t count;

    if (!discussion_get(&call->tx, arg_text(call, "id"), &d) ||
        !spent_by_speaker(&call->tx, d.id, &list, &count))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "agents");
    for (size_t i = 0; i < count; i++) {
        json_map(&call->out, NULL);
        json_text(&call->out, "speaker", list[i].speaker);
        json_text(&call->out, "agentId", list[i].agent_id);
        write_one(&call->out, &list[i]);
        total.turns += list[i].turns;
        total.passes += list[i].passes;
    }
    json_list_end(&call->out);
    total.spent = d.spent;
    json_map(&call->out, "total");
    write_one(&call->out, &total);
    json_map_end(&call->out);
    return true;
}

const struct op spent_ops[] = {
    {
        .name = "discussion_usage",
        .http = "GET /api/discussions/{id}/usage",
        .tag = TAG_DISCUSSIONS,
        .help = "What a discussion took: turns, passes, calls and tokens of each agent, and in all.",
        .needs = ROLES_READ,
        .reaches = REACH_DISCUSSION,
        .kind = OP_READ,
        .run = run_discussion_usage,
        .reply = usage_reply,
        .params = { DISCUSSION_PARAM },
    },
    { 0 },
};

#include "core/council/recount.h"
#include "core/council/rules/ballot.h"
#include "ops/discussion.h"
#include "ops/tables.h"

static const struct field ballot_params[] = {
    { "voter", T_TEXT, OPTIONAL, "Who votes; voter 1, voter 2 and so on when left out.", .max = LIMIT_REF,
      .flags = F_NULL },
    { "choice", T_TEXT, OPTIONAL, "One of the choices.", .max = LIMIT_OPTION, .flags = F_NULL },
    { "confidence", T_REAL, OPTIONAL, "How sure, from 0 to 1; it weighs under the rule weighted.", .max = 1,
      .flags = F_NULL },
    { "ranking", T_LIST, OPTIONAL, "The choices, best first.", .items = T_TEXT, .flags = F_NULL },
    { 0 },
};

static const struct field tally_reply[] = {
    { "rule", T_ENUM, REQUIRED, "How it was counted.", .values = vote_rules },
    { "winner", T_TEXT, REQUIRED, "The choice with more than any other; null: there is none.",
      .flags = F_NULL },
    { "tie", T_BOOL, REQUIRED, "Whether two or more are level at the top." },
    { "tally", T_OBJECT, REQUIRED, "What each choice got.", .flags = F_OPEN },
    { "agreed", T_BOOL, REQUIRED, "Whether enough of all voters made the same first choice." },
    { "decided", T_BOOL, REQUIRED, "Whether votes still to come cannot change it." },
    { "dissent", T_LIST, REQUIRED, "Who did not choose the winner.", .items = T_JSON },
    { 0 },
};

static const struct field ballot_fields[] = {
    { "voter", T_TEXT, REQUIRED, "Whose it is." },
    { "choice", T_TEXT, REQUIRED, "What for; null: it is spoilt, or was withheld.", .flags = F_NULL },
    { "confidence", T_REAL, REQUIRED, "How sure they are, from 0 to 1.", .flags = F_NULL },
    { "ranking", T_LIST, REQUIRED, "The choices, the best first; empty: the choice alone.", .items = T_TEXT },
    { "problem", T_TEXT, REQUIRED, "What was not understood of it.", .flags = F_NULL },
    { 0 },
};

static const struct field recount_reply[] = {
    { "round", T_INT, REQUIRED, "After which round; null: it has not voted.", .flags = F_NULL },
    { "ballots", T_LIST, REQUIRED, "What everybody voted for.", .items = T_OBJECT, .fields = ballot_fields },
    { "counts", T_LIST, REQUIRED, "The same ballots, counted under each rule.", .items = T_OBJECT,
      .fields = tally_reply },
    { 0 },
};

static bool run_discussion_votes(struct call *call)
{
    struct discussion d;

    return discussion_get(&call->tx, arg_text(call, "id"), &d) && recount_write(&call->tx, &d, &call->out);
}

static bool take_ballots(struct call *call, struct vote *vote)
{
    const json_t *votes = arg_json(call, "votes");
    struct ballot *ballots = arena_array(call->tx.arena, struct ballot, json_array_size(votes));

    for (size_t i = 0; i < json_array_size(votes); i++) {
        if (!ballot_from_json(call->tx.arena, vote->choices, vote->choice_count, json_array_get(votes, i),
                              &ballots[i], &call->err)) {
            if (!call->err.field[0])
                snprintf(call->err.field, sizeof(call->err.field), "votes[%zu]", i);
            return false;
        }
        if (!ballots[i].voter)
            ballots[i].voter = arena_format(call->tx.arena, "voter %zu", i + 1);
    }
    vote->ballots = ballots;
    vote->ballot_count = json_array_size(votes);
    return true;
}

static bool run_vote_tally(struct call *call)
{
    const json_t *choices = arg_json(call, "choices"), *threshold = arg_json(call, "agreement_threshold");
    const char **names = arena_array(call->tx.arena, const char *, json_array_size(choices));
    struct vote vote = { .rule = arg_word(call, "rule", vote_rules),
                         .choices = names,
                         .choice_count = json_array_size(choices),
                         .threshold = { .kind = THRESHOLD_ALL } };
    struct vote_result result;

    for (size_t i = 0; i < vote.choice_count; i++)
        names[i] = json_string_value(json_array_get(choices, i));
    if ((threshold && !threshold_from_json(threshold, &vote.threshold, &call->err)) ||
        !take_ballots(call, &vote))
        return false;
    vote.voters = arg_given(call, "voters") ? (size_t)arg_int(call, "voters") : vote.ballot_count;
    if (!vote_count(call->tx.arena, &vote, &result, &call->err))
        return false;
    vote_write(&result, NULL, &call->out);
    return true;
}

const struct op vote_ops[] = {
    {
        .name = "vote_tally",
        .http = "POST /api/votes/tally",
        .tag = TAG_DISCUSSIONS,
        .help = "Count ballots under a rule. Nothing is stored: the same ballots can be counted under every rule.",
        .needs = ROLES_WRITE,
        .reaches = REACH_OWN,
        .kind = OP_READ,
        .tool = "tally_votes",
        .run = run_vote_tally,
        .example = "{\"rule\": \"borda\", \"choices\": [\"cache\", \"index\"], "
                   "\"votes\": [{\"voter\": \"Architect\", \"ranking\": [\"index\", \"cache\"]}, "
                   "{\"voter\": \"Reviewer\", \"choice\": \"index\", \"confidence\": 0.8}], "
                   "\"agreement_threshold\": 0.75}",
        .reply = tally_reply,
        .params = {
            { "rule", T_ENUM, OPTIONAL, "How to count.", .values = vote_rules, .fallback = "majority" },
            { "choices", T_LIST, REQUIRED, "What is voted for.", .min = 1, .max = LIMIT_CHOICES, .items = T_TEXT },
            { "voters", T_INT, OPTIONAL, "Who may vote, whether or not they have; as many as votes when left out.",
              .min = 1, .max = LIMIT_LIST },
            { "votes", T_LIST, REQUIRED, "The ballots, each with a choice or a ranking.", .max = LIMIT_LIST,
              .items = T_OBJECT, .fields = ballot_params },
            { "agreement_threshold", T_JSON, OPTIONAL, "all, majority, or a share such as 0.75.", .max = LIMIT_REF,
              .form = THRESHOLD_FORM },
        },
    },
    {
        .name = "discussion_votes",
        .http = "GET /api/discussions/{id}/votes",
        .tag = TAG_DISCUSSIONS,
        .help = "The ballots of a discussion's last vote, and how they come out under every rule.",
        .needs = ROLES_READ,
        .reaches = REACH_DISCUSSION,
        .kind = OP_READ,
        .run = run_discussion_votes,
        .reply = recount_reply,
        .params = { DISCUSSION_PARAM },
    },
    { 0 },
};

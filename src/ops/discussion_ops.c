#include "base/str.h"
#include "core/council/control.h"
#include "core/council/make.h"
#include "core/council/open_turn.h"
#include "core/council/result.h"
#include "core/council/rules/transcript.h"
#include "core/council/rules/vote.h"
#include "core/identity/workspace.h"
#include "ops/discussion.h"
#include "ops/example.h"
#include "ops/fields.h"
#include "ops/identity.h"
#include "ops/tables.h"

static const char *const formats[] = { "text", "markdown", "json", NULL };

static const struct field usage_fields[] = {
    { "calls", T_INT, REQUIRED, "Calls to models." },
    { "tokensIn", T_INT, REQUIRED, "Tokens that were read; null: not reported.", .flags = F_NULL },
    { "tokensOut", T_INT, REQUIRED, "Tokens that were written; null: not reported.", .flags = F_NULL },
    { "callsNotReported", T_INT, REQUIRED, "Calls whose provider did not report what they took." },
    { 0 },
};

static const struct field ref_fields[] = {
    { "kind", T_ENUM, REQUIRED, "prompt or question.", .values = council_refs },
    { "id", T_UUID, REQUIRED, "Which one." },
    { 0 },
};

const struct field discussion_fields[] = {
    { "id", T_UUID, REQUIRED, "The discussion." },
    { "topic", T_TEXT, REQUIRED, "What it is about." },
    { "mode", T_ENUM, REQUIRED, "How turns are taken.", .values = council_modes },
    { "status", T_ENUM, REQUIRED, "Where it stands.", .values = council_statuses },
    { "phase", T_ENUM, REQUIRED, "What is going on right now.", .values = council_phases },
    { "round", T_INT, REQUIRED, "The round, from 1; of one that has ended the last that was held." },
    { "rounds", T_INT, REQUIRED, "How many rounds there are." },
    { "turnIndex", T_INT, REQUIRED, "The place in the order, from 0." },
    { "endReason", T_ENUM, REQUIRED, "Why it ended.", .values = council_ends, .flags = F_NULL },
    { "outcome", T_OBJECT, REQUIRED, "How it ended; null while it goes on.", .fields = outcome_fields,
      .flags = F_NULL },
    { "projectId", T_UUID, REQUIRED, "Its project.", .flags = F_NULL },
    { "taskId", T_UUID, REQUIRED, "The task that gets its result.", .flags = F_NULL },
    { "parentId", T_UUID, REQUIRED, "The discussion that it was split off from.", .flags = F_NULL },
    { "depth", T_INT, REQUIRED, "How many are above it." },
    { "ref", T_OBJECT, REQUIRED, "What its result answers.", .fields = ref_fields, .flags = F_NULL },
    { "forkedFrom", T_UUID, REQUIRED, "The discussion whose beginning it shares.", .flags = F_NULL },
    { "sessionId", T_TEXT, REQUIRED, "The session it belongs to.", .flags = F_NULL },
    { "options", T_OBJECT, REQUIRED, "Vote, budget, when to stop.", .flags = F_OPEN },
    { "usage", T_OBJECT, REQUIRED, "What it took so far.", .fields = usage_fields },
    { "createdBy", T_TEXT, REQUIRED, "Who started it.", .flags = F_NULL },
    { "createdAt", T_TIME, REQUIRED, "When it was made." },
    { "updatedAt", T_TIME, REQUIRED, "When something last happened in it." },
    { "endedAt", T_TIME, REQUIRED, "When it ended.", .flags = F_NULL },
    { 0 },
};

const struct field discussion_entry_fields[] = {
    { "id", T_UUID, REQUIRED, "The entry." },
    { "speaker", T_TEXT, REQUIRED, "Who." },
    { "agentId", T_UUID, REQUIRED, "Which agent, if one.", .flags = F_NULL },
    { "role", T_TEXT, REQUIRED, "In which role." },
    { "content", T_TEXT, REQUIRED, "What was said; of a pass its reason." },
    { "turnIndex", T_INT, REQUIRED, "The place in the order; -1: out of turn." },
    { "roundNumber", T_INT, REQUIRED, "In which round." },
    { "metadata", T_OBJECT, REQUIRED, "pass, reason, skipped, partial, usage, model and the like.",
      .flags = F_OPEN },
    { "createdAt", T_TIME, REQUIRED, "When." },
    { 0 },
};

const struct field discussion_reply[] = {
    { "discussion", T_OBJECT, REQUIRED, "The discussion.", .fields = discussion_fields },
    { 0 },
};

static const struct field made_reply[] = {
    { "discussion", T_OBJECT, REQUIRED, "The discussion.", .fields = discussion_fields },
    { "agentsMade", T_LIST, REQUIRED, "The agents of the cast that were not there yet, by name.",
      .items = T_TEXT },
    { 0 },
};

static const struct field list_reply[] = {
    { "discussions", T_LIST, REQUIRED, "The discussions, newest first.", .items = T_OBJECT,
      .fields = discussion_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct reply_document transcript_documents[] = {
    { "text", "text/plain; charset=utf-8", "transcript.txt" },
    { "markdown", "text/markdown; charset=utf-8", "transcript.md" },
    { 0 },
};

static const struct field contribution_fields[] = {
    { "agent", T_TEXT, REQUIRED, "Who." },
    { "round", T_INT, REQUIRED, "In which round." },
    { "content", T_TEXT, REQUIRED, "What was said." },
    { 0 },
};

static const struct field pass_fields[] = {
    { "agent", T_TEXT, REQUIRED, "Who." },
    { "reason", T_TEXT, REQUIRED, "Why; empty when none was given." },
    { 0 },
};

static const struct field round_fields[] = {
    { "round", T_INT, REQUIRED, "Which." },
    { "contributions", T_LIST, REQUIRED, "What was said in it.", .items = T_OBJECT,
      .fields = contribution_fields },
    { "passes", T_LIST, REQUIRED, "Who said nothing.", .items = T_OBJECT, .fields = pass_fields },
    { 0 },
};

static const struct field transcript_reply[] = {
    { "topic", T_TEXT, REQUIRED, "What it is about." },
    { "rounds", T_LIST, REQUIRED, "Round by round.", .items = T_OBJECT, .fields = round_fields },
    { "full_discussion", T_LIST, REQUIRED, "All that was said, in order.", .items = T_OBJECT,
      .fields = contribution_fields },
    { "total_contributions", T_INT, REQUIRED, "How much was said." },
    { "vote", T_OBJECT, OPTIONAL, "How the vote came out, if there was one.", .flags = F_OPEN },
    { "shadow", T_OBJECT, OPTIONAL, "What smart termination would have saved, where it only looked on.",
      .flags = F_OPEN },
    { "answered", T_OBJECT, OPTIONAL, "What became of the reply to what it was called for.",
      .flags = F_OPEN },
    { RESULT_FAILURE, T_OBJECT, OPTIONAL, "Why it could not go on, where it has failed.", .flags = F_OPEN },
    { 0 },
};

bool discussion_reply_one(struct call *call, const struct discussion *discussion)
{
    call->subject = discussion->id;
    json_map(&call->out, NULL);
    discussion_write(discussion, "discussion", &call->out);
    json_map_end(&call->out);
    return true;
}

static void take_ref(struct call *call, struct discussion_wish *wish)
{
    const json_t *ref = arg_json(call, "ref");

    if (!ref)
        return;
    wish->ref_kind = words_find(council_refs, json_string_value(json_object_get(ref, "kind")));
    wish->ref_id = str_lower(call->tx.arena, json_string_value(json_object_get(ref, "id")));
}

static bool run_discussion_create(struct call *call)
{
    struct discussion_wish wish = {
        .topic = arg_text(call, "topic"),
        .mode = arg_word(call, "mode", council_modes),
        .rounds = (int)arg_int(call, "rounds"),
        .project_id = arg_text(call, "projectId"),
        .task_id = arg_text(call, "taskId"),
        .session_id = arg_text(call, "sessionId"),
        .parent_id = arg_text(call, "parentId"),
        .participants = arg_json(call, "participants"),
        .cast = arg_word(call, "cast", council_casts),
        .options = arg_json(call, "options"),
    };
    struct cast_seats cast;
    struct discussion d;

    take_ref(call, &wish);
    if (!discussion_make(&call->tx, &wish, &d, &cast))
        return false;
    call->subject = d.id;
    json_map(&call->out, NULL);
    discussion_write(&d, "discussion", &call->out);
    cast_write_made(&cast, "agentsMade", &call->out);
    json_map_end(&call->out);
    return true;
}

static bool run_discussion_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct discussion_filter filter = {
        .mode = arg_word(call, "mode", council_modes),
        .status = arg_word(call, "status", council_statuses),
        .project_id = arg_text(call, "projectId"),
        .task_id = arg_text(call, "taskId"),
        .parent_id = arg_text(call, "parentId"),
        .session_id = arg_text(call, "sessionId"),
        .limit = limit + 1,
    };
    struct discussion *list;

    if (!identity_page(call, "discussions", &filter.cursor) ||
        !discussion_list(&call->tx, &filter, &list, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "discussions");
    for (size_t i = 0; i < shown; i++)
        discussion_write(&list[i], NULL, &call->out);
    json_list_end(&call->out);
    identity_write_next(call, "discussions", count > shown, shown ? list[shown - 1].created_ms : 0,
                        shown ? list[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

/* What is owed and was not taken in time is passed before anything is said about it. */
static bool nothing_due(struct call *call, const struct discussion *d)
{
    struct open_turn *turns;
    size_t count;

    if (d->status != STATUS_ACTIVE)
        return true;
    if (!open_turn_list(&call->tx, d->id, &turns, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (turns[i].due_ms && turns[i].due_ms < call->tx.now_ms)
            return err_set(&call->err, ERR_DUE, "The time of a turn is up.");
    return true;
}

static bool run_discussion_get(struct call *call)
{
    struct discussion d;

    if (!discussion_get(&call->tx, arg_text(call, "id"), &d) || (!call->glance && !nothing_due(call, &d)))
        return false;
    call->ended = call->held ? !discussion_is_busy(&d) : discussion_has_ended(&d);
    if (call->held && !call->ended)
        call->status = 202;
    return (call->glance && !call->ended) || discussion_reply_state(call, &d);
}

/* The workspace under the name that other programs have for it. */
static bool check_organization(struct call *call)
{
    const char *given = arg_text(call, "organizationId");
    struct workspace workspace;

    if (!given || str_equal(given, call->caller.workspace_id))
        return true;
    if (!workspace_get(&call->tx, call->caller.workspace_id, &workspace))
        return false;
    return str_equal(workspace.slug, given) ||
           err_set(&call->err, ERR_NOT_FOUND, "There is no such organization.");
}

static bool run_discussion_message(struct call *call)
{
    struct spoken spoken = { .user_id = arg_text(call, "userId"), .content = arg_text(call, "message") };
    struct discussion d;

    if (!discussion_get(&call->tx, arg_text(call, "id"), &d))
        return false;
    if (!spoken.content || str_is_blank(spoken.content))
        return err_field(&call->err, "message", "message must not be blank.");
    if (!spoken.user_id && call->caller.kind != CALLER_USER)
        return err_field(&call->err, "userId", "userId is needed unless a user is logged in.");
    if (!caller_may_speak_for(&call->tx, spoken.user_id))
        return false;
    if (call->caller.kind == CALLER_USER)
        spoken.user_id = call->caller.id;
    if (!check_organization(call) || !control_message(&call->tx, arg_text(call, "id"), &spoken, &d) ||
        !discussion_reply_state(call, &d))
        return false;
    call->subject = d.id;
    call->ended = !discussion_is_busy(&d);
    call->status = call->ended ? 200 : 202;
    return true;
}

static bool run_discussion_fork(struct call *call)
{
    struct discussion d;

    return discussion_fork(&call->tx, arg_text(call, "id"), arg_text(call, "at"), &d) &&
           discussion_reply_one(call, &d);
}

static bool run_discussion_transcript(struct call *call)
{
    const char *format = arg_text(call, "format");
    struct discussion d;
    struct logs log;

    if (!discussion_get(&call->tx, arg_text(call, "id"), &d) ||
        !logged_all(&call->tx, d.id, 0, &log.rows, &log.count))
        return false;
    struct transcript transcript = result_transcript(&call->tx, &d, &log);

    if (str_equal(format, "text"))
        transcript_text(call->tx.arena, &transcript, call->out.buf);
    else if (str_equal(format, "markdown"))
        transcript_markdown(call->tx.arena, &transcript, call->out.buf);
    else
        result_write(&call->tx, &d, &log, NULL, &call->out);
    return true;
}

static const struct field participant_params[] = {
    { "agentId", T_UUID, OPTIONAL, "An agent; not for role user.", .flags = F_NULL },
    { "agentName", T_NAME, OPTIONAL, "The same by its name.", .flags = F_NULL },
    { "role", T_NAME, OPTIONAL, "user is a person; an agent's own role when left out.", .flags = F_NULL },
    { "userId", T_ID, OPTIONAL, "Which person; any when left out.", .flags = F_NULL },
    { "name", T_NAME, OPTIONAL, "What a person is called.", .flags = F_NULL },
    { "sequence_order", T_INT, OPTIONAL, "The place in the order; as listed when left out.", .max = 1000000,
      .flags = F_NULL },
    { 0 },
};

static const struct field vote_params[] = {
    { "choices", T_LIST, REQUIRED, "What is voted for.", .min = 2, .max = LIMIT_CHOICES, .items = T_TEXT },
    { "rule", T_ENUM, OPTIONAL, "How ballots are counted; majority when left out.", .values = vote_rules },
    { 0 },
};

static const struct field budget_params[] = {
    { "calls", T_INT, OPTIONAL, "Calls to models at most.", .min = 1, .max = LIMIT_BUDGET },
    { "tokens", T_INT, OPTIONAL, "Tokens at most, in and out together.", .min = 1, .max = LIMIT_BUDGET },
    { "seconds", T_INT, OPTIONAL, "How long it may take.", .min = 1, .max = LIMIT_BUDGET },
    { 0 },
};

#define SMART_FORM "\"anyOf\":[{\"enum\":[\"off\",\"on\",\"shadow\",null]},{\"type\":\"boolean\"}]"

/* As core/council/rules/options.h takes them. */
static const struct field option_params[] = {
    { "vote", T_OBJECT, OPTIONAL, "What the agents vote for when they have spoken.", .fields = vote_params },
    { "agreement_threshold", T_JSON, OPTIONAL,
      "When a vote counts as agreement: all, majority, or a share such as 0.75.", .max = LIMIT_REF,
      .form = THRESHOLD_FORM },
    { "smart_termination", T_JSON, OPTIONAL,
      "Whether it ends early when they agree or nothing new is said: off, on, or shadow, which only tells.",
      .max = LIMIT_REF, .form = SMART_FORM },
    { "judge", T_BOOL, OPTIONAL, "Whether a model is asked after each round if there is more to say." },
    { "budget", T_OBJECT, OPTIONAL, "What it may take.", .fields = budget_params },
    { "rehearse", T_BOOL, OPTIONAL, "No model is called: everybody speaks by a script." },
    { "context", T_TEXT, OPTIONAL, "What speakers are told beside the topic.",
      .max = LIMIT_DISCUSSION_CONTEXT },
    { 0 },
};

const struct op discussion_ops[] = {
    {
        .name = "discussion_create",
        .http = "POST /api/discussions",
        .tag = TAG_DISCUSSIONS,
        .help = "Start a discussion. "
                "In modes rounds and parallel it begins at once, in mode turns with the first message.",
        .needs = ROLES_WRITE,
        .reaches = REACH_DISCUSSION,
        .kind = OP_WRITE,
        .status = 201,
        .tool = "start_discussion",
        .run = run_discussion_create,
        .example = "{\"topic\": \"Cache or index first?\", \"mode\": \"rounds\", \"rounds\": 2, "
                   "\"participants\": [{\"agentName\": \"Architect\"}, {\"agentName\": \"Reviewer\", "
                   "\"role\": \"critical\"}, {\"role\": \"user\", \"name\": \"Maya\"}], "
                   "\"ref\": {\"kind\": \"question\", \"id\": \"" EXAMPLE_QUESTION "\"}, "
                   "\"options\": {\"vote\": {\"choices\": [\"cache\", \"index\"], \"rule\": \"majority\"}, "
                   "\"agreement_threshold\": \"majority\", \"smart_termination\": \"on\", "
                   "\"budget\": {\"calls\": 20, \"seconds\": 600}}}",
        .reply = made_reply,
        .params = {
            { "topic", T_TEXT, REQUIRED, "What it is about.", .max = LIMIT_MESSAGE_CEILING },
            { "mode", T_ENUM, OPTIONAL, "How turns are taken.", .values = council_modes, .fallback = "rounds" },
            { "participants", T_LIST, OPTIONAL, "Who takes part, in the order of speaking. Needed unless a cast is named.", .min = 1, .max = LIMIT_PARTICIPANTS, .items = T_OBJECT, .fields = participant_params },
            { "cast", T_ENUM, OPTIONAL, "Who speaks when no participants are named: specialists (Divergent, Convergent and Critical) or the moderator alone. "
                                        "They are made if they do not exist.", .values = council_casts },
            { "rounds", T_INT, OPTIONAL, "How many rounds; as configured when left out.", .min = 1,
              .max = LIMIT_ROUNDS },
            { "projectId", T_UUID, OPTIONAL, "The project it belongs to.", .flags = F_NULL },
            { "taskId", T_UUID, OPTIONAL, "A task of that project, which gets its result.", .flags = F_NULL },
            { "sessionId", T_TEXT, OPTIONAL, "The session it belongs to.", .max = LIMIT_REF, .flags = F_NULL },
            { "parentId", T_UUID, OPTIONAL, "The discussion that it is split off from; it waits for this one.",
              .flags = F_NULL },
            { "ref", T_OBJECT, OPTIONAL, "A prompt or question that its result answers.", .fields = ref_fields,
              .flags = F_NULL },
            { "options", T_OBJECT, OPTIONAL,
              "What it does beside speaking: vote, stop early, keep within a budget.",
              .max = LIMIT_CONTEXT, .fields = option_params, .flags = F_NULL },
        },
    },
    {
        .name = "discussion_list",
        .http = "GET /api/discussions",
        .tag = TAG_DISCUSSIONS,
        .help = "List discussions, newest first.",
        .needs = ROLES_READ,
        .reaches = REACH_DISCUSSION,
        .kind = OP_READ,
        .tool = "list_discussions",
        .run = run_discussion_list,
        .example = "{\"status\": \"active\", \"limit\": 20}",
        .reply = list_reply,
        .params = {
            { "status", T_ENUM, OPTIONAL, "Only those with this status.", .values = council_statuses },
            { "mode", T_ENUM, OPTIONAL, "Only those of this mode.", .values = council_modes },
            { "projectId", T_UUID, OPTIONAL, "Only those of this project." },
            { "taskId", T_UUID, OPTIONAL, "Only those of this task." },
            { "parentId", T_UUID, OPTIONAL, "Only those split off from this one." },
            { "sessionId", T_TEXT, OPTIONAL, "Only those of this session.", .max = LIMIT_REF },
            PAGE_PARAMS,
        },
    },
    {
        .name = "discussion_get",
        .http = "GET /api/discussions/{id}",
        .tag = TAG_DISCUSSIONS,
        .help = "Show a discussion: what was said, who speaks next and, once it has ended, what came of it. "
                "A long one comes in pages.",
        .needs = ROLES_READ,
        .reaches = REACH_DISCUSSION,
        .kind = OP_READ,
        .waits = true,
        .tool = "wait_for_discussion",
        .run = run_discussion_get,
        .reply = discussion_state_reply,
        .params = {
            DISCUSSION_PARAM,
            { "limit", T_INT, OPTIONAL, "How many entries at most; a page of large ones ends earlier.", .min = 1,
              .max = LIMIT_ENTRY_PAGE, .fallback = ENTRY_PAGE },
            { "cursor", T_CURSOR, OPTIONAL, "Where the page before ended (its nextCursor)." },
        },
    },
    {
        .name = "discussion_message",
        .http = "POST /api/discussions/{id}",
        .tag = TAG_DISCUSSIONS,
        .help = "Say something as a person. "
                "The reply comes when the agents whose turn it then is have answered, or after 55 seconds with 202. While they are at it another message gets 409 busy.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_DISCUSSION,
        .kind = OP_WRITE,
        .holds = true,
        .run = run_discussion_message,
        .example = "{\"message\": \"Begin with what it costs.\", \"userId\": \"maya\"}",
        .reply = discussion_state_reply,
        .params = {
            DISCUSSION_PARAM,
            { "message", T_TEXT, REQUIRED, "What is said.", .max = LIMIT_MESSAGE_CEILING },
            { "userId", T_ID, OPTIONAL, "Who says it; the user who is logged in when left out." },
            { "organizationId", T_ID, OPTIONAL, "The workspace, as id or slug; it can only be the caller's own.",
              .flags = F_NULL },
        },
    },
    {
        .name = "discussion_fork",
        .http = "POST /api/discussions/{id}/fork",
        .tag = TAG_DISCUSSIONS,
        .help = "Start a new discussion from the history up to one of its entries. "
                "Agents that were removed meanwhile are skipped in it; when nobody else is left, it is refused.",
        .needs = ROLES_WRITE,
        .reaches = REACH_DISCUSSION,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_discussion_fork,
        .example = "{\"at\": \"1\"}",
        .reply = discussion_reply,
        .params = { DISCUSSION_PARAM,
                    { "at", T_ID, REQUIRED, "The last entry to keep: its id, or its number from 1." } },
    },
    {
        .name = "discussion_transcript",
        .http = "GET /api/discussions/{id}/transcript",
        .tag = TAG_DISCUSSIONS,
        .help = "The discussion as people read it: the text itself, or with format json the result.",
        .needs = ROLES_READ,
        .reaches = REACH_DISCUSSION,
        .kind = OP_READ,
        .tool = "read_transcript",
        .run = run_discussion_transcript,
        .example = "{\"format\": \"markdown\"}",
        .reply = transcript_reply,
        .documents = transcript_documents,
        .params = { DISCUSSION_PARAM,
                    { "format", T_ENUM, OPTIONAL, "How it is laid out.", .values = formats, .fallback = "text" } },
    },
    { 0 },
};

#include "base/str.h"
#include "core/chat/chat.h"
#include "core/council/control.h"
#include "ops/discussion.h"
#include "ops/tables.h"

static const char *const whens[] = { "now", "after_turn", NULL };

typedef bool change(const struct tx *tx, const char *id, struct discussion *discussion);

static bool run_change(struct call *call, change *apply)
{
    struct discussion d;

    return apply(&call->tx, arg_text(call, "id"), &d) && discussion_reply_one(call, &d);
}

static bool run_discussion_pause(struct call *call)
{
    return run_change(call, control_pause);
}

static bool run_discussion_resume(struct call *call)
{
    return run_change(call, control_resume);
}

static bool run_discussion_cancel(struct call *call)
{
    return run_change(call, control_cancel);
}

static bool run_discussion_next(struct call *call)
{
    return run_change(call, control_next);
}

static bool run_discussion_rounds(struct call *call)
{
    struct discussion d;

    return control_add_rounds(&call->tx, arg_text(call, "id"), (int)arg_int(call, "add"), &d) &&
           discussion_reply_one(call, &d);
}

/* An agent names itself, a person need not; who is neither an agent of the workspace speaks as a person. */
static bool run_discussion_interject(struct call *call)
{
    struct spoken spoken = { .content = arg_text(call, "content") };
    bool person = caller_is_person(&call->caller), now = str_equal(arg_text(call, "when"), whens[0]);
    const char *by = arg_text(call, "by");
    struct discussion d;

    spoken.agent = by ? by : call->caller.agent_name;
    if (person && (!by || str_equal(by, call->caller.name) || str_equal(by, "user"))) {
        spoken.agent = NULL;
        spoken.user_id = call->caller.id;
    } else if (!spoken.agent) {
        return err_field(&call->err, "by", "by is needed: the agent that cuts in.");
    } else if (!caller_may_speak_as(&call->caller, spoken.agent, &call->err)) {
        return false;
    }
    return chat_check_text("content", spoken.content, &call->err) &&
           control_interject(&call->tx, arg_text(call, "id"), &spoken, now, &d) &&
           discussion_reply_one(call, &d);
}

#define CONTROL(verb, sentence) \
    { \
        .name = "discussion_" #verb, .http = "POST /api/discussions/{id}/" #verb, .tag = TAG_DISCUSSIONS, \
        .help = sentence, .needs = ROLES_PEOPLE, .reaches = REACH_DISCUSSION, .kind = OP_WRITE, \
        .run = run_discussion_##verb, .reply = discussion_reply, .params = { DISCUSSION_PARAM }, \
    }

const struct op discussion_control_ops[] = {
    CONTROL(pause, "Stop a discussion for now. A turn that is being spoken is asked for again afterwards."),
    CONTROL(resume, "Resume a discussion that was paused."),
    CONTROL(cancel, "End a discussion, with all that were split off from it. What was being said is kept."),
    CONTROL(next, "Let a waiting discussion go on: a person's turn, or one that is owed, is passed over."),
    {
        .name = "discussion_rounds",
        .http = "POST /api/discussions/{id}/rounds",
        .tag = TAG_DISCUSSIONS,
        .help = "Add rounds to a discussion that goes on.",
        .needs = ROLES_PEOPLE,
        .reaches = REACH_DISCUSSION,
        .kind = OP_WRITE,
        .run = run_discussion_rounds,
        .example = "{\"add\": 1}",
        .reply = discussion_reply,
        .params = { DISCUSSION_PARAM,
                    { "add", T_INT, OPTIONAL, "How many.", .min = 1, .max = LIMIT_ROUNDS, .fallback = "1" } },
    },
    {
        .name = "discussion_interject",
        .http = "POST /api/discussions/{id}/interject",
        .tag = TAG_DISCUSSIONS,
        .help = "Cut in. Now: what is being said is kept as far as it came; or after the turn. "
                "The order stays as it is.",
        .needs = ROLES_WRITE,
        .reaches = REACH_DISCUSSION,
        .kind = OP_WRITE,
        .tool = "interject",
        .run = run_discussion_interject,
        .example = "{\"by\": \"Reviewer\", \"content\": \"The budget is fixed.\", \"when\": \"after_turn\"}",
        .reply = discussion_reply,
        .params = {
            DISCUSSION_PARAM,
            { "by", T_NAME, OPTIONAL, "The agent that cuts in; a person when left out.", .flags = F_SPEAKER },
            { "content", T_TEXT, REQUIRED, "What is said.", .max = LIMIT_MESSAGE_CEILING },
            { "when", T_ENUM, OPTIONAL, "Now, or when the turn is over.", .values = whens, .fallback = "now" },
        },
    },
    { 0 },
};

/*
 * The texts of the show stand here; what the agents say in their discussion comes from the scripted provider
 * (llm/rehearsal.c). Everything is made by the caller, in the new workspace, in one transaction: there is a
 * whole show or none.
 */
#include "core/rehearsal/rehearsal.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/chat/prompt.h"
#include "core/council/make.h"
#include "core/questions/job.h"
#include "core/questions/question.h"

#include <string.h>

#define ASKER         "Convergent"
#define SHOWN_MINUTES 60

static const struct {
    const char *by, *text;
} replies[] = {
    { "Divergent", "Ship it dark: everything is there on Friday, switched off, and one flag away. "
                   "Then the day does not matter." },
    { "Critical",
      "Friday is fine if somebody is there on Saturday. Who has the pager, and have they said yes?" },
};
#define REPLIES (sizeof(replies) / sizeof(replies[0]))

static const char topic[] = "Should we ship on Friday?";
static const char to_squad[] =
    "Two of us would ship on Friday, one would wait for Monday. What would make you say no? "
    "(This is a rehearsal: the third reply is yours.)";
static const char approval[] =
    "Deploy version 2.4.0 to production?\n\nThe three of us agree: behind a flag, with a way back. "
    "(This is a rehearsal: nothing is deployed whatever you say.)";

/* Only whoever is at home in several workspaces can be shown another one. */
static bool may_rehearse(const struct tx *tx)
{
    if (tx->caller->kind == CALLER_LOCAL || caller_is_login(tx->caller))
        return true;
    err_set(tx->err, ERR_FORBIDDEN,
            "A rehearsal has a workspace of its own, and a token belongs to one workspace only.");
    return err_hint(tx->err, "Log in (`witan login`), or see a discussion with `witan discuss --rehearse`.");
}

/* Those of one page that the caller owns and that are marked as a rehearsal; adds to `removed`. */
static bool remove_among(const struct tx *tx, const struct workspace *page, size_t count, size_t *removed)
{
    struct workspace own;
    enum role role;

    for (size_t i = 0; i < count; i++) {
        if (!workspace_is_rehearsal(&page[i]))
            continue;
        if (!workspace_see(tx, page[i].id, &own, &role))
            return false;
        if (role != ROLE_OWNER)
            continue;
        if (!workspace_delete(tx, own.id))
            return false;
        ++*removed;
    }
    return true;
}

/* Among all workspaces that the caller has a part in; `removed` says how many there were. */
static bool remove_all(const struct tx *tx, size_t *removed)
{
    const char *after = NULL;
    struct workspace *page;
    size_t count;

    *removed = 0;
    do {
        if (!workspace_list(tx, after, LIMIT_PAGE, &page, &count) || !remove_among(tx, page, count, removed))
            return false;
        after = count > 0 ? page[count - 1].id : NULL;
    } while (count == LIMIT_PAGE);
    return true;
}

static bool open_workspace(const struct tx *tx, struct workspace *workspace)
{
    const char *id = uuid_new(tx->arena);
    struct workspace wish = { .name = "Rehearsal",
                              .slug = arena_format(tx->arena, "rehearsal-%s", id + strlen(id) - 8),
                              .settings = "{\"" WORKSPACE_REHEARSAL "\":true}" };

    return workspace_create(tx, &wish, caller_is_login(tx->caller) ? tx->caller->id : NULL, workspace);
}

/* The three who speak when nobody is named. */
static bool discuss(const struct tx *tx, struct rehearsal *rehearsal)
{
    struct discussion_wish wish = {
        .topic = topic, .mode = MODE_ROUNDS, .rounds = DISCUSSION_ROUNDS, .cast = CAST_SPECIALISTS
    };
    struct discussion discussion;
    struct cast_seats seats;

    if (!discussion_make(tx, &wish, &discussion, &seats))
        return false;
    rehearsal->discussion_id = discussion.id;
    return true;
}

/* All but the asker have replied; one reply is left for whoever watches. */
static bool ask_squad(const struct tx *tx, struct rehearsal *rehearsal)
{
    struct prompt prompt = { .requester_agent = ASKER,
                             .prompt_message = to_squad,
                             .required_responses = REPLIES + 1,
                             .timeout_minutes = SHOWN_MINUTES },
                  after;
    struct chat chat;

    if (!prompt_create(tx, &prompt, &chat))
        return false;
    for (size_t i = 0; i < REPLIES; i++) {
        struct chat reply = { .agent_name = replies[i].by, .message = replies[i].text };

        if (!prompt_respond(tx, prompt.id, &reply, &after))
            return false;
    }
    rehearsal->prompt_id = prompt.id;
    return true;
}

static bool ask_person(const struct tx *tx, struct rehearsal *rehearsal)
{
    JSON_AUTO *action = json_pack("{s:s, s:{s:s, s:s, s:b}}", "name", "deploy", "args", "version", "2.4.0",
                                  "to", "production", "flag", 1);
    struct question_wish wish = { .question = approval,
                                  .type = QUESTION_APPROVAL,
                                  .response_type = RESPONSE_APPROVAL,
                                  .action = action,
                                  .has_timeout = true,
                                  .timeout_minutes = SHOWN_MINUTES };
    struct job job = { .agent = ASKER };
    struct question_preference preference;
    struct question question;

    if (!question_ask_alone(tx, &wish, &job, &question, &preference))
        return false;
    rehearsal->question_id = question.id;
    return true;
}

bool rehearsal_begin(const struct tx *tx, struct rehearsal *rehearsal)
{
    struct rehearsal made;
    struct caller there = *tx->caller;
    struct tx within = *tx;
    size_t removed;

    if (!may_rehearse(tx) || !remove_all(tx, &removed) || !open_workspace(tx, &made.workspace))
        return false;
    there.workspace_id = made.workspace.id;
    within.caller = &there;
    if (!discuss(&within, &made) || !ask_squad(&within, &made) || !ask_person(&within, &made))
        return false;
    *rehearsal = made;
    return true;
}

bool rehearsal_remove(const struct tx *tx)
{
    size_t removed;

    if (!may_rehearse(tx) || !remove_all(tx, &removed))
        return false;
    return removed > 0 || err_set(tx->err, ERR_NOT_FOUND, "There is no rehearsal.");
}

#include "ops/presence.h"

#include "core/identity/presence.h"
#include "ops/identity.h"
#include "ops/tables.h"

static const struct field page_fields[] = {
    { "page", T_ENUM, REQUIRED, "Which page is open.", .values = presence_pages },
    { "subject", T_ID, REQUIRED, "What it shows, when it shows one thing.", .flags = F_NULL },
    { "state", T_ENUM, REQUIRED, "here, or away while nobody looks at it.", .values = presence_states },
    { "since", T_TIME, REQUIRED, "Since when all this is so." },
    { 0 },
};

static const struct field person_fields[] = {
    { "id", T_ID, REQUIRED, "The user; or the token, for a person who has none but that." },
    { "name", T_TEXT, REQUIRED, "Their name." },
    { "state", T_ENUM, REQUIRED, "here: looks at one of the pages; away: has one open; gone: in events only.",
      .values = presence_states },
    { "pages", T_LIST, REQUIRED, "The open pages: those that are looked at first.", .items = T_OBJECT,
      .fields = page_fields },
    { 0 },
};

static const struct field agent_heard_fields[] = {
    { "name", T_TEXT, REQUIRED, "The agent." },
    { "heardAt", T_TIME, REQUIRED, "When its token was last used, to the minute." },
    { 0 },
};

static const struct field list_reply[] = {
    { "people", T_LIST, REQUIRED, "Who is here or away.", .items = T_OBJECT, .fields = person_fields },
    { "agents", T_LIST, REQUIRED, "Agents with a token of their own, the one heard from last first.",
      .items = T_OBJECT, .fields = agent_heard_fields },
    PAGE_REPLY,
    { 0 },
};

const struct field presence_changed_fields[] = {
    { "people", T_LIST, REQUIRED, "Those who have changed, as they are now.", .items = T_OBJECT,
      .fields = person_fields },
    { "whole", T_BOOL, REQUIRED, "False: there were more of them, so look at the list." },
    { 0 },
};

static bool run_presence_say(struct call *call)
{
    return presence_say(&call->tx, &(struct presence_tab){
                                       .id = arg_text(call, "tab"),
                                       .page = arg_word(call, "page", presence_pages),
                                       .subject = arg_text(call, "subject"),
                                       .state = arg_word(call, "state", presence_states),
                                   });
}

static bool write_agents(struct call *call)
{
    struct presence_agent *agents;
    size_t count;

    if (!presence_agents(&call->tx, &agents, &count))
        return false;
    json_list(&call->out, "agents");
    for (size_t i = 0; i < count; i++) {
        json_map(&call->out, NULL);
        json_text(&call->out, "name", agents[i].name);
        json_time(&call->out, "heardAt", agents[i].heard_ms);
        json_map_end(&call->out);
    }
    json_list_end(&call->out);
    return true;
}

static bool run_presence_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct presence_filter filter = { .limit = limit + 1,
                                      .page = arg_word(call, "page", presence_pages),
                                      .subject = arg_text(call, "subject") };
    struct presence_person *people;

    if (!identity_page(call, "presence", &filter.after) ||
        !presence_list(&call->tx, &filter, &people, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "people");
    for (size_t i = 0; i < shown; i++)
        presence_write(&people[i], &call->out);
    json_list_end(&call->out);
    if (!write_agents(call))
        return false;
    identity_write_next(call, "presence", count > shown, call->tx.now_ms,
                        shown ? people[shown - 1].id : NULL);
    json_map_end(&call->out);
    return true;
}

const struct op presence_ops[] = {
    {
        .name = "presence_say",
        .http = "POST /api/presence",
        .tag = TAG_IDENTITY,
        .help = "Say which page a tab of your browser shows, so that others in the workspace see that you are here. "
                "It counts for 90 seconds: say it again while it holds, and gone when the tab is closed.",
        .needs = ROLES_PRESENT,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .no_audit = true,
        .status = 204,
        .run = run_presence_say,
        .example = "{\"tab\": \"01890a5d-ac96-774b-bcce-b302099a8057\", \"page\": \"chat\"}",
        .params = {
            { "tab", T_UUID, REQUIRED, "The tab: an id that it has made for itself." },
            { "page", T_ENUM, REQUIRED, "Which page it shows.", .values = presence_pages },
            { "subject", T_ID, OPTIONAL, "The question, discussion, job or project, when the page shows one.",
              .flags = F_NULL },
            { "state", T_ENUM, OPTIONAL, "here while somebody looks at it, away while nobody does, gone when it is closed.",
              .values = presence_states, .fallback = "here" },
        },
    },
    {
        .name = "presence_list",
        .http = "GET /api/presence",
        .tag = TAG_IDENTITY,
        .help = "List the people who are here and which pages they have open, and when agents were last heard from. "
                "Nothing of it is kept once it is over.",
        .needs = ROLES_PRESENT,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .cli = "who",
        .run = run_presence_list,
        .example = "{\"page\": \"chat\"}",
        .reply = list_reply,
        .params = {
            { "page", T_ENUM, OPTIONAL, "Only people who have such a page open.", .values = presence_pages },
            { "subject", T_ID, OPTIONAL, "Only people who have a page of this open: a question, discussion, job or project." },
            PAGE_PARAMS,
        },
    },
    { 0 },
};

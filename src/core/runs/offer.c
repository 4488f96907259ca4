#include "core/runs/offer.h"

#include "base/limits.h"
#include "base/str.h"
#include "core/caller/caller.h"

#include <string.h>

#define DIGITS(limit)    DIGITS_OF(limit)
#define DIGITS_OF(limit) #limit

#define RUN_TOOL_WORD(name, word) word,
const char *const run_tools[] = { RUN_TOOLS(RUN_TOOL_WORD) NULL };
WORDS_FIT(run_tools, RUN_TOOL_END);

/* The schema of ask_question is that of every agent that asks people, word for word. */
static const struct {
    const char *description, *schema;
} own[] = {
    [RUN_TOOL_ASK_QUESTION] = {
        "Ask the user a question that may require clarification, approval, or input. Use this when you need "
        "information to proceed or want user preference.",
        "{\"type\":\"object\",\"properties\":{"
        "\"question\":{\"type\":\"string\",\"description\":\"The question to ask the user\"},"
        "\"type\":{\"type\":\"string\",\"enum\":[\"blocking\",\"non_blocking\",\"approval\",\"error_recovery\"],"
        "\"description\":\"Type of question - blocking pauses execution, non_blocking continues with default\"},"
        "\"responseType\":{\"type\":\"string\",\"enum\":[\"text\",\"choice\",\"boolean\",\"approval\"],"
        "\"description\":\"Expected response format\"},"
        "\"options\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
        "\"label\":{\"type\":\"string\"},\"value\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"}}},"
        "\"description\":\"Options for choice questions\"},"
        "\"context\":{\"type\":\"object\",\"description\":\"Additional context about the question\"},"
        "\"timeoutMinutes\":{\"type\":\"number\","
        "\"description\":\"Timeout in minutes (default: 30 for blocking, 15 for approval, 10 for error)\"},"
        "\"defaultResponse\":{\"type\":\"object\","
        "\"description\":\"Default response if timeout (for non-blocking or error recovery)\"}},"
        "\"required\":[\"question\",\"type\",\"responseType\"]}",
    },
    [RUN_TOOL_REPORT_PROGRESS] = {
        "Tell the people who watch how far you are. Returns at once.",
        "{\"type\":\"object\",\"properties\":{"
        "\"done\":{\"type\":\"number\",\"description\":\"How much is done\"},"
        "\"total\":{\"type\":\"number\",\"description\":\"How much there is\"},"
        "\"step\":{\"type\":\"string\",\"maxLength\":" DIGITS(LIMIT_TITLE)
        ",\"description\":\"What you are doing now\"}}}",
    },
    [RUN_TOOL_ASK_SQUAD] = {
        "Ask the other agents and wait for their replies.",
        "{\"type\":\"object\",\"properties\":{"
        "\"message\":{\"type\":\"string\",\"description\":\"What to ask\"},"
        "\"required_responses\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,"
        "\"description\":\"Replies to wait for\"},"
        "\"timeout_minutes\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1440,"
        "\"description\":\"How long to wait\"}},\"required\":[\"message\"]}",
    },
    [RUN_TOOL_START_DISCUSSION] = {
        "Let agents discuss a topic, wait for the end, and get the result.",
        "{\"type\":\"object\",\"properties\":{"
        "\"topic\":{\"type\":\"string\",\"description\":\"What to discuss\"},"
        "\"agents\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"
        "\"description\":\"Names of the agents that take part; without it the usual specialists do\"},"
        "\"mode\":{\"type\":\"string\",\"enum\":[\"rounds\",\"parallel\"],"
        "\"description\":\"Whether they speak one after the other or at once\"},"
        "\"rounds\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,"
        "\"description\":\"How many rounds\"}},\"required\":[\"topic\"]}",
    },
    [RUN_TOOL_FINISH] = {
        "End the work and hand in its result. Other calls of the same reply are done first; if one of them does "
        "not end well or asks somebody, the work goes on, and finish must be called again.",
        "{\"type\":\"object\",\"properties\":{"
        "\"result\":{\"description\":\"What came out: a text, or an object\"}},"
        "\"required\":[\"result\"]}",
    },
};

enum run_tool run_tool_named(const char *name)
{
    unsigned found = words_find(run_tools, name);

    return found == WORD_UNKNOWN ? RUN_TOOL_NONE : (enum run_tool)found;
}

const char *run_tool_schema(enum run_tool tool)
{
    return own[tool].schema;
}

static bool is_among(const char *const *list, const char *one)
{
    for (; one && *list; list++)
        if (strcmp(*list, one) == 0)
            return true;
    return false;
}

bool offer_allows(const struct tool *tool, const struct run *run, const char *project_name)
{
    if (tool->projects && !is_among(tool->projects, run->project_id) &&
        !is_among(tool->projects, project_name))
        return false;
    return !tool->roles || is_among(tool->roles, run->requester_role);
}

bool offer_has_place(const struct tool *tool, const struct run *run)
{
    return !tool->in_task_folder || run->task_id;
}

bool offer_names(const struct run *run, const char *tool)
{
    struct err ignored = { 0 };
    JSON_AUTO *names = NULL;

    if (!run->tools)
        return true;
    if (!json_parse(run->tools, strlen(run->tools), &names, &ignored))
        return false;
    for (size_t i = 0; i < json_array_size(names); i++)
        if (str_equal(json_string_value(json_array_get(names, i)), tool))
            return true;
    return false;
}

bool offer_project(const struct tx *tx, const struct run *run, const char **name)
{
    struct db_rows rows;

    *name = NULL;
    if (!run->project_id)
        return true;
    if (!tx_query(tx, SQL_RUN_PROJECT_NAME, DB_ARGS(db_text(run->project_id)), &rows))
        return false;
    *name = rows.count > 0 ? db_cell(&rows, 0, 0) : NULL;
    return true;
}

bool offer_find_projects(const struct tx *tx, const char *name, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_RUN_PROJECT_KNOWN, DB_ARGS(db_text(name)), &rows))
        return false;
    *count = rows.count;
    return true;
}

static bool is_offered(const struct tool *tool, const struct run *run, const char *project)
{
    return offer_names(run, tool->name) && offer_allows(tool, run, project) && offer_has_place(tool, run);
}

bool offer_in_task_folder(const struct tx *tx, const struct run *run, const char **names)
{
    const struct tool_list *tools = tools_now(tx->arena);
    BUF_AUTO text = { 0 };
    const char *project;

    if (!offer_project(tx, run, &project))
        return false;
    buf_init(&text, 0);
    for (size_t i = 0; i < tools->count; i++)
        if (tools->tools[i].in_task_folder && is_offered(&tools->tools[i], run, project))
            buf_format(&text, "%s%s", text.len ? ", " : "", tools->tools[i].name);
    *names = text.len ? arena_copy(tx->arena, text.bytes, text.len) : NULL;
    return true;
}

_Static_assert(RUN_TOOL_END - 1 + LIMIT_RUN_TOOLS <= LIMIT_MODEL_TOOLS,
               "what a run is offered fits one request");

/* The bound is on what a model is told: a tool that it may use and was not told of is run where it is called
 * all the same, as one that waits for an approval must be when servers before its own have listed more
 * meanwhile. */
bool offer_all(const struct tx *tx, const struct run *run, const struct tool_list *tools,
               const struct llm_tool **list, size_t *count)
{
    struct llm_tool *offered = arena_array(tx->arena, struct llm_tool, RUN_TOOL_END + tools->count);
    const char *project;
    size_t at = 0, most = RUN_TOOL_END - 1 + LIMIT_RUN_TOOLS;

    if (!offer_project(tx, run, &project))
        return false;
    for (unsigned i = 1; i < RUN_TOOL_END; i++)
        offered[at++] =
            (struct llm_tool){ run_tool_word((enum run_tool)i), own[i].description, own[i].schema };
    for (size_t i = 0; i < tools->count && at < most; i++) {
        const struct tool *tool = &tools->tools[i];

        if (!run_tool_named(tool->name) && is_offered(tool, run, project))
            offered[at++] = (struct llm_tool){ tool->name, tool->description, tool->schema };
    }
    *list = offered;
    *count = at;
    return true;
}

bool offer_take(const struct tx *tx, const struct run *run, const char *const *names, const char **stored)
{
    const struct tool_list *tools = tools_now(tx->arena);
    const char *project, **taken = arena_array(tx->arena, const char *, LIMIT_RUN_TOOLS + 1);
    size_t count = 0;

    *stored = NULL;
    if (!names)
        return true;
    if (!offer_project(tx, run, &project))
        return false;
    for (; *names; names++) {
        const struct tool *tool = tool_named(tools, *names);

        if (is_among(taken, *names)) /* twice is once */
            continue;
        if (count >= LIMIT_RUN_TOOLS)
            return err_field(tx->err, "tools", "tools names too many: at most %d.", LIMIT_RUN_TOOLS);
        if (!run_tool_named(*names)) {
            if (!tool)
                tool = tool_awaited(tx->arena, *names, NULL);
            if (!tool)
                return err_field(tx->err, "tools", "tools names no tool of this server: %.80s.", *names);
            if (!offer_allows(tool, run, project))
                return err_field(tx->err, "tools", "The operator does not allow %.80s here.", *names);
            if (!offer_has_place(tool, run))
                return err_field(
                    tx->err, "tools",
                    "%.80s works in the folder of a task, and this job has none: taskId names one.", *names);
        }
        taken[count++] = *names;
    }
    *stored = json_texts(tx->arena, taken, count);
    return true;
}

/*
 * tools.c - the table of tools, and how it is told.
 */
#include "edge/mcp/tools.h"

#include "base/str.h"
#include "edge/mcp/approval.h"
#include "edge/mcp/further.h"
#include "edge/mcp/run_agent.h"
#include "edge/mcp/tasks.h"
#include "edge/mcp/tool_result.h"
#include "ops/schema.h"

#include <stdatomic.h>
#include <string.h>

/* A row's template can say these, too; a model that asks says what it asks, and of which kind. */
static const char *const to_ask[] = { "question", "type", "responseType", NULL };

static const struct mcp_tool tools[] = {
    {
        .name = "ask_question",
        .title = "Ask a person",
        .help =
            "Ask the people in charge when you need a decision, a fact or a preference that you cannot find out yourself. "
            "Ask before you guess. "
            "The question appears in their inbox; the call waits up to 50 seconds "
            "for the answer. If the result says \"pending\": true, go on with other work or call "
            "wait_for_answer with its questionId. "
            "type: \"blocking\" when you cannot go on without an answer, "
            "\"non_blocking\" with a defaultResponse when you can, \"approval\" before something that cannot "
            "be "
            "undone, \"error_recovery\" when something failed. Example: {\"question\": \"Which database "
            "shall the "
            "service use?\", \"type\": \"blocking\", \"responseType\": \"choice\", \"options\": [{\"label\": "
            "\"PostgreSQL\"}, {\"label\": \"SQLite\"}], \"context\": {\"currentStep\": \"schema\"}}",
        .then = "question_get",
        .made = "questionId",
        .then_id = "id",
        .unless = "response",
        .go_on = "wait_for_answer",
        .cancels = "question_cancel",
        .elicits = true,
        .needed = to_ask,
    },
    {
        .name = "wait_for_answer",
        .title = "Wait for a person's answer",
        .help =
            "Look at a question that you asked, and wait up to 50 seconds until it has ended. "
            "The answer is in question.response; question.status is pending, answered, timeout or cancelled. "
            "Call it again while "
            "\"pending\" is true. Example: {\"id\": \"0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a10\"}",
        .reads = true,
    },
    {
        .name = "cancel_question",
        .title = "Withdraw a question",
        .help =
            "Take back a question that you asked and no longer need answered, so that nobody spends time on it. "
            "Example: {\"id\": \"0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a10\"}",
    },
    {
        .name = "ask_squad",
        .title = "Ask the other agents",
        .help =
            "Ask the other agents of the squad for their views. "
            "The prompt appears in the squad chat and collects replies until enough different agents have answered or its time is up; write @Name to call one. "
            "Then call wait_for_squad with the prompt's id. "
            "Example: {\"prompt_message\": \"Cursor or offset "
            "for "
            "the list API? @Reviewer\", \"required_responses\": 2, \"timeout_minutes\": 10}",
    },
    {
        .name = "wait_for_squad",
        .title = "Wait for the other agents",
        .help =
            "Look at a prompt to the squad with its replies, and wait up to 50 seconds until it is ready. "
            "Call it "
            "again while \"pending\" is true. Example: {\"id\": \"0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a10\"}",
        .reads = true,
    },
    {
        .name = "answer_squad",
        .title = "Answer another agent",
        .help =
            "Answer a prompt that another agent put to the squad. Each agent counts once. Example: {\"id\": "
            "\"0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a10\", \"message\": \"Cursor: offsets skip rows under "
            "writes.\"}",
    },
    {
        .name = "list_squad_prompts",
        .title = "See what the squad is asked",
        .help = "List the prompts that wait for replies of agents. "
                "With agent, only what that one may still answer, "
                "those that mention it first. Example: {\"agent\": \"Reviewer\"}",
        .reads = true,
    },
    {
        .name = "post_to_chat",
        .title = "Write to the squad chat",
        .help =
            "Tell the squad something that needs no answer: what you are about to do, what you found. @Name "
            "mentions an agent, who finds it in its inbox. Example: {\"message\": \"@Coder the schema is "
            "final.\"}",
    },
    {
        .name = "report_progress",
        .title = "Report progress",
        .help = "Say how far your job is. Without id it is about the job that you have open. Example: "
                "{\"done\": 3, "
                "\"total\": 10, \"step\": \"migrating tables\"}",
        .finds_job = true,
    },
    {
        .name = "hand_in_result",
        .title = "Hand in a result",
        .help =
            "Hand in what you produced for a project: id is the project. "
            "If something is still open, put it into open_questions of the result instead of guessing: people answer, and you get the answers with the next "
            "run. Example: {\"id\": \"shop\", \"agent\": \"planner\", \"sourceId\": \"plan-1\", \"result\": "
            "{\"tasks\": [{\"title\": \"Add the cart\"}], \"open_questions\": [\"Which currencies?\"]}}",
    },
    {
        .name = "request_decision",
        .title = "Ask whether you may",
        .help =
            "Before you change the scope, the architecture or the dependencies of a project, ask whether you may: id is the project. "
            "Depending on its settings that is approved at once or put to people; the call waits "
            "up to 50 seconds. Go on only when status is approved. "
            "Example: {\"id\": \"shop\", \"category\": "
            "\"dependencyModifications\", \"description\": \"Add libvips for thumbnails\"}",
        .then = "decision_get",
        .made = "id",
        .then_id = "did",
    },
    {
        .name = "start_discussion",
        .title = "Start a discussion",
        .help =
            "Let several agents discuss a topic in rounds until they are done, and get what came of it. "
            "Without participants these are Divergent, who opens up, Convergent, who brings together, and Critical, who tests; participants name others, as list_agents has them. "
            "Then call "
            "wait_for_discussion with its id. Example: {\"topic\": \"Monolith or services?\", "
            "\"participants\": "
            "[{\"agentName\": \"Architect\"}, {\"agentName\": \"Reviewer\"}], \"rounds\": 2}",
        .unsaid = "{\"cast\": \"specialists\"}",
    },
    {
        .name = "wait_for_discussion",
        .title = "Wait for a discussion",
        .help =
            "Look at a discussion, with what was said and who speaks next, and wait up to 50 seconds until it has "
            "ended. Call it again while \"pending\" is true. Example: {\"id\": "
            "\"0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a10\"}",
        .reads = true,
    },
    {
        .name = "list_discussions",
        .title = "See the discussions",
        .help = "List discussions, newest first. Example: {\"status\": \"active\"}",
        .reads = true,
    },
    {
        .name = "read_transcript",
        .title = "Read a discussion",
        .help = "Read all that was said in a discussion, as people read it. Example: {\"id\": "
                "\"0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a10\", \"format\": \"markdown\"}",
        .reads = true,
        .output = DOCUMENT_OUTPUT,
        .shape = tool_shape_document,
    },
    {
        .name = "list_turns",
        .title = "See where it is your turn",
        .help = "List the turns in discussions that wait for you. Take each with take_turn. Example: "
                "{\"limit\": 10}",
        .reads = true,
    },
    {
        .name = "take_turn",
        .title = "Take your turn",
        .help =
            "Say your part in a discussion when it is your turn (list_turns), or pass when you have nothing to add. "
            "Example: {\"id\": \"0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a10\", \"content\": \"Services, but "
            "only two.\"}",
    },
    {
        .name = "interject",
        .title = "Say something in between",
        .help =
            "Put a word into a discussion that is under way, out of turn: a fact that the others lack, a limit that "
            "they must keep. Example: {\"id\": \"0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a10\", \"content\": "
            "\"The budget is fixed.\"}",
    },
    {
        .name = "tally_votes",
        .title = "Count votes",
        .help = "Count ballots by a rule, without a discussion. Example: {\"rule\": \"majority\", "
                "\"choices\": [\"a\", "
                "\"b\"], \"votes\": [{\"voter\": \"Coder\", \"choice\": \"a\"}]}",
        .reads = true,
    },
    {
        .name = "list_agents",
        .title = "See the agents",
        .help =
            "List the agents that can take part in discussions, by name and role. Example: {\"limit\": 20}",
        .reads = true,
    },
    {
        .name = "run_agent",
        .title = "Have an agent work on a task",
        .help =
            "Have one of the agents (analyst, dreamer, planner, coder, or one of list_agents) work on a task by itself, with the tools that it has here, and get what came out. "
            "The call waits up to 50 seconds. "
            "If the result says \"pending\": true, the run goes on: do other work, or call run_agent with {\"jobId\": its jobId} to go on waiting; never start the same task a second time. "
            "The agent asks the people in charge when it must, and then waits for them. "
            "Example: {\"agent\": \"coder\", \"task\": \"Add a search page to the shop.\", \"budget\": "
            "{\"steps\": 40}}",
        .row = "job_create",
        .then = "job_get",
        .made = "id",
        .then_id = "id",
        .input = RUN_AGENT_INPUT,
        .output = RUN_AGENT_OUTPUT,
        .cancels = "job_cancel",
        .waiting = "The agent is at work, or waits for people.",
        .prepare = run_agent_prepare,
        .begin = run_agent_begin,
        .shape = run_agent_shape,
    },
    {
        .name = "approve_tool_use",
        .title = "Ask for permission to use a tool",
        .help =
            "For clients that ask before they run a tool (--permission-prompt-tool): puts the tool and its input to "
            "the people in charge and returns {\"behavior\": \"allow\", \"updatedInput\"} or {\"behavior\": "
            "\"deny\", \"message\"}. Not for models to call by themselves. Example: {\"tool_name\": "
            "\"Bash\", "
            "\"input\": {\"command\": \"git push\"}, \"tool_use_id\": \"toolu_1\"}",
        .row = "question_create",
        .then = "question_get",
        .made = "questionId",
        .then_id = "id",
        .input = APPROVAL_INPUT,
        .cancels = "question_cancel",
        .holds = true,
        .prepare = approval_prepare,
        .begin = approval_begin,
        .shape = approval_shape,
    },
    { 0 },
};

const struct mcp_tool *tools_all(void)
{
    return tools;
}

static const struct mcp_tool *find_in(const struct mcp_tool *table, const char *name)
{
    for (const struct mcp_tool *tool = table; tool->name; tool++)
        if (strcmp(tool->name, name) == 0)
            return tool;
    return NULL;
}

const struct mcp_tool *tool_find(const char *name)
{
    const struct mcp_tool *tool = find_in(tools, name);

    return tool || !mcp_further() ? tool : find_in(mcp_further()->tools, name);
}

static const struct op *find_row(const struct mcp_tool *tool)
{
    if (tool->row)
        return op_find(tool->row);
    for (const struct op *const *op = op_all(); *op; op++)
        if (str_equal((*op)->tool, tool->name))
            return *op;
    return NULL;
}

/* Each call asks several times, and the table is long: what was found is kept. */
static const struct op *_Atomic rows[sizeof(tools) / sizeof(tools[0])];

const struct op *tool_op(const struct mcp_tool *tool)
{
    if (tool->done)
        return mcp_further()->row;
    size_t at = (size_t)(tool - tools);
    const struct op *op = atomic_load_explicit(&rows[at], memory_order_relaxed);

    if (!op)
        atomic_store_explicit(&rows[at], op = find_row(tool), memory_order_relaxed);
    return op;
}

bool tool_waits(const struct mcp_tool *tool)
{
    return tool->then || (tool_op(tool)->waits && !tool->done);
}

int64_t tool_holds_s(const struct mcp_tool *tool)
{
    return tool->holds ? WAIT_UNTIL_ENDED : MCP_HOLD_S;
}

/* What a model may leave out is not required: who it is, and the job that it has open. */
static int need_of(const struct mcp_tool *tool, const struct field *param)
{
    for (const char *const *name = tool->needed; name && *name; name++)
        if (strcmp(*name, param->name) == 0)
            return REQUIRED;
    if ((param->flags & F_SPEAKER) || (tool->finds_job && strcmp(param->name, "id") == 0))
        return OPTIONAL;
    return param->need;
}

static void write_input(struct json_out *out, const struct mcp_tool *tool)
{
    static const struct field wait = {
        "wait_seconds",    T_INT,
        OPTIONAL,          "How long to wait at most; 0 looks and returns at once.",
        .max = MCP_HOLD_S, .fallback = "50"
    };
    struct field fields[LIMIT_PARAMS + 2];
    size_t count = 0;

    if (tool->input) {
        json_raw(out, "inputSchema", tool->input);
        return;
    }
    for (const struct field *param = tool_op(tool)->params; param->type; param++) {
        fields[count] = *param;
        fields[count++].need = need_of(tool, param);
    }
    if (tool_waits(tool))
        fields[count++] = wait;
    fields[count] = (struct field){ 0 };
    json_map(out, "inputSchema");
    json_text(out, "type", "object");
    schema_write_members(out, fields, SCHEMA_TOOL);
    json_map_end(out);
}

static size_t add_fields(struct field *into, size_t count, const struct field *fields, bool optional)
{
    for (; fields && fields->type; fields++) {
        into[count] = *fields;
        if (optional)
            into[count].need = OPTIONAL;
        count++;
    }
    return count;
}

/* What waits says so; what goes on to another row has the reply of one or the other; what has a shape of its
 * own has a schema of its own, or is text and nothing else. */
static void write_output(struct json_out *out, const struct mcp_tool *tool)
{
    static const struct field waited[] = {
        { "pending", T_BOOL, REQUIRED, "It has not ended: call again." },
        { "poll_after_ms", T_INT, OPTIONAL, "While pending: when to look again." },
        { "next", T_TEXT, OPTIONAL, "While pending: how to go on." },
        { 0 },
    };
    struct field fields[3 * LIMIT_PARAMS];
    size_t count;

    if (tool->output)
        json_raw(out, "outputSchema", tool->output);
    if (tool->done || tool->shape)
        return;
    count = add_fields(fields, 0, tool_op(tool)->reply, tool->then != NULL);
    if (tool->then && tool->unless)
        count = add_fields(fields, count, op_find(tool->then)->reply, true);
    if (tool_waits(tool))
        count = add_fields(fields, count, waited, false);
    fields[count] = (struct field){ 0 };
    json_map(out, "outputSchema");
    json_text(out, "type", "object");
    schema_write_members(out, fields, SCHEMA_REPLY);
    json_map_end(out);
}

static void write_tool(const struct mcp_call *call, struct json_out *out, const struct mcp_tool *tool)
{
    json_map(out, NULL);
    json_text(out, "name", tool->name);
    if (tool->title)
        json_text(out, "title", tool->title);
    json_text(out, "description", tool->help);
    write_input(out, tool);
    write_output(out, tool);
    json_map(out, "annotations");
    json_bool(out, "readOnlyHint", tool->reads);
    json_bool(out, "destructiveHint", false);
    json_bool(out, "openWorldHint", false);
    json_map_end(out);
    if (tasks_are_core(call) && tool_waits(tool)) {
        json_map(out, "execution");
        json_text(out, "taskSupport", "optional");
        json_map_end(out);
    }
    json_map_end(out);
}

static void write_all(const struct mcp_call *call, struct json_out *out, const struct mcp_tool *table)
{
    for (const struct mcp_tool *tool = table; tool->name; tool++)
        write_tool(call, out, tool);
}

void tools_list(struct mcp_call *call)
{
    struct json_out out;
    struct buf result;

    call_begin(call, &out, &result);
    call_write_ttl(call, &out, 60000, true);
    json_list(&out, "tools");
    write_all(call, &out, tools);
    if (mcp_further())
        write_all(call, &out, mcp_further()->tools);
    json_list_end(&out);
    call_result(call, &out, &result);
}

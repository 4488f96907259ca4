/*
 * What is known of a call is gathered here and judged by the rules; what does not depend on the log (what the
 * tool is, what the project allows, what was approved before) is stored with the verdict, for a replay.
 */
#include "base/limits.h"
#include "base/shape.h"
#include "base/str.h"
#include "core/runs/moving.h"
#include "core/runs/run_agents.h"
#include "core/work/project.h"

#include <string.h>

/* How the decision begins by which people approve a call (people.c); run_call_approved looks for the same. */
#define PEOPLE_APPROVED "{\"rule\":\"people\",\"verdict\":\"approved\""

_Static_assert((int)AUTONOMY_APPROVAL == CATEGORY_APPROVAL && (int)AUTONOMY_NOTIFY == CATEGORY_NOTIFY,
               "the rules know the levels by these numbers");

const char *judge_arguments(const struct run_call *call)
{
    return call->approved_arguments ? call->approved_arguments : call->arguments;
}

const char *judge_misfit(struct moving *m, const char *schema, const char *arguments)
{
    struct shape_problem problems[SHAPE_PROBLEMS];
    JSON_AUTO *shape = NULL, *value = NULL;
    struct err wrong = { 0 };
    BUF_AUTO words = { 0 };
    size_t count = 0;

    if (!json_parse(arguments, strlen(arguments), &value, &wrong))
        return arena_format(m->tx->arena, "The arguments are not a JSON object. %s", wrong.text);
    if (!json_is_object(value))
        return "The arguments are not a JSON object.";
    if (!json_parse(schema, strlen(schema), &shape, &wrong))
        return NULL;
    if (shape_fits(m->tx->arena, shape, value, problems, &count))
        return NULL;
    buf_text(&words, "The arguments do not fit the schema of the tool:");
    for (size_t i = 0; i < count; i++)
        buf_format(&words, "\n- %s: %s", *problems[i].path ? problems[i].path : "the whole",
                   problems[i].words);
    return arena_copy(m->tx->arena, words.bytes, words.len);
}

static bool find_level(struct moving *m, const struct tool *tool, int *level)
{
    struct project project;

    *level = CATEGORY_NONE;
    if (!tool->category)
        return true;
    if (!m->run.project_id) {
        *level = CATEGORY_APPROVAL;
        return true;
    }
    if (!project_see(&m->as, m->run.project_id, &project))
        return false;
    *level = (int)autonomy_level_for(&project.autonomy, tool->category);
    return true;
}

/* One that was approved and is not what it was then. */
static bool has_changed(struct moving *m, const struct tool *tool, bool *changed)
{
    struct db_rows rows;

    *changed = false;
    if (tool->kind != TOOL_MCP || !tool->digest)
        return true;
    if (!tx_query(m->tx, SQL_RUN_TOOL_APPROVED, DB_ARGS(db_text(m->run.workspace_id), db_text(tool->name)),
                  &rows))
        return false;
    *changed = rows.count > 0 && !str_equal(db_cell(&rows, 0, 0), tool->digest);
    return true;
}

static bool gather(struct moving *m, const struct run_call *call, const struct tool *tool,
                   struct call_facts *facts)
{
    const char *project;

    *facts = (struct call_facts){ .known = tool && offer_names(&m->run, call->name), .level = CATEGORY_NONE };
    if (!facts->known)
        return true;
    if (!offer_project(m->tx, &m->run, &project))
        return false;
    facts->here = offer_allows(tool, &m->run, project);
    facts->placeless = !offer_has_place(tool, &m->run);
    facts->object = true;
    facts->misfit = judge_misfit(m, tool->schema, judge_arguments(call));
    facts->needs_approval = tool->needs_approval;
    return find_level(m, tool, &facts->level) && has_changed(m, tool, &facts->changed);
}

/* What a replay is to judge by again. `again`: it had waited. */
static const char *judged(struct moving *m, const struct call_facts *facts, enum call_verdict verdict,
                          bool again)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    if (again)
        json_text(&out, "rule", "call");
    json_text(&out, "verdict", call_verdict_word(verdict));
    json_bool(&out, "builtIn", facts->built_in);
    json_bool(&out, "known", facts->known);
    json_bool(&out, "here", facts->here);
    if (facts->placeless)
        json_bool(&out, "placeless", true);
    json_bool(&out, "object", facts->object);
    json_text(&out, "misfit", facts->misfit);
    json_bool(&out, "needsApproval", facts->needs_approval);
    json_int(&out, "level", facts->level);
    json_bool(&out, "changed", facts->changed);
    if (again) {
        json_bool(&out, "replaced", facts->replaced);
        json_bool(&out, "approved", facts->approved);
    }
    json_map_end(&out);
    return arena_copy(m->tx->arena, data.bytes, data.len);
}

static bool follow(struct moving *m, struct run_call *call, enum call_verdict verdict,
                   const struct tool *tool, const char *reason)
{
    enum run_tool own = run_tool_named(call->name);

    switch (verdict) {
    case CALL_RUNS:
        if (own)
            return own_tool_do(m, own, call);
        call->state = CALL_QUEUED;
        return true;
    case CALL_RUNS_TOLD: call->state = CALL_QUEUED; return people_tell(m, call, tool);
    case CALL_ASKS: return people_approve(m, call, tool, reason);
    case CALL_IS_INVALID: moving_done(m, call, OUT_INVALID, reason, NULL); return true;
    case CALL_IS_UNKNOWN:
        if (offer_names(&m->run, call->name) && tool_awaited(m->tx->arena, call->name, NULL)) {
            moving_done(
                m, call, OUT_UNAVAILABLE,
                "The server of this tool has listed no tools: it is starting, or could not be started.",
                NULL);
            return true;
        }
        moving_done(m, call, OUT_UNKNOWN,
                    arena_format(m->tx->arena,
                                 "There is no tool named %s. Call only the tools you were given.",
                                 call->name),
                    NULL);
        return true;
    case CALL_IS_FORBIDDEN: moving_done(m, call, OUT_FORBIDDEN, reason, NULL); return true;
    case CALL_VERDICT_END: break;
    }
    return true;
}

/* A docket's job has no input; once its docket is closed it can be read. */
static bool finish_misfit(struct moving *m, const char *arguments, const char **misfit)
{
    struct docket *docket;
    struct job *job, whole;

    return !run_agent_known(m->tx->arena, m->run.agent) ||
           (moving_docket(m, &docket, &job) && moving_flush(m) && job_get(&m->as, m->run.job_id, &whole) &&
            run_finish_unfit(&m->as, &whole, arguments, misfit));
}

bool judge_call(struct moving *m, struct run_call *call, bool is_object, bool extra)
{
    enum run_tool own = run_tool_named(call->name);
    const struct tool *tool = own ? NULL : tool_named(moving_tools(m), call->name);
    struct call_facts facts = {
        .built_in = true, .known = true, .here = true, .object = is_object, .level = CATEGORY_NONE
    };
    const char *reason;

    if (own)
        facts.misfit = judge_misfit(m, run_tool_schema(own), call->arguments);
    if (own == RUN_TOOL_FINISH && is_object && !facts.misfit &&
        !finish_misfit(m, call->arguments, &facts.misfit))
        return false;
    if (!own && !gather(m, call, tool, &facts))
        return false;
    if (!is_object)
        facts.object = false;
    if (extra)
        facts.misfit = "These are too many calls in one reply: make fewer at once.";
    if (tool) {
        call->digest = tool->digest;
        call->idempotent = tool->idempotent;
    }
    enum call_verdict verdict = loop_judge(&facts, &reason);

    moving_add(m, RUN_CALL, reason, judged(m, &facts, verdict, false))->call_id = call->id;
    return follow(m, call, verdict, tool, reason);
}

/* Judging again */

/* By now or in this step. */
static bool was_approved(struct moving *m, const struct run_call *call, bool *approved)
{
    struct db_rows rows;

    *approved = true;
    for (size_t i = 0; i < m->entry_count; i++)
        if (m->entries[i].kind == RUN_DECISION && str_equal(m->entries[i].call_id, call->id) &&
            str_starts(m->entries[i].data, PEOPLE_APPROVED))
            return true;
    if (!tx_query(m->tx, SQL_RUN_CALL_APPROVED,
                  DB_ARGS(db_text(m->run.job_id), db_text(call->id), db_int(m->run.told_seq)), &rows))
        return false;
    *approved = rows.count > 0;
    return true;
}

/* Only now: what has changed since people were asked is not what they have approved. */
static bool remember_approval(struct moving *m, const struct tool *tool)
{
    if (tool->kind != TOOL_MCP || !tool->digest)
        return true;
    return tx_exec(m->tx, SQL_RUN_TOOL_APPROVE,
                   DB_ARGS(db_text(m->run.workspace_id), db_text(tool->name), db_text(tool->digest),
                           db_int(m->tx->now_ms)),
                   NULL);
}

/* What people have changed and does not fit is asked about again: the model would not know what is wrong. */
static bool ask_unedited(struct moving *m, struct run_call *call, const struct tool *tool, const char *misfit)
{
    call->approved_arguments = NULL;
    return people_approve(m, call, tool,
                          arena_format(m->tx->arena, "What was approved cannot be run. %s", misfit));
}

/* `moved`: only now it is to be run. */
static bool judge_again(struct moving *m, struct run_call *call, bool moved)
{
    const struct tool *tool = moving_tool(m, call);
    struct call_facts facts;
    const char *reason;

    if (!tool) {
        moving_unwanted(m, call);
        moving_done(m, call, OUT_UNAVAILABLE, "This tool is not there any more.", NULL);
        return true;
    }
    if (!gather(m, call, tool, &facts) || !was_approved(m, call, &facts.approved))
        return false;
    facts.replaced = !str_equal(call->digest, tool->digest);
    enum call_verdict verdict = loop_judge(&facts, &reason);

    if (verdict == CALL_RUNS_TOLD)
        return !moved || people_tell(m, call, tool);
    if (verdict == CALL_RUNS)
        return !moved || !facts.approved || remember_approval(m, tool);
    moving_add(m, RUN_DECISION, reason, judged(m, &facts, verdict, true))->call_id = call->id;
    moving_unwanted(m, call);
    call->digest = tool->digest;
    if (verdict == CALL_IS_INVALID && call->approved_arguments)
        return ask_unedited(m, call, tool, reason);
    return follow(m, call, verdict, tool, reason);
}

/* What it was judged by holds no more: it changed hands, its tool is gone, or was listed anew as another
 * while the call was kept back. */
static bool must_judge_again(struct moving *m, const struct run_call *call)
{
    const struct tool *tool = moving_tool(m, call);

    return m->claimed || call->dirty || !tool || !str_equal(call->digest, tool->digest);
}

bool judge_waited(struct moving *m)
{
    for (size_t i = 0; i < m->call_count; i++) {
        struct run_call *call = m->calls[i];

        if (call->state == CALL_QUEUED && !m->notes[i].fresh && must_judge_again(m, call) &&
            !judge_again(m, call, call->dirty && !m->notes[i].begun))
            return false;
    }
    return true;
}

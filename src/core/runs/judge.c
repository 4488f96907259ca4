/*
 * What is known of a call is gathered here and judged by the rules; what does not depend on the log (what the
 * tool is, what the project allows, what was approved before) is stored with the verdict, for a replay.
 */
#include "base/limits.h"
#include "base/shape.h"
#include "base/str.h"
#include "core/runs/moving.h"
#include "core/work/project.h"

#include <string.h>

_Static_assert((int)AUTONOMY_APPROVAL == CATEGORY_APPROVAL && (int)AUTONOMY_NOTIFY == CATEGORY_NOTIFY,
               "the rules know the levels by these numbers");

const char *judge_misfit(struct moving *m, const char *schema, const char *arguments)
{
    struct shape_problem problems[SHAPE_PROBLEMS];
    JSON_AUTO *shape = NULL, *value = NULL;
    struct err ignored = { 0 };
    BUF_AUTO words = { 0 };
    size_t count = 0;

    if (!json_parse(arguments, strlen(arguments), &value, &ignored) || !json_is_object(value))
        return "The arguments are not a JSON object.";
    if (!json_parse(schema, strlen(schema), &shape, &ignored))
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
    facts->object = true;
    facts->misfit = judge_misfit(m, tool->schema, call->arguments);
    facts->needs_approval = tool->needs_approval;
    return find_level(m, tool, &facts->level) && has_changed(m, tool, &facts->changed);
}

/* What a replay is to judge by again. */
static const char *judged(struct moving *m, const struct call_facts *facts, enum call_verdict verdict)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "verdict", call_verdict_word(verdict));
    json_bool(&out, "builtIn", facts->built_in);
    json_bool(&out, "known", facts->known);
    json_bool(&out, "here", facts->here);
    json_bool(&out, "object", facts->object);
    json_text(&out, "misfit", facts->misfit);
    json_bool(&out, "needsApproval", facts->needs_approval);
    json_int(&out, "level", facts->level);
    json_bool(&out, "changed", facts->changed);
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

bool judge_call(struct moving *m, struct run_call *call, bool is_object, bool extra)
{
    enum run_tool own = run_tool_named(call->name);
    const struct tool *tool = own ? NULL : tool_named(m->tools, call->name);
    struct call_facts facts = {
        .built_in = true, .known = true, .here = true, .object = is_object, .level = CATEGORY_NONE
    };
    const char *reason;

    if (own && is_object)
        facts.misfit = judge_misfit(m, run_tool_schema(own), call->arguments);
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

    moving_add(m, RUN_CALL, reason, judged(m, &facts, verdict))->call_id = call->id;
    return follow(m, call, verdict, tool, reason);
}

#include "runs.h"

#include "base/clock.h"
#include "core/questions/job.h"
#include "council.h"

#define NODE "node-a"

static void fine(bool done, const struct err *err)
{
    if (!done)
        fail_msg("%s: %s", err_name(err), err->text);
}

void use_tools(const struct tool *tools, size_t count)
{
    static struct tool_list lists[64];
    static size_t next;
    struct tool_list *list = &lists[next++ % 64];

    *list = (struct tool_list){ tools, count };
    tools_use(list);
}

const char *run_made(struct t *t, const struct run_wish *wish, const char *project_id, struct err *err)
{
    static const struct run_wish plain = { 0 };
    struct tx tx = stage_begin(t, err);
    struct caller caller = {
        .kind = CALLER_LOCAL, .role = ROLE_OWNER, .id = "local", .name = "local", .workspace_id = t->workspace
    };
    struct job job = { .agent = "Ada", .input = "\"Build it.\"", .project_id = project_id };

    tx.caller = &caller;
    if (!run_create(&tx, &job, wish ? wish : &plain)) {
        stage_rollback(t);
        return NULL;
    }
    stage_commit(t);
    return job.id;
}

bool run_wants(struct playing *p)
{
    return count_rows(p->t, "runs WHERE job_id = '%s' AND wanted = 1 AND node IS NULL", p->job) == 1;
}

void run_moves_on(struct playing *p)
{
    struct tx tx = stage_begin(p->t, &p->err);

    fine(run_advance(&tx, &p->ref, &p->step), &p->err);
    stage_commit(p->t);
}

bool run_again(struct playing *p, const char *node)
{
    struct tx tx = stage_begin(p->t, &p->err);
    struct held_row *list;
    size_t count;
    bool found = false;

    fine(holding_node_renew(&tx, node, tx.now_ms + 1000000), &p->err);
    fine(run_claim(&tx, node, 1000, &list, &count), &p->err);
    stage_commit(p->t);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].id, p->job) == 0) {
            p->ref = (struct run_ref){ .job_id = p->job, .node = node, .epoch = list[i].epoch };
            found = true;
        }
    if (found)
        run_moves_on(p);
    return found;
}

void play_run_in(struct t *t, struct playing *p, const struct run_wish *wish, const char *project_id)
{
    struct err err = { 0 };

    *p = (struct playing){ .t = t };
    if (count_rows(t, "agent_templates WHERE workspace_id = '%s' AND name = 'Ada'", t->workspace) == 0)
        make_agent(t, "Ada", "specialist");
    p->job = run_made(t, wish, project_id, &err);
    if (!p->job)
        fail_msg("%s: %s", err_name(&err), err.text);
    assert_true(run_again(p, NODE));
}

void play_run(struct t *t, struct playing *p, const struct run_wish *wish)
{
    play_run_in(t, p, wish, NULL);
}

bool model_replies(struct playing *p, const struct llm_result *result, const char *kind,
                   const struct llm_model *priced)
{
    struct run_reply reply = { .result = result,
                               .model = "played",
                               .provider = "ollama",
                               .kind = kind,
                               .priced = priced,
                               .turn = p->step.turn };
    struct tx tx = stage_begin(p->t, &p->err);

    if (!run_take_reply(&tx, &p->ref, &reply, &p->step)) {
        stage_rollback(p->t);
        return false;
    }
    stage_commit(p->t);
    return true;
}

void model_calls(struct playing *p, ...)
{
    static int made;
    struct llm_tool_call calls[256];
    size_t count = 0;
    va_list args;

    va_start(args, p);
    for (const char *name = va_arg(args, const char *); name; name = va_arg(args, const char *)) {
        const char *arguments = va_arg(args, const char *);

        calls[count++] = (struct llm_tool_call){ .id = arena_format(&p->t->arena, "call_%d", ++made),
                                                 .name = name,
                                                 .arguments = arguments,
                                                 .is_object = *arguments == '{' };
    }
    va_end(args);
    fine(model_replies(p,
                       &(struct llm_result){ .text = "",
                                             .words = "",
                                             .finish = LLM_FINISH_TOOLS,
                                             .usage = { 10, 5 },
                                             .tool_calls = calls,
                                             .tool_call_count = count },
                       NULL, NULL),
         &p->err);
}

void model_takes(struct playing *p, int64_t in, int64_t out)
{
    struct llm_tool_call made = {
        .id = "a", .name = "report_progress", .arguments = "{}", .is_object = true
    };

    fine(model_replies(p,
                       &(struct llm_result){ .text = "",
                                             .words = "",
                                             .finish = LLM_FINISH_TOOLS,
                                             .usage = { in, out },
                                             .tool_calls = &made,
                                             .tool_call_count = 1 },
                       NULL, NULL),
         &p->err);
}

void model_says(struct playing *p, const char *text)
{
    fine(model_replies(p,
                       &(struct llm_result){ .text = text,
                                             .text_len = strlen(text),
                                             .words = "",
                                             .finish = LLM_FINISH_STOP,
                                             .usage = { 10, 5 } },
                       p->step.kind, NULL),
         &p->err);
}

void model_fails(struct playing *p, const char *words)
{
    fine(model_replies(p,
                       &(struct llm_result){ .kind = LLM_BUSY,
                                             .text = "",
                                             .words = words,
                                             .usage = { LLM_NOT_REPORTED, LLM_NOT_REPORTED } },
                       p->step.kind, NULL),
         &p->err);
}

void tool_begins(struct playing *p, const char *call_id)
{
    struct tx tx = stage_begin(p->t, &p->err);

    fine(run_call_begin(&tx, &p->ref, call_id, false), &p->err);
    stage_commit(p->t);
}

void tool_ends(struct playing *p, const char *call_id, enum tool_end end, const char *text)
{
    struct tx tx = stage_begin(p->t, &p->err);

    fine(run_call_end(&tx, &p->ref, call_id, &(struct tool_result){ .end = end, .text = text }, &p->step),
         &p->err);
    stage_commit(p->t);
}

void tool_runs(struct playing *p, const char *text)
{
    assert_int_equal(p->step.call_count, 1);
    const char *id = p->step.calls[0].call_id;

    tool_begins(p, id);
    tool_ends(p, id, TOOL_FINE, text);
}

const char *told(const struct playing *p, const char *role)
{
    assert_true(p->step.ask);
    for (size_t i = p->step.message_count; i-- > 0;)
        if (strcmp(p->step.messages[i].role, role) == 0)
            return p->step.messages[i].content;
    fail_msg("the model was told nothing as %s", role);
    return NULL;
}

static const char *cell(struct playing *p, const char *sql)
{
    struct db_rows rows;
    struct err err = { 0 };

    fine(db_query_text(p->t->db, &p->t->arena, sql, DB_NO_ARGS, &rows, &err), &err);
    return rows.count > 0 ? db_cell(&rows, 0, 0) : NULL;
}

const char *call_column(struct playing *p, const char *name, const char *column)
{
    return cell(p, arena_format(&p->t->arena,
                                "SELECT %s FROM run_calls WHERE job_id = '%s' AND name = '%s' "
                                "ORDER BY step DESC, position DESC LIMIT 1",
                                column, p->job, name));
}

const char *job_column(struct playing *p, const char *column)
{
    return cell(p, arena_format(&p->t->arena, "SELECT %s FROM jobs WHERE id = '%s'", column, p->job));
}

const char *open_question(struct playing *p)
{
    return cell(p, arena_format(&p->t->arena,
                                "SELECT id FROM agent_questions WHERE job_id = '%s' AND status = 'pending' "
                                "ORDER BY created_at DESC, id DESC LIMIT 1",
                                p->job));
}

struct run_replay replay_of_run(struct playing *p)
{
    struct err err;
    struct tx tx = stage_begin(p->t, &err);
    struct caller caller = { .kind = CALLER_LOCAL, .role = ROLE_OWNER, .workspace_id = p->t->workspace };
    struct run_replay replay;

    tx.caller = &caller;
    fine(run_replay(&tx, p->job, &replay), &err);
    stage_rollback(p->t);
    return replay;
}

int64_t check_replay(struct playing *p)
{
    const struct run_replay replay = replay_of_run(p);

    if (replay.difference_count > 0)
        fail_msg("entry %lld was %s and is %s", (long long)replay.differences[0].seq,
                 replay.differences[0].stored, replay.differences[0].recomputed);
    return replay.decisions;
}

/*
 * Claiming is one conditional update and the row says who won; everything else locks the task, works out the
 * wanted state and only then asks whether the step from the old to the new is allowed. So every way into a
 * state meets the same rules.
 */
#include "base/str.h"
#include "core/work/question_set.h"
#include "core/work/task_row.h"

/* What stands beside the error: enough for an agent to decide what to do instead. */
static const char *error_detail(struct arena *arena, const struct task *task, const struct db_rows *waiting)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_text(&out, "status", task_status_word(task->status));
    json_text(&out, "assignee", task->assignee);
    json_text(&out, "block_reason", task->block_reason);
    if (waiting->count > 0) {
        json_list(&out, "waiting_for");
        for (size_t row = 0; row < waiting->count; row++) {
            json_map(&out, NULL);
            json_text(&out, "id", db_cell(waiting, row, 0));
            json_text(&out, "title", db_cell(waiting, row, 1));
            json_map_end(&out);
        }
        json_list_end(&out);
    }
    return arena_copy(arena, text.bytes, text.len);
}

/* Why nobody can take this task now. */
static bool refuse_claim(const struct tx *tx, const struct task *task)
{
    struct db_rows waiting = { 0 };

    if (task->status == TASK_IN_PROGRESS) {
        err_set(tx->err, ERR_CONFLICT, "This task has been claimed by %s.", task->assignee);
        tx->err->name = "claimed";
    } else if (task->status == TASK_BLOCKED) {
        err_set(tx->err, ERR_CONFLICT, "This task is blocked: %s.",
                task->block_reason ? task->block_reason : "no reason was given");
        tx->err->name = "blocked";
    } else if (task->status == TASK_CLOSED) {
        err_set(tx->err, ERR_CONFLICT, "This task is closed.");
        tx->err->name = "closed";
    } else {
        if (!tx_query(tx, SQL_TASK_OPEN_DEPS, DB_ARGS(db_text(task->id)), &waiting))
            return false;
        err_set(tx->err, ERR_CONFLICT, "This task depends on %lld that are not closed.",
                (long long)task->open_deps);
        tx->err->name = "dependent";
    }
    tx->err->detail = error_detail(tx->arena, task, &waiting);
    return false;
}

bool task_claim(const struct tx *tx, const struct project *project, const char *id, const char *agent,
                struct task *task)
{
    size_t claimed;

    if (!caller_may_speak_as(tx->caller, agent, tx->err) ||
        !tx_exec(tx, SQL_TASK_CLAIM,
                 DB_ARGS(db_text(id), db_text(project->id), db_text(agent), db_int(tx->now_ms),
                         db_text(task_taker_id(tx, agent))),
                 &claimed) ||
        !task_get(tx, project, id, task))
        return false;
    if (claimed == 0)
        return refuse_claim(tx, task);
    return task_tell(tx, task);
}

/* What the change says about status and assignee together, before any rule is asked. */
static void settle(const struct task_change *change, struct task *wanted)
{
    bool gives_back = change->has_assignee && !change->assignee;

    if (change->has_assignee)
        wanted->assignee = change->assignee;
    if (change->status)
        wanted->status = change->status;
    else if (change->has_assignee && change->assignee && wanted->status == TASK_OPEN)
        wanted->status = TASK_IN_PROGRESS;
    else if (gives_back && wanted->status == TASK_IN_PROGRESS)
        wanted->status = TASK_OPEN;
    if (wanted->status == TASK_OPEN && !(change->has_assignee && change->assignee))
        wanted->assignee = NULL;
    if (change->has_block_reason)
        wanted->block_reason = change->block_reason;
    if (wanted->status != TASK_BLOCKED)
        wanted->block_reason = NULL;
    if (!str_equal(wanted->block_reason, BLOCKED_BY_QUESTION))
        wanted->own_block = NULL;
}

static bool closes(const struct task *from, const struct task *to)
{
    return to->status == TASK_CLOSED && from->status != TASK_CLOSED;
}

static void refuse_close(struct arena *arena, const struct task *task, struct err *err)
{
    err_set(err, ERR_CONFLICT, "Questions about this task wait for people, so an agent cannot close it.");
    err->name = "open_questions";
    err->detail = error_detail(arena, task, &(struct db_rows){ 0 });
}

/*
 * An unanswered question keeps the task from being worked on, whoever would like to. Closing ends the
 * waiting, which is for people to do, and the question with it. A coder's own success closes the task too,
 * but leaves open what it has asked: whoever opens that task again meets it again.
 */
static bool check_questions(const struct tx *tx, const struct project *project, const struct task *from,
                            const struct task *to)
{
    bool waited = from->status == TASK_CLOSED || task_is_blocked_by_question(from);
    bool goes_on = to->status != TASK_CLOSED && !task_is_blocked_by_question(to);
    bool agent_closes = closes(from, to) && !caller_is_person(tx->caller);
    const char *open;

    if (!(waited && goes_on) && !agent_closes)
        return true;
    if (!question_set_newest_open(tx, project, SOURCE_EXECUTE, from->id, &open))
        return false;
    if (!open)
        return true;
    if (agent_closes)
        refuse_close(tx->arena, from, tx->err);
    else
        refuse_claim(tx, from);
    return err_hint(tx->err, "Answer or dismiss its open questions: /api/projects/%s/notifications.",
                    from->project_id);
}

/* Whether the step from one status to the other is one that a caller may make. */
static bool check_step(const struct tx *tx, const struct project *project, const struct task *from,
                       const struct task *to)
{
    bool starts = to->status == TASK_IN_PROGRESS && from->status != TASK_IN_PROGRESS;
    bool takes_over = to->status == TASK_IN_PROGRESS && from->status == TASK_IN_PROGRESS &&
                      !(from->assignee && to->assignee && str_same_name(from->assignee, to->assignee));

    if (to->status == TASK_IN_PROGRESS && !to->assignee)
        return err_field(tx->err, "assignee", "A task in progress needs an assignee: claim it.");
    if (to->status == TASK_OPEN && to->assignee)
        return err_field(tx->err, "assignee",
                         "An open task has no assignee: claim it, or set it in_progress.");
    if (to->assignee && !str_equal(from->assignee, to->assignee) &&
        !caller_may_speak_as(tx->caller, to->assignee, tx->err))
        return false;
    if (!check_questions(tx, project, from, to))
        return false;
    if (starts && to->open_deps > 0) {
        struct task still = *from;

        still.status = TASK_OPEN;
        return refuse_claim(tx, &still);
    }
    if (takes_over && !caller_is_person(tx->caller))
        return refuse_claim(tx, from);
    return true;
}

static void take_fields(const struct task_change *change, struct task *task)
{
    if (change->title)
        task->title = change->title;
    if (change->description)
        task->description = change->description;
    if (change->has_priority)
        task->priority = change->priority;
    if (change->has_session)
        task->session_id = change->session_id;
    if (change->has_result)
        task->result = change->result;
}

bool task_update(const struct tx *tx, const struct project *project, const char *id,
                 const struct task_change *change, struct task *task)
{
    bool may_end_questions = change->status == TASK_CLOSED;
    struct task before, after;

    if (((change->has_deps || may_end_questions) && !project_lock(tx, project)) ||
        !task_lock(tx, project, id, &before))
        return false;
    after = before;
    if (change->has_deps) {
        if (!task_set_deps(tx, project, &before, change->deps, change->dep_count) ||
            !task_get(tx, project, id, &after))
            return false;
    }
    take_fields(change, &after);
    settle(change, &after);
    if (!str_equal(before.assignee, after.assignee))
        after.assignee_id = task_taker_id(tx, after.assignee);
    if (!check_step(tx, project, &before, &after))
        return false;
    if (closes(&before, &after) && !question_set_drop(tx, project, SOURCE_EXECUTE, id))
        return false;
    if (!task_save(tx, project, &after))
        return false;
    *task = after;
    return true;
}

bool task_is_blocked_by_question(const struct task *task)
{
    return task->status == TASK_BLOCKED && str_equal(task->block_reason, BLOCKED_BY_QUESTION);
}

void task_block(struct task *task, bool keep_claim)
{
    if (task->status == TASK_CLOSED)
        return;
    if (task->status == TASK_BLOCKED && !task_is_blocked_by_question(task))
        task->own_block = task->block_reason;
    task->status = TASK_BLOCKED;
    task->block_reason = BLOCKED_BY_QUESTION;
    if (!keep_claim)
        task->assignee = NULL;
}

bool task_unblock(const struct tx *tx, const struct project *project, const char *id, const char *stays)
{
    struct task task;

    if (!task_lock(tx, project, id, &task)) {
        if (tx->err->code != ERR_NOT_FOUND)
            return false;
        *tx->err = (struct err){ 0 };
        return true;
    }
    /* Somebody may have given it another reason to wait, which an answer does not lift. */
    if (!task_is_blocked_by_question(&task))
        return true;
    if (!task.own_block && !task.assignee)
        task.own_block = stays;
    if (!task.own_block)
        task.status = task.assignee ? TASK_IN_PROGRESS : TASK_OPEN;
    task.block_reason = task.own_block;
    task.own_block = NULL;
    return task_save(tx, project, &task);
}

/*
 * What a run may take and has taken, by itself and with all runs of its project in a day. A project's hours
 * are rows that are used again (project_spending).
 */
#include "base/settings.h"
#include "core/runs/moving.h"

#define HOUR_MS      (3600LL * 1000)
#define DAY_HOURS    24
#define MS_OF_SECOND 1000

struct run_budget limits_of(const struct moving *m)
{
    return (struct run_budget){ m->run.budget_steps, m->run.budget_tokens, m->run.budget_ms,
                                m->run.budget_money };
}

struct run_budget limits_used(const struct moving *m)
{
    return (struct run_budget){ m->run.step, m->run.tokens_in + m->run.tokens_out, moving_used_ms(m),
                                m->run.money };
}

/* By this step, which is not stored yet. */
static struct run_budget taken_now(const struct moving *m)
{
    const struct run_budget used = limits_used(m), *before = &m->before;

    return (struct run_budget){ used.steps - before->steps, used.tokens - before->tokens,
                                used.ms - before->ms, used.money - before->money };
}

/* What all runs of the project have taken in a day: since the hour in which the last 24 hours began. */
static bool project_spent(struct moving *m, struct run_budget *spent)
{
    const struct run_budget now = taken_now(m);
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_RUN_PROJECT_SPENT,
                  DB_ARGS(db_text(m->run.project_id), db_int(m->tx->now_ms / HOUR_MS - DAY_HOURS)), &rows))
        return false;
    *spent = (struct run_budget){ db_cell_int(&rows, 0, 0) + now.steps, db_cell_int(&rows, 0, 1) + now.tokens,
                                  db_cell_int(&rows, 0, 2) + now.ms, db_cell_int(&rows, 0, 3) + now.money };
    return true;
}

/* What all runs of any one project may take in a day. */
static struct run_budget project_budget(void)
{
    return (struct run_budget){ settings()->runner_project_steps, settings()->runner_project_tokens,
                                settings()->runner_project_seconds * MS_OF_SECOND,
                                settings()->runner_project_money_millionths };
}

/* The same limits, of all runs of a project. */
static const enum run_limit of_its_project[] = {
    [RUN_LIMIT_NONE] = RUN_LIMIT_NONE,
    [RUN_LIMIT_STEPS] = RUN_LIMIT_PROJECT_STEPS,
    [RUN_LIMIT_TOKENS] = RUN_LIMIT_PROJECT_TOKENS,
    [RUN_LIMIT_TIME] = RUN_LIMIT_PROJECT_TIME,
    [RUN_LIMIT_MONEY] = RUN_LIMIT_PROJECT_MONEY,
};

bool limits_project(struct moving *m, enum run_limit *limit)
{
    const struct run_budget budget = project_budget();
    struct run_budget spent;

    if (!m->run.project_id || (!budget.steps && !budget.tokens && !budget.ms && !budget.money))
        return true;
    if (!project_spent(m, &spent))
        return false;
    *limit = of_its_project[loop_limit(&budget, &spent)];
    return true;
}

bool limits_left(struct moving *m, int64_t *left)
{
    int64_t of_project = settings()->runner_project_tokens;
    struct run_budget spent;

    *left = INT64_MAX;
    if (m->run.budget_tokens > 0)
        *left = m->run.budget_tokens - m->run.tokens_in - m->run.tokens_out;
    if (m->run.project_id && of_project > 0) {
        if (!project_spent(m, &spent))
            return false;
        if (of_project - spent.tokens < *left)
            *left = of_project - spent.tokens;
    }
    if (*left < 0)
        *left = 0;
    return true;
}

/* Of the tokens that its project may take in a day, where the request would take all that are left. */
static bool project_ahead(struct moving *m, enum run_limit *limit, int64_t *left, int64_t *most)
{
    int64_t of_project = settings()->runner_project_tokens;
    struct run_budget spent;

    if (!m->run.project_id || of_project == 0)
        return true;
    if (!project_spent(m, &spent))
        return false;
    if (spent.tokens + m->ahead < of_project)
        return true;
    *limit = RUN_LIMIT_PROJECT_TOKENS;
    *left = of_project - spent.tokens;
    *most = of_project;
    return true;
}

/* One that is out already was held against what was left before it went. */
bool limits_ahead(struct moving *m, struct loop_facts *facts, bool again)
{
    const struct run_budget budget = limits_of(m), used = limits_used(m);
    int64_t left = budget.tokens - used.tokens, most = budget.tokens;

    facts->fatal = m->fatal = m->unfit;
    if (again)
        return true;
    facts->limit = loop_limit_ahead(&budget, &used, m->ahead);
    if (facts->limit == RUN_LIMIT_NONE && !project_ahead(m, &facts->limit, &left, &most))
        return false;
    if (facts->limit != RUN_LIMIT_NONE)
        m->short_of = loop_ahead_words(m->tx->arena, facts->limit, m->ahead, left, most);
    return true;
}

/* Time passes with every write, and the project's row is written by all of its runs: it is counted only where
 * somebody wants it bounded. */
bool limits_save(struct moving *m)
{
    int64_t hour = m->tx->now_ms / HOUR_MS;
    struct run_budget now = taken_now(m);

    if (settings()->runner_project_seconds == 0)
        now.ms = 0;
    return !m->run.project_id || (!now.steps && !now.tokens && !now.ms && !now.money) ||
           tx_exec(m->tx, SQL_RUN_PROJECT_SPEND,
                   DB_ARGS(db_text(m->run.project_id), db_int(hour % (DAY_HOURS + 1)), db_int(hour),
                           db_int(now.steps), db_int(now.tokens), db_int(now.ms), db_int(now.money)),
                   NULL);
}

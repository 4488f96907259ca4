/*
 * What a run may take and has taken, by itself and with all runs of its project in a day. A project's hours
 * are rows that are used again (project_spending).
 */
#include "base/settings.h"
#include "core/runs/moving.h"

#define HOUR_MS   (3600LL * 1000)
#define DAY_HOURS 24

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

/* What all runs of the project have taken in a day: since the hour in which the last 24 hours began, with
 * what this step has taken, which is not stored yet. */
static bool project_spent(struct moving *m, int64_t *tokens, int64_t *money)
{
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_RUN_PROJECT_SPENT,
                  DB_ARGS(db_text(m->run.project_id), db_int(m->tx->now_ms / HOUR_MS - DAY_HOURS)), &rows))
        return false;
    *tokens = db_cell_int(&rows, 0, 0) + m->took_tokens;
    *money = db_cell_int(&rows, 0, 1) + m->took_money;
    return true;
}

bool limits_project(struct moving *m, enum run_limit *limit)
{
    int64_t tokens = settings()->runner_project_tokens, money = settings()->runner_project_money_millionths;
    int64_t spent_tokens, spent_money;

    if (!m->run.project_id || (tokens == 0 && money == 0))
        return true;
    if (!project_spent(m, &spent_tokens, &spent_money))
        return false;
    if (tokens > 0 && spent_tokens >= tokens)
        *limit = RUN_LIMIT_PROJECT_TOKENS;
    else if (money > 0 && spent_money >= money)
        *limit = RUN_LIMIT_PROJECT_MONEY;
    return true;
}

bool limits_left(struct moving *m, int64_t *left)
{
    int64_t of_project = settings()->runner_project_tokens, spent, ignored;

    *left = INT64_MAX;
    if (m->run.budget_tokens > 0)
        *left = m->run.budget_tokens - m->run.tokens_in - m->run.tokens_out;
    if (m->run.project_id && of_project > 0) {
        if (!project_spent(m, &spent, &ignored))
            return false;
        if (of_project - spent < *left)
            *left = of_project - spent;
    }
    if (*left < 0)
        *left = 0;
    return true;
}

/* Of the tokens that its project may take in a day, where the request would take all that are left. */
static bool project_ahead(struct moving *m, enum run_limit *limit, int64_t *left, int64_t *most)
{
    int64_t of_project = settings()->runner_project_tokens, spent, ignored;

    if (!m->run.project_id || of_project == 0)
        return true;
    if (!project_spent(m, &spent, &ignored))
        return false;
    if (spent + m->ahead < of_project)
        return true;
    *limit = RUN_LIMIT_PROJECT_TOKENS;
    *left = of_project - spent;
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

bool limits_save(struct moving *m)
{
    int64_t hour = m->tx->now_ms / HOUR_MS;

    return !m->run.project_id || (m->took_tokens == 0 && m->took_money == 0) ||
           tx_exec(m->tx, SQL_RUN_PROJECT_SPEND,
                   DB_ARGS(db_text(m->run.project_id), db_int(hour % (DAY_HOURS + 1)), db_int(hour),
                           db_int(m->took_tokens), db_int(m->took_money)),
                   NULL);
}

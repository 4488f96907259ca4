/*
 * Prepared figures: whatever is written, by whomever, they say what counting every row would say, and a
 * report of much is made from them.
 */
#include "core/reports/figures.h"

#include "base/limits.h"
#include "core/identity/workspace.h"
#include "core/reports/analytics.h"
#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W     "'" DEFAULT_WORKSPACE_ID "'"
#define HOUR  INT64_C(3600000)
#define START (INT64_C(495000) * HOUR) /* an hour, and no whole day */

#define NEED(e, condition) \
    do { \
        if (!(condition)) \
            fail_msg("%s", (e)->err.text); \
    } while (0)

static struct engine *engine_of(void **state)
{
    struct engine *e = *state;

    if (!e->db)
        skip();
    return e;
}

static int64_t number_of(struct engine *e, const char *sql)
{
    const char *cell = engine_sql(e, sql);

    return cell ? strtoll(cell, NULL, 10) : 0;
}

/* A time in the store's words: `ms` is an expression. */
static const char *time_of(struct engine *e, const char *ms)
{
    return arena_format(&e->arena,
                        e->db->engine == DB_SQLITE
                            ? "strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', (%s) / 1000.0, 'unixepoch')"
                            : "to_timestamp((%s) / 1000.0)",
                        ms);
}

static void make_jobs(struct engine *e)
{
    engine_sql(e, "INSERT INTO projects (id, workspace_id, name, created_at) VALUES ('p', " W ", 'Shop', 1)");
    engine_sql(e, arena_format(&e->arena,
                               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)"
                               "INSERT INTO jobs (id, workspace_id, project_id, kind, status, created_at)"
                               " SELECT 'j' || i, " W ", CASE WHEN i %% 3 = 0 THEN 'p' END, 'agent',"
                               " CASE i %% 3 WHEN 0 THEN 'running' WHEN 1 THEN 'completed' ELSE 'failed' END,"
                               " %" PRId64 " + i * 1000 FROM n",
                               START));
}

/*
 * `count` questions, one every 100 seconds, in 20 of the 30 jobs: each fourth was answered after its number
 * of seconds, the others timed out, went on with their default or are open. Every fifth asks the same.
 */
static void make_questions(struct engine *e, int from, int count)
{
    const char *asked =
        time_of(e, arena_format(&e->arena, "%" PRId64 " + CAST(i AS BIGINT) * 100000", START));
    const char *ended =
        time_of(e, arena_format(&e->arena, "%" PRId64 " + CAST(i AS BIGINT) * 101000", START));

    engine_sql(
        e, arena_format(
               &e->arena,
               "WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
               "INSERT INTO agent_questions (id, job_id, workspace_id, project_id, type, question, status,"
               " response_type, created_at, ended_at, outcome_source, question_key, asked_by)"
               " SELECT 'q' || (100000 + i), 'j' || (1 + i %% 20), " W ", CASE WHEN i %% 2 = 0 THEN 'p' END,"
               " CASE WHEN i %% 3 = 0 THEN 'approval' ELSE 'blocking' END, 'Question ' || i,"
               " CASE i %% 4 WHEN 0 THEN 'answered' WHEN 3 THEN 'pending' ELSE 'timeout' END, 'text', %s,"
               " CASE WHEN i %% 4 < 3 THEN %s END,"
               " CASE i %% 4 WHEN 0 THEN 'human' WHEN 1 THEN 'timeout' WHEN 2 THEN 'default' END,"
               " CASE WHEN i %% 5 = 0 THEN 5 ELSE i + 1000000 END, 'x' FROM n",
               from, from + count - 1, asked, ended));
}

static void fold(struct engine *e)
{
    size_t folded;

    do
        NEED(e, figures_fold(TX(e), 700, &folded));
    while (folded == 700);
    assert_int_equal(number_of(e, "SELECT COUNT(*) FROM figure_changes"), 0);
}

/* The figures and the rows say the same, each for itself counted. */
static void check_figures(struct engine *e)
{
    static const char *const sums[] = {
        "SELECT kind, span, hour, project_id, label, state, value, CAST(n AS BIGINT) FROM figures",
        "SELECT 'question', s.span, hour / s.span * s.span, project_id, label, state, value, COUNT(*)"
        " FROM question_states CROSS JOIN (SELECT 1 AS span UNION ALL SELECT 24) s"
        " GROUP BY s.span, hour / s.span, project_id, label, state, value"
        " UNION ALL SELECT 'job', s.span, created_at / 3600000 / s.span * s.span, COALESCE(project_id, ''),"
        " status, '', asked, COUNT(*)"
        " FROM (SELECT j.*, (SELECT COUNT(*) FROM agent_questions q WHERE q.job_id = j.id) AS has FROM jobs "
        "j) j"
        " CROSS JOIN (SELECT 1 AS span UNION ALL SELECT 24) s WHERE NOT lone AND has = asked"
        " GROUP BY s.span, created_at / 3600000 / s.span, COALESCE(project_id, ''), status, asked",
    };

    for (int i = 0; i < 2; i++)
        assert_int_equal(
            number_of(e, arena_format(&e->arena, "SELECT COUNT(*) FROM (%s EXCEPT %s) d", sums[i],
                                      arena_format(&e->arena, "SELECT * FROM (%s) x", sums[!i]))),
            0);
    assert_int_equal(number_of(e, "SELECT COUNT(*) FROM figures WHERE n <= 0"), 0);
    assert_int_equal(number_of(e, "SELECT SUM(asked) FROM question_tallies"),
                     number_of(e, "SELECT COUNT(*) FROM agent_questions"));
}

static void figures_follow_every_change(void **state)
{
    struct engine *e = engine_of(state);

    make_jobs(e);
    make_questions(e, 1, 400);
    fold(e);
    check_figures(e);
    engine_sql(e, arena_format(&e->arena,
                               "UPDATE agent_questions SET status = 'answered', outcome_source = 'human',"
                               " ended_at = %s WHERE status = 'pending' AND project_id = 'p'",
                               time_of(e, arena_format(&e->arena, "%" PRId64, START + 100 * HOUR))));
    engine_sql(e, "UPDATE agent_questions SET status = 'cancelled', outcome_source = 'cancelled'"
                  " WHERE status = 'pending' AND id < 'q100200'");
    engine_sql(e, "UPDATE agent_questions SET question_key = 7 WHERE id > 'q100390'");
    engine_sql(e, "UPDATE jobs SET status = 'cancelled' WHERE status = 'running'");
    make_questions(e, 401, 100);
    fold(e);
    check_figures(e);
    engine_sql(e, "DELETE FROM agent_questions WHERE id < 'q100100'");
    engine_sql(e, "DELETE FROM projects WHERE id = 'p'");
    fold(e);
    check_figures(e);
    engine_sql(e, "DELETE FROM jobs");
    fold(e);
    check_figures(e);
    assert_int_equal(number_of(e, "SELECT COUNT(*) FROM figures"), 0);
    assert_int_equal(number_of(e, "SELECT COUNT(*) FROM question_tallies"), 0);
}

static struct analytics report_of(struct engine *e, int64_t since_ms, int64_t until_ms,
                                  const char *project_id)
{
    struct analytics_range range = { .workspace_id = DEFAULT_WORKSPACE_ID,
                                     .project_id = project_id,
                                     .since_ms = since_ms,
                                     .until_ms = until_ms };
    struct analytics report;

    NEED(e, analytics_read(TX(e), &range, &report));
    return report;
}

static void check_near(int64_t found, int64_t wanted)
{
    if (found < wanted - wanted / 20 || found > wanted + wanted / 20)
        fail_msg("%" PRId64 " is not within five in a hundred of %" PRId64, found, wanted);
}

static void a_report_of_much_says_the_same_as_counting(void **state)
{
    struct engine *e = engine_of(state);

    make_jobs(e);
    make_questions(e, 1, 3000);
    for (int round = 0; round < 2; round++) {
        struct analytics all = report_of(e, START, START + 100 * HOUR, NULL);

        assert_false(all.exact);
        assert_int_equal(all.all.asked, 3000);
        assert_int_equal(all.all.answered, 750);
        assert_int_equal(all.all.timed_out, 750);
        assert_int_equal(all.all.by_default, 750);
        assert_int_equal(all.all.pending, 750);
        assert_int_equal(all.type_count, 2);
        assert_int_equal(all.types[0].type, QUESTION_APPROVAL);
        assert_int_equal(all.types[0].asked, 1000);
        assert_int_equal(all.types[0].answered, 250);
        /* Answered were the 4th after 4 s, the 8th after 8 s, ... the 3000th after 3000 s. */
        assert_int_equal(all.all.times.n, 750);
        check_near(all.all.times.median_ms, 1500000);
        check_near(all.all.times.p90_ms, 2700000);
        check_near(all.types[1].times.median_ms, 1500000);
        assert_int_equal(all.with.jobs, 20);
        assert_int_equal(all.with.questions, 3000);
        assert_int_equal(all.with.most_questions, 150);
        assert_int_equal(all.without.jobs, 10);
        if (round == 0) /* what is asked often is known once it has been added up */
            fold(e);
    }
    struct analytics all = report_of(e, START, START + 100 * HOUR, NULL);

    assert_int_equal(all.common_count, ANALYTICS_TOP);
    assert_int_equal(all.common[0].asked, 600);
    assert_int_equal(all.common[0].answered, 150);
    assert_string_equal(all.common[0].question, "Question 3000");
    assert_int_equal(all.unanswered[0].timed_out, 300);
    assert_int_equal(all.unanswered[0].asked, 600);
}

static void a_report_of_much_is_of_whole_hours_and_one_project(void **state)
{
    struct engine *e = engine_of(state);

    make_jobs(e);
    make_questions(e, 1, 6000); /* 36 in an hour, over seven days */
    fold(e);
    struct analytics some = report_of(e, START + HOUR + 1, START + 60 * HOUR - 1, NULL);

    assert_false(some.exact);
    assert_int_equal(some.range.since_ms, START + HOUR);
    assert_int_equal(some.range.until_ms, START + 60 * HOUR);
    assert_int_equal(some.all.asked, 59 * 36);
    assert_int_equal(report_of(e, START, START + 200 * HOUR, "p").all.asked, 3000);
    struct analytics few = report_of(e, START + HOUR + 1, START + 2 * HOUR - 1, NULL);

    assert_true(few.exact);
    assert_int_equal(few.range.since_ms, START + HOUR + 1);
    assert_int_equal(few.all.asked, 35);
    assert_int_equal(few.common[0].asked, 7);
}

static struct analytics report_by(struct engine *e, const char *agent)
{
    struct analytics_range range = { .workspace_id = DEFAULT_WORKSPACE_ID,
                                     .agent = agent,
                                     .since_ms = START,
                                     .until_ms = START + 1000 * HOUR };
    struct analytics report;

    NEED(e, analytics_read(TX(e), &range, &report));
    return report;
}

/* Of much, too: the figures do not know who asked. */
static void a_report_of_one_agent_is_counted_one_by_one(void **state)
{
    struct engine *e = engine_of(state);

    make_jobs(e);
    make_questions(e, 1, 3000);
    engine_sql(e, "UPDATE agent_questions SET asked_by = 'y' WHERE id > 'q101800'");
    engine_sql(e, "UPDATE jobs SET agent = 'y' WHERE id IN ('j1', 'j30')");
    fold(e);
    struct analytics some = report_by(e, "y");

    assert_true(some.exact);
    assert_false(some.truncated);
    assert_int_equal(some.all.asked, 1200);
    assert_int_equal(some.all.answered, 300);
    assert_int_equal(some.all.times.n, 300);
    assert_int_equal(some.common[0].asked, 240);
    assert_int_equal(some.with.jobs, 1);
    assert_int_equal(some.without.jobs, 1);
    assert_int_equal(report_by(e, "x").all.asked, 1800);
    assert_int_equal(report_by(e, "z").all.asked, 0);
}

static void a_report_of_one_agent_says_when_it_leaves_something_out(void **state)
{
    struct engine *e = engine_of(state);

    make_jobs(e);
    make_questions(e, 1, ANALYTICS_AGENT + 50);
    struct analytics some = report_by(e, "x");

    assert_true(some.truncated);
    assert_int_equal(some.all.asked, ANALYTICS_AGENT);
    engine_sql(e, "DELETE FROM agent_questions WHERE id > 'q109000'");
    assert_false(report_by(e, "x").truncated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(a_report_of_one_agent_is_counted_one_by_one),
        ON_BOTH(a_report_of_one_agent_says_when_it_leaves_something_out),
        ON_BOTH(figures_follow_every_change),
        ON_BOTH(a_report_of_much_says_the_same_as_counting),
        ON_BOTH(a_report_of_much_is_of_whole_hours_and_one_project),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

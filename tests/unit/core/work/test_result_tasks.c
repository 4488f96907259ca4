/*
 * The tasks of one result: named by title, place or id, and written in a few statements however many there
 * are.
 */
#include "core/work/result_tasks.h"

#include "base/limits.h"
#include "base/uuid.h"
#include "core/identity/workspace.h"
#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const struct project project = { .id = "p", .workspace_id = DEFAULT_WORKSPACE_ID };

static void make_project(struct engine *e)
{
    engine_sql(e, "INSERT INTO projects (id, workspace_id, name, created_at)"
                  " VALUES ('p', '" DEFAULT_WORKSPACE_ID "', 'Web shop', 1)");
}

/* Statements that ran between counting_begin and counting_end. */
static size_t statements;
static const struct db_driver *real;

static bool count_query(struct db *db, struct arena *arena, enum sql_id sql, size_t argc,
                        const struct db_arg argv[], struct db_rows *rows, struct err *err)
{
    statements++;
    return real->query(db, arena, sql, argc, argv, rows, err);
}

static void counting_begin(struct db *db)
{
    static struct db_driver counting;

    real = db->driver;
    counting = *real;
    counting.query = count_query;
    db->driver = &counting;
    statements = 0;
}

static void counting_end(struct db *db)
{
    db->driver = real;
}

/* Tasks "t0", "t1", ...; each depends on up to `deps` of those before it, by title or by place. */
static struct output *make_output(struct arena *arena, size_t count, size_t deps)
{
    struct output *output = arena_new(arena, struct output);

    output->tasks = arena_array(arena, struct output_task, count);
    output->task_count = count;
    for (size_t i = 0; i < count; i++) {
        struct output_task *task = &output->tasks[i];

        task->place = i;
        task->title = arena_format(arena, "t%zu", i);
        task->description = "";
        task->depends_count = i < deps ? i : deps;
        task->depends_on = arena_array(arena, const char *, task->depends_count);
        for (size_t d = 0; d < task->depends_count; d++)
            task->depends_on[d] = arena_format(arena, d % 2 ? "T%zu" : "%zu", i - 1 - d);
    }
    return output;
}

static size_t write_result(struct engine *e, const struct output *output, struct result *result)
{
    struct result_plan plan;

    *result = (struct result){ .output = output };
    counting_begin(e->db);
    NEED(e, result_plan(TX(e), &project, output, &plan));
    if (plan.problem)
        fail_msg("%s", plan.problem);
    NEED(e, result_make_tasks(TX_WITH(e, .now_ms = 1000), &project, &plan, result));
    counting_end(e->db);
    return statements;
}

static int64_t number_of(struct engine *e, const char *sql)
{
    return strtoll(engine_sql(e, sql), NULL, 10);
}

static void the_largest_result_takes_a_few_statements(void **state)
{
    struct engine *e = engine_of(state);
    struct result result;
    size_t rows = 0;

    make_project(e);
    struct output *output = make_output(&e->arena, LIMIT_RESULT_TASKS, LIMIT_DEPENDS);

    for (size_t i = 0; i < output->task_count; i++)
        rows += output->tasks[i].depends_count;
    size_t ran = write_result(e, output, &result);

    /* SQLite is in the process: there a task and its event are a step of a prepared statement each. */
    assert_in_range(ran, 1, e->db->engine == DB_POSTGRES ? 40 : 2 * output->task_count + 40);
    assert_int_equal(number_of(e, "SELECT COUNT(*) FROM tasks"), LIMIT_RESULT_TASKS);
    assert_int_equal(number_of(e, "SELECT COUNT(*) FROM task_deps"), rows);
    assert_int_equal(number_of(e, "SELECT SUM(open_deps) FROM tasks"), rows);
    assert_int_equal(number_of(e, "SELECT COUNT(*) FROM events WHERE type = 'task.updated'"),
                     LIMIT_RESULT_TASKS);
    assert_int_equal(result.tasks[LIMIT_RESULT_TASKS - 1].open_deps, LIMIT_DEPENDS);
    assert_string_equal(result.tasks[7].title, "t7");
}

static void a_name_is_an_id_then_a_title_then_a_place(void **state)
{
    struct engine *e = engine_of(state);
    struct task before = { .title = "Before", .description = "", .status = TASK_OPEN };
    struct result result;
    const char *names[] = { "before", "1", "0", "Twin", NULL };

    make_project(e);
    NEED(e, task_create(TX_WITH(e, .now_ms = 1000), &project, NULL, 0, &before));
    names[4] = before.id;
    struct output_task tasks[] = {
        { .place = 0, .title = "Before", .description = "" },
        { .place = 2, .title = "1", .description = "" },
        { .place = 3, .title = "twin", .description = "", .depends_on = names, .depends_count = 5 },
        { .place = 5, .title = "TWIN", .description = "" },
    };
    struct output output = { .tasks = tasks, .task_count = 4 };

    write_result(e, &output, &result);
    assert_int_equal(result.tasks[2].open_deps, 4); /* "before" and "0" are the same one */
    assert_non_null(strstr(result.tasks[2].depends_on, result.tasks[0].id));
    assert_non_null(strstr(result.tasks[2].depends_on, result.tasks[1].id));
    assert_non_null(strstr(result.tasks[2].depends_on, result.tasks[3].id));
    assert_non_null(strstr(result.tasks[2].depends_on, before.id));
}

static void what_is_closed_is_not_waited_for(void **state)
{
    struct engine *e = engine_of(state);
    struct task made[2] = { { .title = "a", .description = "", .status = TASK_CLOSED },
                            { .title = "b", .description = "", .status = TASK_OPEN } };
    struct task after = { .title = "c", .description = "", .status = TASK_OPEN };
    const char *deps[2];

    make_project(e);
    for (size_t i = 0; i < 2; i++) {
        NEED(e, task_create(TX_WITH(e, .now_ms = 1000), &project, NULL, 0, &made[i]));
        deps[i] = made[i].id;
    }
    NEED(e, task_create(TX_WITH(e, .now_ms = 1000), &project, deps, 2, &after));
    assert_int_equal(after.open_deps, 1);
    NEED(e, task_set_deps(TX(e), &project, &after, NULL, 0));
    NEED(e, task_get(TX(e), &project, after.id, &after));
    assert_int_equal(after.open_deps, 0);
    assert_string_equal(after.depends_on, "[]");
}

static void an_unknown_dependency_is_named(void **state)
{
    struct engine *e = engine_of(state);
    struct task task = { .title = "a", .description = "", .status = TASK_OPEN }, next = task;
    const char *deps[3];

    make_project(e);
    NEED(e, task_create(TX_WITH(e, .now_ms = 1000), &project, NULL, 0, &task));
    deps[0] = deps[2] = task.id;
    deps[1] = uuid_new(&e->arena);
    assert_false(task_create(TX_WITH(e, .now_ms = 1000), &project, deps, 3, &next));
    assert_int_equal(e->err.code, ERR_INVALID);
    assert_non_null(strstr(e->err.text, deps[1]));
    assert_string_equal(e->err.field, "depends_on");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(the_largest_result_takes_a_few_statements),
        ON_BOTH(a_name_is_an_id_then_a_title_then_a_place),
        ON_BOTH(what_is_closed_is_not_waited_for),
        ON_BOTH(an_unknown_dependency_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The statements that every call runs go through the index that was made for them.
 *
 * SQLite keeps no figures about our tables, so of two indexes that both look right it takes one by rules of
 * its own; a new index elsewhere can change its mind, and nothing but a large store would show it.
 */
#include "tests/support/engines.h"

#include "db/migrate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const struct {
    enum sql_id sql;
    const char *index;
} plans[] = {
    { SQL_CHAT_REPLIES, "squad_chat_thread (discussion_prompt_id=?" },
    { SQL_CHAT_LIST, "squad_chat_list (workspace_id=? AND (created_at,id)<" },
    { SQL_CHAT_LIST_THREAD, "squad_chat_thread (discussion_prompt_id=? AND (created_at,id)<" },
    { SQL_CHAT_LIST_TASK, "squad_chat_task (workspace_id=? AND task_ref=? AND (created_at,id)<" },
    { SQL_PROMPT_GET, "sqlite_autoindex_discussion_prompts_1 (id=?)" },
    { SQL_QUESTION_GET, "sqlite_autoindex_agent_questions_1 (id=?)" },
    { SQL_QUESTION_OPEN_OF_JOB, "agent_questions_job (job_id=?" },
    { SQL_JOB_GET, "sqlite_autoindex_jobs_1 (id=?)" },
    { SQL_EVENT_READ, "USING INTEGER PRIMARY KEY (rowid>?)" },
    { SQL_CALLER_BY_TOKEN, "(hash=?)" },
};

/* Its steps, a line each. */
static const char *plan_of(struct engine *engine, enum sql_id sql)
{
    const struct sql_text *text = &sql_texts[sql];
    const char *explain = arena_format(&engine->arena, "EXPLAIN QUERY PLAN %s", text->sqlite), *all = "";
    struct db_arg args[24] = { 0 };
    struct db_rows rows;

    for (int k = 0; k < text->params; k++)
        args[k] = db_text(NULL);
    if (!db_query_text(engine->db, &engine->arena, explain, (size_t)text->params, args, &rows, &engine->err))
        fail_msg("%s: %s", text->name, engine->err.text);
    for (size_t i = 0; i < rows.count; i++)
        all = arena_format(&engine->arena, "%s%s\n", all, db_cell(&rows, i, 3));
    return all;
}

static void hot_statements_use_their_index(void **state)
{
    struct engine *engine = *state;

    for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
        const struct sql_text *text = &sql_texts[plans[i].sql];
        const char *explain = arena_format(&engine->arena, "EXPLAIN QUERY PLAN %s", text->sqlite);
        struct db_arg args[16] = { 0 };
        struct db_rows rows;

        for (int k = 0; k < text->params; k++)
            args[k] = db_text(NULL);
        if (!db_query_text(engine->db, &engine->arena, explain, (size_t)text->params, args, &rows,
                           &engine->err))
            fail_msg("%s: %s", text->name, engine->err.text);
        assert_true(rows.count > 0);
        if (!strstr(db_cell(&rows, 0, 3), plans[i].index))
            fail_msg("%s: %s", text->name, db_cell(&rows, 0, 3));
    }
}

/* A report of one agent reads what that agent has, a report of all what there is; neither reads the other's.
 */
static void reports_use_the_index_of_whom_they_are_about(void **state)
{
    static const enum sql_id reports[] = { SQL_ANALYTICS_TYPES, SQL_ANALYTICS_TIMES, SQL_ANALYTICS_COMMON,
                                           SQL_ANALYTICS_UNANSWERED, SQL_ANALYTICS_JOBS };
    struct engine *engine = *state;

    for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
        bool jobs = reports[i] == SQL_ANALYTICS_JOBS;
        const char *all = plan_of(engine, reports[i]);

        if (!strstr(all, jobs ? "jobs_made (workspace_id=? AND created_at>? AND created_at<?)"
                              : "agent_questions_asked (workspace_id=? AND created_at>? AND created_at<?)") ||
            !strstr(all, jobs ? "jobs_agent (workspace_id=? AND agent=? AND created_at>? AND created_at<?)"
                              : "agent_questions_asker (workspace_id=? AND asked_by=? AND created_at>? AND "
                                "created_at<?)"))
            fail_msg("%s", all);
    }
    if (!strstr(plan_of(engine, SQL_ANALYTICS_AGENTS),
                "agent_questions_asker (workspace_id=? AND asked_by>?)"))
        fail_msg("%s", plan_of(engine, SQL_ANALYTICS_AGENTS));
}

/* However many things there are: entries of the index, then rows by their keys, and nothing read from end to
 * end. */
static void search_reads_no_table_as_a_whole(void **state)
{
    struct engine *engine = *state;
    const struct sql_text *text = &sql_texts[SQL_SEARCH_FIND];
    const char *explain = arena_format(&engine->arena, "EXPLAIN QUERY PLAN %s", text->sqlite), *all = "";
    struct db_arg args[24] = { 0 };
    struct db_rows rows;

    for (int k = 0; k < text->params; k++)
        args[k] = db_text(NULL);
    if (!db_query_text(engine->db, &engine->arena, explain, (size_t)text->params, args, &rows, &engine->err))
        fail_msg("%s", engine->err.text);
    for (size_t i = 0; i < rows.count; i++) {
        const char *step = db_cell(&rows, i, 3);

        all = arena_format(&engine->arena, "%s%s\n", all, step);
        /* What was found is walked through, and that is limited. */
        if (strncmp(step, "SCAN ", 5) == 0 && !strstr("SCAN h SCAN w SCAN whole SCAN begun SCAN found", step))
            fail_msg("%s", step);
    }
    if (!strstr(all, "PRIMARY KEY (workspace_id=? AND word=?)") ||
        !strstr(all, "PRIMARY KEY (workspace_id=? AND word>? AND word<?)") ||
        !strstr(all, "search_words_ref (ref_id=? AND word=?)"))
        fail_msg("%s", all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "hot_statements_use_their_index", hot_statements_use_their_index, engine_start_sqlite, engine_end,
          NULL },
        { "reports_use_the_index_of_whom_they_are_about", reports_use_the_index_of_whom_they_are_about,
          engine_start_sqlite, engine_end, NULL },
        { "search_reads_no_table_as_a_whole", search_reads_no_table_as_a_whole, engine_start_sqlite,
          engine_end, NULL },
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

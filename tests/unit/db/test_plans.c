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
    { SQL_JOB_LIST, "jobs_list (workspace_id=? AND lone=? AND id<?)" },
    { SQL_JOB_LIST_OLDEST, "jobs_list (workspace_id=? AND lone=? AND id>?)" },
    { SQL_JOB_LIST_AGENT, "jobs_of_agent (workspace_id=? AND agent=? AND lone=? AND id<?)" },
    { SQL_JOB_LIST_AGENT_OLDEST, "jobs_of_agent (workspace_id=? AND agent=? AND lone=? AND id>?)" },
    { SQL_JOB_LIST_STATUS, "jobs_status (workspace_id=? AND status=? AND lone=? AND id<?)" },
    { SQL_JOB_LIST_STATUS_OLDEST, "jobs_status (workspace_id=? AND status=? AND lone=? AND id>?)" },
    { SQL_JOB_LIST_PROJECT, "jobs_project (project_id=? AND lone=? AND id<?)" },
    { SQL_JOB_LIST_PROJECT_OLDEST, "jobs_project (project_id=? AND lone=? AND id>?)" },
    { SQL_JOB_LIST_KIND, "jobs_kind (workspace_id=? AND kind=? AND id<?)" },
    { SQL_JOB_LIST_KIND_OLDEST, "jobs_kind (workspace_id=? AND kind=? AND id>?)" },
    { SQL_JOB_LIST_TASK, "jobs_task (task_id=? AND lone=? AND id<?)" },
    { SQL_JOB_LIST_TASK_OLDEST, "jobs_task (task_id=? AND lone=? AND id>?)" },
    { SQL_QUESTION_PENDING_OLDEST, "agent_questions_pending (workspace_id=? AND (created_at,id)>" },
    { SQL_QUESTION_PENDING_DATED, "agent_questions_dated (workspace_id=?" },
    { SQL_QUESTION_ANSWERED_COUNT,
      "agent_questions_answered (workspace_id=? AND responded_by=? AND responded_at>?)" },
    { SQL_WAITING_DATED, "agent_questions_dated (workspace_id=? AND timeout_at>?)" },
    { SQL_WAITING_UNDATED, "agent_questions_pending (workspace_id=?)" },
    { SQL_WAITING_OLDEST, "agent_questions_pending (workspace_id=?)" },
    { SQL_WAITING_PROMPTS, "prompt_mentions_list (workspace_id=? AND agent_key=? AND created_at>?)" },
    { SQL_PROMPT_LIST_MENTIONS, "prompt_mentions_list (workspace_id=? AND agent_key=? AND created_at>?" },
    { SQL_PRESENCE_SAY, "sqlite_autoindex_presence_1 (workspace_id=? AND person=? AND tab=?)" },
    { SQL_PRESENCE_LIST, "sqlite_autoindex_presence_1 (workspace_id=?" },
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
        assert_true(rows.count > 1 || !strstr(db_cell(&rows, 0, 3), "CO-ROUTINE"));

        /* What is counted up to a limit is read by a part of its own. */
        const char *read = db_cell(&rows, strstr(db_cell(&rows, 0, 3), "CO-ROUTINE") ? 1 : 0, 3);

        if (!strstr(read, plans[i].index))
            fail_msg("%s: %s", text->name, read);
    }
}

/* They come in the order of their index: what is sorted has to be read whole first, however few are wanted.
 */
static void long_lists_are_not_sorted(void **state)
{
    static const enum sql_id lists[] = { SQL_JOB_LIST,
                                         SQL_JOB_LIST_AGENT,
                                         SQL_JOB_LIST_STATUS,
                                         SQL_JOB_LIST_PROJECT,
                                         SQL_JOB_LIST_TASK,
                                         SQL_JOB_LIST_KIND,
                                         SQL_JOB_LIST_OLDEST,
                                         SQL_JOB_LIST_AGENT_OLDEST,
                                         SQL_JOB_LIST_STATUS_OLDEST,
                                         SQL_JOB_LIST_PROJECT_OLDEST,
                                         SQL_JOB_LIST_TASK_OLDEST,
                                         SQL_JOB_LIST_KIND_OLDEST,
                                         SQL_QUESTION_PENDING_OLDEST,
                                         SQL_QUESTION_PENDING_DATED,
                                         SQL_QUESTION_PENDING_UNDATED,
                                         SQL_QUESTION_ENDED,
                                         SQL_WAITING_DATED,
                                         SQL_WAITING_UNDATED,
                                         SQL_WAITING_OLDEST,
                                         SQL_PROMPT_LIST_MENTIONS };
    struct engine *engine = *state;

    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        const char *plan = plan_of(engine, lists[i]);

        if (strstr(plan, "TEMP B-TREE"))
            fail_msg("%s: %s", sql_texts[lists[i]].name, plan);
    }
}

/*
 * PostgreSQL chooses by what it knows of its tables, and ours are empty here. So it is only asked what it can
 * do when reading a table whole is dear: go through the index that was made for the list, in its order.
 */
static void postgres_can_take_long_lists_from_their_index(void **state)
{
    static const struct {
        enum sql_id sql;
        const char *index;
    } lists[] = {
        { SQL_JOB_LIST_AGENT, "jobs_of_agent" },
        { SQL_JOB_LIST_STATUS, "jobs_status" },
        { SQL_JOB_LIST_PROJECT, "jobs_project" },
        { SQL_JOB_LIST_TASK, "jobs_task" },
        { SQL_JOB_LIST, "jobs_list" },
        { SQL_JOB_LIST_KIND, "jobs_kind" },
        { SQL_JOB_LIST_KIND_OLDEST, "jobs_kind" },
        { SQL_WAITING_DATED, "agent_questions_dated" },
        { SQL_WAITING_UNDATED, "agent_questions_pending" },
        { SQL_WAITING_OLDEST, "agent_questions_pending" },
        { SQL_PROMPT_LIST_MENTIONS, "prompt_mentions_list" },
    };
    struct engine *engine = *state;

    if (!engine->db)
        skip();
    engine_sql(engine, "SET enable_seqscan = off");
    engine_sql(engine, "SET enable_sort = off");
    engine_sql(engine, "SET enable_hashjoin = off");
    engine_sql(engine, "SET enable_mergejoin = off");
    engine_sql(engine, "SET enable_bitmapscan = off");
    engine_sql(engine, "SET plan_cache_mode = force_generic_plan");
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        const struct sql_text *text = &sql_texts[lists[i].sql];
        const char *arguments = "NULL", *all = "";
        struct db_rows rows;

        for (int k = 1; k < text->params; k++)
            arguments = arena_format(&engine->arena, "%s, NULL", arguments);
        engine_sql(engine, arena_format(&engine->arena, "PREPARE list%zu AS %s", i, text->postgres));
        if (!db_query_text(engine->db, &engine->arena,
                           arena_format(&engine->arena, "EXPLAIN EXECUTE list%zu (%s)", i, arguments),
                           DB_NO_ARGS, &rows, &engine->err))
            fail_msg("%s: %s", text->name, engine->err.text);
        for (size_t row = 0; row < rows.count; row++)
            all = arena_format(&engine->arena, "%s%s\n", all, db_cell(&rows, row, 0));
        if (!strstr(all, lists[i].index) || strstr(all, "Sort"))
            fail_msg("%s: %s", text->name, all);
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

/* A list of jobs by their words is led by the entries of the word, not by the jobs. */
static void jobs_are_found_by_their_words(void **state)
{
    static const enum sql_id lists[] = { SQL_JOB_LIST_TEXT, SQL_JOB_LIST_TEXT_OLDEST };
    struct engine *engine = *state;

    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        const char *plan = plan_of(engine, lists[i]);

        if (!strstr(plan, "PRIMARY KEY (workspace_id=? AND word=?)") ||
            !strstr(plan, "PRIMARY KEY (workspace_id=? AND word>? AND word<?)") ||
            !strstr(plan, "SEARCH j USING INDEX sqlite_autoindex_jobs_1 (id=?)") || strstr(plan, "SCAN j"))
            fail_msg("%s: %s", sql_texts[lists[i]].name, plan);
    }
}

/* Ids of a page are looked up one by one in every table that may have them. */
static void naming_reads_no_table_as_a_whole(void **state)
{
    const char *plan = plan_of(*state, SQL_NAMING_FIND);

    if (strstr(plan, "workspace_id=?)\n"))
        fail_msg("%s", plan);
    for (const char *at = plan; (at = strstr(at, "SCAN ")); at++)
        if (strncmp(at, "SCAN json_each", 14) != 0 && strncmp(at, "SCAN CONSTANT", 13) != 0)
            fail_msg("%s", plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "hot_statements_use_their_index", hot_statements_use_their_index, engine_start_sqlite, engine_end,
          NULL },
        { "long_lists_are_not_sorted", long_lists_are_not_sorted, engine_start_sqlite, engine_end, NULL },
        { "postgres_can_take_long_lists_from_their_index", postgres_can_take_long_lists_from_their_index,
          engine_start_postgres, engine_end, NULL },
        { "reports_use_the_index_of_whom_they_are_about", reports_use_the_index_of_whom_they_are_about,
          engine_start_sqlite, engine_end, NULL },
        { "search_reads_no_table_as_a_whole", search_reads_no_table_as_a_whole, engine_start_sqlite,
          engine_end, NULL },
        { "naming_reads_no_table_as_a_whole", naming_reads_no_table_as_a_whole, engine_start_sqlite,
          engine_end, NULL },
        { "jobs_are_found_by_their_words", jobs_are_found_by_their_words, engine_start_sqlite, engine_end,
          NULL },
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

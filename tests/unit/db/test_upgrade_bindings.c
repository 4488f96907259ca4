/*
 * A store from before bindings held in everything: what was said about a task finds its project, and so does
 * what was told of it, so that the wall stands in front of old rows as well.
 */
#include "db/migrate.h"
#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define BEFORE 9 /* the last migration without them */

#define WORKSPACE "00000000-0000-7000-8000-000000000001"
#define PROMPT    "01890000-0000-7000-8000-0000000000a1"
#define REPLY     "01890000-0000-7000-8000-0000000000b1"
#define ABOUT     "01890000-0000-7000-8000-0000000000b2"
#define COMMON    "01890000-0000-7000-8000-0000000000b3"

static const char old_rows[] =
    "INSERT INTO projects (id, workspace_id, name, created_at) VALUES ('p', '" WORKSPACE "', 'P', 1);"
    "INSERT INTO tasks (id, workspace_id, project_id, title, created_at) "
    "VALUES ('t', '" WORKSPACE "', 'p', 'T', 1);"
    "INSERT INTO discussion_prompts (id, task_id, requester_agent, prompt_message) "
    "VALUES ('" PROMPT "', 't', 'Dev', 'Why?');"
    "INSERT INTO squad_chat (id, agent_name, message, message_type, discussion_prompt_id) "
    "VALUES ('" REPLY "', 'A', 'So', 'discussion_response', '" PROMPT "');"
    "INSERT INTO squad_chat (id, agent_name, message, task_ref) VALUES ('" ABOUT "', 'A', 'It', 't');"
    "INSERT INTO squad_chat (id, agent_name, message, task_ref) VALUES ('" COMMON "', 'A', 'Hm', 'JIRA-1');"
    "INSERT INTO notifications (id, workspace_id, agent_key, kind, priority, title, body, ref_type, ref_id, "
    "created_at) VALUES ('n1', '" WORKSPACE "', 'a', 'mention', 'normal', '', '', 'chat', '" REPLY "', 1), "
    "('n2', '" WORKSPACE "', 'a', 'mention', 'normal', '', '', 'chat', '" COMMON "', 1);";

/* An empty store in place of the one that the fixture has brought up to date. */
static struct db *open_empty(struct engine *e)
{
    char url[320];
    struct db *db;

    if (e->folder[0])
        snprintf(url, sizeof(url), "sqlite:%s/old", e->folder);
    else
        snprintf(url, sizeof(url), "%s", e->url);
    db_rollback(e->db);
    db = db_open(url, &e->err);
    if (!db)
        fail_msg("%s", e->err.text);
    if (!e->folder[0])
        assert_true(db_script(db, "DROP SCHEMA public CASCADE; CREATE SCHEMA public", &e->err));
    return db;
}

static void make_old(struct engine *e, struct db *db)
{
    assert_true(db_begin(db, true, &e->err));
    assert_true(db_exec(db, &e->arena, SQL_SCHEMA_CREATE, DB_NO_ARGS, NULL, &e->err));
    for (size_t i = 0; i < migration_count && migrations[i].number <= BEFORE; i++) {
        if (!db_script(db, db->engine == DB_SQLITE ? migrations[i].sqlite : migrations[i].postgres, &e->err))
            fail_msg("%s", e->err.text);
        assert_true(db_exec(db, &e->arena, SQL_SCHEMA_RECORD,
                            DB_ARGS(db_int(migrations[i].number), db_text(migrations[i].name), db_int(1)),
                            NULL, &e->err));
    }
    if (!db_script(db, old_rows, &e->err))
        fail_msg("%s", e->err.text);
    assert_true(db_commit(db, &e->err));
}

static const char *project_of(struct engine *e, struct db *db, const char *table, const char *id)
{
    struct db_rows rows;
    const char *key = strcmp(table, "events") == 0 ? "type = 'chat.message' AND subject" : "id";
    const char *sql =
        arena_format(&e->arena, "SELECT COALESCE(project_id, '-') FROM %s WHERE %s = '%s'", table, key, id);

    if (!db_query_text(db, &e->arena, sql, DB_NO_ARGS, &rows, &e->err))
        fail_msg("%s", e->err.text);
    assert_int_equal(rows.count, 1);
    return db_cell(&rows, 0, 0);
}

static void old_talk_finds_its_project(void **state)
{
    struct engine *e = *state;
    struct migrate_report report;
    struct db *db;

    if (!e->db)
        skip();
    db = open_empty(e);
    make_old(e, db);
    if (!migrate_up(db, &e->arena, &report, &e->err))
        fail_msg("%s", e->err.text);
    assert_int_equal(report.from, BEFORE);
    assert_string_equal(project_of(e, db, "squad_chat", REPLY), "p");
    assert_string_equal(project_of(e, db, "squad_chat", ABOUT), "p");
    assert_string_equal(project_of(e, db, "squad_chat", COMMON), "-");
    assert_string_equal(project_of(e, db, "notifications", "n1"), "p");
    assert_string_equal(project_of(e, db, "notifications", "n2"), "-");
    assert_string_equal(project_of(e, db, "events", REPLY), "p");
    assert_string_equal(project_of(e, db, "events", ABOUT), "p");
    assert_string_equal(project_of(e, db, "events", COMMON), "-");
    db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = { ON_BOTH(old_talk_finds_its_project) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

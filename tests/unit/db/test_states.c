/*
 * The words of a state stand in the program's table and in the CHECK of its column. Here the two are held
 * against each other, in both schemas and both ways: a word that only one of them has is a row that cannot be
 * written, or one that cannot be read.
 */
#include "core/caller/caller.h"
#include "core/chat/prompt.h"
#include "core/council/rules/state.h"
#include "core/identity/presence.h"
#include "core/inbox/alert.h"
#include "core/inbox/notification.h"
#include "core/log/event_type.h"
#include "core/questions/job.h"
#include "core/questions/question.h"
#include "core/runs/orchestrate.h"
#include "core/runs/rules/loop.h"
#include "core/search/search.h"
#include "core/work/question_set.h"
#include "core/work/source.h"
#include "core/work/task.h"
#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const char *const document_sources[] = { "prd", "plan", NULL };
static const char *const mentioning[] = { "prompt", "chat", NULL };

static const struct {
    const char *table, *column;
    const char *const *words;
} states[] = {
    { "agent_questions", "response_type", response_types },
    { "agent_questions", "status", question_statuses },
    { "agent_questions", "type", question_types },
    { "alerts", "kind", alert_kinds },
    { "coder_takes", "coder", project_coders },
    { "coder_takes", "state", take_states },
    { "discussion_logs", "kind", row_kinds },
    { "discussion_logs", "manner", entry_kinds },
    { "discussion_prompts", "status", prompt_statuses },
    { "discussion_state", "end_reason", council_ends },
    { "discussion_state", "mode", council_modes },
    { "discussion_state", "phase", council_phases },
    { "discussion_state", "ref_kind", council_refs },
    { "discussion_state", "status", council_statuses },
    { "discussion_turns", "kind", row_kinds + 1 },
    { "discussion_turns", "state", turn_states },
    { "documents", "source", document_sources },
    { "job_logs", "level", line_levels },
    { "jobs", "status", job_statuses },
    { "members", "role", role_names },
    { "mention_queue", "ref_type", mentioning },
    { "notifications", "priority", notification_priorities },
    { "open_questions", "source", work_sources },
    { "open_questions", "status", set_statuses },
    { "presence", "page", presence_pages },
    { "presence", "state", presence_states },
    { "run_calls", "outcome", run_outcomes },
    { "run_calls", "state", run_call_states },
    { "run_entries", "kind", run_entry_kinds },
    { "runs", "phase", run_phases },
    { "search_queue", "kind", search_kinds },
    { "squad_chat", "message_type", message_types },
    { "tasks", "status", task_statuses },
    { "tokens", "role", role_names },
};

#define STATES (sizeof(states) / sizeof(states[0]))

/* The text in the parentheses that open at `from`. */
static const char *in_parentheses(struct arena *arena, const char *from)
{
    const char *at = from;
    int depth = 0;

    do {
        depth += (*at == '(') - (*at == ')');
        at++;
    } while (*at && depth > 0);
    return arena_copy(arena, from, (size_t)(at - from));
}

/* The line of a CREATE TABLE that begins with the column's name, or NULL. */
static const char *column_in(const char *sql, const char *column)
{
    size_t len = strlen(column);

    for (const char *line = strchr(sql, '\n'); line; line = strchr(line, '\n')) {
        line += strspn(line, "\n ");
        if (strncmp(line, column, len) == 0 && line[len] == ' ')
            return line;
    }
    return NULL;
}

static const char *check_on_sqlite(struct engine *engine, const char *table, const char *column)
{
    const char *sql = engine_sql(engine, arena_format(&engine->arena,
                                                      "SELECT sql FROM sqlite_schema WHERE type = 'table'"
                                                      " AND name = '%s'",
                                                      table));
    const char *line = sql ? column_in(sql, column) : NULL, *check = line ? strstr(line, "CHECK (") : NULL;

    return check ? in_parentheses(&engine->arena, strchr(check, '(')) : NULL;
}

static const char *check_on_postgres(struct engine *engine, const char *table, const char *column)
{
    return engine_sql(engine, arena_format(&engine->arena,
                                           "SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k"
                                           "  JOIN pg_attribute a ON a.attrelid = k.conrelid"
                                           "                     AND k.conkey = ARRAY[a.attnum]"
                                           " WHERE k.contype = 'c' AND k.conrelid = '%s'::regclass"
                                           "   AND a.attname = '%s'",
                                           table, column));
}

static size_t count_of(const char *const words[])
{
    size_t count = 0;

    while (words[count])
        count++;
    return count;
}

/* Each word once in the check, in quotes, and nothing else in quotes. */
static bool same_words(struct arena *arena, const char *check, const char *const words[])
{
    size_t quotes = 0;

    for (const char *at = check; *at; at++)
        quotes += *at == '\'';
    if (quotes != 2 * count_of(words))
        return false;
    for (size_t i = 0; words[i]; i++)
        if (!strstr(check, arena_format(arena, "'%s'", words[i])))
            return false;
    return true;
}

static void tables_and_checks_have_the_same_words(void **state)
{
    struct engine *engine = *state;
    int failed = 0;

    if (!engine->db)
        skip();
    for (size_t i = 0; i < STATES; i++) {
        const char *check = engine->db->engine == DB_SQLITE
                                ? check_on_sqlite(engine, states[i].table, states[i].column)
                                : check_on_postgres(engine, states[i].table, states[i].column);

        if (check && same_words(&engine->arena, check, states[i].words))
            continue;
        print_error("%s.%s: %s\n", states[i].table, states[i].column, check ? check : "no check");
        failed++;
    }
    assert_int_equal(failed, 0);
}

/* So a new column with words of its own is added to the list above. */
static void every_check_with_words_is_in_the_list(void **state)
{
    struct engine *engine = *state;
    struct db_rows checks;
    int failed = 0;

    if (!engine->db)
        skip();
    if (!db_query_text(engine->db, &engine->arena,
                       "SELECT k.conrelid::regclass::text, a.attname::text FROM pg_constraint k"
                       "  JOIN pg_attribute a ON a.attrelid = k.conrelid AND k.conkey = ARRAY[a.attnum]"
                       " WHERE k.contype = 'c' AND pg_get_constraintdef(k.oid) LIKE '%ANY (ARRAY[''%'",
                       0, NULL, &checks, &engine->err))
        fail_msg("%s", engine->err.text);
    assert_true(checks.count > 0);
    for (size_t row = 0; row < checks.count; row++) {
        bool listed = false;

        for (size_t i = 0; i < STATES && !listed; i++)
            listed = strcmp(states[i].table, db_cell(&checks, row, 0)) == 0 &&
                     strcmp(states[i].column, db_cell(&checks, row, 1)) == 0;
        if (!listed) {
            print_error("%s.%s is not compared with any table\n", db_cell(&checks, row, 0),
                        db_cell(&checks, row, 1));
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

/* Behind the comma that ends the first value of a list, and the spaces there. */
static const char *second_value(const char *list)
{
    int depth = 0;

    for (; *list && (depth > 0 || *list != ','); list++)
        depth += (*list == '(') - (*list == ')');
    return list + strspn(list, ", \n");
}

/* The type that each INSERT INTO events of a trigger names; how many of them are words of the list. */
static int types_in(struct arena *arena, const char *sql, int *strange)
{
    static const char insert[] = "INSERT INTO events (workspace_id, type,";
    int known = 0;

    for (const char *at = strstr(sql, insert); at; at = strstr(at, insert)) {
        const char *columns = strchr(at, ')'), *values = columns + strspn(columns, ") \n");

        values += strncmp(values, "VALUES (", 8) == 0 ? 8 : strlen("SELECT ");
        at = second_value(values);

        const char *word = arena_copy(arena, at + 1, strcspn(at + 1, "'"));

        if (*at == '\'' && event_type_of(word)) {
            known++;
        } else {
            print_error("a trigger appends %s, which is no type of events\n", word);
            (*strange)++;
        }
    }
    return known;
}

static void triggers_append_events_of_types_that_there_are(void **state)
{
    struct engine *engine = *state;
    struct db_rows triggers;
    int known = 0, strange = 0;

    if (!engine->db)
        skip();
    if (!db_query_text(
            engine->db, &engine->arena,
            engine->db->engine == DB_SQLITE
                ? "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%INTO events%'"
                : "SELECT prosrc FROM pg_proc WHERE prosrc LIKE '%INTO events%'",
            0, NULL, &triggers, &engine->err))
        fail_msg("%s", engine->err.text);
    for (size_t row = 0; row < triggers.count; row++) {
        int before = known + strange;

        known += types_in(&engine->arena, db_cell(&triggers, row, 0), &strange);
        if (known + strange == before)
            fail_msg("no type is found in %s", db_cell(&triggers, row, 0));
    }
    assert_true(known >= 5); /* chat.message, prompt.created, .responded and .ended, notification.resolved */
    assert_int_equal(strange, 0);
    types_in(&engine->arena, "INSERT INTO events (workspace_id, type, data) VALUES (f(1, 2), 'planted', 1)",
             &strange);
    assert_int_equal(strange, 1);
}

static void a_comparison_finds_words_that_only_one_has(void **state)
{
    struct arena arena = { 0 };

    (void)state;
    assert_true(same_words(&arena, "(status IN ('open', 'resolved'))", set_statuses));
    assert_false(same_words(&arena, "(status IN ('open'))", set_statuses));
    assert_false(same_words(&arena, "(status IN ('open', 'resolved', 'late'))", set_statuses));
    assert_false(same_words(&arena, "(status IN ('open', 'resolve'))", set_statuses));
    arena_done(&arena);
}

/* As a program would find it that was written before the word, or a row that somebody else wrote. */
static void a_word_that_is_none_is_an_internal_error(void **state)
{
    const char *cells[] = { "pending", "perhaps", NULL };
    struct db_rows rows = { .count = 1, .width = 3, .cells = cells };
    const char *strange = NULL;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(db_cell_word(&rows, 0, 0, question_statuses, &strange), QUESTION_PENDING);
    assert_int_equal(db_cell_word(&rows, 0, 2, question_statuses, &strange), 0);
    assert_true(db_words_known(strange, &err));
    assert_int_equal(db_cell_word(&rows, 0, 1, question_statuses, &strange), 0);
    assert_false(db_words_known(strange, &err));
    assert_int_equal(err.code, ERR_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(tables_and_checks_have_the_same_words),
        cmocka_unit_test_setup_teardown(every_check_with_words_is_in_the_list, engine_start_postgres,
                                        engine_end),
        ON_BOTH(triggers_append_events_of_types_that_there_are),
        cmocka_unit_test(a_comparison_finds_words_that_only_one_has),
        cmocka_unit_test(a_word_that_is_none_is_an_internal_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The driver on a real store, with the rules and rows of core/council: every discussion comes to its end,
 * every turn is asked for once and stored once, whatever happens to the calls meanwhile. Only the models are
 * played. What goes wrong is brought about in the store itself, by triggers.
 */
#include "engine/council.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/caller/caller.h"
#include "core/council/agent.h"
#include "core/council/control.h"
#include "core/council/make.h"
#include "llm/model.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#define DISCUSSIONS 40
#define ROUNDS      6
#define TOLD        800  /* bytes of a notice: a hundred words, and more than the least room there is */
#define HOLDING     "1h" /* between two words: longer than any test */

/* All of it is real but the model. */
struct fixture {
    char folder[64], url[256];
    struct store *store;
    struct tailer *tailer;
    struct net *net;
    struct llm *llm;
    struct council *council;
    struct db *db; /* a look beside the driver */
    struct arena arena;
    struct llm_model models[2];
    struct llm_models used;
    int scripts; /* how many there were: what a thread may still be reading is not written to */
    char ids[DISCUSSIONS][UUID_SIZE];
    size_t count;
};

static const struct caller maya = {
    .kind = CALLER_LOCAL, .role = ROLE_OWNER, .id = "maya", .name = "Maya", .workspace_id = "w"
};

static void use_script(struct fixture *f, const char *script, const char *delay)
{
    struct err err = { 0 };

    struct llm_model *model = &f->models[f->scripts++ % 2];

    model_init(model, "default");
    assert_true(model_set(model, &f->arena, "provider", "scripted", &err));
    assert_true(model_set(model, &f->arena, "delay", delay, &err));
    model->script_text = script;
    assert_true(model_check(model, &f->arena, &err));
    f->used = (struct llm_models){ model, 1 };
    models_use(&f->used);
}

/* A script of one line with so many words. */
static const char *many_words(struct fixture *f, size_t count)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    buf_text(&text, "*:");
    for (size_t i = 0; i < count; i++)
        buf_text(&text, " words");
    buf_text(&text, "\n");
    return arena_copy(&f->arena, text.bytes, text.len);
}

/* What a unit of the core's does for somebody. */
struct deed {
    struct fixture *f;
    bool (*run)(const struct tx *tx, struct fixture *f, const char *id);
    const char *id;
};

static bool run_deed(struct db *db, struct unit *unit)
{
    const struct deed *deed = unit->user;
    struct tx tx = tx_of(db, &unit->arena, clock_now_ms(), &unit->work.err);

    tx.caller = &maya;
    return deed->run(&tx, deed->f, deed->id);
}

static void do_it(struct fixture *f, bool (*run)(const struct tx *tx, struct fixture *f, const char *id),
                  const char *id)
{
    struct deed deed = { f, run, id };
    struct unit unit;

    unit_init(&unit, 0, NULL);
    unit.body = run_deed;
    unit.user = &deed;
    if (!store_write_wait(f->store, &unit.work))
        fail_msg("%s", unit.work.err.text);
    unit_done(&unit);
}

static void change(struct fixture *f, const char *sql)
{
    struct err err = unit_write_err(f->store, 0, sql);

    if (err.code != ERR_NONE)
        fail_msg("%s: %s", sql, err.text);
}

static int64_t number(struct fixture *f, const char *sql)
{
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    struct db_rows rows;

    if (!db_query_text(f->db, &arena, sql, DB_NO_ARGS, &rows, &err))
        fail_msg("%s: %s", sql, err.text);
    return db_cell_int(&rows, 0, 0);
}

#define COUNT(f, what) number(f, "SELECT COUNT(*) FROM " what)

/* The one thing that was said, or passed, or what ended the discussion. */
static const char *only_text(struct fixture *f, const char *sql)
{
    struct err err = { 0 };
    struct db_rows rows;

    if (!db_query_text(f->db, &f->arena, sql, DB_NO_ARGS, &rows, &err))
        fail_msg("%s: %s", sql, err.text);
    assert_int_equal(rows.count, 1);
    return db_cell(&rows, 0, 0);
}

static const char *said(struct fixture *f)
{
    return only_text(f, "SELECT content FROM discussion_logs");
}

static bool make_anna(const struct tx *tx, struct fixture *f, const char *id)
{
    struct agent anna = { .name = "Anna", .role = "specialist", .system_prompt = "" };

    (void)f, (void)id;
    return agent_create(tx, &anna);
}

/* As many discussions as there are to be, each with as many turns as rounds. */
static bool make_discussions(const struct tx *tx, struct fixture *f, const char *rounds)
{
    JSON_AUTO *participants = json_pack("[{s:s}]", "agentName", "Anna");
    struct discussion_wish wish = {
        .topic = "Which way?", .mode = MODE_ROUNDS, .rounds = atoi(rounds), .participants = participants
    };
    struct cast_seats cast;
    struct discussion d;

    for (size_t i = 0; i < f->count; i++) {
        if (!discussion_make(tx, &wish, &d, &cast))
            return false;
        snprintf(f->ids[i], UUID_SIZE, "%s", d.id);
    }
    return true;
}

static void add_discussions(struct fixture *f, size_t count, const char *rounds)
{
    f->count = count;
    do_it(f, make_discussions, rounds);
}

static void committed(void *user)
{
    struct fixture *f = user;

    if (f->tailer)
        tailer_poke(f->tailer);
}

static void open_all(struct fixture *f)
{
    struct err err = { 0 };

    units_migrate(f->url);
    f->store = store_open(&(struct store_options){ .url = f->url, .committed = committed, .user = f }, &err);
    assert_non_null(f->store);
    f->tailer = tailer_open(f->store, &err);
    assert_true(net_open(&f->net, &err));
    f->llm = llm_open(f->net);
    f->db = units_open(f->url);
    change(f, "INSERT INTO workspaces (id, slug, name, created_at) VALUES ('w', 'w', 'W', 1)");
    do_it(f, make_anna, NULL);
}

static struct fixture fixture;

static int start(void **state)
{
    fixture = (struct fixture){ 0 };
    units_folder(fixture.folder, false);
    snprintf(fixture.url, sizeof(fixture.url), "sqlite:%s/db", fixture.folder);
    open_all(&fixture);
    *state = &fixture;
    return 0;
}

static int start_on_postgres(void **state)
{
    fixture = (struct fixture){ 0 };
    *state = &fixture;
    if (units_postgres("witan_council", fixture.url))
        open_all(&fixture);
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    council_close(f->council);
    if (f->store) {
        llm_close(f->llm);
        net_close(f->net);
        tailer_stop(f->tailer);
        store_close(f->store);
        tailer_close(f->tailer);
    }
    db_close(f->db);
    if (*f->folder)
        units_remove(f->folder);
    arena_done(&f->arena);
    models_use(NULL);
    return 0;
}

static void drive(struct fixture *f)
{
    struct err err = { 0 };

    f->council = council_open(f->store, f->tailer, f->llm, &err);
    assert_non_null(f->council);
}

static struct council_figures figures(struct fixture *f)
{
    struct council_figures figures;

    council_figures(f->council, &figures);
    return figures;
}

static bool comes_true(struct fixture *f, bool (*holds)(struct fixture *f))
{
    int64_t until = clock_ticks_ms() + PATIENCE_MS;

    while (!holds(f)) {
        if (clock_ticks_ms() > until)
            return false;
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    }
    return true;
}

static bool all_done(struct fixture *f)
{
    return COUNT(f, "discussion_state WHERE status = 'active'") == 0;
}

static bool one_was_late(struct fixture *f)
{
    return figures(f).late > 0;
}

static bool a_call_is_out(struct fixture *f)
{
    return figures(f).calls > 0;
}

static bool two_calls_are_out(struct fixture *f)
{
    return figures(f).calls == 2;
}

static bool no_call_is_out(struct fixture *f)
{
    return figures(f).calls == 0;
}

static void every_turn_of_every_discussion_is_spoken_once(void **state)
{
    struct fixture *f = *state;

    use_script(f, "Anna: one\nAnna: two\nAnna: three\nAnna: four\nAnna: five\nAnna: six\n", "0s");
    add_discussions(f, DISCUSSIONS, "6");
    drive(f);
    assert_true(comes_true(f, all_done));
    assert_int_equal(COUNT(f, "discussion_state WHERE status = 'completed' AND calls = 6"), DISCUSSIONS);
    assert_int_equal(COUNT(f, "discussion_logs"), DISCUSSIONS * ROUNDS);
    assert_int_equal(COUNT(f, "discussion_logs WHERE manner = 'said' AND calls = 1"), DISCUSSIONS * ROUNDS);
    assert_int_equal(COUNT(f, "discussion_logs WHERE round_number = 6 AND content = 'six'"), DISCUSSIONS);
    assert_int_equal(figures(f).late, 0);
    assert_int_equal(figures(f).repeated, 0);
}

/* When the discussion is claimed anew, in this node's own name: right before this write. */
enum moment { AT_BEGIN, AT_CALL };

static void claim_anew_at(struct fixture *f, enum moment moment)
{
    static const char *const moments[] = {
        [AT_BEGIN] = "INSERT ON discussion_turns",
        [AT_CALL] = "UPDATE ON discussion_turns WHEN NEW.state = 'calling'",
    };

    change(f, arena_format(&f->arena,
                           "CREATE TRIGGER claimed_anew AFTER %s BEGIN"
                           " UPDATE discussion_state SET driver_epoch = 2"
                           "  WHERE discussion_id = NEW.discussion_id AND driver_epoch = 1;"
                           " END",
                           moments[moment]));
}

/*
 * What this node wants to write under its claim is refused and dropped once there is a later one, and the
 * turn is asked for again by whoever drives next.
 */
static void is_dropped_when_late(struct fixture *f, enum moment moment, const char *script, const char *delay)
{
    use_script(f, script, delay);
    add_discussions(f, 1, "1");
    claim_anew_at(f, moment);
    drive(f);
    assert_true(comes_true(f, one_was_late));
    assert_true(comes_true(f, no_call_is_out));
    assert_int_equal(COUNT(f, "discussion_logs"), 0);
    use_script(f, "*: once more\n", "0s");
    change(f, "UPDATE discussion_state SET driver = NULL");
    assert_true(comes_true(f, all_done));
    assert_string_equal(said(f), "once more");
    assert_int_equal(figures(f).late, 1);
    assert_int_equal(figures(f).repeated, 0);
}

/* A call that was out when the discussion was claimed anew counts as made. */
static void a_late_reply_is_dropped(void **state)
{
    is_dropped_when_late(*state, AT_CALL, "*: quick\n", "0s");
    assert_int_equal(number(*state, "SELECT calls FROM discussion_state"), 2);
}

static void a_late_beginning_is_dropped(void **state)
{
    is_dropped_when_late(*state, AT_BEGIN, "*: quick\n", "0s");
    assert_int_equal(number(*state, "SELECT calls FROM discussion_state"), 1);
}

/* The text so far is saved while the call is out; once that is refused nobody waits for the rest. */
static void a_late_text_closes_its_call(void **state)
{
    is_dropped_when_late(*state, AT_CALL, many_words(*state, 5000), "100ms");
    assert_int_equal(number(*state, "SELECT calls FROM discussion_state"), 2);
}

/* Who joins late is told what was said so far, however long that is; who listens elsewhere is told nothing.
 */
static void the_text_so_far_is_told_to_those_who_join(void **state)
{
    struct fixture *f = *state;
    struct notice *texts[4];
    int64_t until = clock_ticks_ms() + PATIENCE_MS;
    size_t longest = 0;

    use_script(f, many_words(f, 2600), "20ms"); /* a minute for all of it */
    add_discussions(f, 1, "1");
    drive(f);
    while (longest < TOLD && clock_ticks_ms() < until) {
        size_t count = council_texts(f->council, f->ids[0], texts, 4);

        assert_true(count <= 1);
        assert_int_equal(council_texts(f->council, "another", texts + count, 4 - count), 0);
        for (size_t i = 0; i < count; i++) {
            assert_non_null(strstr(texts[i]->json, "\"text\":\"words"));
            longest = texts[i]->json_len > longest ? texts[i]->json_len : longest;
            notice_drop(texts[i]);
        }
    }
    assert_true(longest >= TOLD);
}

static bool pause_one(const struct tx *tx, struct fixture *f, const char *id)
{
    struct discussion d;

    (void)f;
    return control_pause(tx, id, &d);
}

static bool resume_one(const struct tx *tx, struct fixture *f, const char *id)
{
    struct discussion d;

    (void)f;
    return control_resume(tx, id, &d);
}

static void a_pause_closes_the_calls_of_its_discussion(void **state)
{
    struct fixture *f = *state;

    use_script(f, "*: never said\n", HOLDING);
    add_discussions(f, 1, "1");
    drive(f);
    assert_true(comes_true(f, a_call_is_out));
    do_it(f, pause_one, f->ids[0]);
    assert_true(comes_true(f, no_call_is_out));
    assert_int_equal(COUNT(f, "discussion_logs"), 0);
    use_script(f, "*: said later\n", "0s");
    do_it(f, resume_one, f->ids[0]);
    assert_true(comes_true(f, all_done));
    assert_string_equal(said(f), "said later");
}

/* It was resumed and claimed again before its pause was heard of. That news are heard at all shows the other
 * discussion, whose own come behind them. */
static void news_of_an_old_pause_close_nothing(void **state)
{
    struct fixture *f = *state;

    use_script(f, "*: said all the same\n", "500ms");
    add_discussions(f, 2, "1");
    drive(f);
    assert_true(comes_true(f, two_calls_are_out));
    change(f, arena_format(&f->arena,
                           "INSERT INTO events(workspace_id, type, discussion_id, subject, data, created_at)"
                           " VALUES('w', 'discussion.paused', '%s', '%s', '{}', 1)",
                           f->ids[0], f->ids[0]));
    do_it(f, pause_one, f->ids[1]);
    assert_true(comes_true(f, all_done));
    assert_true(comes_true(f, no_call_is_out));
    assert_string_equal(said(f), "said all the same");
    assert_int_equal(COUNT(f, "discussion_logs WHERE calls = 1"), 1);
    assert_int_equal(figures(f).claimed, 2);
}

/* What is out when the server stops is given up; the next to drive asks for it anew. */
static void a_stop_gives_calls_up_and_the_next_start_repeats_them(void **state)
{
    struct fixture *f = *state;

    use_script(f, "*: a long word or two that take their time to be said\n", "1s");
    add_discussions(f, 5, "1");
    drive(f);
    assert_true(comes_true(f, a_call_is_out));
    council_close(f->council);
    f->council = NULL;
    assert_int_equal(COUNT(f, "discussion_logs"), 0);
    assert_int_equal(COUNT(f, "discussion_state WHERE driver IS NULL AND wants_drive = 1"), 5);
    use_script(f, "*: quick\n", "0s");
    drive(f);
    assert_true(comes_true(f, all_done));
    assert_int_equal(COUNT(f, "discussion_logs WHERE content = 'quick'"), 5);
}

static void without_a_model_turns_fail_with_the_reason(void **state)
{
    struct fixture *f = *state;

    use_script(f, "*: never said\n", HOLDING);
    add_discussions(f, 3, "2");
    models_use(NULL);
    drive(f);
    assert_true(comes_true(f, all_done));
    assert_int_equal(
        COUNT(f, "discussion_logs WHERE manner = 'passed' AND content = 'There is no model to ask.'"), 3);
    assert_int_equal(COUNT(f, "discussion_state WHERE status = 'failed' AND calls = 0"), 3);
}

/* One turn in a store that refuses it from here on; each moment brings those before it. */
enum refusal { REFUSED_BEGINNING, REFUSED_WORDS, REFUSED_ROWS, REFUSED_END };

static void refuse(struct fixture *f, const char *name, const char *what)
{
    change(f, arena_format(&f->arena, "CREATE TRIGGER %s BEFORE %s BEGIN SELECT RAISE(ABORT, 'no'); END",
                           name, what));
}

static void turn_that_is_refused(struct fixture *f, enum refusal refusal)
{
    use_script(f, "*: good words\n", "0s");
    add_discussions(f, 1, "1");
    if (refusal == REFUSED_BEGINNING)
        change(f, "INSERT INTO wordings (workspace_id, name, text, updated_at)"
                  " VALUES ('w', 'role_first', 'Say {{nonsense}}.', 1)");
    if (refusal == REFUSED_WORDS)
        refuse(f, "no_words", "INSERT ON discussion_logs WHEN NEW.manner = 'said'");
    if (refusal >= REFUSED_ROWS)
        refuse(f, "no_rows", "INSERT ON discussion_logs");
    if (refusal == REFUSED_END)
        refuse(f, "no_end",
               "DELETE ON discussion_turns WHEN (SELECT status FROM discussion_state"
               " WHERE discussion_id = OLD.discussion_id) = 'active'");
    drive(f);
    assert_true(comes_true(f, all_done));
    assert_true(comes_true(f, no_call_is_out));
}

static bool one_was_given_up(struct fixture *f)
{
    return figures(f).given_up == 1;
}

static bool one_has_failed(struct fixture *f)
{
    return figures(f).failed == 1;
}

static void a_turn_that_cannot_be_begun_is_passed_with_the_reason(void **state)
{
    struct fixture *f = *state;

    turn_that_is_refused(f, REFUSED_BEGINNING);
    assert_string_equal(said(f), "The prompt asks for {{nonsense}}, for which there is no value here.");
    assert_int_equal(number(f, "SELECT calls FROM discussion_state"), 0);
    assert_true(comes_true(f, one_was_given_up));
    assert_int_equal(figures(f).failed, 0);
    assert_int_equal(figures(f).repeated, HOLDER_TRIES_BAD - 1);
}

static void a_reply_that_cannot_be_kept_is_a_pass_with_the_reason(void **state)
{
    struct fixture *f = *state;

    turn_that_is_refused(f, REFUSED_WORDS);
    assert_int_equal(COUNT(f, "discussion_logs WHERE manner = 'passed' AND content <> ''"), 1);
    assert_int_equal(number(f, "SELECT calls FROM discussion_state"), 1);
    assert_true(comes_true(f, one_was_given_up));
    assert_int_equal(figures(f).failed, 0);
    assert_int_equal(figures(f).repeated, HOLDER_TRIES_BAD - 1);
}

static void check_failed(struct fixture *f)
{
    assert_true(comes_true(f, one_has_failed));
    assert_int_equal(COUNT(f, "discussion_state WHERE status = 'failed' AND result LIKE '%\"failure\"%'"), 1);
    assert_int_equal(COUNT(f, "events WHERE type = 'discussion.ended'"), 1);
    assert_int_equal(COUNT(f, "discussion_turns"), 0);
}

static void a_discussion_that_takes_no_turn_is_ended_as_failed(void **state)
{
    struct fixture *f = *state;

    turn_that_is_refused(f, REFUSED_ROWS);
    check_failed(f);
    assert_int_equal(figures(f).repeated, 2 * (HOLDER_TRIES_BAD - 1));
}

/* Not in order, which takes its turns away first, but by its own row. */
static void a_discussion_that_cannot_be_ended_in_order_is_ended_plainly(void **state)
{
    struct fixture *f = *state;

    turn_that_is_refused(f, REFUSED_END);
    check_failed(f);
    assert_int_equal(figures(f).repeated, 3 * (HOLDER_TRIES_BAD - 1) + 1);
}

/* Another node may have taken over by then: it would speak the same turns, and somebody would pay twice. Once
 * the node can renew again, it goes on. */
static void a_node_whose_lease_has_lapsed_closes_its_calls(void **state)
{
    struct fixture *f = *state;

    if (!f->store)
        skip();
    use_script(f, "*: never said\n", HOLDING);
    add_discussions(f, 1, "1");
    drive(f);
    assert_true(comes_true(f, a_call_is_out));
    change(f, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
              " $$ BEGIN RAISE EXCEPTION 'no'; END $$");
    change(f, "CREATE TRIGGER no_lease BEFORE UPDATE ON council_nodes EXECUTE FUNCTION refuse()");
    assert_true(comes_true(f, no_call_is_out));
    assert_int_equal(COUNT(f, "discussion_logs"), 0);
    change(f, "DROP TRIGGER no_lease ON council_nodes");
    use_script(f, "*: said in the end\n", "0s");
    assert_true(comes_true(f, all_done));
    assert_string_equal(said(f), "said in the end");
}

#define WITH_A_STORE(test)  cmocka_unit_test_setup_teardown(test, start, stop)
#define WITH_A_SERVER(test) cmocka_unit_test_setup_teardown(test, start_on_postgres, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_A_STORE(every_turn_of_every_discussion_is_spoken_once),
        WITH_A_STORE(a_late_reply_is_dropped),
        WITH_A_STORE(a_late_beginning_is_dropped),
        WITH_A_STORE(a_late_text_closes_its_call),
        WITH_A_STORE(the_text_so_far_is_told_to_those_who_join),
        WITH_A_STORE(a_pause_closes_the_calls_of_its_discussion),
        WITH_A_STORE(news_of_an_old_pause_close_nothing),
        WITH_A_STORE(a_stop_gives_calls_up_and_the_next_start_repeats_them),
        WITH_A_STORE(without_a_model_turns_fail_with_the_reason),
        WITH_A_STORE(a_turn_that_cannot_be_begun_is_passed_with_the_reason),
        WITH_A_STORE(a_reply_that_cannot_be_kept_is_a_pass_with_the_reason),
        WITH_A_STORE(a_discussion_that_takes_no_turn_is_ended_as_failed),
        WITH_A_STORE(a_discussion_that_cannot_be_ended_in_order_is_ended_plainly),
        WITH_A_SERVER(a_node_whose_lease_has_lapsed_closes_its_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

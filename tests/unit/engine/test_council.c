/*
 * The driver, with rules of our own behind the seam of core/council/drive.h: every discussion comes to its
 * end, every turn is asked for once and stored once, whatever happens to the calls meanwhile.
 */
#include "engine/council.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/uuid.h"
#include "core/council/drive.h"
#include "core/council/reply_cut.h"
#include "db/migrate.h"
#include "llm/model.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DISCUSSIONS 40
#define TURNS       6
#define TOLD        800  /* bytes of a notice: a hundred words, and more than the least room there is */
#define HOLDING     "1h" /* between two words: longer than any test */

/* The rules: turn after turn, and every write needs the epoch of the last claim. */
static struct rule {
    char id[UUID_SIZE], turn[UUID_SIZE];
    const char *driver;
    int64_t epoch;
    bool out; /* a call was begun, and has not been finished */
    int done, begun, refused, tries;
    bool failed, plainly; /* it was ended */
    char said[256];
} rules[DISCUSSIONS];
static size_t rule_count;
static int turns_each;
static bool in_parallel;
static int checked; /* how often it was asked what is still wanted */

/* When another node takes the first discussion over: right before this write of ours. */
static enum moment { NEVER, AT_BEGIN, AT_TEXT, AT_REPLY } taken_at;
/* Up to where what is stored is bad: the beginning, every reply but a pass, every reply, the end in order. */
static enum bad { BAD_NOTHING, BAD_BEGIN, BAD_WORDS, BAD_REPLY, BAD_FAIL } bad_from;
static pthread_mutex_t rules_lock = PTHREAD_MUTEX_INITIALIZER;

static struct rule *rule_of(const char *discussion_id)
{
    for (size_t i = 0; i < rule_count; i++)
        if (strcmp(rules[i].id, discussion_id) == 0)
            return &rules[i];
    abort();
}

static void name_turn(struct rule *rule)
{
    snprintf(rule->turn, sizeof(rule->turn), "%.30s-%d", rule->id, rule->done);
}

static void fill_step(const struct tx *tx, struct rule *rule, struct drive_step *step)
{
    *step = (struct drive_step){ .phase = PHASE_ASKING, .over = rule->done == turns_each };
    if (step->over) {
        step->phase = PHASE_ENDED;
        rule->driver = NULL;
        return;
    }
    step->calls = arena_new(tx->arena, struct turn_call);
    step->call_count = 1;
    step->calls[0] = (struct turn_call){
        .ref = { arena_text(tx->arena, rule->turn), rule->id, rule->driver, rule->epoch },
        .workspace_id = "w",
        .kind = TURN_TURN,
        .round = rule->done + 1,
        .speaker = "Anna",
    };
}

bool drive_node_renew(const struct tx *tx, const char *node, int64_t until_ms)
{
    (void)tx, (void)node, (void)until_ms;
    return true;
}

bool drive_node_clear(const struct tx *tx)
{
    (void)tx;
    return true;
}

bool drive_node_leave(const struct tx *tx, const char *node)
{
    (void)tx;
    pthread_mutex_lock(&rules_lock);
    for (size_t i = 0; i < rule_count; i++)
        if (rules[i].driver == node)
            rules[i].driver = NULL;
    pthread_mutex_unlock(&rules_lock);
    return true;
}

bool drive_claim(const struct tx *tx, const char *node, size_t limit, struct drive_claimed **list,
                 size_t *count)
{
    *list = arena_array(tx->arena, struct drive_claimed, limit);
    *count = 0;
    pthread_mutex_lock(&rules_lock);
    for (size_t i = 0; i < rule_count && *count < limit; i++) {
        if (rules[i].driver || rules[i].done == turns_each)
            continue;
        rules[i].driver = node;
        rules[i].out = false;
        (*list)[(*count)++] = (struct drive_claimed){ rules[i].id, "w", NULL, ++rules[i].epoch };
    }
    pthread_mutex_unlock(&rules_lock);
    return true;
}

static bool fenced(const struct tx *tx, const struct rule *rule, const char *node, int64_t epoch)
{
    if (rule->driver == node && rule->epoch == epoch)
        return false;
    err_set(tx->err, ERR_CONFLICT, "Another node drives this discussion.");
    tx->err->name = DRIVE_FENCED;
    return true;
}

static bool late_at(const struct tx *tx, enum moment moment, struct rule *rule, const struct turn_ref *ref)
{
    if (taken_at == moment) {
        taken_at = NEVER;
        rule->driver = "another";
        rule->epoch++;
    }
    return fenced(tx, rule, ref->node, ref->epoch);
}

bool drive_wanted_from(const struct tx *tx, const char *node, const char *discussion_id, int64_t *epoch)
{
    const struct rule *rule = rule_of(discussion_id);

    (void)tx;
    pthread_mutex_lock(&rules_lock);
    *epoch = rule->epoch + (rule->driver != node);
    checked++;
    pthread_mutex_unlock(&rules_lock);
    return true;
}

bool drive_advance(const struct tx *tx, const char *node, int64_t epoch, const char *discussion_id,
                   struct drive_step *step)
{
    struct rule *rule = rule_of(discussion_id);
    bool late;

    pthread_mutex_lock(&rules_lock);
    late = fenced(tx, rule, node, epoch);
    if (!late) {
        name_turn(rule);
        fill_step(tx, rule, step);
    }
    pthread_mutex_unlock(&rules_lock);
    return !late;
}

static const struct reply_rules plain = { .mode = MODE_ROUNDS, .speaker = "Anna" };

bool drive_begin(const struct tx *tx, const struct turn_ref *ref, struct turn_call *call)
{
    struct rule *rule = rule_of(ref->discussion_id);
    bool late;

    if (bad_from == BAD_BEGIN)
        return err_set(tx->err, ERR_INVALID, "It cannot be begun.");
    pthread_mutex_lock(&rules_lock);
    late = late_at(tx, AT_BEGIN, rule, ref);
    if (!late) {
        in_parallel |= rule->out;
        rule->out = true;
        rule->begun++;
        *call = (struct turn_call){
            .ref = *ref, .speaker = "Anna", .round = rule->done + 1, .user = "Say something.", .rules = &plain
        };
    }
    pthread_mutex_unlock(&rules_lock);
    return !late;
}

bool drive_partial(const struct tx *tx, const struct turn_ref *ref, const char *text)
{
    (void)text;
    pthread_mutex_lock(&rules_lock);
    bool late = late_at(tx, AT_TEXT, rule_of(ref->discussion_id), ref);

    pthread_mutex_unlock(&rules_lock);
    return !late;
}

bool drive_finish(const struct tx *tx, const struct turn_ref *ref, const struct turn_reply *reply,
                  struct drive_step *step)
{
    struct rule *rule = rule_of(ref->discussion_id);
    bool late;

    if (bad_from >= BAD_REPLY || (bad_from == BAD_WORDS && !reply->failed)) {
        rule->tries++;
        return err_set(tx->err, ERR_INVALID, "It cannot be kept.");
    }
    pthread_mutex_lock(&rules_lock);
    late = late_at(tx, AT_REPLY, rule, ref);
    rule->refused += late;
    if (!late) {
        assert_true(rule->out || bad_from == BAD_BEGIN);
        assert_string_equal(ref->turn_id, rule->turn);
        rule->out = false;
        rule->done++;
        snprintf(rule->said, sizeof(rule->said), "%s%s", reply->failed ? "failed: " : "",
                 reply->failed ? reply->error : reply->text);
        name_turn(rule);
        fill_step(tx, rule, step);
    }
    pthread_mutex_unlock(&rules_lock);
    return !late;
}

/* What is stored keeps one from going on: each kind of write is refused from its moment on. */
bool drive_is_hopeless(const struct err *err)
{
    return err->code == ERR_INVALID;
}

bool drive_fail(const struct tx *tx, const struct drive_failure *failure)
{
    struct rule *rule = rule_of(failure->discussion_id);
    bool refused;

    pthread_mutex_lock(&rules_lock);
    refused = !failure->plainly && bad_from == BAD_FAIL;
    if (!refused) {
        rule->failed = true;
        rule->plainly = failure->plainly;
        rule->done = turns_each;
        snprintf(rule->said, sizeof(rule->said), "%s", failure->reason);
    }
    pthread_mutex_unlock(&rules_lock);
    return !refused || err_set(tx->err, ERR_INVALID, "It cannot be ended.");
}

/* A store and a tailer that are real, and a model that is not. */
struct fixture {
    char folder[64], url[96];
    struct store *store;
    struct tailer *tailer;
    struct net *net;
    struct llm *llm;
    struct council *council;
    struct arena arena;
    struct llm_model models[2];
    struct llm_models used;
    int scripts; /* how many there were: what a thread may still be reading is not written to */
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

static int start(void **state)
{
    static struct fixture f;
    ARENA_AUTO arena = { 0 };
    struct migrate_report report;
    struct err err = { 0 };

    f = (struct fixture){ 0 };
    units_folder(f.folder, false);
    snprintf(f.url, sizeof(f.url), "sqlite:%s/db", f.folder);
    struct db *db = db_open(f.url, &err);

    assert_non_null(db);
    assert_true(migrate_up(db, &arena, &report, &err));
    db_close(db);
    f.store = store_open(&(struct store_options){ .url = f.url }, &err);
    assert_non_null(f.store);
    f.tailer = tailer_open(f.store, &err);
    assert_true(net_open(&f.net, &err));
    f.llm = llm_open(f.net, 256);
    memset(rules, 0, sizeof(rules));
    rule_count = 0;
    turns_each = TURNS;
    in_parallel = false;
    taken_at = NEVER;
    bad_from = BAD_NOTHING;
    checked = 0;
    *state = &f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    council_close(f->council);
    llm_close(f->llm);
    net_close(f->net);
    tailer_stop(f->tailer);
    store_close(f->store);
    tailer_close(f->tailer);
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

static void add_discussions(size_t count)
{
    pthread_mutex_lock(&rules_lock);
    for (size_t i = 0; i < count; i++)
        uuid_make(rules[rule_count++].id);
    pthread_mutex_unlock(&rules_lock);
}

static bool all_done(void)
{
    bool done = true;

    pthread_mutex_lock(&rules_lock);
    for (size_t i = 0; i < rule_count; i++)
        done = done && rules[i].done == turns_each;
    pthread_mutex_unlock(&rules_lock);
    return done;
}

static bool one_is_out(void)
{
    bool out = false;

    pthread_mutex_lock(&rules_lock);
    for (size_t i = 0; i < rule_count; i++)
        out = out || rules[i].out;
    pthread_mutex_unlock(&rules_lock);
    return out;
}

static bool comes_true(bool (*holds)(void))
{
    int64_t until = clock_ticks_ms() + PATIENCE_MS;

    while (!holds()) {
        if (clock_ticks_ms() > until)
            return false;
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    }
    return true;
}

static void every_turn_of_every_discussion_is_spoken_once(void **state)
{
    struct fixture *f = *state;

    use_script(f, "Anna: one\nAnna: two\nAnna: three\nAnna: four\nAnna: five\nAnna: six\n", "0s");
    add_discussions(DISCUSSIONS);
    drive(f);
    assert_true(comes_true(all_done));
    assert_false(in_parallel);
    for (size_t i = 0; i < rule_count; i++) {
        assert_int_equal(rules[i].begun, TURNS);
        assert_int_equal(rules[i].refused, 0);
        assert_string_equal(rules[i].said, "six");
    }
}

static void give_back(void)
{
    pthread_mutex_lock(&rules_lock);
    rules[0].driver = NULL;
    pthread_mutex_unlock(&rules_lock);
}

static struct council *watched;

static struct council_figures figures_now(void)
{
    struct council_figures figures;

    council_figures(watched, &figures);
    return figures;
}

static bool one_was_late(void)
{
    return figures_now().late > 0;
}

static bool a_call_is_out(void)
{
    return figures_now().calls > 0;
}

static bool no_call_is_out(void)
{
    return figures_now().calls == 0;
}

static bool was_checked(void)
{
    pthread_mutex_lock(&rules_lock);
    bool was = checked > 0;

    pthread_mutex_unlock(&rules_lock);
    return was;
}

/* What this node wants to write of a discussion that another has taken over is refused and dropped, and the
 * turn is asked for again by whoever drives next. */
static void is_dropped_when_late(struct fixture *f, enum moment moment, const char *script, const char *delay)
{
    use_script(f, script, delay);
    turns_each = 1;
    taken_at = moment;
    add_discussions(1);
    drive(f);
    watched = f->council;
    assert_true(comes_true(one_was_late));
    assert_true(comes_true(no_call_is_out));
    assert_int_equal(rules[0].done, 0);
    use_script(f, "*: once more\n", "0s");
    give_back();
    assert_true(comes_true(all_done));
    assert_int_equal(rules[0].done, 1);
    assert_string_equal(rules[0].said, "once more");
    assert_int_equal(figures_now().repeated, 0);
}

static void a_late_reply_is_dropped(void **state)
{
    is_dropped_when_late(*state, AT_REPLY, "*: quick\n", "0s");
    assert_int_equal(rules[0].refused, 1);
}

static void a_late_beginning_is_dropped(void **state)
{
    is_dropped_when_late(*state, AT_BEGIN, "*: quick\n", "0s");
    assert_int_equal(rules[0].begun, 1);
}

/* The text so far is saved while the call is out; once that is refused nobody waits for the rest. */
static void a_late_text_closes_its_call(void **state)
{
    static char words[8 * 4000];
    size_t len = (size_t)snprintf(words, sizeof(words), "*:");

    while (len + 8 < sizeof(words))
        len += (size_t)snprintf(words + len, sizeof(words) - len, " words");
    snprintf(words + len, sizeof(words) - len, "\n");
    is_dropped_when_late(*state, AT_TEXT, words, "100ms");
    assert_int_equal(rules[0].refused, 0);
}

/* Who joins late is told what was said so far, however long that is; who listens elsewhere is told nothing.
 */
static void the_text_so_far_is_told_to_those_who_join(void **state)
{
    static char words[16000];
    struct fixture *f = *state;
    struct notice *texts[4];
    int64_t until = clock_ticks_ms() + PATIENCE_MS;
    size_t len = (size_t)snprintf(words, sizeof(words), "*:"), longest = 0;

    while (len + 8 < sizeof(words))
        len += (size_t)snprintf(words + len, sizeof(words) - len, " words");
    snprintf(words + len, sizeof(words) - len, "\n");
    use_script(f, words, "20ms"); /* a minute for all of it */
    turns_each = 1;
    add_discussions(1);
    drive(f);
    while (longest < TOLD && clock_ticks_ms() < until) {
        size_t count = council_texts(f->council, rules[0].id, texts, 4);

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

static void tell_paused(struct fixture *f)
{
    char sql[256];

    snprintf(sql, sizeof(sql),
             "INSERT INTO events(workspace_id, type, discussion_id, subject, data, created_at)"
             " VALUES('w', 'discussion.paused', '%s', 's' || $1, '{}', 1)",
             rules[0].id);
    assert_int_equal(unit_write(f->store, 1, sql), ERR_NONE);
    tailer_poke(f->tailer);
}

static void a_pause_closes_the_calls_of_its_discussion(void **state)
{
    struct fixture *f = *state;

    use_script(f, "*: never said\n", HOLDING);
    add_discussions(1);
    drive(f);
    watched = f->council;
    assert_true(comes_true(a_call_is_out));
    pthread_mutex_lock(&rules_lock);
    rules[0].driver = "nobody";
    pthread_mutex_unlock(&rules_lock);
    tell_paused(f);
    assert_true(comes_true(no_call_is_out));
    assert_int_equal(rules[0].done, 0);
}

/* It was resumed and claimed again before its pause was heard of. */
static void news_of_an_old_pause_close_nothing(void **state)
{
    struct fixture *f = *state;

    use_script(f, "*: said all the same\n", "500ms");
    turns_each = 1;
    add_discussions(1);
    drive(f);
    watched = f->council;
    assert_true(comes_true(a_call_is_out));
    tell_paused(f);
    assert_true(comes_true(was_checked));
    assert_true(comes_true(all_done));
    assert_string_equal(rules[0].said, "said all the same");
    assert_int_equal(rules[0].begun, 1);
}

/* What is out when the server stops is given up; the next to drive asks for it anew. */
static void a_stop_gives_calls_up_and_the_next_start_repeats_them(void **state)
{
    struct fixture *f = *state;

    use_script(f, "*: a long word or two that take their time to be said\n", "1s");
    turns_each = 1;
    add_discussions(5);
    drive(f);
    assert_true(comes_true(one_is_out));
    council_close(f->council);
    for (size_t i = 0; i < rule_count; i++) {
        assert_int_equal(rules[i].done, 0);
        assert_null(rules[i].driver);
    }
    use_script(f, "*: quick\n", "0s");
    drive(f);
    assert_true(comes_true(all_done));
    for (size_t i = 0; i < rule_count; i++)
        assert_string_equal(rules[i].said, "quick");
}

static void without_a_model_turns_fail_with_the_reason(void **state)
{
    struct fixture *f = *state;

    models_use(NULL);
    turns_each = 2;
    add_discussions(3);
    drive(f);
    assert_true(comes_true(all_done));
    for (size_t i = 0; i < rule_count; i++)
        assert_string_equal(rules[i].said, "failed: There is no model to ask.");
}

/* One turn on stored data that is bad up to here; what came of it. */
static const struct rule *turn_on_bad_data(struct fixture *f, enum bad bad)
{
    use_script(f, "*: good words\n", "0s");
    turns_each = 1;
    bad_from = bad;
    add_discussions(1);
    drive(f);
    watched = f->council;
    assert_true(comes_true(all_done));
    assert_true(comes_true(no_call_is_out));
    return &rules[0];
}

static bool one_was_given_up(void)
{
    return figures_now().given_up == 1;
}

static bool one_has_failed(void)
{
    return figures_now().failed == 1;
}

static void a_turn_that_cannot_be_begun_is_passed_with_the_reason(void **state)
{
    const struct rule *rule = turn_on_bad_data(*state, BAD_BEGIN);

    assert_string_equal(rule->said, "failed: It cannot be begun.");
    assert_int_equal(rule->begun, 0);
    assert_true(comes_true(one_was_given_up));
    assert_int_equal(figures_now().failed, 0);
}

static void a_reply_that_cannot_be_kept_is_a_pass_with_the_reason(void **state)
{
    const struct rule *rule = turn_on_bad_data(*state, BAD_WORDS);

    assert_string_equal(rule->said, "failed: It cannot be kept.");
    assert_int_equal(rule->begun, 1);
    assert_int_equal(rule->tries, COUNCIL_TRIES_BAD);
    assert_true(comes_true(one_was_given_up));
    assert_int_equal(figures_now().failed, 0);
}

static void a_discussion_that_takes_no_turn_is_ended_as_failed(void **state)
{
    const struct rule *rule = turn_on_bad_data(*state, BAD_REPLY);

    assert_true(rule->failed);
    assert_false(rule->plainly);
    assert_string_equal(rule->said, "It cannot be kept.");
    assert_int_equal(rule->tries, 2 * COUNCIL_TRIES_BAD);
    assert_true(comes_true(one_has_failed));
}

static void a_discussion_that_cannot_be_ended_in_order_is_ended_plainly(void **state)
{
    const struct rule *rule = turn_on_bad_data(*state, BAD_FAIL);

    assert_true(rule->failed);
    assert_true(rule->plainly);
    assert_true(comes_true(one_has_failed));
}

#define WITH_A_STORE(test) cmocka_unit_test_setup_teardown(test, start, stop)

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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

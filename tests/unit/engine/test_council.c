/*
 * The driver, with rules of our own behind the seam of core/council/drive.h: every discussion comes to its
 * end, every turn is asked for once and stored once, whatever happens to the calls meanwhile.
 */
#include "engine/council.h"

#include "base/clock.h"
#include "base/uuid.h"
#include "core/council/drive.h"
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
#define PATIENCE_MS 30000

/* The rules: turn after turn, and every write needs the epoch of the last claim. */
static struct rule {
    char id[UUID_SIZE], turn[UUID_SIZE];
    const char *driver;
    int64_t epoch;
    bool out; /* a call was begun, and has not been finished */
    int done, begun, refused;
    char said[256];
} rules[DISCUSSIONS];
static size_t rule_count;
static int turns_each;
static bool in_parallel;
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
    return rule->driver == node && rule->epoch == epoch
               ? false
               : !err_set(tx->err, ERR_CONFLICT, "Another node drives this discussion.");
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

bool drive_begin(const struct tx *tx, const struct turn_ref *ref, struct turn_call *call)
{
    struct rule *rule = rule_of(ref->discussion_id);
    bool late;

    pthread_mutex_lock(&rules_lock);
    late = fenced(tx, rule, ref->node, ref->epoch);
    if (!late) {
        in_parallel |= rule->out;
        rule->out = true;
        rule->begun++;
        *call = (struct turn_call){
            .ref = *ref, .speaker = "Anna", .round = rule->done + 1, .user = "Say something."
        };
    }
    pthread_mutex_unlock(&rules_lock);
    return !late;
}

bool drive_partial(const struct tx *tx, const struct turn_ref *ref, const char *text)
{
    (void)text;
    pthread_mutex_lock(&rules_lock);
    bool late = fenced(tx, rule_of(ref->discussion_id), ref->node, ref->epoch);

    pthread_mutex_unlock(&rules_lock);
    return !late;
}

bool drive_finish(const struct tx *tx, const struct turn_ref *ref, const struct turn_reply *reply,
                  struct drive_step *step)
{
    struct rule *rule = rule_of(ref->discussion_id);
    bool late;

    pthread_mutex_lock(&rules_lock);
    late = fenced(tx, rule, ref->node, ref->epoch);
    rule->refused += late;
    if (!late) {
        assert_true(rule->out);
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

/* A store and a tailer that are real, and a model that is not. */
struct fixture {
    char folder[64], url[96];
    struct store *store;
    struct tailer *tailer;
    struct net *net;
    struct llm *llm;
    struct council *council;
    struct arena arena;
    struct llm_model model;
    struct llm_models models;
};

static void use_script(struct fixture *f, const char *script, const char *delay)
{
    struct err err = { 0 };

    model_init(&f->model, "default");
    assert_true(model_set(&f->model, &f->arena, "provider", "scripted", &err));
    assert_true(model_set(&f->model, &f->arena, "delay", delay, &err));
    f->model.script_text = script;
    assert_true(model_check(&f->model, &f->arena, &err));
    f->models = (struct llm_models){ &f->model, 1 };
    models_use(script ? &f->models : NULL);
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

static void take_away(void)
{
    pthread_mutex_lock(&rules_lock);
    rules[0].driver = "another";
    rules[0].epoch++;
    pthread_mutex_unlock(&rules_lock);
}

static void give_back(void)
{
    pthread_mutex_lock(&rules_lock);
    rules[0].driver = NULL;
    pthread_mutex_unlock(&rules_lock);
}

static struct council *watched;

static bool one_was_late(void)
{
    struct council_figures figures;

    council_figures(watched, &figures);
    return figures.late > 0;
}

/* The reply of a call that was out when another node took over is refused, and the turn is asked for again.
 */
static void a_late_reply_is_dropped(void **state)
{
    struct fixture *f = *state;

    use_script(f, "*: slow and steady\n", "100ms");
    turns_each = 1;
    add_discussions(1);
    drive(f);
    watched = f->council;
    assert_true(comes_true(one_is_out));
    take_away();
    assert_true(comes_true(one_was_late));
    assert_int_equal(rules[0].done, 0);
    give_back();
    assert_true(comes_true(all_done));
    assert_int_equal(rules[0].done, 1);
    assert_string_equal(rules[0].said, "slow and steady");
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

#define WITH_A_STORE(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_A_STORE(every_turn_of_every_discussion_is_spoken_once),
        WITH_A_STORE(a_late_reply_is_dropped),
        WITH_A_STORE(a_stop_gives_calls_up_and_the_next_start_repeats_them),
        WITH_A_STORE(without_a_model_turns_fail_with_the_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

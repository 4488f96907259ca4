/*
 * The holder of runs on a real store and with a scripted model. What follows from what is played here in
 * place of core/runs, by a plan, and so are the tools: so that every order in which models, tools, people and
 * other nodes can come back is brought about on purpose.
 */
#include "engine/runner.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/log/event.h"
#include "core/runs/run_drive.h"
#include "tests/support/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JOB   "00000000-0000-4000-8000-000000000001"
#define TOOLS 16

/* What follows: after this deed, these words. */
struct follows {
    const char *after, *what;
    bool used;
};

struct played_call {
    char name[16];
    struct tool_callbacks callbacks;
    bool out;
};

static struct play {
    pthread_mutex_t lock;
    char log[16384]; /* everything that was done, in order, each with a ; behind it */
    bool wanted;
    int64_t epoch, turn, due_ms;
    struct follows plan[16];
    bool free_row;    /* a step has let go of it: what is written now comes too late */
    const char *gate; /* a deed that waits until this is NULL */
    pthread_cond_t gate_opens;
    const char *refused; /* a deed that fails */
    int refusals;        /* so often */
    enum err_code code;
    const char *name;     /* of that error */
    bool cancels_at_once; /* a tool that is told to end does so */
    bool answered;        /* what was asked has been */
    struct played_call calls[TOOLS];
    size_t count;
    char told[4][1024]; /* results and replies that were stored, the newest last */
    size_t told_count;
} play = { .lock = PTHREAD_MUTEX_INITIALIZER, .gate_opens = PTHREAD_COND_INITIALIZER };

static void note(const char *word, const char *of)
{
    size_t len = strlen(play.log);

    assert_true(len + 64 < sizeof(play.log));
    snprintf(play.log + len, sizeof(play.log) - len, "%s%s%s;", word, of ? " " : "", of ? of : "");
}

static void keep_told(const char *text)
{
    snprintf(play.told[play.told_count++ % 4], sizeof(play.told[0]), "%s", text ? text : "");
}

static bool is_fenced(const struct tx *tx, const char *deed)
{
    if (!play.free_row)
        return false;
    note("fenced", deed);
    err_set(tx->err, ERR_CONFLICT, "Played: nobody has this run.");
    tx->err->name = HOLDING_FENCED;
    return true;
}

static bool refuses(const struct tx *tx, const char *deed)
{
    if (play.refusals == 0 || !str_equal(play.refused, deed))
        return false;
    play.refusals--;
    note("refused", deed);
    err_set(tx->err, play.code, "Played: this is refused.");
    tx->err->name = play.name;
    return true;
}

static const char *planned(const char *deed)
{
    for (size_t i = 0; i < sizeof(play.plan) / sizeof(*play.plan); i++)
        if (!play.plan[i].used && str_equal(play.plan[i].after, deed)) {
            play.plan[i].used = true;
            return play.plan[i].what;
        }
    return "";
}

static const struct tool *tool_of(struct arena *arena, const char *name)
{
    struct tool *tool = arena_new(arena, struct tool);

    *tool = (struct tool){ .name = name, .description = "", .schema = "{}", .kind = TOOL_COMMAND };
    return tool;
}

static void wants_asking(struct arena *arena, struct run_step *step, bool afresh)
{
    struct llm_message *message = arena_new(arena, struct llm_message);

    *message = (struct llm_message){ .role = "user", .content = "Go on." };
    step->ask = true;
    step->afresh = afresh;
    step->messages = message;
    step->message_count = 1;
    step->speaker = "Ada";
    step->turn = play.turn;
    step->phase = RUN_ASKING;
}

/* The words of a plan: ask, again (the same turn), over, late (after a pause), call NAMES, unwanted NAMES. */
static void follow(struct arena *arena, const char *what, bool afresh, struct run_step *step)
{
    char *words = arena_text(arena, what), *rest;
    bool calls = true;
    const char **unwanted = arena_array(arena, const char *, TOOLS);

    step->phase = RUN_CALLING;
    step->due_ms = play.due_ms;
    step->calls = arena_array(arena, struct run_todo, TOOLS);
    step->unwanted = unwanted;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (str_equal(word, "ask") || str_equal(word, "again")) {
            play.turn += str_equal(word, "ask");
            wants_asking(arena, step, afresh);
        } else if (str_equal(word, "late")) {
            step->delay_ms = 3600000;
        } else if (str_equal(word, "over")) {
            step->over = play.free_row = true;
            step->phase = RUN_WAITING;
        } else if (str_equal(word, "call") || str_equal(word, "unwanted")) {
            calls = str_equal(word, "call");
        } else if (calls) {
            step->calls[step->call_count++] =
                (struct run_todo){ .call_id = word,
                                   .tool = tool_of(arena, word),
                                   .arguments = "{}",
                                   .work = { "its job", "its project", "its task" } };
        } else {
            unwanted[step->unwanted_count++] = word;
        }
    }
}

/* One deed of core's: noted, refused, or followed by what the plan says. */
static bool deed(const struct tx *tx, const char *word, const char *of, struct run_step *step)
{
    const char *whole = of ? arena_format(tx->arena, "%s %s", word, of) : word;

    pthread_mutex_lock(&play.lock);
    if (str_equal(play.gate, whole))
        note("gate", whole);
    while (str_equal(play.gate, whole))
        pthread_cond_wait(&play.gate_opens, &play.lock);
    bool fine = !is_fenced(tx, whole) && !refuses(tx, whole);

    if (fine) {
        note(whole, NULL);
        if (step)
            follow(tx->arena, planned(whole), str_equal(word, "advance"), step);
    }
    pthread_mutex_unlock(&play.lock);
    return fine;
}

bool run_claim(const struct tx *tx, const char *node, size_t limit, struct held_row **list, size_t *count)
{
    (void)node, (void)limit;
    pthread_mutex_lock(&play.lock);
    *count = play.wanted;
    play.wanted = false;
    *list = arena_new(tx->arena, struct held_row);
    if (*count > 0) {
        **list = (struct held_row){ JOB, ++play.epoch };
        play.free_row = false;
        note("claim", NULL);
    }
    pthread_mutex_unlock(&play.lock);
    return true;
}

bool run_advance(const struct tx *tx, const struct run_ref *ref, struct run_step *step)
{
    assert_string_equal(ref->job_id, JOB);
    return deed(tx, "advance", NULL, step);
}

bool run_take_reply(const struct tx *tx, const struct run_ref *ref, const struct run_reply *reply,
                    struct run_step *step)
{
    (void)ref;
    if (!deed(tx, "reply", NULL, step))
        return false;
    keep_told(reply->result->kind == LLM_FINE ? reply->result->text : reply->result->words);
    return true;
}

bool run_call_begin(const struct tx *tx, const struct run_ref *ref, const char *call_id, bool in_doubt)
{
    (void)ref;
    return deed(tx, in_doubt ? "in doubt begin" : "begin", call_id, NULL);
}

bool run_call_end(const struct tx *tx, const struct run_ref *ref, const char *call_id,
                  const struct tool_result *result, struct run_step *step)
{
    (void)ref;
    if (!deed(tx, "end", call_id, step))
        return false;
    keep_told(result->text);
    return true;
}

bool run_call_ask(const struct tx *tx, const struct run_ref *ref, const char *call_id,
                  const struct tool_elicitation *asked)
{
    (void)ref, (void)asked;
    return deed(tx, "ask", call_id, NULL);
}

bool run_call_progress(const struct tx *tx, const struct run_ref *ref, const char *call_id, double done,
                       double total, const char *words)
{
    (void)ref, (void)done, (void)total, (void)words;
    return deed(tx, "progress", call_id, NULL);
}

bool run_call_answers(const struct tx *tx, const struct run_ref *ref, struct run_answered **list,
                      size_t *count)
{
    (void)ref;
    *list = arena_new(tx->arena, struct run_answered);
    **list = (struct run_answered){ "a", "e1", TOOL_ACCEPT, "{\"yes\":true}" };
    pthread_mutex_lock(&play.lock);
    *count = play.answered;
    pthread_mutex_unlock(&play.lock);
    return deed(tx, "answers", NULL, NULL);
}

bool run_fail(const struct tx *tx, const struct run_ref *ref, const char *reason)
{
    (void)ref;
    if (!deed(tx, "fail", NULL, NULL))
        return false;
    keep_told(reason);
    return true;
}

bool run_let_go(const struct tx *tx, const struct run_ref *ref)
{
    (void)tx;
    assert_int_equal(ref->epoch, play.epoch);
    pthread_mutex_lock(&play.lock);
    note("let go", NULL);
    pthread_mutex_unlock(&play.lock);
    return true;
}

/* The toolbox. */

static struct played_call *call_named(const char *name)
{
    for (size_t i = play.count; i-- > 0;)
        if (str_equal(play.calls[i].name, name))
            return &play.calls[i];
    fail_msg("no call of %s was started", name);
    return NULL;
}

bool toolbox_call(struct toolbox *toolbox, const struct tool_request *request,
                  const struct tool_callbacks *callbacks, uint64_t *id, struct err *err)
{
    const struct tool *tool = request->tool;
    bool taken;

    (void)toolbox;
    assert_string_equal(request->work.job_id, "its job");
    assert_string_equal(request->work.project_id, "its project");
    assert_string_equal(request->work.task_id, "its task");
    pthread_mutex_lock(&play.lock);
    note("start", tool->name);
    taken = !str_equal(tool->name, "none");
    if (taken) {
        struct played_call *call = &play.calls[play.count];

        snprintf(call->name, sizeof(call->name), "%s", tool->name);
        call->callbacks = *callbacks;
        call->out = true;
        *id = play.count++;
    } else {
        err_set(err, ERR_UNAVAILABLE, "There is no such program.");
    }
    pthread_mutex_unlock(&play.lock);
    return taken;
}

static void ends(const char *name, enum tool_end end, const char *text)
{
    pthread_mutex_lock(&play.lock);
    struct played_call *call = call_named(name);
    struct tool_callbacks callbacks = call->callbacks;

    assert_true(call->out);
    call->out = false;
    pthread_mutex_unlock(&play.lock);
    callbacks.done(callbacks.user, &(struct tool_result){ .end = end, .text = text });
}

void toolbox_cancel(struct toolbox *toolbox, uint64_t id)
{
    (void)toolbox;
    pthread_mutex_lock(&play.lock);
    struct played_call *call = &play.calls[id];
    bool now = play.cancels_at_once && call->out;

    note("cancel", call->name);
    pthread_mutex_unlock(&play.lock);
    if (now)
        ends(call->name, TOOL_CANCELLED, "It was ended.");
}

void toolbox_answer(struct toolbox *toolbox, uint64_t id, const char *elicitation, enum tool_answer answer,
                    const char *content)
{
    (void)toolbox, (void)id, (void)content;
    pthread_mutex_lock(&play.lock);
    note(answer == TOOL_ACCEPT    ? "accepted"
         : answer == TOOL_DECLINE ? "declined"
                                  : "unanswered",
         elicitation);
    pthread_mutex_unlock(&play.lock);
}

/* All else is real. */

struct fixture {
    char folder[64], url[256];
    struct store *store;
    struct tailer *tailer;
    struct net *net;
    struct llm *llm;
    struct runner *runner;
    struct arena arena;
    struct llm_model model;
    struct llm_models used;
};

static struct fixture fixture;

static void committed(void *user)
{
    struct fixture *f = user;

    if (f->tailer)
        tailer_poke(f->tailer);
}

static int start(void **state)
{
    struct fixture *f = &fixture;
    struct err err = { 0 };

    *f = (struct fixture){ 0 };
    *state = f;
    units_folder(f->folder, false);
    snprintf(f->url, sizeof(f->url), "sqlite:%.63s/db", f->folder);
    units_migrate(f->url);
    f->store = store_open(&(struct store_options){ .url = f->url, .committed = committed, .user = f }, &err);
    assert_non_null(f->store);
    f->tailer = tailer_open(f->store, &err);
    assert_true(net_open(&f->net, &err));
    f->llm = llm_open(f->net);
    play = (struct play){ .lock = PTHREAD_MUTEX_INITIALIZER,
                          .gate_opens = PTHREAD_COND_INITIALIZER,
                          .wanted = true,
                          .cancels_at_once = true };
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    runner_close(f->runner);
    assert_null(strstr(play.log, "fenced"));
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

/* Begins, with a model that takes so long for each word. */
static void run(struct fixture *f, const char *delay)
{
    struct err err = { 0 };

    model_init(&f->model, "default");
    assert_true(model_set(&f->model, &f->arena, "provider", "scripted", &err));
    assert_true(model_set(&f->model, &f->arena, "delay", delay, &err));
    f->model.script_text = "Ada: one\nAda: two\nAda: three\nAda: four\n";
    assert_true(model_check(&f->model, &f->arena, &err));
    f->used = (struct llm_models){ &f->model, 1 };
    models_use(&f->used);
    f->runner = runner_open(f->store, f->tailer, f->llm, (struct toolbox *)(void *)&play, &err);
    assert_non_null(f->runner);
}

static void plan(const struct follows *list, size_t count)
{
    memcpy(play.plan, list, count * sizeof(*list));
}

#define PLAN(...) \
    plan((struct follows[]){ __VA_ARGS__ }, \
         sizeof((struct follows[]){ __VA_ARGS__ }) / sizeof(struct follows))

static bool logged(const char *text)
{
    pthread_mutex_lock(&play.lock);
    bool found = strstr(play.log, text) != NULL;

    pthread_mutex_unlock(&play.lock);
    return found;
}

static void awaits(const char *text)
{
    int64_t until = clock_ticks_ms() + PATIENCE_MS;

    while (!logged(text)) {
        if (clock_ticks_ms() > until)
            fail_msg("%s is not in %s", text, play.log);
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
}

static size_t times(const char *text)
{
    size_t count = 0;

    pthread_mutex_lock(&play.lock);
    for (const char *at = play.log; (at = strstr(at, text)); at++)
        count++;
    pthread_mutex_unlock(&play.lock);
    return count;
}

static void awaits_times(const char *text, size_t count)
{
    int64_t until = clock_ticks_ms() + PATIENCE_MS;

    while (times(text) < count) {
        if (clock_ticks_ms() > until)
            fail_msg("%s is not there %zu times in %s", text, count, play.log);
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
}

static struct runner_figures figures(struct fixture *f)
{
    struct runner_figures figures;

    runner_figures(f->runner, &figures);
    return figures;
}

static void awaits_rest(struct fixture *f)
{
    int64_t until = clock_ticks_ms() + PATIENCE_MS;

    awaits("advance"); /* it is in hand */
    while (figures(f).runs > 0) {
        if (clock_ticks_ms() > until)
            fail_msg("it is still in hand after %s", play.log);
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
}

static void is_log(const char *wanted)
{
    pthread_mutex_lock(&play.lock);
    assert_string_equal(play.log, wanted);
    pthread_mutex_unlock(&play.lock);
}

static bool was_told(const char *text)
{
    bool found = false;

    pthread_mutex_lock(&play.lock);
    for (size_t i = 0; i < 4; i++)
        found |= strstr(play.told[i], text) != NULL;
    pthread_mutex_unlock(&play.lock);
    return found;
}

/* Something of the job was told in the log. */
static bool run_event(struct db *db, struct unit *unit)
{
    struct tx tx = tx_of(db, &unit->arena, clock_now_ms(), &unit->work.err);

    return event_append(&tx, &(struct event){ .workspace_id = "w",
                                              .type = *(const enum event_type *)unit->user,
                                              .job_id = JOB,
                                              .subject = JOB,
                                              .data = "{}",
                                              .at_ms = tx.now_ms });
}

static void tell(struct fixture *f, enum event_type type)
{
    struct unit unit;

    unit_init(&unit, 0, NULL);
    unit.body = run_event;
    unit.user = &type;
    if (!store_write_wait(f->store, &unit.work))
        fail_msg("%s", unit.work.err.text);
    unit_done(&unit);
}

static void a_tool_starts_behind_its_row_and_its_result_is_stored(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "ask" }, { "reply", "call a b" }, { "end b", "ask" }, { "reply", "over" });
    run(f, "0s");
    awaits("start b;");
    ends("a", TOOL_FINE, "made by a");
    awaits("end a;");
    ends("b", TOOL_FINE, "made by b");
    awaits_rest(f);
    is_log("claim;advance;reply;begin a;begin b;start a;start b;end a;end b;reply;");
    assert_true(was_told("made by a") && was_told("made by b") && was_told("two"));
    assert_int_equal(figures(f).steps, 2);
    assert_int_equal(figures(f).ends[TOOL_FINE], 2);
    assert_int_equal(figures(f).calls, 0);
}

static void asks(const char *name, const char *id)
{
    struct tool_callbacks callbacks = call_named(name)->callbacks;

    callbacks.asked(callbacks.user, &(struct tool_elicitation){ .id = id, .message = "Really?" });
}

/* Until it is opened, what comes waits for the unit that has the deed, and then goes into one. */
static void close_gate(const char *deed)
{
    pthread_mutex_lock(&play.lock);
    play.gate = deed;
    pthread_mutex_unlock(&play.lock);
}

static void open_gate(void)
{
    pthread_mutex_lock(&play.lock);
    play.gate = NULL;
    pthread_cond_broadcast(&play.gate_opens);
    pthread_mutex_unlock(&play.lock);
}

/* Two tools end at once, and with the first of them the run is over: its result is stored, and the other,
 * whose call was closed with the run, is let go of. */
static void what_stands_behind_the_end_of_a_run_is_not_written(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "call a b c" }, { "end a", "over" });
    run(f, "0s");
    awaits("start c;");
    close_gate("ask c");
    asks("c", "e1");
    awaits("gate ask c;");
    ends("a", TOOL_FINE, "made by a");
    ends("b", TOOL_FINE, "made by b");
    asks("c", "e2");
    open_gate();
    awaits("end a;");
    awaits_rest(f);
    assert_false(logged("end b;"));
    assert_true(logged("cancel c;"));
    assert_true(was_told("made by a"));
    assert_int_equal(figures(f).calls, 0);
    assert_int_equal(figures(f).late, 0);
}

/* What the log told while the reply could not be stored goes behind it, and it is stored all the same. */
static void a_reply_after_which_it_waits_is_stored_whatever_was_heard_of(void **state)
{
    struct fixture *f = *state;

    play.refused = "reply";
    play.code = ERR_UNAVAILABLE;
    play.refusals = 3;
    PLAN({ "advance", "ask" }, { "reply", "over" });
    run(f, "0s");
    awaits("refused reply;");
    tell(f, EVENT_QUESTION_ANSWERED);
    awaits_rest(f);
    assert_true(was_told("one"));
    assert_int_equal(figures(f).steps, 1);
    assert_int_equal(figures(f).late, 0);
}

static void only_so_many_calls_of_a_run_are_out(void **state)
{
    struct fixture *f = *state;
    size_t out = 0;

    PLAN({ "advance", "call a b c d e f g h i j" }, { "end j", "over" });
    run(f, "0s");
    awaits("start h;");
    tell(f, EVENT_QUESTION_ANSWERED);
    awaits_times("advance;", 2);
    for (const char *at = "abcdefghij"; *at; at++)
        out += logged((char[]){ 's', 't', 'a', 'r', 't', ' ', *at, ';', '\0' });
    assert_int_equal(out, RUN_CALLS_AT_ONCE);
    ends("a", TOOL_FINE, "");
    awaits("start i;");
    assert_false(logged("start j;"));
    for (const char *at = "bcdefghij"; *at; at++) {
        awaits((char[]){ 's', 't', 'a', 'r', 't', ' ', *at, ';', '\0' });
        ends((char[]){ *at, '\0' }, TOOL_FINE, "");
    }
    awaits_rest(f);
    assert_int_equal(figures(f).calls, 0);
}

static void what_nobody_wants_any_more_is_ended_and_not_stored(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "call a b c" }, { "end a", "unwanted b" }, { "end c", "over" });
    run(f, "0s");
    awaits("start c;");
    ends("a", TOOL_FINE, "");
    awaits("cancel b;");
    ends("c", TOOL_FINE, "");
    awaits_rest(f);
    assert_false(logged("end b;"));
    assert_int_equal(times("cancel b;"), 1);
}

/* Cancelled from outside: the log says so, the row is looked at, and the step says that it is over. */
static void the_end_of_a_job_closes_what_is_out(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "call a" }, { "advance", "over" });
    run(f, "0s");
    awaits("start a;");
    tell(f, EVENT_JOB_ENDED);
    awaits_rest(f);
    is_log("claim;advance;begin a;start a;advance;cancel a;");
}

static void the_end_of_a_job_closes_the_call_of_its_model(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "ask" }, { "advance", "over" });
    run(f, "1h");
    awaits("advance;");
    tell(f, EVENT_JOB_ENDED);
    awaits_rest(f);
    is_log("claim;advance;advance;");
}

/* A look while the model is asked gives the same turn: it is asked once. */
static void what_is_out_is_not_asked_for_again(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "ask" }, { "advance", "again" }, { "reply", "over" });
    run(f, "300ms");
    awaits("advance;");
    tell(f, EVENT_QUESTION_ANSWERED);
    awaits_rest(f);
    assert_int_equal(times("reply;"), 1);
    assert_int_equal(figures(f).steps, 1);
}

/* And one that is about another turn takes its place. */
static void another_turn_takes_the_place_of_the_one_that_is_out(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "ask" }, { "advance", "ask" }, { "reply", "over" });
    run(f, "500ms");
    awaits("advance;");
    tell(f, EVENT_QUESTION_ANSWERED);
    awaits_rest(f);
    assert_int_equal(times("reply;"), 1);
    assert_true(was_told("two"));
    assert_false(was_told("one"));
}

static void time_that_is_up_is_looked_at(void **state)
{
    struct fixture *f = *state;

    play.due_ms = clock_now_ms() + 50;
    PLAN({ "advance", "ask" }, { "advance", "over" });
    run(f, "1h");
    awaits_rest(f);
    is_log("claim;advance;advance;");
}

static void a_pause_is_given_up_when_the_run_is_over(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "ask late" }, { "advance", "over" });
    run(f, "0s");
    awaits("advance;");
    tell(f, EVENT_JOB_ENDED);
    awaits_rest(f);
    assert_false(logged("reply;"));
}

/* The next claim begins when the last call of the one before has come back, and not before. */
static void a_later_claim_waits_for_what_is_still_out(void **state)
{
    struct fixture *f = *state;

    play.cancels_at_once = false;
    PLAN({ "advance", "call a" }, { "advance", "over" }, { "advance", "over" });
    run(f, "0s");
    awaits("start a;");
    tell(f, EVENT_JOB_ENDED);
    awaits("cancel a;");
    pthread_mutex_lock(&play.lock);
    play.wanted = true;
    pthread_mutex_unlock(&play.lock);
    tell(f, EVENT_JOB_CREATED);
    awaits("cancel a;claim;");
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    assert_int_equal(times("advance;"), 2);
    ends("a", TOOL_CANCELLED, "");
    awaits_times("advance;", 3);
    awaits_rest(f);
    assert_false(logged("end a;"));
}

static void a_write_of_another_node_s_run_drops_it(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "call a b" });
    run(f, "0s");
    awaits("start b;");
    play.refused = "end a";
    play.code = ERR_CONFLICT;
    play.name = HOLDING_FENCED;
    play.refusals = 1;
    ends("a", TOOL_FINE, "");
    awaits_rest(f);
    assert_true(logged("refused end a;"));
    assert_true(logged("cancel b;"));
    awaits("let go;");
    assert_int_equal(figures(f).late, 1);
}

static void a_call_that_is_gone_is_left_out_and_the_run_goes_on(void **state)
{
    struct fixture *f = *state;

    play.refused = "begin b";
    play.code = ERR_NOT_FOUND;
    play.name = HOLDING_GONE;
    play.refusals = 1;
    PLAN({ "advance", "call a b" }, { "end a", "over" });
    run(f, "0s");
    awaits("start a;");
    assert_false(logged("start b;"));
    ends("a", TOOL_FINE, "");
    awaits_rest(f);
    assert_int_equal(figures(f).calls, 0);
}

/* Nobody knows whether it is stored that both begin: it is said so, and each is started once. */
static void a_call_whose_beginning_is_in_doubt_begins_once(void **state)
{
    struct fixture *f = *state;

    play.refused = "begin b";
    play.code = ERR_OUTCOME_UNKNOWN;
    play.refusals = 1;
    PLAN({ "advance", "call a b" }, { "end a", "" }, { "end b", "over" });
    run(f, "0s");
    awaits("start b;");
    assert_true(logged("refused begin b;in doubt begin a;in doubt begin b;start a;start b;"));
    ends("a", TOOL_FINE, "");
    awaits("end a;");
    ends("b", TOOL_FINE, "");
    awaits_rest(f);
    assert_int_equal(times("start a;"), 1);
    assert_int_equal(figures(f).calls, 0);
}

static void a_result_that_cannot_be_stored_is_stored_as_that(void **state)
{
    struct fixture *f = *state;

    play.refused = "end a";
    play.code = ERR_INVALID;
    play.refusals = HOLDER_TRIES_BAD;
    PLAN({ "advance", "call a" }, { "end a", "over" });
    run(f, "0s");
    awaits("start a;");
    ends("a", TOOL_FINE, "made by a");
    awaits_rest(f);
    assert_true(was_told("could not be stored"));
    assert_false(was_told("made by a"));
    assert_int_equal(times("start a;"), 1);
}

static void a_reply_that_cannot_be_stored_is_stored_as_that(void **state)
{
    struct fixture *f = *state;

    play.refused = "reply";
    play.code = ERR_INVALID;
    play.refusals = HOLDER_TRIES_BAD;
    PLAN({ "advance", "ask" }, { "reply", "over" });
    run(f, "0s");
    awaits_rest(f);
    assert_true(was_told("could not be stored"));
    assert_int_equal(figures(f).failed, 0);
}

static void a_run_that_cannot_be_moved_on_fails(void **state)
{
    struct fixture *f = *state;

    play.refused = "advance";
    play.code = ERR_INVALID;
    play.refusals = 100;
    run(f, "0s");
    awaits("fail;");
    awaits_rest(f);
    assert_true(was_told("this is refused"));
    assert_int_equal(times("refused advance;"), HOLDER_TRIES_BAD);
    assert_int_equal(figures(f).failed, 1);
}

static void a_tool_that_cannot_be_started_has_a_result(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "call none" }, { "end none", "over" });
    run(f, "0s");
    awaits_rest(f);
    assert_true(was_told("no such program"));
    assert_int_equal(figures(f).ends[TOOL_NOT_THERE], 1);
    assert_int_equal(figures(f).calls, 0);
}

static void what_a_tool_asks_is_answered_once(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "call a" }, { "end a", "over" });
    run(f, "0s");
    awaits("start a;");
    asks("a", "e1");
    awaits("ask a;");
    tell(f, EVENT_QUESTION_DRAFT);
    pthread_mutex_lock(&play.lock);
    play.answered = true;
    pthread_mutex_unlock(&play.lock);
    tell(f, EVENT_QUESTION_ANSWERED);
    awaits("accepted e1;");
    awaits_times("advance;", 2);
    size_t read = times("answers;");

    tell(f, EVENT_QUESTION_ANSWERED);
    awaits_times("advance;", 3);
    ends("a", TOOL_FINE, "");
    awaits_rest(f);
    assert_int_equal(times("accepted e1;"), 1);
    assert_int_equal(times("answers;"), read);
}

/* The question is stored and answered while its asker does not know: nobody tells of the answer once more. */
static void an_answer_to_what_was_asked_in_doubt_reaches_its_tool(void **state)
{
    struct fixture *f = *state;

    play.refused = "ask a";
    play.code = ERR_OUTCOME_UNKNOWN;
    play.refusals = 1;
    play.answered = true;
    PLAN({ "advance", "call a" }, { "end a", "over" });
    run(f, "0s");
    awaits("start a;");
    asks("a", "e1");
    awaits("refused ask a;");
    tell(f, EVENT_QUESTION_ANSWERED);
    awaits("accepted e1;");
    ends("a", TOOL_FINE, "");
    awaits_rest(f);
}

/* A call's row has room for one question: the answer to the last is let out of it first. */
static void what_a_tool_asks_next_is_asked_behind_the_answer_in_doubt(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "call a" }, { "end a", "over" });
    run(f, "0s");
    awaits("start a;");
    asks("a", "e1");
    awaits("ask a;answers;");
    pthread_mutex_lock(&play.lock);
    play.answered = true;
    play.refused = "answers";
    play.code = ERR_OUTCOME_UNKNOWN;
    play.refusals = 1;
    pthread_mutex_unlock(&play.lock);
    tell(f, EVENT_QUESTION_ANSWERED);
    awaits("accepted e1;");
    asks("a", "e2");
    awaits_times("ask a;", 2);
    assert_true(logged("accepted e1;answers;"));
    ends("a", TOOL_FINE, "");
    awaits_rest(f);
    assert_int_equal(times("accepted e1;"), 1);
}

/* The store may have it that its tool has the answer: then nobody reads it again. */
static void an_answer_whose_reading_is_in_doubt_reaches_its_tool(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "call a" }, { "end a", "over" });
    run(f, "0s");
    awaits("start a;");
    asks("a", "e1");
    awaits("ask a;");
    tell(f, EVENT_QUESTION_DRAFT);
    pthread_mutex_lock(&play.lock);
    play.answered = true;
    play.refused = "answers";
    play.code = ERR_OUTCOME_UNKNOWN;
    play.refusals = 1;
    pthread_mutex_unlock(&play.lock);
    tell(f, EVENT_QUESTION_ANSWERED);
    awaits("refused answers;accepted e1;");
    awaits(";answers;");
    ends("a", TOOL_FINE, "");
    awaits_rest(f);
    assert_int_equal(times("accepted e1;"), 1);
}

/* Eight of a run are out at once, beside those that wait for people. */
static void a_call_that_waits_for_people_takes_no_room(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "call a b c d e f g h i" }, { "end a", "over" });
    run(f, "0s");
    awaits("start h;");
    assert_false(logged("begin i;"));
    asks("a", "e1");
    awaits("start i;");
    assert_int_equal(figures(f).calls, 9);
    ends("a", TOOL_FINE, "");
    awaits_rest(f);
    assert_int_equal(figures(f).calls, 0);
}

/* Nobody was asked, so nobody has said no. */
static void what_a_tool_asks_and_nobody_can_be_asked_is_not_answered(void **state)
{
    struct fixture *f = *state;

    play.refused = "ask a";
    play.code = ERR_INVALID;
    play.refusals = 100;
    PLAN({ "advance", "call a" }, { "end a", "over" });
    run(f, "0s");
    awaits("start a;");
    asks("a", "e1");
    awaits("unanswered e1;");
    ends("a", TOOL_FINE, "");
    awaits_rest(f);
}

/* Three words in one transaction, of which the last is of a call that is gone: the others are not lost. */
static void a_word_that_came_too_late_takes_no_other_along(void **state)
{
    struct fixture *f = *state;

    play.refused = "ask a";
    play.code = ERR_NOT_FOUND;
    play.name = HOLDING_GONE;
    play.refusals = 1;
    PLAN({ "advance", "call a b" }, { "end b", "over" });
    run(f, "0s");
    awaits("start b;");
    pthread_mutex_lock(&play.lock); /* the first is being stored, and the others wait behind it */
    asks("b", "e1");
    nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    asks("b", "e2");
    asks("b", "e3");
    asks("a", "e4");
    nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    pthread_mutex_unlock(&play.lock);
    awaits("unanswered e4;");
    awaits_times("ask b;", 5); /* one, two that were undone, and the same two again */
    ends("a", TOOL_FINE, "");
    awaits("end a;");
    ends("b", TOOL_FINE, "");
    awaits_rest(f);
}

static void progress_is_passed_on_now_and_then(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "call a" }, { "end a", "over" });
    run(f, "0s");
    awaits("start a;");
    struct tool_callbacks callbacks = call_named("a")->callbacks;

    for (int i = 0; i < 1000; i++)
        callbacks.progress(callbacks.user, i, 1000, "on its way");
    awaits("progress a;");
    ends("a", TOOL_FINE, "");
    awaits_rest(f);
    assert_in_range(times("progress a;"), 1, 3);
}

/* It had ended by itself when the server stopped: its result is not lost. */
static void what_has_ended_is_stored_when_the_server_stops(void **state)
{
    struct fixture *f = *state;

    play.cancels_at_once = false;
    PLAN({ "advance", "call a b" }, { "end a", "" });
    run(f, "0s");
    awaits("start b;");
    /* Both are told to end; one has, by then, by itself. */
    pthread_t closer;

    pthread_create(&closer, NULL, (void *(*)(void *))(void (*)(void))runner_close, f->runner);
    awaits("cancel a;");
    awaits("cancel b;");
    ends("a", TOOL_FINE, "made by a");
    awaits("end a;");
    ends("b", TOOL_CANCELLED, "");
    pthread_join(closer, NULL);
    f->runner = NULL;
    assert_true(was_told("made by a"));
    assert_false(logged("end b;"));
}

/* A step after which there is nothing to do, and which does not say so. */
static void a_step_that_says_nothing_is_looked_at_again(void **state)
{
    struct fixture *f = *state;

    PLAN({ "advance", "" }, { "advance", "" }, { "advance", "over" });
    run(f, "0s");
    awaits_rest(f);
    is_log("claim;advance;advance;advance;");
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        CASE(a_tool_starts_behind_its_row_and_its_result_is_stored),
        CASE(what_stands_behind_the_end_of_a_run_is_not_written),
        CASE(a_reply_after_which_it_waits_is_stored_whatever_was_heard_of),
        CASE(only_so_many_calls_of_a_run_are_out),
        CASE(what_nobody_wants_any_more_is_ended_and_not_stored),
        CASE(the_end_of_a_job_closes_what_is_out),
        CASE(the_end_of_a_job_closes_the_call_of_its_model),
        CASE(what_is_out_is_not_asked_for_again),
        CASE(another_turn_takes_the_place_of_the_one_that_is_out),
        CASE(time_that_is_up_is_looked_at),
        CASE(a_pause_is_given_up_when_the_run_is_over),
        CASE(a_later_claim_waits_for_what_is_still_out),
        CASE(a_write_of_another_node_s_run_drops_it),
        CASE(a_call_that_is_gone_is_left_out_and_the_run_goes_on),
        CASE(a_call_whose_beginning_is_in_doubt_begins_once),
        CASE(an_answer_whose_reading_is_in_doubt_reaches_its_tool),
        CASE(an_answer_to_what_was_asked_in_doubt_reaches_its_tool),
        CASE(what_a_tool_asks_next_is_asked_behind_the_answer_in_doubt),
        CASE(a_result_that_cannot_be_stored_is_stored_as_that),
        CASE(a_reply_that_cannot_be_stored_is_stored_as_that),
        CASE(a_run_that_cannot_be_moved_on_fails),
        CASE(a_tool_that_cannot_be_started_has_a_result),
        CASE(what_a_tool_asks_is_answered_once),
        CASE(a_call_that_waits_for_people_takes_no_room),
        CASE(what_a_tool_asks_and_nobody_can_be_asked_is_not_answered),
        CASE(a_word_that_came_too_late_takes_no_other_along),
        CASE(progress_is_passed_on_now_and_then),
        CASE(what_has_ended_is_stored_when_the_server_stops),
        CASE(a_step_that_says_nothing_is_looked_at_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The toolbox with programs that are only played: what a command is given, what comes of each end that it can
 * have, and that nothing is lost or told twice however its start, its end and a cancel follow each other.
 */
#include "base/limits.h"
#include "toolbox/internal.h"
#include "toolbox/secrets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

/* The played programs. */

struct program_run {
    struct program_callbacks callbacks;
    pthread_t thread;
};

static struct {
    bool refuse;      /* programs_start says no */
    bool at_once;     /* ends before programs_start has returned */
    bool from_thread; /* ends by itself, on another thread */
    bool held;        /* the same, and its owner is still hearing of it when programs_start returns */
    char input[256];
    char folder[128], variables[512]; /* as it was started */
    const char *output, *errors;
    size_t output_len;
    struct program_result result;
    struct program_run *run;
    int ended;
    sem_t hearing, go_on;
} play;

static void play_done(struct program_run *run)
{
    struct program_callbacks callbacks = run->callbacks;

    if (play.output)
        callbacks.output(callbacks.user, play.output,
                         play.output_len ? play.output_len : strlen(play.output));
    if (play.errors)
        callbacks.errors(callbacks.user, play.errors, strlen(play.errors));
    callbacks.done(callbacks.user, &play.result);
}

static void *play_thread(void *user)
{
    play_done(user);
    return NULL;
}

/* Of servers alone, of which there are none here. */
bool programs_write(struct program_run *run, const char *bytes, size_t len)
{
    (void)run, (void)bytes, (void)len;
    return false;
}

bool programs_start(struct programs *programs, const struct program *program, const char *input,
                    size_t input_len, bool keep_input, const struct program_callbacks *callbacks,
                    struct program_run **run, struct err *err)
{
    (void)programs;
    if (play.refuse)
        return err_set(err, ERR_UNAVAILABLE, "Too many run.");
    assert_false(keep_input);
    assert_true(input_len < sizeof(play.input));
    memcpy(play.input, input, input_len);
    play.input[input_len] = '\0';
    snprintf(play.folder, sizeof(play.folder), "%s", program->folder ? program->folder : "");
    for (size_t i = 0, at = 0; program->environment[i]; i++)
        at += (size_t)snprintf(play.variables + at, sizeof(play.variables) - at, "%s;",
                               program->environment[i]);
    play.run = calloc(1, sizeof(*play.run));
    play.run->callbacks = *callbacks;
    *run = play.run;
    if (play.at_once)
        play_done(play.run);
    else if (play.from_thread)
        pthread_create(&play.run->thread, NULL, play_thread, play.run);
    if (play.held)
        sem_wait(&play.hearing);
    return true;
}

void programs_end(struct program_run *run)
{
    assert_ptr_equal(run, play.run);
    play.ended++;
    play.result = (struct program_result){ PROGRAM_ENDED, 0, "", 5 };
    if (!run->thread)
        pthread_create(&run->thread, NULL, play_thread, run);
}

static void play_over(void)
{
    if (play.run && play.run->thread)
        pthread_join(play.run->thread, NULL);
    free(play.run);
    play.run = NULL;
}

/* What the owner of a call is told. */

struct heard {
    int times;
    enum tool_end end;
    char text[20000];
};

static void hear(void *user, const struct tool_result *result)
{
    struct heard *heard = user;

    heard->times++;
    heard->end = result->end;
    snprintf(heard->text, sizeof(heard->text), "%s", result->text);
    assert_int_equal(result->took_ms, 5);
    if (play.held) {
        sem_post(&play.hearing);
        sem_wait(&play.go_on);
    }
}

static const char *const argv[] = { "/bin/true", NULL };
static const char *const secrets[] = {
    "s3cr3t-s3cr3t", "short", "-----BEGIN KEY-----\r\nk3y-one-of\r\nk3y-two\r\n-----END KEY-----\r\n",
    "p\xe4ss\x1bw\xf6rter\n", NULL
};
static struct tool_command commands[] = {
    { { .kind = TOOL_COMMAND, .name = "count", .description = "Counts.", .schema = "{\"type\":\"object\"}" },
      { .argv = argv, .output_most = 64 } },
};
static const struct toolbox_setup setup = { commands, 1, NULL, 0 };
static const struct tool_request counts = { &commands[0].tool, "{\"a\":1}", { "job", NULL, NULL } };

static struct toolbox *open_box(void)
{
    struct toolbox *toolbox;
    struct err err = { 0 };

    memset(&play, 0, sizeof(play));
    play.result = (struct program_result){ PROGRAM_EXITED, 0, "", 5 };
    assert_true(toolbox_open(&toolbox, &setup, (struct programs *)&play, NULL, &err));
    return toolbox;
}

static uint64_t call(struct toolbox *toolbox, struct heard *heard)
{
    struct tool_callbacks callbacks = { .done = hear, .user = heard };
    struct err err = { 0 };
    uint64_t id;

    *heard = (struct heard){ 0 };
    assert_true(toolbox_call(toolbox, &counts, &callbacks, &id, &err));
    return id;
}

/* Calls it, and says what it came to. */
static struct heard outcome(struct program_result result, const char *output, const char *errors)
{
    struct toolbox *toolbox = open_box();
    struct heard heard;

    play.at_once = true;
    play.output = output;
    play.errors = errors;
    play.result = result;
    play.result.took_ms = 5;
    call(toolbox, &heard);
    assert_int_equal(heard.times, 1);
    assert_string_equal(play.input, "{\"a\":1}\n");
    toolbox_close(toolbox);
    play_over();
    return heard;
}

static void expect(struct heard heard, enum tool_end end, const char *text)
{
    assert_int_equal(heard.end, end);
    assert_string_equal(heard.text, text);
}

static void each_end_is_told_in_words(void **state)
{
    (void)state;
    expect(outcome((struct program_result){ PROGRAM_EXITED, 0, "", 0 }, "3\n", "noise"), TOOL_FINE, "3");
    expect(outcome((struct program_result){ PROGRAM_EXITED, 0, "", 0 }, "s3cr3t-s3cr3t, short", NULL),
           TOOL_FINE, "***, short");
    expect(outcome((struct program_result){ PROGRAM_EXITED, 0, "", 0 }, NULL, NULL), TOOL_FINE,
           "It ended well and printed nothing.");
    expect(outcome((struct program_result){ PROGRAM_EXITED, 3, "", 0 }, "half", "no file x\n"), TOOL_ERROR,
           "The tool failed with exit status 3.\nIt said:\nno file x\nIt printed:\nhalf");
    expect(outcome((struct program_result){ PROGRAM_SIGNALLED, 11, "It crashed.", 0 }, NULL, NULL),
           TOOL_ERROR, "It crashed.");
    expect(
        outcome((struct program_result){ PROGRAM_TIMED_OUT, 0, "It took longer than 1s.", 0 }, "begun", NULL),
        TOOL_TIMED_OUT, "It took longer than 1s.\nIt printed:\nbegun");
    expect(outcome((struct program_result){ PROGRAM_FLOODED, 0, "", 0 }, NULL, NULL), TOOL_FLOODED,
           "The tool printed too much and was ended.");
    expect(outcome((struct program_result){ PROGRAM_FAILED, 0, "There is no /bin/x.", 0 }, NULL, NULL),
           TOOL_NOT_THERE, "There is no /bin/x.");
}

static void output_becomes_text(void **state)
{
    (void)state;
    expect(outcome((struct program_result){ PROGRAM_EXITED, 0, "", 0 }, "a\xff\xc3(\x1b[1mb\r\n\r\n", NULL),
           TOOL_FINE, "a\xef\xbf\xbd\xef\xbf\xbd([1mb");
}

static void output_is_bounded(void **state)
{
    char large[1000];
    struct heard heard;

    (void)state;
    memset(large, 'x', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    heard = outcome((struct program_result){ PROGRAM_FLOODED, 0, "It printed more than 64 bytes.", 0 }, large,
                    NULL);
    assert_int_equal(heard.end, TOOL_FLOODED);
    assert_true(strlen(heard.text) < 200);
    assert_non_null(strstr(heard.text, "xxxx"));
}

/* A flood is told by its beginning and its end, and so is what was said at length on standard error. */
static void ends_are_told(void **state)
{
    static char large[100000], halves[2 * 9000];
    struct heard heard;

    (void)state;
    for (size_t i = 0; i + 10 < sizeof(large); i += 10)
        snprintf(large + i, 11, "line %04zu\n", i / 10);
    heard = outcome((struct program_result){ PROGRAM_FLOODED, 0, "It wrote much.", 0 }, NULL, large);
    assert_int_equal(strncmp(heard.text, "It wrote much.\nIt said:\nline 0000\nline 0001\n", 44), 0);
    assert_non_null(strstr(heard.text, "line 0203\n[...]\nline "));
    assert_string_equal(heard.text + strlen(heard.text) - 9, "line 9998");
    assert_in_range(strlen(heard.text), 4000, 4200);
    /* Whole characters, where there are no lines. */
    for (size_t i = 0; i + 2 < sizeof(halves); i += 2)
        memcpy(halves + i, i ? "\xc3\xa4" : "xx", 2);
    memmove(halves, halves + 1, sizeof(halves) - 2);
    heard = outcome((struct program_result){ PROGRAM_FLOODED, 0, "Much.", 0 }, NULL, halves);
    assert_non_null(strstr(heard.text, "\xa4\n[...]\n\xc3"));
    assert_null(strstr(heard.text, "\xef\xbf\xbd"));
}

/* Wherever what it says is cut, nothing of what it was given is told. */
static void a_secret_that_is_cut_in_two_is_not_told(void **state)
{
    static const struct {
        enum program_end end;
        size_t len, at; /* of what it says on standard error, and where in it the secret begins */
    } cases[] = {
        { PROGRAM_FLOODED, 9000, 2 * KB - 6 },   { PROGRAM_FLOODED, 9000, 9000 - 2 * KB - 6 },
        { PROGRAM_EXITED, 20000, 4 * KB - 6 },   { PROGRAM_EXITED, 20000, 20000 - 4 * KB - 6 },
        { PROGRAM_TIMED_OUT, 20000, 20000 - 6 }, { PROGRAM_FLOODED, 100, 94 },
        { PROGRAM_FLOODED, 5000, 2 * KB - 6 },
    };
    static char said[20001];
    struct heard heard;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        size_t left = cases[i].len - cases[i].at, whole = strlen(secrets[0]);

        memset(said, 'x', sizeof(said));
        memcpy(said + cases[i].at, secrets[0], left < whole ? left : whole);
        said[cases[i].len] = '\0';
        heard = outcome((struct program_result){ cases[i].end, 1, "", 0 }, NULL, said);
        if (strstr(heard.text, "s3c") || strstr(heard.text, "r3t"))
            fail_msg("case %zu tells a part of it", i);
        assert_non_null(strstr(heard.text, "xxxx"));
    }
    /* The command's output is bounded at 64 bytes. */
    memset(said, 'x', 58);
    memcpy(said + 58, secrets[0], strlen(secrets[0]) + 1);
    heard = outcome((struct program_result){ PROGRAM_FLOODED, 0, "Much.", 0 }, said, NULL);
    assert_string_equal(heard.text + strlen(heard.text) - 2, "xx");
}

/* Before it becomes a text, whose line ends, bytes and end are no longer what was given. */
static void a_secret_of_any_bytes_is_not_told(void **state)
{
    static const struct {
        const char *said, *told;
    } cases[] = {
        { "s3cr3t-s3cr3t\n", "***" },
        { "It is p\xe4ss\x1bw\xf6rter\nand more", "It is ***\nand more" },
        { "-----BEGIN KEY-----\r\nk3y-one-of\r\nk3y-two\r\n-----END KEY-----\r\n", "***" },
        { "-----BEGIN KEY-----\nk3y-one-of\nk3y-two\n-----END KEY-----", "***" },
        { "-----BEGIN KEY-----\r\n k3y-one-of\r\n", "-----BEGIN KEY-----\n ***" },
        { "s3cr3t\x1b-s3cr3t", "***" },
    };
    struct heard heard;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        heard = outcome((struct program_result){ PROGRAM_EXITED, 0, "", 0 }, cases[i].said, NULL);
        assert_string_equal(heard.text, cases[i].told);
        heard = outcome((struct program_result){ PROGRAM_EXITED, 3, "", 0 }, NULL, cases[i].said);
        assert_non_null(strstr(heard.text, cases[i].told));
        assert_null(strstr(heard.text, "k3y"));
    }
}

static void a_cancel_ends_it(void **state)
{
    struct toolbox *toolbox = open_box();
    struct heard heard;
    uint64_t id = call(toolbox, &heard);

    (void)state;
    toolbox_cancel(toolbox, id + 1); /* nobody's */
    assert_int_equal(play.ended, 0);
    toolbox_cancel(toolbox, id);
    toolbox_close(toolbox);
    play_over();
    assert_int_equal(play.ended >= 1, 1);
    assert_int_equal(heard.times, 1);
    expect(heard, TOOL_CANCELLED, "The tool was ended because its call was cancelled.");
}

static void closing_waits_for_the_last_word(void **state)
{
    struct toolbox *toolbox = open_box();
    struct heard heard;

    (void)state;
    call(toolbox, &heard);
    toolbox_close(toolbox);
    assert_int_equal(heard.times, 1);
    expect(heard, TOOL_BROKE_OFF, "The tool was ended because the server stops.");
    play_over();
}

static void ends_and_cancels_may_meet(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct toolbox *toolbox = open_box();
        struct heard heard;
        uint64_t id;

        play.from_thread = true;
        id = call(toolbox, &heard);
        if (i % 2)
            toolbox_cancel(toolbox, id);
        toolbox_close(toolbox);
        assert_int_equal(heard.times, 1);
        play_over();
    }
}

/* A program that is gone is not touched, however late its owner hears of it. */
static void a_cancel_after_the_end_touches_nothing(void **state)
{
    struct toolbox *toolbox = open_box();
    struct heard heard;
    uint64_t id;

    (void)state;
    sem_init(&play.hearing, 0, 0);
    sem_init(&play.go_on, 0, 0);
    play.from_thread = play.held = true;
    id = call(toolbox, &heard);
    toolbox_cancel(toolbox, id);
    assert_int_equal(play.ended, 0);
    sem_post(&play.go_on);
    toolbox_close(toolbox);
    assert_int_equal(play.ended, 0);
    assert_int_equal(heard.times, 1);
    assert_int_equal(heard.end, TOOL_FINE);
    play_over();
    sem_destroy(&play.hearing);
    sem_destroy(&play.go_on);
}

static void what_cannot_be_started_is_refused(void **state)
{
    struct toolbox *toolbox = open_box();
    struct heard heard = { 0 };
    struct tool_callbacks callbacks = { .done = hear, .user = &heard };
    struct tool other = commands[0].tool;
    struct tool_request gone = { .tool = &other, .arguments = "{}" };
    struct err err = { 0 };
    uint64_t id;

    (void)state;
    play.refuse = true;
    assert_false(toolbox_call(toolbox, &counts, &callbacks, &id, &err));
    assert_string_equal(err.text, "Too many run.");
    other.name = "gone";
    assert_false(toolbox_call(toolbox, &gone, &callbacks, &id, &err));
    assert_string_equal(err.text, "There is no tool gone any more.");
    toolbox_close(toolbox);
    assert_int_equal(heard.times, 0);
    assert_true(toolbox_open(&toolbox, &setup, NULL, NULL, &err));
    assert_false(toolbox_call(toolbox, &counts, &callbacks, &id, &err));
    assert_int_equal(err.code, ERR_UNAVAILABLE);
    toolbox_close(toolbox);
}

#define TASK "018f3f4e-0000-7000-8000-000000000001"

static const char *const named[] = { "LANG=C", "WITAN_URL=x", NULL };
static const struct tool_command of_tasks[] = {
    { { .kind = TOOL_COMMAND, .name = "build", .schema = "{}", .in_task_folder = true },
      { .argv = argv, .environment = named, .within = "/srv/tasks" },
      NULL },
    { { .kind = TOOL_COMMAND, .name = "look", .schema = "{}" }, { .argv = argv }, NULL },
};
static const struct toolbox_setup setup_of_tasks = { of_tasks, 2, NULL, 0 };

/* Whether it was started. */
static bool start_for(const struct tool_command *command, struct tool_work work, struct err *err)
{
    struct heard heard = { 0 };
    struct tool_callbacks callbacks = { .done = hear, .user = &heard };
    struct tool_request request = { &command->tool, "{}", work };
    struct toolbox *toolbox;
    uint64_t id;

    memset(&play, 0, sizeof(play));
    play.at_once = true;
    play.result = (struct program_result){ PROGRAM_EXITED, 0, "", 5 };
    assert_true(toolbox_open(&toolbox, &setup_of_tasks, (struct programs *)&play, NULL, err));
    bool started = toolbox_call(toolbox, &request, &callbacks, &id, err);

    toolbox_close(toolbox);
    assert_int_equal(heard.times, started);
    play_over();
    return started;
}

static void a_program_is_told_what_it_works_on_and_where(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_true(start_for(&of_tasks[0], (struct tool_work){ "j", "p", TASK }, &err));
    assert_string_equal(play.folder, "/srv/tasks/" TASK);
    assert_string_equal(play.variables, "LANG=C;WITAN_URL=x;WITAN_JOB_ID=j;WITAN_PROJECT_ID=p;"
                                        "WITAN_TASK_ID=" TASK ";");
    assert_true(start_for(&of_tasks[1], (struct tool_work){ "j", NULL, NULL }, &err));
    assert_string_equal(play.folder, "");
    assert_string_equal(play.variables, "WITAN_JOB_ID=j;");
}

static void without_a_folder_of_its_task_a_tool_is_not_started(void **state)
{
    static const char *const no_folders[] = { NULL, "", ".", "..", "../" TASK, TASK "/x", TASK "." };

    (void)state;
    for (size_t i = 0; i < sizeof(no_folders) / sizeof(*no_folders); i++) {
        struct err err = { 0 };

        assert_false(start_for(&of_tasks[0], (struct tool_work){ "j", "p", no_folders[i] }, &err));
        assert_string_equal(err.text, "build works in the folder of a task, and this job has none.");
        assert_null(play.run);
    }
}

static void a_folder_that_is_not_there_is_told_with_who_makes_it(void **state)
{
    struct heard heard = { 0 };
    struct tool_callbacks callbacks = { .done = hear, .user = &heard };
    struct tool_request request = { &of_tasks[0].tool, "{}", { "j", "p", TASK } };
    struct toolbox *toolbox;
    struct err err = { 0 };
    uint64_t id;

    (void)state;
    memset(&play, 0, sizeof(play));
    play.at_once = true;
    play.result = (struct program_result){ PROGRAM_FAILED, 0, "The folder cannot be used: No such file.", 5 };
    assert_true(toolbox_open(&toolbox, &setup_of_tasks, (struct programs *)&play, NULL, &err));
    assert_true(toolbox_call(toolbox, &request, &callbacks, &id, &err));
    toolbox_close(toolbox);
    play_over();
    expect(heard, TOOL_NOT_THERE,
           "The folder cannot be used: No such file. It works in the folder of its task, which the server of "
           "an orchestrator makes when it takes the task.");
}

static void more_tools(void *user, struct arena *arena, const struct tool **tools, size_t *count)
{
    struct tool *tool = arena_new(arena, struct tool);

    (void)user;
    tool->name = "files__read";
    *tools = tool;
    *count = 1;
}

static const struct tool_server *more_servers(void *user, struct arena *arena, size_t *count)
{
    struct tool_server *server = arena_new(arena, struct tool_server);

    (void)user;
    server->name = "files";
    *count = 1;
    return server;
}

static void tools_are_listed(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct toolbox *toolbox = open_box();
    const struct tool_list *list = tools_now(&arena);
    size_t count;

    (void)state;
    assert_int_equal(list->count, 1);
    assert_int_equal(list->tools[0].kind, TOOL_COMMAND);
    assert_int_equal(strlen(list->tools[0].digest), 64);
    assert_string_equal(list->tools[0].digest, tool_digest(&arena, "Counts.", "{\"type\":\"object\"}"));
    assert_null(tool_servers_now(&arena, &count));
    assert_int_equal(count, 0);
    tools_of_servers(&(struct tool_source){ more_tools, more_servers, NULL });
    list = tools_now(&arena);
    assert_int_equal(list->count, 2);
    assert_non_null(tool_named(list, "count"));
    assert_non_null(tool_named(list, "files__read"));
    assert_null(tool_named(list, "other"));
    assert_string_equal(tool_servers_now(&arena, &count)->name, "files");
    toolbox_close(toolbox);
    assert_int_equal(tools_now(&arena)->count, 0);
}

static void a_digest_tells_both_parts(void **state)
{
    ARENA_AUTO arena = { 0 };
    const char *one = tool_digest(&arena, "ab", "c");

    (void)state;
    assert_string_equal(one, tool_digest(&arena, "ab", "c"));
    assert_string_not_equal(one, tool_digest(&arena, "a", "bc"));
    assert_string_not_equal(one, tool_digest(&arena, "ab", "d"));
}

static void names_are_what_providers_take(void **state)
{
    (void)state;
    assert_true(tool_is_name("word_count-2"));
    assert_true(tool_is_name("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    assert_false(tool_is_name("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    assert_false(tool_is_name(""));
    assert_false(tool_is_name("a.b"));
    assert_true(tool_is_reserved("finish"));
    assert_false(tool_is_reserved("finished"));
}

static void programs_follow_from_the_setup(void **state)
{
    ARENA_AUTO arena = { 0 };
    const struct mcp_setup servers[] = { { .name = "web", .url = "http://x" },
                                         { .name = "files", .command = argv, .folder = "/srv" },
                                         { .name = "busy", .command = argv, .cpu_seconds = 3 } };
    const struct toolbox_setup both = { commands, 1, servers, 3 };
    const struct program *const *list;
    size_t count;

    (void)state;
    list = toolbox_programs(&arena, &both, &count);
    assert_int_equal(count, 3);
    assert_ptr_equal(list[0], &commands[0].program);
    assert_ptr_equal(list[1]->argv, argv);
    assert_string_equal(list[1]->folder, "/srv");
    assert_int_equal(list[1]->cpu_seconds, 0);
    assert_int_equal(list[2]->cpu_seconds, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_end_is_told_in_words),
        cmocka_unit_test(output_becomes_text),
        cmocka_unit_test(output_is_bounded),
        cmocka_unit_test(ends_are_told),
        cmocka_unit_test(a_secret_that_is_cut_in_two_is_not_told),
        cmocka_unit_test(a_secret_of_any_bytes_is_not_told),
        cmocka_unit_test(a_cancel_ends_it),
        cmocka_unit_test(closing_waits_for_the_last_word),
        cmocka_unit_test(ends_and_cancels_may_meet),
        cmocka_unit_test(a_cancel_after_the_end_touches_nothing),
        cmocka_unit_test(what_cannot_be_started_is_refused),
        cmocka_unit_test(a_program_is_told_what_it_works_on_and_where),
        cmocka_unit_test(without_a_folder_of_its_task_a_tool_is_not_started),
        cmocka_unit_test(a_folder_that_is_not_there_is_told_with_who_makes_it),
        cmocka_unit_test(tools_are_listed),
        cmocka_unit_test(a_digest_tells_both_parts),
        cmocka_unit_test(names_are_what_providers_take),
        cmocka_unit_test(programs_follow_from_the_setup),
    };
    ARENA_AUTO arena = { 0 };

    commands[0].secrets = secrets_known(&arena, secrets);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

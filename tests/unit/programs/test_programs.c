/*
 * Programs as their owners see them: what goes in, what comes out, how they end, and that a hostile one is
 * contained and leaves nothing behind. All of it runs as whoever runs the tests, as an ordinary user, and as
 * in a container or a service that may not make namespaces.
 */
#include "programs/programs.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT (1 << 20) /* of what a program prints */

/* What is run here. Shells are programs like others: nothing of what tests write goes through one that they
 * have not named. */
enum which {
    CAT,
    SHELL,   /* reads its script from its input */
    SHELL_X, /* the same, with a mark by which its processes are found */
    WORKER,  /* works in a folder */
    OTHER,   /* the same in another one */
    WITHIN,  /* works inside of one */
    MISSING,
    NOT_RUN,
    LEAN,  /* little memory, few files */
    QUICK, /* little time of a processor */
    NETTED,
    PERL,
    NO_FOLDER,
    READER, /* may read a folder, and names files and folders in its argv */
    COUNT,
};

static char lib[160], named[160];
static char base[64], scratch[128], folder[128], inner[160], outside[128], way_out[160], plain[160];
static char mark[64]; /* in the arguments of what SHELL_X starts */
static struct program list[COUNT];
static struct programs *programs;
static struct programs_bounds bounds;
static struct {
    bool filters, landlock, namespaces;
} gives; /* what the kernel gives, as this test has found by itself */

struct seen {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *out, *errors;
    size_t out_len, errors_len, out_kept;
    size_t stop_after; /* wants no more after so many bytes; 0: all */
    int done;
    struct program_result result;
    char why[512];
    struct program_run *run;
};

static bool keep(struct seen *seen, char *to, size_t *len, const char *bytes, size_t count)
{
    pthread_mutex_lock(&seen->lock);
    for (size_t i = 0; i < count && *len + i < KEPT - 1; i++)
        to[*len + i] = bytes[i];
    *len += count;
    bool more = seen->stop_after == 0 || *len < seen->stop_after;

    pthread_cond_broadcast(&seen->changed);
    pthread_mutex_unlock(&seen->lock);
    return more;
}

static bool on_output(void *user, const char *bytes, size_t len)
{
    struct seen *seen = user;

    return keep(seen, seen->out, &seen->out_len, bytes, len);
}

static bool on_errors(void *user, const char *bytes, size_t len)
{
    struct seen *seen = user;

    return keep(seen, seen->errors, &seen->errors_len, bytes, len);
}

static void on_done(void *user, const struct program_result *result)
{
    struct seen *seen = user;

    pthread_mutex_lock(&seen->lock);
    seen->done++;
    seen->result = *result;
    snprintf(seen->why, sizeof(seen->why), "%s", result->why);
    seen->result.why = seen->why;
    pthread_cond_broadcast(&seen->changed);
    pthread_mutex_unlock(&seen->lock);
}

static struct seen *begin_program(const struct program *program, const char *input, size_t len, bool keeps)
{
    struct seen *seen = calloc(1, sizeof(*seen));
    struct err err = { 0 };
    struct program_callbacks callbacks = {
        .output = on_output, .errors = on_errors, .done = on_done, .user = seen
    };

    assert_non_null(seen);
    seen->out = calloc(1, KEPT);
    seen->errors = calloc(1, KEPT);
    assert_true(seen->out && seen->errors);
    pthread_mutex_init(&seen->lock, NULL);
    pthread_cond_init(&seen->changed, NULL);
    if (!programs_start(programs, program, input, len, keeps, &callbacks, &seen->run, &err))
        fail_msg("%s", err.text);
    return seen;
}

static struct seen *begin(enum which which, const char *input)
{
    return begin_program(&list[which], input, strlen(input), false);
}

static void wait_done(struct seen *seen)
{
    pthread_mutex_lock(&seen->lock);
    while (!seen->done)
        pthread_cond_wait(&seen->changed, &seen->lock);
    pthread_mutex_unlock(&seen->lock);
}

/* Waits until it has printed this. */
static void wait_for(struct seen *seen, const char *text)
{
    pthread_mutex_lock(&seen->lock);
    while (!seen->done && !strstr(seen->out, text))
        pthread_cond_wait(&seen->changed, &seen->lock);
    bool there = strstr(seen->out, text) != NULL;

    pthread_mutex_unlock(&seen->lock);
    if (!there)
        fail_msg("it ended without \"%s\": %s %s %s", text, seen->out, seen->errors, seen->why);
}

static void let_go(struct seen *seen)
{
    pthread_mutex_destroy(&seen->lock);
    pthread_cond_destroy(&seen->changed);
    free(seen->out);
    free(seen->errors);
    free(seen);
}

static struct seen *run(enum which which, const char *input)
{
    struct seen *seen = begin(which, input);

    wait_done(seen);
    return seen;
}

static void assert_exited(const struct seen *seen, int status)
{
    if (seen->result.end != PROGRAM_EXITED || seen->result.status != status)
        fail_msg("ended as %d, %d: %s\n%s%s", seen->result.end, seen->result.status, seen->why, seen->out,
                 seen->errors);
}

/* What goes in comes out. */

static void test_echo(void **state)
{
    struct seen *seen = run(CAT, "hello\n");

    (void)state;
    assert_exited(seen, 0);
    assert_string_equal(seen->out, "hello\n");
    assert_string_equal(seen->errors, "");
    assert_string_equal(seen->why, "");
    assert_int_equal(seen->done, 1);
    let_go(seen);
}

static void test_nothing_in(void **state)
{
    struct seen *seen = run(CAT, "");

    (void)state;
    assert_exited(seen, 0);
    assert_int_equal(seen->out_len, 0);
    let_go(seen);
}

static void test_large_input(void **state)
{
    size_t len = 4000000;
    char *bytes = malloc(len);

    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)('a' + i % 23);
    struct seen *seen = begin_program(&list[CAT], bytes, len, false);

    wait_done(seen);
    assert_exited(seen, 0);
    assert_int_equal(seen->out_len, len);
    assert_memory_equal(seen->out, bytes, KEPT - 1);
    free(bytes);
    let_go(seen);
}

/* One that does not read for a while gets all of it in the end, and one that never does is no trouble. */
static void test_slow_reader(void **state)
{
    static char script[300000] = "sleep 0.3; wc -c; exit 3\n";
    struct seen *seen;

    (void)state;
    memset(script + strlen(script), 'x', sizeof(script) - strlen(script));
    seen = begin_program(&list[SHELL], script, sizeof(script), false);
    wait_done(seen);
    assert_int_equal(seen->result.end, PROGRAM_EXITED);
    assert_int_equal(seen->result.status, 3);
    let_go(seen);
    script[0] = ':';
    memcpy(script, "exit 4 # ", 9);
    seen = begin_program(&list[SHELL], script, sizeof(script), false);
    wait_done(seen);
    assert_exited(seen, 4);
    let_go(seen);
}

static void test_conversation(void **state)
{
    struct seen *seen = begin_program(&list[CAT], "one\n", 4, true);

    (void)state;
    wait_for(seen, "one\n");
    assert_true(programs_write(seen->run, "two\n", 4));
    wait_for(seen, "two\n");
    programs_close_input(seen->run);
    wait_done(seen);
    assert_exited(seen, 0);
    let_go(seen);
}

static void test_too_much_waits(void **state)
{
    static char megabyte[1 << 20];
    struct seen *seen = begin_program(&list[SHELL], "sleep 60\n", 9, true);
    int taken = 0;

    (void)state;
    while (programs_write(seen->run, megabyte, sizeof(megabyte)) && taken < 100)
        taken++;
    assert_in_range(taken, 7, 8);
    programs_end(seen->run);
    wait_done(seen);
    assert_int_equal(seen->result.end, PROGRAM_ENDED);
    let_go(seen);
}

/* How they end. */

static void test_exit_status(void **state)
{
    struct seen *seen = run(SHELL, "echo out; echo wrong >&2; exit 7\n");

    (void)state;
    assert_exited(seen, 7);
    assert_string_equal(seen->out, "out\n");
    assert_string_equal(seen->errors, "wrong\n");
    let_go(seen);
}

static void test_signal(void **state)
{
    struct seen *seen = run(SHELL, "kill -SEGV $$\n");

    (void)state;
    assert_int_equal(seen->result.end, PROGRAM_SIGNALLED);
    assert_int_equal(seen->result.status, SIGSEGV);
    assert_string_equal(seen->why, "It was ended by a signal: Segmentation fault.");
    let_go(seen);
}

static void test_missing(void **state)
{
    struct seen *seen = run(MISSING, "");
    struct err err = { 0 };

    (void)state;
    assert_int_equal(seen->result.end, PROGRAM_FAILED);
    assert_non_null(strstr(seen->why, "There is no program /nowhere/at/all"));
    let_go(seen);
    assert_false(program_check(&list[MISSING], &err));
    assert_string_equal(err.text, "There is no program /nowhere/at/all.");
    assert_string_equal(err.field, "argv");
    seen = run(NOT_RUN, "");
    assert_int_equal(seen->result.end, PROGRAM_FAILED);
    assert_non_null(strstr(seen->why, "cannot be run: Permission denied."));
    let_go(seen);
    assert_false(program_check(&list[NOT_RUN], &err));
    assert_true(program_check(&list[CAT], &err));
}

static void test_time_out(void **state)
{
    struct program hasty = list[SHELL];
    int64_t before = clock_ticks_ms();

    (void)state;
    hasty.time_ms = 300;
    struct seen *seen = begin_program(&hasty, "echo begun; sleep 60\n", 21, false);

    wait_done(seen);
    assert_int_equal(seen->result.end, PROGRAM_TIMED_OUT);
    assert_string_equal(seen->why, "It did not end within 0.3 s.");
    assert_in_range(clock_ticks_ms() - before, 300, 2000); /* it heeds SIGTERM */
    assert_string_equal(seen->out, "begun\n");
    let_go(seen);
    hasty.time_ms = 7;
    seen = begin_program(&hasty, "sleep 60\n", 9, false);
    wait_done(seen);
    assert_string_equal(seen->why, "It did not end within 7 ms.");
    let_go(seen);
}

static void test_flood(void **state)
{
    struct program talkative = list[SHELL];

    (void)state;
    talkative.output_most = 100000;
    struct seen *seen = begin_program(&talkative, "yes\n", 4, false);

    wait_done(seen);
    assert_int_equal(seen->result.end, PROGRAM_FLOODED);
    assert_int_equal(seen->out_len, 100000);
    assert_string_equal(seen->why, "It wrote more than 100000 bytes of output.");
    let_go(seen);
    /* What is all there when it ends is counted as well. */
    talkative.output_most = 3;
    seen = begin_program(&talkative, "printf 1234\n", 12, false);
    wait_done(seen);
    assert_int_equal(seen->result.end, PROGRAM_FLOODED);
    assert_string_equal(seen->out, "123");
    let_go(seen);
    talkative.output_most = 4;
    seen = begin_program(&talkative, "printf 12; printf 34 >&2\n", 25, false);
    wait_done(seen);
    assert_exited(seen, 0);
    let_go(seen);
}

static void test_cancel(void **state)
{
    struct seen *seen = begin(SHELL, "trap 'echo heard; exit 5' TERM; echo begun; sleep 60 & wait\n");

    (void)state;
    wait_for(seen, "begun");
    programs_end(seen->run);
    wait_done(seen);
    assert_int_equal(seen->result.end, PROGRAM_ENDED);
    assert_string_equal(seen->why, "It was ended.");
    assert_in_range(seen->result.took_ms, 0, 1900);
    let_go(seen);
}

static void test_enough(void **state)
{
    struct seen *seen = calloc(1, sizeof(*seen));

    (void)state;
    free(seen);
    seen = begin_program(&list[SHELL], "", 0, true);
    seen->stop_after = 5;
    assert_true(programs_write(seen->run, "echo 123456; sleep 60\n", 22));
    wait_done(seen);
    assert_int_equal(seen->result.end, PROGRAM_ENDED);
    let_go(seen);
}

static void test_hundred_at_once(void **state)
{
    struct seen *all[100];
    int64_t before = clock_ticks_ms();

    (void)state;
    for (int i = 0; i < 100; i++) {
        char script[64];

        snprintf(script, sizeof(script), "sleep 0.5; echo %d; exit %d\n", i, i);
        all[i] = begin(SHELL, script);
    }
    for (int i = 0; i < 100; i++) {
        char text[16];

        wait_done(all[i]);
        assert_exited(all[i], i);
        snprintf(text, sizeof(text), "%d\n", i);
        assert_string_equal(all[i]->out, text);
        let_go(all[i]);
    }
    assert_true(clock_ticks_ms() - before < 30000);
}

static void test_not_allowed(void **state)
{
    const char *const argv[] = { "/bin/true", NULL };
    const char *const odd[] = { "LANG=C", "LD_PRELOAD=/tmp/x.so", NULL };
    struct program other = { .argv = argv }, changed = list[SHELL];
    struct program_callbacks callbacks = { 0 };
    struct program_run *started;
    struct err err = { 0 };

    (void)state;
    assert_false(programs_start(programs, &other, "", 0, false, &callbacks, &started, &err));
    assert_int_equal(err.code, ERR_FORBIDDEN);
    assert_string_equal(err.text, "The program /bin/true is not one that config.yaml names.");
    changed.environment = odd;
    assert_false(programs_start(programs, &changed, "", 0, false, &callbacks, &started, &err));
    changed = list[SHELL];
    changed.network = true;
    assert_false(programs_start(programs, &changed, "", 0, false, &callbacks, &started, &err));
    changed = list[SHELL];
    changed.folder = folder;
    assert_false(programs_start(programs, &changed, "", 0, false, &callbacks, &started, &err));
    assert_false(programs_start(NULL, &list[SHELL], "", 0, false, &callbacks, &started, &err));
}

/* Where they work, and what they see. */

static void test_environment(void **state)
{
    const char *const more[] = { "LANG=C", "WITAN_TASK=12", NULL };
    struct program with = list[SHELL];

    (void)state;
    with.environment = more;
    struct seen *seen =
        begin_program(&with, "env | grep -v ^_= | grep -v ^PWD= | grep -v ^SHLVL= | sort\n", 60, false);

    wait_done(seen);
    assert_exited(seen, 0);
    char home[160];

    snprintf(home, sizeof(home), "HOME=%s/", scratch); /* the folder that it has to itself */
    assert_int_equal(strncmp(seen->out, home, strlen(home)), 0);
    assert_non_null(strstr(seen->out, "\nLANG=C\nPATH=/usr/local/bin:/usr/bin:/bin\nTMPDIR=/"));
    assert_non_null(strstr(seen->out, "\nWITAN_TASK=12\n"));
    int lines = 0;

    for (const char *at = seen->out; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 5);
    let_go(seen);
}

/* Descriptors of the server's, and signals that it blocks. */
static void test_clean_start(void **state)
{
    /* By the shell itself: what it starts may not read of /proc where that is not its own. */
    struct seen *seen = run(SHELL, "cd /proc/$$/fd; for f in *; do echo $f; done; cd ..; "
                                   "while read l; do case $l in SigBlk*) echo $l;; esac; done <status; "
                                   "ulimit -c; read l <oom_score_adj; echo $l\n");

    (void)state;
    assert_exited(seen, 0);
    assert_string_equal(seen->out, "0\n1\n2\n3\nSigBlk: 0000000000000000\n0\n1000\n"); /* 3: it reads that */
    let_go(seen);
}

/* Of folders that programs had to themselves. */
static void assert_nothing_left(void)
{
    DIR *tmp = opendir(scratch);

    assert_non_null(tmp);
    for (struct dirent *entry; (entry = readdir(tmp));)
        if (entry->d_name[0] != '.')
            fail_msg("%s was left behind", entry->d_name);
    closedir(tmp);
}

static void test_own_folder(void **state)
{
    struct seen *seen = run(
        SHELL, "pwd; mkdir -p a/b/c; echo x >a/b/c/d; ln -s / a/root; chmod 0 a/b/c; chmod 0 a/b; ls -d .\n");

    (void)state;
    assert_exited(seen, 0);
    seen->out[strcspn(seen->out, "\n")] = '\0';
    assert_int_equal(strncmp(seen->out, scratch, strlen(scratch)), 0);
    assert_int_not_equal(access(seen->out, F_OK), 0);
    let_go(seen);
    /* However deep: a path that long cannot even be named. */
    seen =
        run(PERL, "for (1..600) { mkdir 'ddddddddd' or die; chdir 'ddddddddd' or die; } $_ = 'done'; print;");
    assert_exited(seen, 0);
    assert_string_equal(seen->out, "done");
    let_go(seen);
    assert_nothing_left();
}

static void test_given_folder(void **state)
{
    struct seen *seen = run(WORKER, "pwd; echo kept >kept; chmod 600 kept || true; cat kept\n");
    char path[200], text[200];

    (void)state;
    assert_exited(seen, 0);
    snprintf(text, sizeof(text), "%s\nkept\n", folder);
    assert_string_equal(seen->out, text);
    snprintf(path, sizeof(path), "%s/kept", folder);
    assert_int_equal(unlink(path), 0);
    let_go(seen);
    seen = run(OTHER, "pwd\n");
    assert_exited(seen, 0);
    snprintf(text, sizeof(text), "%s\n", lib);
    assert_string_equal(seen->out, text);
    let_go(seen);
}

static void test_folder_within(void **state)
{
    struct program inside = list[WITHIN];
    struct seen *seen;
    struct err err = { 0 };
    char text[200];

    (void)state;
    inside.folder = inner;
    seen = begin_program(&inside, "pwd\n", 4, false);
    wait_done(seen);
    assert_exited(seen, 0);
    snprintf(text, sizeof(text), "%s\n", inner);
    assert_string_equal(seen->out, text);
    let_go(seen);
    const char *const wrong[] = { way_out, outside, "/", "/nowhere" };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        inside.folder = wrong[i];
        seen = begin_program(&inside, "pwd\n", 4, false);
        wait_done(seen);
        assert_int_equal(seen->result.end, PROGRAM_FAILED);
        assert_non_null(strstr(seen->why, i == 3 ? "cannot be used: No such file or directory."
                                                 : "is outside of what /bin/sh may use."));
        assert_non_null(strstr(seen->why, wrong[i]));
        assert_int_equal(seen->out_len, 0);
        let_go(seen);
        assert_false(program_check(&inside, &err));
        assert_string_equal(err.field, "folder");
    }
    seen = run(NO_FOLDER, "");
    assert_int_equal(seen->result.end, PROGRAM_FAILED);
    assert_non_null(strstr(seen->why, "/nowhere cannot be used: No such file or directory."));
    let_go(seen);
    seen = run(WITHIN, "pwd\n"); /* whoever does not say which gets neither all of it nor another one */
    assert_int_equal(seen->result.end, PROGRAM_FAILED);
    assert_string_equal(seen->why, "Nobody said in which folder /bin/sh is to work.");
    assert_int_equal(seen->out_len, 0);
    let_go(seen);
}

/* Programs write their folders, and so can put links there. */

static void assert_refused(enum which which, const char *why)
{
    struct seen *seen = run(which, "pwd; cat *\n");

    assert_int_equal(seen->result.end, PROGRAM_FAILED);
    assert_non_null(strstr(seen->why, why));
    assert_int_equal(seen->out_len, 0);
    let_go(seen);
}

static void test_folder_is_swapped(void **state)
{
    char moved[200];

    (void)state;
    snprintf(moved, sizeof(moved), "%s.moved", folder);
    assert_int_equal(rename(folder, moved), 0);
    assert_int_equal(symlink(outside, folder), 0);
    assert_refused(WORKER, "/work is another one than when the server started");
    struct program inside = list[WITHIN];

    inside.folder = inner;
    struct seen *seen = begin_program(&inside, "pwd\n", 4, false);

    wait_done(seen);
    assert_int_equal(seen->result.end, PROGRAM_FAILED);
    let_go(seen);
    assert_int_equal(unlink(folder), 0);
    assert_int_equal(mkdir(folder, 0700), 0); /* nor is another folder of that name the same */
    assert_refused(WORKER, "is another one than when the server started");
    assert_int_equal(rmdir(folder), 0);
    assert_refused(WORKER, "cannot be used: No such file or directory.");
    assert_int_equal(rename(moved, folder), 0);
    seen = run(WORKER, "pwd\n");
    assert_exited(seen, 0);
    let_go(seen);
}

/* One task's program and the folder of another's. */
static void test_folders_of_others(void **state)
{
    struct program inside = list[WITHIN];
    char script[2048], other[200];
    struct stat before, after;

    (void)state;
    snprintf(other, sizeof(other), "%s/other", folder);
    assert_int_equal(mkdir(other, 0700), 0);
    assert_int_equal(lstat(other, &before), 0);
    snprintf(script, sizeof(script),
             "echo x >%s/x; rmdir %s; mv %s gone; rm -r %s; ln -s %s %s; ln -s / way; echo done\n", other,
             other, other, other, outside, other);
    inside.folder = inner;
    struct seen *seen = begin_program(&inside, script, strlen(script), false);

    wait_done(seen);
    assert_exited(seen, 0);
    let_go(seen);
    if (bounds.writes) {
        assert_int_equal(lstat(other, &after), 0);
        assert_int_equal(before.st_ino, after.st_ino);
        assert_int_equal(rmdir(other), 0);
    }
    snprintf(other, sizeof(other), "%s/way", inner);
    assert_int_equal(unlink(other), 0);
}

static void test_names_are_swapped(void **state)
{
    char script[1024], moved[200];

    (void)state;
    snprintf(script, sizeof(script), "cat %s/a %s; cat %s; ls %s; exit 0\n", lib, named, plain, outside);
    struct seen *seen = run(READER, script);

    assert_exited(seen, 0);
    /* Of its argv files are opened, and no folders. */
    assert_string_equal(seen->out, bounds.reads ? "a\nnamed\n" : "a\nnamed\nsecretplain\n");
    let_go(seen);
    snprintf(moved, sizeof(moved), "%s.moved", lib);
    assert_int_equal(rename(lib, moved), 0);
    seen = run(READER, "echo goes on\n"); /* nobody can read it then */
    assert_exited(seen, 0);
    let_go(seen);
    assert_int_equal(symlink(outside, lib), 0);
    assert_refused(READER, "/lib leads elsewhere than when the server started");
    assert_int_equal(unlink(lib), 0);
    assert_int_equal(rename(moved, lib), 0);
    snprintf(moved, sizeof(moved), "%s.moved", named);
    assert_int_equal(rename(named, moved), 0);
    assert_int_equal(symlink(plain, named), 0);
    assert_refused(READER, "/named leads elsewhere");
    assert_int_equal(rename(moved, named), 0);
}

static void test_limits(void **state)
{
    struct seen *seen = run(QUICK, "while :; do :; done\n");

    (void)state;
    assert_int_equal(seen->result.end, PROGRAM_SIGNALLED);
    assert_string_equal(seen->why, "It used more than 1 s of a processor.");
    let_go(seen);
    seen = run(LEAN, "ulimit -v; ulimit -n; head -c 20000 /dev/zero >big; echo $?; wc -c <big\n");
    assert_string_equal(seen->out, "204800\n32\n153\n10240\n"); /* 153: 128 and SIGXFSZ */
    let_go(seen);
    seen = run(PERL, "my $x = 'x' x (400 * 1024 * 1024); print length $x;");
    assert_string_equal(seen->out, "");
    let_go(seen);
}

/* A server that the kernel kills takes everything along. */

static int count_marked(const char *word)
{
    DIR *proc = opendir("/proc");
    int count = 0;

    assert_non_null(proc);
    for (struct dirent *entry; (entry = readdir(proc));) {
        char path[300], line[4096];

        snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t len = fd >= 0 ? read(fd, line, sizeof(line)) : -1;

        if (fd >= 0)
            close(fd);
        count += len > 0 && memmem(line, (size_t)len, word, strlen(word)) != NULL;
    }
    closedir(proc);
    return count;
}

static bool gone_within(const char *word, int ms)
{
    for (int64_t until = clock_ticks_ms() + ms; clock_ticks_ms() < until; usleep(10000))
        if (count_marked(word) == 0)
            return true;
    return count_marked(word) == 0;
}

/* How far programs are held. */

static bool child_can(bool (*does)(void))
{
    int status;

    fflush(NULL);
    pid_t child = fork();

    if (child == 0)
        _exit(does() ? 0 : 1);
    return waitpid(child, &status, 0) == child && status == 0;
}

static bool refuses_sockets(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool loads = filter && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 0) == 0 &&
                 seccomp_load(filter) == 0;

    seccomp_release(filter);
    return loads && socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == EPERM;
}

static bool writes_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return good;
}

static bool is_first(void)
{
    return getpid() == 1;
}

static bool makes_namespaces(void)
{
    char users[64], groups[64];

    snprintf(users, sizeof(users), "%u %u 1", geteuid(), geteuid());
    snprintf(groups, sizeof(groups), "%u %u 1", getegid(), getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC) == 0 &&
           writes_file("/proc/self/setgroups", "deny") && writes_file("/proc/self/uid_map", users) &&
           writes_file("/proc/self/gid_map", groups) && child_can(is_first);
}

static void find_what_the_kernel_gives(void)
{
    gives.filters = child_can(refuses_sockets);
    gives.landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
    gives.namespaces = child_can(makes_namespaces);
}

/* What the tests below expect follows from these. */
static void test_bounds_are_what_the_kernel_gives(void **state)
{
    (void)state;
    assert_int_equal(bounds.network, gives.filters);
    assert_int_equal(bounds.reads, gives.landlock);
    if (gives.landlock)
        assert_true(bounds.writes && bounds.alone);
    if (gives.filters && geteuid() != 0)
        assert_true(bounds.rights);
    if (gives.namespaces)
        assert_true(bounds.processes);
}

/* The hostile tool. */

/* Names its processes so that they are found: `sh -c '...' mark`. */
static char *hostile_script(const char *format)
{
    static char script[4096];

    snprintf(script, sizeof(script), format, mark, mark, mark, mark);
    return script;
}

static void test_hostile_leaves_nothing(void **state)
{
    const char *text =
        "trap '' TERM HUP INT\n"
        "sh -c 'trap \"\" TERM; while :; do sleep 1; done' %s &\n"
        "setsid sh -c 'trap \"\" TERM; sleep 300; :' %s &\n"
        "(setsid sh -c 'trap \"\" TERM; (setsid sh -c \"sleep 300; :\" %s &) ; sleep 300; :' %s &) \n"
        "sleep 0.2; echo begun; while :; do sleep 1; done\n";
    struct seen *seen = begin(SHELL_X, hostile_script(text));
    int64_t before;

    (void)state;
    wait_for(seen, "begun");
    assert_true(count_marked(mark) >= 4);
    before = clock_ticks_ms();
    programs_end(seen->run);
    wait_done(seen);
    assert_int_equal(count_marked(mark), 0); /* `done` says so, so it is so */
    assert_in_range(clock_ticks_ms() - before, 1900, 6000);
    assert_int_equal(seen->result.end, PROGRAM_ENDED);
    let_go(seen);
}

/* Those that it leaves when it ends by itself go at once. */
static void test_hostile_background(void **state)
{
    struct seen *seen =
        run(SHELL_X, hostile_script("setsid sh -c 'trap \"\" TERM; sleep 300; :' %s >/dev/null 2>&1 &\n"
                                    "(setsid sh -c 'sleep 300; :' %s %s %s &)\nsleep 0.1; echo left\n"));

    (void)state;
    assert_exited(seen, 0);
    assert_string_equal(seen->out, "left\n");
    assert_int_equal(count_marked(mark), 0);
    assert_in_range(seen->result.took_ms, 0, 3000);
    let_go(seen);
}

/* Many at once: those beyond the bound are refused, where the kernel counts; all go. */
static void test_hostile_forks(void **state)
{
    const char *text = hostile_script("trap '' TERM; i=0; while [ $i -lt 150 ]; do sh -c 'sleep 300; :' %s & "
                                      "i=$((i+1)); done; echo begun; wait #%s%s%s");
    struct seen *seen = begin(SHELL_X, text);

    (void)state;
    if (geteuid() == 0) { /* whom the kernel does not count */
        wait_for(seen, "begun");
        programs_end(seen->run);
        wait_done(seen);
        assert_int_equal(seen->result.end, PROGRAM_ENDED);
    } else {
        wait_done(seen);
        assert_exited(seen, 2);
        assert_non_null(strstr(seen->errors, "fork"));
    }
    assert_int_equal(count_marked(mark), 0);
    let_go(seen);
}

/* One that is never the same process for long, nor in the same session. */
static void test_hostile_runs_away(void **state)
{
    struct seen *seen =
        run(SHELL_X, hostile_script("perl -MPOSIX=setsid -e 'for (;;) { exit if fork; setsid }' %s "
                                    ">/dev/null 2>&1 &\nsleep 0.3; echo left #%s%s%s\n"));

    (void)state;
    assert_exited(seen, 0);
    assert_int_equal(count_marked(mark), 0);
    let_go(seen);
}

static void test_hostile_writes(void **state)
{
    char script[2048], path[200], elsewhere[64];
    struct seen *seen;

    (void)state;
    snprintf(elsewhere, sizeof(elsewhere), "/tmp/witan-out-%d", (int)getpid());
    snprintf(script, sizeof(script),
             "echo x >%s/new; echo x >>%s; rm %s; mkdir %s/d; ln %s here; mv %s here; echo x >%s; "
             "chmod 777 %s; cat %s; echo mine >mine && cat mine; exit 0\n",
             outside, plain, plain, outside, plain, plain, elsewhere, plain, plain);
    seen = run(SHELL, script);
    assert_exited(seen, 0);
    snprintf(path, sizeof(path), "%s/new", outside);
    if (bounds.writes) {
        struct stat info;

        assert_int_not_equal(access(path, F_OK), 0);
        assert_int_not_equal(access(elsewhere, F_OK), 0);
        assert_int_equal(stat(plain, &info), 0);
        assert_int_equal(info.st_size, 6);
        if (bounds.rights)
            assert_int_equal(info.st_mode & 0777, 0600);
    }
    assert_string_equal(seen->out, bounds.reads ? "mine\n" : "secret\nmine\n");
    let_go(seen);
}

static void test_hostile_socket(void **state)
{
    static const char script[] =
        "use Socket; for my $f (AF_INET, AF_INET6, AF_UNIX, 16) { print socket(my $s, $f, SOCK_DGRAM, 0) ? 'open ' : 'no '; } "
        "print socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) ? 'pair' : 'alone';";
    struct seen *seen = run(PERL, script);

    (void)state;
    assert_exited(seen, 0);
    assert_string_equal(seen->out, bounds.network ? "no no no no pair" : "open open open open pair");
    let_go(seen);
    seen = run(NETTED, script);
    assert_exited(seen, 0);
    assert_int_equal(strncmp(seen->out, "open open open", 14), 0);
    let_go(seen);
}

/* What belongs to the server and to other programs. */
static void test_hostile_looks(void **state)
{
    char script[512];
    struct seen *seen;

    (void)state;
    snprintf(
        script, sizeof(script),
        "cat /proc/%d/environ >/dev/null 2>&1 && echo environ; kill -0 %d 2>/dev/null && echo signal; "
        "cat %s 2>/dev/null; unshare -U true 2>/dev/null && echo namespace; "
        "while read l; do case $l in NoNewPrivs*|CapEff*) echo $l;; esac; done </proc/$$/status; exit 0\n",
        getpid(), getpid(), plain);
    seen = run(SHELL, script);
    assert_exited(seen, 0);
    assert_null(strstr(seen->out, "namespace"));
    assert_non_null(strstr(seen->out, "CapEff: 0000000000000000\nNoNewPrivs: 1\n"));
    if (bounds.reads)
        assert_ptr_equal(strstr(seen->out, "CapEff"), seen->out);
    let_go(seen);
    /* The command lines of this process and of the keeper, which has the same; its own it may see. */
    snprintf(script, sizeof(script),
             "cat /proc/%d/cmdline /proc/1/cmdline /proc/$PPID/cmdline /proc/[0-9]*/cmdline 2>/dev/null | "
             "tr '\\0' ' '; read l </proc/$$/comm; echo $l; head -n 1 /proc/meminfo\n",
             getpid());
    seen = run(SHELL, script);
    assert_exited(seen, 0);
    if (bounds.alone)
        assert_null(strstr(seen->out, "programs_programs"));
    assert_non_null(strstr(seen->out, "sh\nMemTotal:"));
    let_go(seen);
}

static void test_hostile_floods(void **state)
{
    struct program talkative = list[SHELL_X];
    const char *text =
        hostile_script("trap '' TERM PIPE; yes >&2 & setsid yes %s & while :; do echo %s; done #%s%s");

    (void)state;
    talkative.output_most = 200000;
    struct seen *seen = begin_program(&talkative, text, strlen(text), false);

    wait_done(seen);
    assert_int_equal(seen->result.end, PROGRAM_FLOODED);
    assert_int_equal(seen->out_len + seen->errors_len, 200000);
    assert_int_equal(count_marked(mark), 0);
    let_go(seen);
}

/* A server of its own, in a process that can be killed: starts a program that has left its session, and
 * waits.
 */
static pid_t begin_server(void)
{
    static const char text[] =
        "echo x >left; setsid sh -c 'trap \"\" TERM; sleep 300; :' %s & sh -c 'sleep 300; :' %s %s; #%s";
    const struct program *allowed[COUNT];
    int ready[2];
    char byte;

    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    fflush(NULL);
    pid_t server = fork();

    if (server == 0) {
        struct err err = { 0 };
        struct program_callbacks callbacks = { 0 };
        struct program_run *started;
        const char *script = hostile_script(text);

        for (int i = 0; i < COUNT; i++)
            allowed[i] = &list[i];
        if (!programs_fork(allowed, COUNT, &programs, &err) || !programs_open(programs, &err) ||
            !programs_start(programs, &list[SHELL_X], script, strlen(script), false, &callbacks, &started,
                            &err))
            _exit(1);
        while (count_marked(mark) < 2)
            usleep(1000);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return server;
}

/* The child of a process that has this name; 0: none. */
static pid_t child_named(pid_t parent, const char *name)
{
    DIR *proc = opendir("/proc");
    pid_t found = 0;

    assert_non_null(proc);
    for (struct dirent *entry; !found && (entry = readdir(proc));) {
        char path[300], line[512], wanted[64];

        snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t len = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;

        if (fd >= 0)
            close(fd);
        line[len > 0 ? len : 0] = '\0';
        snprintf(wanted, sizeof(wanted), "(%s) ", name);
        char *at = strstr(line, wanted);

        if (at && atoi(at + strlen(wanted) + 2) == parent)
            found = atoi(line);
    }
    closedir(proc);
    return found;
}

/* One that has ended and that nobody has asked about yet is not. */
static bool is_alive(pid_t pid)
{
    char path[64], line[512];

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;

    if (fd >= 0)
        close(fd);
    line[len > 0 ? len : 0] = '\0';
    const char *state = strrchr(line, ')');

    return state && strncmp(state, ") Z", 3) != 0;
}

static void test_server_is_killed(void **state)
{
    pid_t server = begin_server(), helper = child_named(server, "witan-programs");

    (void)state;
    assert_true(helper > 0);
    assert_int_equal(kill(server, SIGKILL), 0);
    assert_true(waitpid(server, NULL, 0) == server);
    assert_true(gone_within(mark, 2000));
    for (int i = 0; i < 500 && is_alive(helper); i++)
        usleep(10000);
    assert_false(is_alive(helper));
    assert_nothing_left();
}

static void test_helper_is_killed(void **state)
{
    pid_t server = begin_server(), helper = child_named(server, "witan-programs");

    (void)state;
    assert_true(helper > 0);
    assert_int_equal(kill(helper, SIGKILL), 0);
    bool gone = gone_within(mark, 2000);

    assert_int_equal(kill(server, SIGKILL), 0);
    assert_true(waitpid(server, NULL, 0) == server);
    assert_true(gone);
}

/* Its owner is told, and so is who wants another one. */
static void test_helper_is_gone(void **state)
{
    struct seen *seen = begin(SHELL_X, hostile_script("echo begun; sleep 300; : %s%s%s%s\n"));
    struct program_callbacks callbacks = { 0 };
    struct program_run *started;
    struct err err = { 0 };

    (void)state;
    wait_for(seen, "begun");
    assert_int_equal(kill(child_named(getpid(), "witan-programs"), SIGKILL), 0);
    wait_done(seen);
    assert_int_equal(seen->result.end, PROGRAM_FAILED);
    assert_string_equal(seen->why, "The process that starts programs is gone; restart the server.");
    let_go(seen);
    assert_false(programs_start(programs, &list[CAT], "", 0, false, &callbacks, &started, &err));
    assert_int_equal(err.code, ERR_UNAVAILABLE);
}

/* The list, and the variants of the machine that it is run on. */

static void allow(enum which which, const char *const *argv, const char *const *environment)
{
    list[which] = (struct program){ .argv = argv, .environment = environment, .time_ms = 60000 };
}

static void make_list(void)
{
    static const char *const cat[] = { "cat", NULL }, *const shell[] = { "/bin/sh", NULL },
                             *const missing[] = { "/nowhere/at/all", NULL },
                             *const not_run[] = { "/etc/passwd", NULL },
                             *const perl[] = { "/usr/bin/perl", NULL }, *const netted[] = { "perl", NULL },
                             *const marked[] = { "/bin/sh", "-s", NULL }, *const lang[] = { "LANG=C", NULL };
    static const char *reader[] = { "/bin/sh", "-s", NULL, NULL, "/", NULL }, *reads[] = { NULL, NULL };

    allow(CAT, cat, NULL);
    allow(SHELL, shell, lang);
    allow(SHELL_X, marked, lang);
    allow(WORKER, shell, NULL);
    allow(OTHER, shell, NULL);
    allow(WITHIN, shell, NULL);
    allow(MISSING, missing, NULL);
    allow(NOT_RUN, not_run, NULL);
    allow(LEAN, shell, NULL);
    allow(QUICK, shell, NULL);
    allow(NETTED, netted, NULL);
    allow(PERL, perl, NULL);
    allow(NO_FOLDER, shell, NULL);
    reader[2] = outside;
    reader[3] = named;
    reads[0] = lib;
    allow(READER, reader, NULL);
    list[READER].reads = reads;
    list[SHELL_X].processes_most = 60;
    list[WORKER].folder = folder;
    list[OTHER].folder = lib;
    list[WITHIN].within = folder;
    list[LEAN].memory_most = 200 << 20;
    list[LEAN].file_most = 10 << 10;
    list[LEAN].files_most = 32;
    list[QUICK].cpu_seconds = 1;
    list[NETTED].network = true;
    list[PERL].memory_most = 300 << 20;
    list[NO_FOLDER].folder = "/nowhere";
}

static void put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void make_folders(void)
{
    strcpy(base, "/tmp/witan-programs-XXXXXX");
    assert_non_null(mkdtemp(base));
    snprintf(scratch, sizeof(scratch), "%s/scratch", base);
    assert_int_equal(mkdir(scratch, 0700), 0);
    assert_int_equal(setenv("TMPDIR", scratch, 1), 0); /* where folders of programs are made */
    snprintf(folder, sizeof(folder), "%s/work", base);
    snprintf(inner, sizeof(inner), "%s/task", folder);
    snprintf(outside, sizeof(outside), "%s/outside", base);
    snprintf(way_out, sizeof(way_out), "%s/link", folder);
    snprintf(plain, sizeof(plain), "%s/plain", outside);
    snprintf(mark, sizeof(mark), "hostile-%d-%s", getpid(), base + strlen(base) - 6);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(mkdir(outside, 0700), 0);
    assert_int_equal(symlink(outside, way_out), 0);
    snprintf(lib, sizeof(lib), "%s/lib", base);
    snprintf(named, sizeof(named), "%s/named", base);
    assert_int_equal(mkdir(lib, 0700), 0);
    char inside[200];

    snprintf(inside, sizeof(inside), "%s/a", lib);
    put(inside, "a\n");
    put(named, "named\n");
    put(plain, "secret");
}

static int set_up(void **state)
{
    (void)state;
    make_folders();
    make_list();
    return 0;
}

static int open_programs(void **state)
{
    const struct program *allowed[COUNT];
    struct err err = { 0 };

    (void)state;
    for (int i = 0; i < COUNT; i++)
        allowed[i] = &list[i];
    find_what_the_kernel_gives(); /* before there is a thread */
    if (!programs_fork(allowed, COUNT, &programs, &err) || !programs_open(programs, &err))
        fail_msg("%s", err.text);
    programs_bounds(programs, &bounds);
    fprintf(stderr, "the kernel gives: filters %d, landlock %d, namespaces %d\n", gives.filters,
            gives.landlock, gives.namespaces);
    fprintf(stderr, "bounds: reads %d, writes %d, rights %d, network %d, processes %d, alone %d\n",
            bounds.reads, bounds.writes, bounds.rights, bounds.network, bounds.processes, bounds.alone);
    return 0;
}

/* A helper that was killed could not do it. */
static int clear_scratch(void **state)
{
    char command[160];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s/witan-tool-*", scratch);
    return system(command) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    programs_close(programs);
    snprintf(command, sizeof(command), "rm -rf %s", base);
    return system(command) == 0 ? 0 : -1;
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_echo),
        cmocka_unit_test(test_nothing_in),
        cmocka_unit_test(test_large_input),
        cmocka_unit_test(test_slow_reader),
        cmocka_unit_test(test_conversation),
        cmocka_unit_test(test_too_much_waits),
        cmocka_unit_test(test_exit_status),
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_time_out),
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_enough),
        cmocka_unit_test(test_hundred_at_once),
        cmocka_unit_test(test_not_allowed),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_clean_start),
        cmocka_unit_test(test_own_folder),
        cmocka_unit_test(test_given_folder),
        cmocka_unit_test(test_folder_within),
        cmocka_unit_test(test_folder_is_swapped),
        cmocka_unit_test(test_folders_of_others),
        cmocka_unit_test(test_names_are_swapped),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_bounds_are_what_the_kernel_gives),
        cmocka_unit_test(test_hostile_leaves_nothing),
        cmocka_unit_test(test_hostile_background),
        cmocka_unit_test(test_hostile_forks),
        cmocka_unit_test(test_hostile_runs_away),
        cmocka_unit_test(test_hostile_writes),
        cmocka_unit_test(test_hostile_socket),
        cmocka_unit_test(test_hostile_looks),
        cmocka_unit_test(test_hostile_floods),
        cmocka_unit_test(test_helper_is_gone), /* last: there is none after it */
    };
    /* Before this process has a thread, since those forks start their own. */
    const struct CMUnitTest killed[] = {
        cmocka_unit_test(test_server_is_killed),
        cmocka_unit_test(test_helper_is_killed),
    };

    return cmocka_run_group_tests(killed, set_up, clear_scratch) +
           cmocka_run_group_tests(tests, open_programs, tear_down);
}

/* As a container's or a service's rules would have it. */
static bool refuse_namespaces(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

    bool good = filter && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 0) == 0 &&
                seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                 SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWPID, CLONE_NEWPID)) == 0 &&
                seccomp_load(filter) == 0;

    seccomp_release(filter);
    return good;
}

static bool become_ordinary(void)
{
    return geteuid() != 0 ||
           (setgid(65534) == 0 && setuid(65534) == 0 && prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
}

static pid_t begin_variant(const char *name, bool ordinary, bool namespaces)
{
    fflush(NULL);
    pid_t child = fork();

    if (child == 0) {
        fprintf(stderr, "%s\n", name);
        if ((ordinary && !become_ordinary()) || (!namespaces && !refuse_namespaces()))
            exit(99);
        exit(run_all());
    }
    return child;
}

static int end_variant(pid_t child)
{
    int status;

    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Two at a time, since they mostly wait; never two of one user, whose processes are counted together. */
int main(void)
{
    pid_t first = begin_variant("as it is", false, true),
          second = begin_variant("an ordinary user without namespaces", true, false);
    int failed = end_variant(first) + end_variant(second);

    first = begin_variant("without namespaces", false, false);
    second = begin_variant("an ordinary user", true, true);
    return failed + end_variant(first) + end_variant(second);
}

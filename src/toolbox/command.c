/*
 * A command that runs is in a list under one lock, from before its program is started until its last word.
 * Programs call back on a thread of their own, perhaps before programs_start has returned: so a call is found
 * by its id there and back, and its program is touched only while it is in the list.
 */
#include "toolbox/internal.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/str.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct command_call {
    struct command_call *before, *next;
    struct commands *commands;
    uint64_t id;
    const struct tool_command *command;
    struct tool_callbacks callbacks;
    struct program_run *run; /* NULL until programs_start has returned */
    struct buf output, errors;
    bool cancelled, over; /* over: the program is gone */
};

struct commands {
    struct programs *programs;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    struct command_call *first;
    bool closing;
};

struct commands *commands_new(struct programs *programs)
{
    struct commands *commands = memory_take(sizeof(*commands));

    *commands = (struct commands){ .programs = programs };
    pthread_mutex_init(&commands->lock, NULL);
    pthread_cond_init(&commands->ended, NULL);
    return commands;
}

/* Under the lock. */
static struct command_call *find(struct commands *commands, uint64_t id)
{
    struct command_call *call = commands->first;

    while (call && call->id != id)
        call = call->next;
    return call;
}

static void enlist(struct commands *commands, struct command_call *call)
{
    pthread_mutex_lock(&commands->lock);
    call->next = commands->first;
    if (call->next)
        call->next->before = call;
    commands->first = call;
    pthread_mutex_unlock(&commands->lock);
}

static void strike(struct commands *commands, struct command_call *call)
{
    pthread_mutex_lock(&commands->lock);
    if (call->before)
        call->before->next = call->next;
    else
        commands->first = call->next;
    if (call->next)
        call->next->before = call->before;
    if (!commands->first)
        pthread_cond_broadcast(&commands->ended);
    pthread_mutex_unlock(&commands->lock); /* the commands may be gone from here on */
}

static void forget(struct command_call *call)
{
    buf_done(&call->output);
    buf_done(&call->errors);
    free(call);
}

/* The helper counts both outputs together and ends a flood; what does not fit here is dropped. */
static bool take_output(void *user, const char *bytes, size_t len)
{
    struct command_call *call = user;

    buf_add(&call->output, bytes, len);
    return true;
}

static bool take_errors(void *user, const char *bytes, size_t len)
{
    struct command_call *call = user;

    buf_add(&call->errors, bytes, len);
    return true;
}

/* Bytes of a program as a text: what is not UTF-8 becomes U+FFFD, what no terminal should get goes, and so do
 * the empty lines at the end. */
static char *as_text(struct arena *arena, const struct buf *bytes)
{
    BUF_AUTO text = { 0 };
    char *clean;
    size_t len;

    buf_init(&text, 3 * bytes->len + 4);
    for (size_t at = 0; at < bytes->len;) {
        uint32_t code;
        size_t used = bytes->bytes[at] ? str_decode(bytes->bytes + at, bytes->len - at, &code) : 0;

        if (used)
            buf_add(&text, bytes->bytes + at, used);
        else
            buf_text(&text, "\xef\xbf\xbd");
        at += used ? used : 1;
    }
    clean = str_sanitise(arena, text.len ? text.bytes : "");
    len = strlen(clean);
    while (len > 0 && (clean[len - 1] == '\n' || clean[len - 1] == ' ' || clean[len - 1] == '\t'))
        len--;
    clean[len] = '\0';
    return clean;
}

/* What it printed before something went wrong, behind the sentence about that. */
static const char *with_output(struct arena *arena, const char *sentence, const struct command_call *call)
{
    const char *errors = as_text(arena, &call->errors), *output = as_text(arena, &call->output);

    return arena_format(arena, "%s%s%s%s%s", sentence, *errors ? "\nIt said:\n" : "", errors,
                        *output ? "\nIt printed:\n" : "", output);
}

/* Where a sentence of the helper's is missing, one of ours. */
static const char *why_of(const struct program_result *result, const char *usual)
{
    return result->why && *result->why ? result->why : usual;
}

static void judge_exit(struct arena *arena, const struct command_call *call, int status,
                       struct tool_result *result)
{
    if (status == 0) {
        result->end = TOOL_FINE;
        result->text = as_text(arena, &call->output);
        if (!*result->text)
            result->text = "It ended well and printed nothing.";
        return;
    }
    result->end = TOOL_ERROR;
    result->text =
        with_output(arena, arena_format(arena, "The tool failed with exit status %d.", status), call);
}

static void judge(struct arena *arena, const struct command_call *call, bool closing,
                  const struct program_result *of, struct tool_result *result)
{
    *result = (struct tool_result){ .took_ms = of->took_ms };
    switch (of->end) {
    case PROGRAM_EXITED: judge_exit(arena, call, of->status, result); return;
    case PROGRAM_SIGNALLED:
        result->end = TOOL_ERROR;
        result->text = with_output(arena, why_of(of, "The tool was ended by a signal."), call);
        return;
    case PROGRAM_TIMED_OUT:
        result->end = TOOL_TIMED_OUT;
        result->text = with_output(arena, why_of(of, "The tool took too long and was ended."), call);
        return;
    case PROGRAM_FLOODED:
        result->end = TOOL_FLOODED;
        result->text = with_output(arena, why_of(of, "The tool printed too much and was ended."), call);
        return;
    case PROGRAM_ENDED:
        result->end = closing && !call->cancelled ? TOOL_BROKE_OFF : TOOL_CANCELLED;
        result->text = result->end == TOOL_CANCELLED ? "The tool was ended because its call was cancelled."
                                                     : "The tool was ended because the server stops.";
        return;
    case PROGRAM_FAILED: break;
    }
    result->end = TOOL_NOT_THERE;
    result->text = why_of(of, "The tool could not be started.");
}

static void program_done(void *user, const struct program_result *of)
{
    struct command_call *call = user;
    struct commands *commands = call->commands;
    ARENA_AUTO arena = { 0 };
    struct tool_result result;
    bool closing;

    pthread_mutex_lock(&commands->lock);
    closing = commands->closing;
    call->over = true; /* nobody touches its program from here on */
    call->run = NULL;
    pthread_mutex_unlock(&commands->lock);
    judge(&arena, call, closing, of, &result);
    call->callbacks.done(call->callbacks.user, &result);
    strike(commands, call);
    forget(call);
}

/* The program is known from here on, and ended at once if that was asked for meanwhile. */
static void began(struct commands *commands, uint64_t id, struct program_run *run)
{
    struct command_call *call;

    pthread_mutex_lock(&commands->lock);
    call = find(commands, id);
    if (call && !call->over) {
        call->run = run;
        if (call->cancelled || commands->closing)
            programs_end(run);
    }
    pthread_mutex_unlock(&commands->lock);
}

bool commands_call(struct commands *commands, const struct tool_command *command, const char *arguments,
                   const struct tool_callbacks *callbacks, uint64_t id, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    const char *input = arena_format(&arena, "%s\n", arguments);
    struct command_call *call = memory_take(sizeof(*call));
    struct program_callbacks own = { take_output, take_errors, program_done, call };
    struct program_run *run;

    *call =
        (struct command_call){ .commands = commands, .id = id, .command = command, .callbacks = *callbacks };
    buf_init(&call->output, command->program.output_most);
    buf_init(&call->errors, LIMIT_TOOL_ERRORS);
    enlist(commands, call);
    if (!programs_start(commands->programs, &command->program, input, strlen(input), false, &own, &run,
                        err)) {
        strike(commands, call);
        forget(call);
        return false;
    }
    began(commands, id, run);
    return true;
}

void commands_cancel(struct commands *commands, uint64_t id)
{
    struct command_call *call;

    pthread_mutex_lock(&commands->lock);
    call = find(commands, id);
    if (call) {
        call->cancelled = true;
        if (call->run)
            programs_end(call->run);
    }
    pthread_mutex_unlock(&commands->lock);
}

void commands_free(struct commands *commands)
{
    pthread_mutex_lock(&commands->lock);
    commands->closing = true;
    for (struct command_call *call = commands->first; call; call = call->next)
        if (call->run)
            programs_end(call->run);
    while (commands->first)
        pthread_cond_wait(&commands->ended, &commands->lock);
    pthread_mutex_unlock(&commands->lock);
    pthread_mutex_destroy(&commands->lock);
    pthread_cond_destroy(&commands->ended);
    free(commands);
}

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
#include "toolbox/secrets.h"

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
    bool errors_cut;      /* of them the beginning and the end were kept */
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

#define ERRORS_EACH (LIMIT_TOOL_ERRORS / 2)
#define FLOOD_EACH  (2 * KB) /* of what a flood begins and ends with, so that a model can do something */

/* Both outputs are counted together, and a flood is ended; what does not fit here is dropped. */
static bool take_output(void *user, const char *bytes, size_t len)
{
    struct command_call *call = user;

    size_t most = call->command->program.output_most, room = most > 0 ? most - call->output.len : len;

    buf_add(&call->output, bytes, len < room ? len : room);
    return true;
}

static bool take_errors(void *user, const char *bytes, size_t len)
{
    struct command_call *call = user;

    size_t room = LIMIT_TOOL_ERRORS - call->errors.len, head = len < room ? len : room;
    size_t drop = len - head;

    buf_add(&call->errors, bytes, head);
    if (drop == 0)
        return true;
    /* What is behind the beginning moves on. */
    char *end = call->errors.bytes + ERRORS_EACH;
    size_t fresh = drop < ERRORS_EACH ? drop : ERRORS_EACH;

    memmove(end, end + fresh, ERRORS_EACH - fresh);
    memcpy(end + ERRORS_EACH - fresh, bytes + len - fresh, fresh);
    call->errors_cut = true;
    return true;
}

/* Bytes of a program as a text: what is not UTF-8 becomes U+FFFD, what no terminal should get goes, and so do
 * the empty lines at the end. */
static char *as_text(struct arena *arena, const char *bytes, size_t count)
{
    BUF_AUTO text = { 0 };
    char *clean;
    size_t len;

    buf_init(&text, 3 * count + 4);
    for (size_t at = 0; at < count;) {
        uint32_t code;
        size_t used = bytes[at] ? str_decode(bytes + at, count - at, &code) : 0;

        if (used)
            buf_add(&text, bytes + at, used);
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

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* As a text that has nothing of a secret, before anything else is cut, and no half characters. What a secret
 * has that is cleaned away makes it another text, and what was cleaned away may have stood inside of one. */
static const char *shown(struct arena *arena, const struct command_call *call, struct said_part part)
{
    size_t last = part.len;
    uint32_t code;

    while (part.cut_behind && last > 0 && part.len - last < 3 && is_inside_character(part.bytes[last - 1]))
        last--;
    if (part.cut_behind && last > 0 && !str_decode(part.bytes + last - 1, part.len - (last - 1), &code))
        part.len = last - 1;
    for (int i = 0; part.cut_before && i < 3 && part.len > 0 && is_inside_character(*part.bytes); i++) {
        part.bytes++;
        part.len--;
    }
    part = secrets_hidden_part(arena, call->command->secrets, part);
    part.bytes = as_text(arena, part.bytes, part.len);
    part.len = strlen(part.bytes);
    return secrets_hidden_part(arena, call->command->secrets, part).bytes;
}

/* How much of the beginning is shown: whole lines, or whole characters of one that is longer. */
static size_t first_part(const char *text, size_t most)
{
    size_t all = strlen(text), len = all < most ? all : most;
    const char *line = memrchr(text + len / 2, '\n', len - len / 2);

    if (line)
        return (size_t)(line - text);
    while (len > 0 && is_inside_character(text[len]))
        len--;
    return len;
}

static const char *last_part(const char *text, size_t most)
{
    size_t all = strlen(text), len = all < most ? all : most;
    const char *from = text + (all - len), *line = memchr(from, '\n', len / 2);

    while (!line && is_inside_character(*from))
        from++;
    return line ? line + 1 : from;
}

/* All of it, or its beginning and its end; `gap`: no more than these were kept. `broken`: it was ended while
 * it may have been writing. */
static const char *ends_of(struct arena *arena, const struct command_call *call, const struct buf *said,
                           size_t each, bool gap, bool broken)
{
    const struct said_part all = { said->bytes, said->len, false, broken };
    const char *begins, *ends;

    if (gap) {
        begins = shown(arena, call, (struct said_part){ said->bytes, ERRORS_EACH, false, true });
        ends = shown(arena, call,
                     (struct said_part){ said->bytes + ERRORS_EACH, said->len - ERRORS_EACH, true, broken });
    } else {
        begins = ends = shown(arena, call, all);
        if (strlen(begins) <= 2 * each)
            return begins;
    }
    return arena_format(arena, "%.*s\n[...]\n%s", (int)first_part(begins, each), begins,
                        last_part(ends, each));
}

/* What it printed before something went wrong, behind the sentence about that. */
static const char *with_output(struct arena *arena, const char *sentence, const struct command_call *call,
                               enum program_end end)
{
    bool flooded = end == PROGRAM_FLOODED, broken = end != PROGRAM_EXITED;
    const char *errors = ends_of(arena, call, &call->errors, flooded ? FLOOD_EACH : ERRORS_EACH,
                                 call->errors_cut, broken),
               *output =
                   ends_of(arena, call, &call->output, flooded ? FLOOD_EACH : SIZE_MAX / 2, false, broken);

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
        result->text =
            shown(arena, call, (struct said_part){ call->output.bytes, call->output.len, false, false });
        if (!*result->text)
            result->text = "It ended well and printed nothing.";
        return;
    }
    result->end = TOOL_ERROR;
    result->text = with_output(arena, arena_format(arena, "The tool failed with exit status %d.", status),
                               call, PROGRAM_EXITED);
}

/* Why there may be no folder to start it in. */
#define ABOUT_TASK_FOLDERS \
    " It works in the folder of its task, which the server of an orchestrator makes when it takes the task."

static void judge(struct arena *arena, const struct command_call *call, bool closing,
                  const struct program_result *of, struct tool_result *result)
{
    *result = (struct tool_result){ .took_ms = of->took_ms };
    switch (of->end) {
    case PROGRAM_EXITED: judge_exit(arena, call, of->status, result); return;
    case PROGRAM_SIGNALLED:
        result->end = TOOL_ERROR;
        result->text = with_output(arena, why_of(of, "The tool was ended by a signal."), call, of->end);
        return;
    case PROGRAM_TIMED_OUT:
        result->end = TOOL_TIMED_OUT;
        result->text = with_output(arena, why_of(of, "The tool took too long and was ended."), call, of->end);
        return;
    case PROGRAM_FLOODED:
        result->end = TOOL_FLOODED;
        result->text =
            with_output(arena, why_of(of, "The tool printed too much and was ended."), call, of->end);
        return;
    case PROGRAM_ENDED:
        result->end = closing && !call->cancelled ? TOOL_BROKE_OFF : TOOL_CANCELLED;
        result->text = result->end == TOOL_CANCELLED ? "The tool was ended because its call was cancelled."
                                                     : "The tool was ended because the server stops.";
        return;
    case PROGRAM_FAILED: break;
    }
    result->end = TOOL_NOT_THERE;
    result->text = arena_format(arena, "%s%s", why_of(of, "The tool could not be started."),
                                call->command->tool.in_task_folder ? ABOUT_TASK_FOLDERS : "");
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
    result.text = secrets_hidden(&arena, call->command->secrets, result.text);
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

/* Its program for this call: told what it is a part of, and in the folder of its task or nowhere. */
static bool program_for(struct arena *arena, const struct tool_command *command, const struct tool_work *work,
                        struct program *program, struct err *err)
{
    *program = command->program;
    program->environment = tool_work_environment(arena, &command->program, work);
    if (!command->tool.in_task_folder)
        return true;
    program->folder = tool_work_folder(arena, program->within, work->task_id);
    return program->folder ||
           err_set(err, ERR_UNAVAILABLE, "%s works in the folder of a task, and this job has none.",
                   command->tool.name);
}

bool commands_call(struct commands *commands, const struct tool_command *command,
                   const struct tool_request *request, const struct tool_callbacks *callbacks, uint64_t id,
                   struct err *err)
{
    ARENA_AUTO arena = { 0 };
    const char *input = arena_format(&arena, "%s\n", request->arguments);
    struct command_call *call = memory_take(sizeof(*call));
    struct program_callbacks own = { take_output, take_errors, program_done, call };
    struct program_run *run;
    struct program program;

    *call =
        (struct command_call){ .commands = commands, .id = id, .command = command, .callbacks = *callbacks };
    buf_init(&call->output, 0);
    buf_init(&call->errors, 0);
    enlist(commands, call);
    if (!program_for(&arena, command, &request->work, &program, err) ||
        !programs_start(commands->programs, &program, input, strlen(input), false, &own, &run, err)) {
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

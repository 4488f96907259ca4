/*
 * Calling tools. A call begins when the store says that it runs, and never twice. The toolbox calls back on
 * threads of its own: what a tool asks people, how far it has come and how it ended are copied there and sent
 * as mail, in the order in which they came.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "engine/runner_internal.h"

#include <stdlib.h>
#include <string.h>

#define PROGRESS_MS 1000 /* how often a tool's progress is passed on */

static struct held_call *call_of_mail(struct mail *mail)
{
    return (struct held_call *)(void *)((char *)mail - offsetof(struct held_call, mail));
}

struct held_call *held_call_find(struct held_run *held, const char *call_id)
{
    for (struct held_call *call = held->calls; call; call = call->next)
        if (str_equal(call->call_id, call_id))
            return call;
    return NULL;
}

void held_word_free(struct held_word *word)
{
    arena_done(&word->arena);
    free(word);
}

/* Whatever is not stored yet of what a tool has said in between. */
static void forget_words(struct held_run *held, const struct held_call *call)
{
    struct held_word **at = &held->words;

    while (*at) {
        struct held_word *word = *at;

        if (word->call != call) {
            at = &word->next;
            continue;
        }
        *at = word->next;
        held_word_free(word);
    }
    held->last_word = at;
}

void held_call_free(struct held_call *call)
{
    struct held_run *held = call->held;
    struct held_call **at = &held->calls;

    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    forget_words(held, call);
    held->runner->calls_asking -= call->asked != NULL;
    for (struct held_word *asked = call->asked, *next; asked; asked = next) {
        next = asked->next;
        held_word_free(asked);
    }
    if (call->stage != HELD_LINE)
        held->runner->calls_out--;
    arena_done(&call->arena);
    free(call);
}

/* What a tool says. */

static void ended(struct mail *mail)
{
    struct held_call *call = call_of_mail(mail);
    struct held_run *held = call->held;
    /* One that was ended because the server stops is left as it is: nobody knows how far it came. */
    bool kept = !call->unwanted && !held->lost && !(held->doomed && call->result.end == TOOL_CANCELLED);

    atomic_fetch_add(&held->runner->ends[call->result.end], 1);
    call->stage = HELD_BACK;
    call->unwanted = !kept;
    forget_words(held, call);
    held_move(held);
}

static void tool_done(void *user, const struct tool_result *result)
{
    struct held_call *call = user;

    call->result = *result;
    call->result.text = arena_text(&call->arena, result->text ? result->text : "");
    call->result.data = arena_text(&call->arena, result->data);
    holder_post(&call->held->runner->holder, &call->mail, ended);
}

static struct held_word *word_new(struct held_call *call)
{
    struct held_word *word = memory_take(sizeof(*word));

    memset(word, 0, sizeof(*word));
    word->arena.block = 1024;
    word->call = call;
    return word;
}

static void heard_word(struct mail *mail)
{
    struct held_word *word = (struct held_word *)mail;
    struct held_run *held = word->call->held;

    if (held->doomed || word->call->unwanted) {
        held_word_free(word); /* its call is being closed */
        return;
    }
    word->next = NULL;
    *held->last_word = word;
    held->last_word = &word->next;
    held_move(held);
}

static void tool_asked(void *user, const struct tool_elicitation *asked)
{
    struct held_call *call = user;
    struct held_word *word = word_new(call);

    word->asked = (struct tool_elicitation){ .id = arena_text(&word->arena, asked->id),
                                             .message = arena_text(&word->arena, asked->message),
                                             .schema = arena_text(&word->arena, asked->schema),
                                             .url = arena_text(&word->arena, asked->url) };
    holder_post(&call->held->runner->holder, &word->mail, heard_word);
}

static void tool_progress(void *user, double done, double total, const char *words)
{
    struct held_call *call = user;
    int64_t now = clock_ticks_ms();

    if (call->told_ms > 0 && now - call->told_ms < PROGRESS_MS)
        return;
    call->told_ms = now;
    struct held_word *word = word_new(call);

    word->done = done;
    word->total = total;
    word->words = arena_text(&word->arena, words);
    holder_post(&call->held->runner->holder, &word->mail, heard_word);
}

/* Calls. */

static struct tool copy_tool(struct arena *arena, const struct tool *from)
{
    struct tool to = *from;

    to.name = arena_text(arena, from->name);
    to.description = arena_text(arena, from->description);
    to.schema = arena_text(arena, from->schema);
    to.server = arena_text(arena, from->server);
    to.server_tool = arena_text(arena, from->server_tool);
    to.digest = arena_text(arena, from->digest);
    to.category = arena_text(arena, from->category);
    to.projects = to.roles = NULL; /* core has asked who may */
    return to;
}

static struct tool_work copy_work(struct arena *arena, const struct tool_work *from)
{
    return (struct tool_work){ arena_text(arena, from->job_id), arena_text(arena, from->project_id),
                               arena_text(arena, from->task_id) };
}

static void no_result(struct held_call *call, const struct err *err)
{
    call->result = (struct tool_result){ .end = TOOL_NOT_THERE, .text = arena_text(&call->arena, err->text) };
    atomic_fetch_add(&call->held->runner->ends[TOOL_NOT_THERE], 1);
    call->stage = HELD_BACK;
}

void held_call_begin(struct held_call *call)
{
    struct toolbox *toolbox = call->held->runner->toolbox;
    struct tool_callbacks callbacks = {
        .asked = tool_asked, .progress = tool_progress, .done = tool_done, .user = call
    };
    const struct tool_request request = { &call->tool, call->arguments, call->work };
    struct err err = { 0 };

    call->stage = HELD_OUT;
    call->closed = false;
    if (!toolbox)
        err_set(&err, ERR_UNAVAILABLE, "This server has no tools.");
    else if (toolbox_call(toolbox, &request, &callbacks, &call->call, &err))
        return;
    no_result(call, &err);
}

void held_call_adopt(struct held_run *held, const struct run_todo *todo, bool begun)
{
    if (held_call_find(held, todo->call_id))
        return;
    struct held_call *call = memory_take(sizeof(*call)), **at = &held->calls;

    memset(call, 0, sizeof(*call));
    call->held = held;
    call->call_id = arena_text(&call->arena, todo->call_id);
    call->arguments = arena_text(&call->arena, todo->arguments);
    call->tool = copy_tool(&call->arena, todo->tool);
    call->work = copy_work(&call->arena, &todo->work);
    while (*at)
        at = &(*at)->next;
    *at = call;
    if (!begun)
        return;
    held->runner->calls_out++;
    held_call_begin(call);
}

/* Its process ends, or its connection closes; its last word follows. */
static void close_call(struct held_call *call)
{
    if (call->stage == HELD_OUT && !call->closed)
        toolbox_cancel(call->held->runner->toolbox, call->call);
    call->closed = true;
}

static void drop_call(struct held_call *call)
{
    call->unwanted = true;
    switch (call->stage) {
    case HELD_LINE: held_call_free(call); break;
    case HELD_OUT: close_call(call); break;
    case HELD_BACK: break; /* held_calls_sweep */
    case HELD_BEGINS:
    case HELD_ENDS: break; /* a unit has it */
    }
}

/* Between two units: one may have a word of a call that has ended by now. */
void held_calls_sweep(struct held_run *held)
{
    for (struct held_call *call = held->calls, *next; call; call = next) {
        next = call->next;
        if (call->stage == HELD_BACK && call->unwanted)
            held_call_free(call);
    }
}

void held_call_unwanted(struct held_run *held, const char *call_id)
{
    struct held_call *call = held_call_find(held, call_id);

    if (call)
        drop_call(call);
}

/* Without `lost`, what has come back is still stored: the server stops. */
void held_calls_drop(struct held_run *held, bool lost)
{
    for (struct held_call *call = held->calls, *next; call; call = next) {
        next = call->next;
        if (lost || call->stage == HELD_LINE)
            drop_call(call);
        else
            close_call(call);
    }
}

static void answer_one(struct held_run *held, const struct run_answered *answered)
{
    struct held_call *call = held_call_find(held, answered->call_id);
    struct held_word **at = call ? &call->asked : NULL;

    while (at && *at && !str_equal((*at)->asked.id, answered->elicitation))
        at = &(*at)->next;
    if (!at || !*at)
        return;
    struct held_word *word = *at;

    *at = word->next;
    held_word_free(word);
    held->runner->calls_asking -= call->asked == NULL;
    if (call->stage == HELD_OUT)
        toolbox_answer(held->runner->toolbox, call->call, answered->elicitation, answered->answer,
                       answered->content);
}

void held_calls_answered(struct held_run *held, const struct run_answered *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        answer_one(held, &list[i]);
}

/* The same result would be refused again: the reason takes its place. */
void held_call_give_up(struct held_call *call, const struct err *why)
{
    log_line(LOG_WARN, "the result of a tool could not be stored", "job", call->held->job_id, "tool",
             call->tool.name, "why", why->text, NULL);
    call->given_up = true;
    call->result = (struct tool_result){
        .end = TOOL_ERROR,
        .text = arena_format(&call->arena, "It ran, but what came of it could not be stored. %s",
                             err_for_callers(why)),
        .took_ms = call->result.took_ms,
    };
}

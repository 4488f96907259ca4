/*
 * The terminal stays in its usual mode, in which it hands over whole lines; a signal is heard by the
 * interrupt of the command (interrupt.h). What was typed before a question stood there is no answer to it.
 */
#include "cli/client/run_asking.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/client/patience.h"
#include "cli/client/question_ref.h"
#include "cli/client/question_view.h"
#include "cli/terminal.h"
#include "cli/text_edit.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

/* What an approval takes, said to whoever typed something else. */
#define DECIDING \
    "Type approve, or reject and, if you like, why, or edit to change the arguments; a JSON object is taken as " \
    "the changed ones."

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

void run_asking_open(struct run_asking *asking, struct cli *cli, bool asks)
{
    *asking = (struct run_asking){ .cli = cli, .fd = -1, .told = json_object() };
    if (asks && terminal_can_ask(cli))
        asking->terminal = fopen("/dev/tty", "r+e");
    if (asking->terminal)
        asking->fd = fileno(asking->terminal);
}

static void put_down(struct run_asking *asking)
{
    json_decref(asking->question);
    json_decref(asking->args);
    asking->question = NULL;
    asking->args = NULL;
}

/* Whoever runs in the background reads no terminal. */
static bool is_in_front(const struct run_asking *asking)
{
    return asking->fd >= 0 && tcgetpgrp(asking->fd) == getpgrp();
}

void run_asking_close(struct run_asking *asking)
{
    if (asking->question)
        cli_print_to(asking->terminal, "\n", 1);
    /* What was typed for a question must not be read as a command by the shell behind this. */
    if (asking->asked && is_in_front(asking))
        tcflush(asking->fd, TCIFLUSH);
    put_down(asking);
    json_decref(asking->told);
    if (asking->terminal)
        fclose(asking->terminal);
    asking->terminal = NULL;
    asking->fd = -1;
}

static bool is_approval(const json_t *question)
{
    return str_equal(text_of(question, "responseType"), "approval");
}

static const json_t *proposed(const json_t *question)
{
    const json_t *args = json_object_get(json_object_get(question, "action"), "args");

    return json_is_object(args) ? args : NULL;
}

static void say(const struct run_asking *asking, const struct buf *text)
{
    cli_print_to(asking->terminal, text->bytes, text->len);
}

static void prompt(struct run_asking *asking)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    buf_text(&text, proposed(asking->question) ? "approve, reject or edit> " : view_wanted(asking->question));
    say(asking, &text);
}

/* The whole question, and a line to type. */
static void put(struct run_asking *asking, const json_t *question)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    struct term term;

    asking->question = json_incref((json_t *)(uintptr_t)question);
    asking->asked = true;
    buf_init(&text, 0);
    term_init(&term, &arena, &text, asking->cli->colour);
    buf_char(&text, '\n');
    view_write_asked(&term, question, clock_now_ms());
    say(asking, &text);
    tcflush(asking->fd, TCIFLUSH);
    prompt(asking);
}

/* Where nobody can be asked here: what to do about it elsewhere. */
static void tell(struct run_asking *asking, const json_t *question)
{
    struct cli *cli = asking->cli;
    const char *id = text_of(question, "id"), *bar = view_bar(question);
    bool waits = !str_equal(text_of(question, "type"), "non_blocking");

    cli_note(cli, "%s: %s", waits ? "It waits for an answer" : "It asks, and goes on with its default",
             term_line(cli->arena, text_of(question, "question")));
    if (bar)
        cli_note(cli, "  %s", term_line(cli->arena, bar));
    else
        cli_note(cli, "  %s", view_how(cli->arena, question_ref_short(cli->arena, id), question));
}

static bool was_told(const struct run_asking *asking, const json_t *question)
{
    return json_object_get(asking->told, text_of(question, "id")) != NULL;
}

static void take_up(struct run_asking *asking, const json_t *question)
{
    bool may =
        is_in_front(asking) && !view_bar(question) && !str_equal(text_of(question, "type"), "non_blocking");

    if (was_told(asking, question) || (may && asking->question))
        return;
    if (may) {
        put(asking, question);
        return;
    }
    if (asking->question) /* it would stand in the line that is being typed */
        return;
    json_object_set_new(asking->told, text_of(question, "id"), json_true());
    tell(asking, question);
}

static const json_t *find(const json_t *questions, const char *id)
{
    const json_t *question;
    size_t i;

    json_array_foreach(questions, i, question)
    {
        if (str_equal(text_of(question, "id"), id))
            return question;
    }
    return NULL;
}

/* It ended without what was being typed. */
static void withdraw(struct run_asking *asking, const json_t *ended)
{
    struct cli *cli = asking->cli;
    const char *by = text_of(json_object_get(ended, "outcome"), "by");
    const char *answer = view_answer(cli->arena, json_object_get(ended, "response"));

    cli_note(cli, "\nThis has ended meanwhile%s%s%s%s.", by ? ", by " : "",
             by ? term_line(cli->arena, by) : "", answer ? ": " : "",
             answer ? term_line(cli->arena, answer) : "");
    put_down(asking);
}

void run_asking_offer(struct run_asking *asking, const json_t *questions)
{
    const json_t *question, *now;
    size_t i;

    if (asking->question) {
        now = find(questions, text_of(asking->question, "id"));
        if (!now || !view_is_open(now))
            withdraw(asking, now);
    }
    json_array_foreach(questions, i, question)
    {
        if (view_is_open(question))
            take_up(asking, question);
    }
}

void run_asking_again(struct run_asking *asking)
{
    if (asking->question)
        prompt(asking);
}

bool run_asking_waits(const struct run_asking *asking)
{
    return asking->question != NULL && is_in_front(asking);
}

/* What is typed */

static void leave(struct run_asking *asking)
{
    const char *id = text_of(asking->question, "id");

    cli_note(asking->cli, "\nLeft open. Answer it with:\n  %s",
             view_how(asking->cli->arena, question_ref_short(asking->cli->arena, id), asking->question));
    json_object_set_new(asking->told, id, json_true());
    put_down(asking);
}

/* Shows what would be approved now, and asks again. */
static void show_args(struct run_asking *asking)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    struct term term;

    buf_init(&text, 0);
    term_init(&term, &arena, &text, asking->cli->colour);
    view_write_edited(&term, asking->question, asking->args);
    say(asking, &text);
    cli_note(asking->cli, "Nothing is approved yet.");
    prompt(asking);
}

/* Takes over `args`; false: it is none. */
static bool take_args(struct run_asking *asking, const char *text)
{
    struct err wrong = { 0 };
    json_t *args = NULL;

    if (!json_parse(text, strlen(text), &args, &wrong) || !json_is_object(args)) {
        json_decref(args);
        cli_note(asking->cli, "The arguments must be a JSON object; nothing was changed.");
        return false;
    }
    json_decref(asking->args);
    asking->args = NULL;
    if (json_equal(args, proposed(asking->question)))
        json_decref(args);
    else
        asking->args = args;
    return true;
}

static const char *indented(struct arena *arena, const json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(2));
    const char *copy = arena_format(arena, "%s\n", text ? text : "{}");

    free(text);
    return copy;
}

static void edit(struct run_asking *asking)
{
    const json_t *args = asking->args ? asking->args : proposed(asking->question);
    const char *before = indented(asking->cli->arena, args), *after;
    struct err err = { 0 };

    if (!text_edit(asking->cli->arena, before, &after, &err))
        (void)cli_fail(asking->cli, &err);
    else if (take_args(asking, after) && asking->args) {
        show_args(asking);
        return;
    }
    prompt(asking);
}

static void send(struct run_asking *asking, const char *line)
{
    struct cli *cli = asking->cli;
    JSON_AUTO *done = NULL;
    json_t *response = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!view_typed(cli->arena, asking->question, line, &response, &err)) {
        if (proposed(asking->question))
            err_hint(&err, "%s", DECIDING);
        (void)cli_fail(cli, &err);
        prompt(asking);
        return;
    }
    if (asking->args && json_is_true(json_object_get(response, "value")))
        json_object_set(response, "args", asking->args);
    JSON_AUTO *params =
        json_pack("{s:O, s:o}", "id", json_object_get(asking->question, "id"), "response", response);

    if (!invoke_json(cli, op_find("question_answer"), params, 0, &reply, &done, &err)) {
        (void)cli_fail(cli, &err);
        /* It was refused as it is, or the server is away for a while: the question still stands there. */
        if (err.code == ERR_INVALID || patience_may_pass(&reply, &err)) {
            prompt(asking);
            return;
        }
    } else if (view_needs_others(json_object_get(done, "approvals"))) {
        cli_note(cli, "Noted; another person has to approve it too.");
    }
    json_object_set_new(asking->told, text_of(asking->question, "id"), json_true());
    put_down(asking);
}

static void take_line(struct run_asking *asking, const char *line)
{
    const char *word = str_trim(asking->cli->arena, line);

    if (!*word && !is_approval(asking->question))
        prompt(asking);
    else if (proposed(asking->question) && strcasecmp(word, "edit") == 0)
        edit(asking);
    else if (proposed(asking->question) && *word == '{') {
        if (take_args(asking, word) && asking->args)
            show_args(asking);
        else
            prompt(asking);
    } else
        send(asking, word);
}

void run_asking_hear(struct run_asking *asking)
{
    struct pollfd typed = { .fd = asking->fd, .events = POLLIN };
    char line[LIMIT_MESSAGE];
    ssize_t len;

    if (!run_asking_waits(asking) || poll(&typed, 1, 0) <= 0)
        return;
    len = read(asking->fd, line, sizeof(line) - 1);
    if (len < 0)
        return;
    line[len] = '\0';
    if (len == 0)
        leave(asking);
    else
        take_line(asking, line);
}

/*
 * A server that is a program: a message a line, on its standard input and output.
 *
 * What it writes comes on the thread of programs/ and is put into a queue of pieces, from which the loop
 * takes it. The queue is bounded, and so is what may come within some seconds: a server that writes more than
 * that is ended, for nobody could keep up with it. What it writes to its standard error is for the log.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "net/lines.h"
#include "programs/programs.h"
#include "toolbox/mcp_link.h"
#include "toolbox/secrets.h"
#include "toolbox/setup.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_MOST (2 * LIMIT_MCP_MESSAGE) /* bytes that the loop has not taken */
#define ERRORS_TOLD  200                     /* lines of standard error in the log, of one start */
#define ERROR_LINE   (16 * KB)

struct stdio_piece {
    struct stdio_piece *next;
    size_t len;
    char bytes[];
};

struct mcp_stdio {
    struct mcp_link link; /* first */
    struct net *net;
    const struct mcp_setup *setup;
    struct net_task task;

    pthread_mutex_t lock;
    struct program_run *run; /* NULL: it has ended, or is just being started */
    struct stdio_piece *pieces, **last;
    size_t waiting;
    bool is_posted, has_ended, flooded;
    char why[240];

    /* The loop's. */
    struct lines lines;
    bool closing;
    int64_t window_ms;
    size_t window_bytes;

    /* The thread's of programs/. */
    struct lines errors;
    int errors_told;
    bool errors_broken; /* the last line has no end */
    bool errors_cut;    /* the next line is the rest of one that was too long */
};

/* On the thread of programs/. */

static void post(struct mcp_stdio *stdio)
{
    if (stdio->is_posted)
        return;
    stdio->is_posted = true;
    net_post(stdio->net, &stdio->task);
}

static bool take_output(void *user, const char *bytes, size_t len)
{
    struct mcp_stdio *stdio = user;
    struct stdio_piece *piece = malloc(sizeof(*piece) + len);

    if (piece) {
        piece->next = NULL;
        piece->len = len;
        memcpy(piece->bytes, bytes, len);
    }
    pthread_mutex_lock(&stdio->lock);
    bool fits = piece && stdio->waiting + len <= WAITING_MOST;

    if (fits) {
        *stdio->last = piece;
        stdio->last = &piece->next;
        stdio->waiting += len;
    } else {
        stdio->flooded = true;
    }
    post(stdio);
    pthread_mutex_unlock(&stdio->lock);
    if (!fits)
        free(piece);
    return fits;
}

static bool tell_error(void *user, const char *line, size_t len)
{
    struct mcp_stdio *stdio = user;
    ARENA_AUTO arena = { 0 };

    if (len == 0 || stdio->errors_told++ >= ERRORS_TOLD)
        return true;
    const char *text = secrets_hidden_part(&arena, stdio->setup->secrets,
                                           (struct said_part){ arena_copy(&arena, line, len), len,
                                                               stdio->errors_cut, stdio->errors_broken })
                           .bytes;

    stdio->errors_cut = false;
    log_line(LOG_DEBUG, "an MCP server says on its standard error", "server", stdio->setup->name, "text",
             arena_copy(&arena, text, str_fitting(text, LIMIT_LOG_VALUE - 1)), NULL);
    return true;
}

static bool take_errors(void *user, const char *bytes, size_t len)
{
    struct mcp_stdio *stdio = user;

    if (!log_wants(LOG_DEBUG) || stdio->errors_told >= ERRORS_TOLD)
        return true;
    if (!lines_feed(&stdio->errors, bytes, len, tell_error, stdio)) { /* a line without an end */
        lines_done(&stdio->errors);
        lines_init(&stdio->errors, LINES_ANY);
        lines_bound(&stdio->errors, ERROR_LINE);
        stdio->errors_cut = true;
    }
    return true;
}

static void say_why(struct mcp_stdio *stdio, const struct program_result *result)
{
    if (stdio->why[0])
        return;
    if (stdio->flooded || result->end == PROGRAM_FLOODED)
        snprintf(stdio->why, sizeof(stdio->why), "The server wrote more than can be taken.");
    else if (result->end == PROGRAM_EXITED)
        snprintf(stdio->why, sizeof(stdio->why), "The server's program ended with status %d.",
                 result->status);
    else if (result->why && *result->why)
        snprintf(stdio->why, sizeof(stdio->why), "%s", result->why);
    else
        snprintf(stdio->why, sizeof(stdio->why), "The server's program was ended by signal %d.",
                 result->status);
}

static void take_end(void *user, const struct program_result *result)
{
    struct mcp_stdio *stdio = user;

    stdio->errors_broken = result->end != PROGRAM_EXITED;
    lines_flush(&stdio->errors, tell_error, stdio);
    pthread_mutex_lock(&stdio->lock);
    stdio->run = NULL;
    stdio->has_ended = true;
    say_why(stdio, result);
    post(stdio);
    pthread_mutex_unlock(&stdio->lock);
}

/* On the loop. */

static void end_program(struct mcp_stdio *stdio, const char *why)
{
    pthread_mutex_lock(&stdio->lock);
    if (why && !stdio->why[0])
        snprintf(stdio->why, sizeof(stdio->why), "%s", why);
    if (stdio->run)
        programs_end(stdio->run);
    pthread_mutex_unlock(&stdio->lock);
}

static bool take_line(void *user, const char *line, size_t len)
{
    struct mcp_stdio *stdio = user;
    size_t at = 0;

    while (at < len && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r'))
        at++;
    if (at < len)
        stdio->link.host.message(stdio->link.host.user, line, len, -1);
    return !stdio->closing;
}

static bool is_within_bounds(struct mcp_stdio *stdio, size_t len)
{
    int64_t now_ms = clock_ticks_ms();

    if (now_ms - stdio->window_ms > MCP_FLOOD_MS) {
        stdio->window_ms = now_ms;
        stdio->window_bytes = 0;
    }
    stdio->window_bytes += len;
    return stdio->window_bytes <= LIMIT_MCP_FLOOD;
}

struct feeding {
    struct mcp_stdio *stdio;
    const struct stdio_piece *piece;
};

static void feed(void *user)
{
    struct feeding *feeding = user;
    struct mcp_stdio *stdio = feeding->stdio;

    if (!is_within_bounds(stdio, feeding->piece->len) ||
        (!lines_feed(&stdio->lines, feeding->piece->bytes, feeding->piece->len, take_line, stdio) &&
         stdio->lines.too_long)) {
        stdio->closing = true;
        pthread_mutex_lock(&stdio->lock);
        stdio->flooded = true;
        pthread_mutex_unlock(&stdio->lock);
        end_program(stdio, "The server wrote more than can be taken.");
    }
}

static void stdio_free(struct mcp_stdio *stdio)
{
    lines_done(&stdio->lines);
    lines_done(&stdio->errors);
    pthread_mutex_destroy(&stdio->lock);
    free(stdio);
}

static void take_pieces(void *user)
{
    struct mcp_stdio *stdio = user;

    pthread_mutex_lock(&stdio->lock);
    struct stdio_piece *pieces = stdio->pieces;
    bool has_ended = stdio->has_ended;

    stdio->pieces = NULL;
    stdio->last = &stdio->pieces;
    stdio->waiting = 0;
    stdio->is_posted = false;
    pthread_mutex_unlock(&stdio->lock);
    for (struct stdio_piece *piece; (piece = pieces);) {
        struct feeding feeding = { stdio, piece };

        pieces = piece->next;
        if (!stdio->closing && !memory_try(feed, &feeding)) {
            stdio->closing = true;
            end_program(stdio, "There is not enough memory for what the server wrote.");
        }
        free(piece);
    }
    if (!has_ended)
        return;
    stdio->link.host.gone(stdio->link.host.user, stdio->flooded, stdio->why);
    stdio_free(stdio);
}

static bool stdio_send(struct mcp_link *link, const struct mcp_letter *letter)
{
    struct mcp_stdio *stdio = (struct mcp_stdio *)(void *)link;
    char *line = memory_take(letter->len + 1);
    bool sent = true;

    memcpy(line, letter->text, letter->len);
    line[letter->len] = '\n';
    pthread_mutex_lock(&stdio->lock);
    if (stdio->run)
        sent = programs_write(stdio->run, line, letter->len + 1);
    pthread_mutex_unlock(&stdio->lock);
    free(line);
    return sent; /* one that has ended says so by itself */
}

static void stdio_drop(struct mcp_link *link, int64_t request)
{
    (void)link, (void)request;
}

static void stdio_close(struct mcp_link *link)
{
    struct mcp_stdio *stdio = (struct mcp_stdio *)(void *)link;

    stdio->closing = true;
    end_program(stdio, NULL);
}

static const struct mcp_link_kind stdio_kind = { .send = stdio_send,
                                                 .drop = stdio_drop,
                                                 .close = stdio_close };

static struct mcp_stdio *stdio_new(const struct mcp_setup *setup, struct net *net,
                                   const struct mcp_link_host *host)
{
    struct mcp_stdio *stdio = memory_take(sizeof(*stdio));

    *stdio = (struct mcp_stdio){ .link = { .kind = &stdio_kind, .host = *host },
                                 .net = net,
                                 .setup = setup,
                                 .window_ms = clock_ticks_ms() };
    stdio->task = (struct net_task){ .run = take_pieces, .user = stdio };
    stdio->last = &stdio->pieces;
    pthread_mutex_init(&stdio->lock, NULL);
    lines_init(&stdio->lines, LINES_LF);
    lines_bound(&stdio->lines, LIMIT_MCP_MESSAGE);
    lines_init(&stdio->errors, LINES_ANY);
    lines_bound(&stdio->errors, ERROR_LINE);
    return stdio;
}

bool mcp_stdio_open(struct mcp_link **link, const struct mcp_setup *setup, struct programs *programs,
                    struct net *net, const struct mcp_link_host *host, struct err *err)
{
    struct mcp_stdio *stdio = stdio_new(setup, net, host);
    struct program program;
    struct program_callbacks callbacks = {
        .output = take_output, .errors = take_errors, .done = take_end, .user = stdio
    };
    struct program_run *run;

    toolbox_server_program(setup, &program);
    if (!programs_start(programs, &program, "", 0, true, &callbacks, &run, err)) {
        stdio_free(stdio);
        return false;
    }
    pthread_mutex_lock(&stdio->lock);
    if (!stdio->has_ended)
        stdio->run = run;
    pthread_mutex_unlock(&stdio->lock);
    *link = &stdio->link;
    return true;
}

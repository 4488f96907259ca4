/*
 * question_page.c - the page of a question, and all of it for people with a browser and no script.
 *
 *   GET  /q/ID/SECRET   where a link leads: one button. Nothing is looked up and nothing is shown, since
 *                       programs follow links in mails and chats before people do.
 *   POST /q/ID/SECRET   the button: exchanges the secret for a cookie, and leads to
 *   GET  /q/ID          the question with its form, for whoever has the cookie, is logged in, or owns a
 *                       server in solo mode
 *   POST /q/ID          the answer
 *
 * All of it runs through the operations link_open, question_get and question_answer, under their rules.
 * Paths hold secrets, so no path is ever logged.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/caller/secret.h"
#include "edge/assets.h"
#include "edge/html.h"
#include "edge/internal.h"
#include "edge/question_form.h"
#include "ops/bind.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_LEN 36

struct visit {
    struct edge *edge;
    struct http_exchange *exchange;
    struct arena arena;
    struct request request;
    json_t *body;
    const char *id, *secret; /* of the path; the secret may be NULL */
    int64_t began_us;
    void (*show)(struct visit *visit); /* what follows when the operation has succeeded */
    char remote[INET6_ADDRSTRLEN];
};

static void refuse(struct http_exchange *exchange, const struct err *err)
{
    html_say(exchange, err_http(err->code), "This does not work", err_for_callers(err), err->hint);
}

/*
 * Where somebody looks at a question, a browser with scripts gets the app, which asks for the question by
 * itself; what is written here is then what it shows without. Replies to forms are plain pages.
 */
static bool in_app(const struct visit *visit)
{
    return assets_present() && !visit->secret && http_method(visit->exchange) == HTTP_GET;
}

static void page_begin(const struct visit *visit, struct buf *page, const char *title)
{
    buf_init(page, 0);
    if (in_app(visit))
        assets_page_begin(page);
    else
        html_begin(page, title);
}

static void page_reply(const struct visit *visit, int status, struct buf *page)
{
    if (in_app(visit))
        assets_page_reply(visit->exchange, status, page);
    else
        html_reply(visit->exchange, status, NULL, page);
}

static void visit_free(struct visit *visit)
{
    struct edge *edge = visit->edge;

    json_decref(visit->body);
    buf_done(&visit->request.reply);
    arena_done(&visit->arena);
    free(visit);
    atomic_fetch_sub(&edge->running, 1);
}

static void log_visit(const struct visit *visit, int status)
{
    const struct request *request = &visit->request;
    enum log_level level = status < 500 || (status == 503 && !edge_outage_line()) ? LOG_DEBUG : LOG_WARN;
    char code[16];

    if (!log_wants(level))
        return;
    snprintf(code, sizeof(code), "%d", status);
    log_line(level, "page", "id", http_request_id(visit->exchange), "operation", request->op->name, "status",
             code, "caller", request->call.caller.name, "remote", visit->remote, "why",
             level == LOG_WARN ? request->call.err.text : NULL, NULL);
}

/* Who may not see the question here can still be told how people answer. */
static void show_closed(struct visit *visit)
{
    const struct err *err = &visit->request.call.err;
    BUF_AUTO page = { 0 };

    page_begin(visit, &page, "A question");
    buf_text(&page, "<h1>This question is not open to you here</h1>\n<p>");
    html_text(&page, err_for_callers(err));
    buf_text(&page, "</p>\n<p class=\"soft\">");
    html_text(&page, visit->secret ? err->hint : "Open the link that was sent to you once more.");
    buf_format(&page,
               " People of the workspace also answer on the command line:</p>\n<pre>witan answer %s</pre>\n",
               visit->id);
    page_reply(visit, err_http(err->code), &page);
}

static void write_way_back(struct buf *page, const struct visit *visit)
{
    buf_format(page, "<p><a href=\"/q/%s\">Back to the question</a></p>\n", visit->id);
}

/* Hints are for programs where people have a page: those read what happened, and where to go on. */
static void show_refused(struct visit *visit, const struct err *err)
{
    static const char title[] = "Your answer was not taken";
    bool changed = str_equal(err->name, "args_changed");
    const char *hint = changed ? "Look at what would be done now, and decide about that." : err->hint;
    BUF_AUTO page = { 0 };

    buf_init(&page, 0);
    html_begin(&page, title);
    buf_format(&page, "<h1>%s</h1>\n<p>", title);
    html_text(&page, err_for_callers(err));
    buf_text(&page, hint[0] ? "</p>\n<p class=\"soft\">" : "");
    html_text(&page, hint);
    buf_text(&page, "</p>\n");
    write_way_back(&page, visit);
    html_reply(visit->exchange, err_http(err->code), NULL, &page);
}

/* Somebody was faster, or the time was up. Who came by a link has nowhere to go back to: it has ended. */
static void show_lost(struct visit *visit, const json_t *refusal)
{
    const struct request *request = &visit->request;
    const struct err *err = &request->call.err;
    BUF_AUTO page = { 0 };

    buf_init(&page, 0);
    html_begin(&page, "Already settled");
    buf_text(&page, "<h1>Already settled</h1>\n<p>");
    html_text(&page, err_for_callers(err));
    buf_text(&page, "</p>\n");
    question_form_write_lost(&page, refusal, json_object_get(visit->body, "response"));
    if (request->call.caller.kind != CALLER_LINK)
        write_way_back(&page, visit);
    html_reply(visit->exchange, err_http(err->code), NULL, &page);
}

static void show_answer_refused(struct visit *visit, const struct err *err)
{
    const char *members = err->detail ? err->detail : "";
    json_t *refusal = json_loads(arena_format(&visit->arena, "{%s}", members), 0, NULL);

    if (json_object_get(refusal, "winner"))
        show_lost(visit, refusal);
    else
        show_refused(visit, err);
    json_decref(refusal);
}

static void finished(struct request *request)
{
    struct visit *visit = request->user;
    const struct err *err = &request->call.err;
    int status = err->code == ERR_NONE ? request->call.status : err_http(err->code);

    known_learn(visit->edge->known, &request->credentials, &request->call.caller, err);
    metrics_count(visit->edge->metrics, request->op, status, clock_ticks_us() - visit->began_us);
    log_visit(visit, status);
    if (err->code == ERR_NONE)
        visit->show(visit);
    else if (str_equal(err->name, "link_ended"))
        html_say(visit->exchange, 410, "This link has ended", err_for_callers(err), NULL);
    else if (err->code == ERR_UNAUTHORIZED)
        show_closed(visit);
    else if (str_equal(request->op->name, "question_answer") && status < 500 && status != 404)
        show_answer_refused(visit, err);
    else
        refuse(visit->exchange, err);
    visit_free(visit);
}

static void run(struct visit *visit, const char *op, void (*show)(struct visit *visit))
{
    struct request *request = &visit->request;
    struct raw_value path = { "id", visit->id };
    struct raw_input input = { .path = &path, .path_count = 1, .body = visit->body };

    visit->show = show;
    request->op = op_find(op);
    request->call.tx.arena = &visit->arena;
    request->call.door = "page";
    request->call.remote = visit->remote;
    request->call.request_id = http_request_id(visit->exchange);
    request->finished = finished;
    request->user = visit;
    buf_init(&request->reply, 0);
    (void)!bind_args(request->op, &visit->arena, &input, request->call.args, &request->bind_err);
    http_park(visit->exchange);
    dispatch_submit(visit->edge->store, request);
}

/* Only a page that we gave to this very browser holds it; a foreign page could not know the secret. */
static const char *form_check(struct visit *visit)
{
    const struct credentials *shown = &visit->request.credentials;
    const char *secret = shown->visit ? shown->visit : shown->session;

    return secret_hash(&visit->arena,
                       arena_format(&visit->arena, "form:%s:%s", visit->id, secret ? secret : ""));
}

/* In solo mode there is no secret to prove anything with: then the browser has to say where it comes from. */
static bool form_is_ours(struct visit *visit, const char *check)
{
    const struct credentials *shown = &visit->request.credentials;
    const char *expected = form_check(visit), *origin = http_header(visit->exchange, "Origin");

    if (shown->visit || shown->session)
        return check && strlen(check) == strlen(expected) &&
               sodium_memcmp(check, expected, strlen(check)) == 0;
    return (origin && !str_equal(origin, "null")) ||
           str_equal(http_header(visit->exchange, "Sec-Fetch-Site"), "same-origin");
}

static void show_cover(struct visit *visit)
{
    BUF_AUTO page = { 0 };

    buf_init(&page, 0);
    html_begin(&page, "A question for you");
    buf_text(&page, "<h1>Somebody asks you something</h1>\n"
                    "<p>This link is for you alone. "
                    "It lets you see one question and answer it once, without a login.</p>\n");
    buf_format(&page, "<form method=\"post\" action=\"/q/%s/%s\">\n", visit->id, visit->secret);
    buf_text(&page, "<div class=\"row\"><button>Show the question</button></div>\n</form>\n");
    html_reply(visit->exchange, 200, NULL, &page);
    visit_free(visit);
}

static void show_opened(struct visit *visit)
{
    struct http_header_line headers[] = {
        { "Location", arena_format(&visit->arena, "/q/%s", visit->id) },
        { "Set-Cookie", visit->request.call.cookies[0] },
        { NULL, NULL },
    };

    http_reply(visit->exchange, 303, NULL, headers, NULL);
}

static void show_question(struct visit *visit)
{
    const struct buf *reply = &visit->request.reply;
    json_t *shown = json_loadb(reply->bytes, reply->len, 0, NULL);
    BUF_AUTO page = { 0 };

    page_begin(visit, &page, "A question for you");
    question_form_write(&page, json_object_get(shown, "question"), visit->id, form_check(visit));
    page_reply(visit, 200, &page);
    json_decref(shown);
}

/* A late answer is refused and kept: then the operation has succeeded, with a status that says so. */
static void show_answered(struct visit *visit)
{
    const struct buf *reply = &visit->request.reply;
    json_t *said = json_loadb(reply->bytes, reply->len, 0, NULL);
    const json_t *approvals = json_object_get(said, "approvals");
    const char *uncounted = json_string_value(json_object_get(approvals, "why"));
    int status = visit->request.call.status;

    if (status >= 400)
        html_say(visit->exchange, status, "Too late", json_string_value(json_object_get(said, "error")),
                 json_string_value(json_object_get(said, "hint")));
    else if (uncounted)
        html_say(visit->exchange, 200, "Your approval does not count", uncounted, NULL);
    else if (json_integer_value(json_object_get(approvals, "have")) <
             json_integer_value(json_object_get(approvals, "need")))
        html_say(visit->exchange, 200, "Thank you",
                 "Your answer has been written down. Others have to agree.", NULL);
    else
        html_say(visit->exchange, 200, "Thank you", "Your answer has been written down and passed on.", NULL);
    json_decref(said);
}

/* Browsers end lines in forms with two characters; one is meant. Returns the length that is left. */
static size_t plain_lines(char *text, size_t len)
{
    char *to = text;

    for (size_t at = 0; at < len; at++) {
        if (len - at >= 6 && memcmp(text + at, "%0D%0A", 6) == 0)
            at += 3;
        *to++ = text[at];
    }
    *to = '\0';
    return (size_t)(to - text);
}

static bool read_form(struct visit *visit, struct err *err)
{
    size_t len;
    const char *body = http_body(visit->exchange, &len);
    const char *type = http_header(visit->exchange, "Content-Type");
    struct url_query fields;
    json_t *response;

    if (!str_starts(type ? type : "", "application/x-www-form-urlencoded"))
        return err_set(err, ERR_NOT_JSON, "This is not what the page's form sends.");
    char *raw = arena_copy(&visit->arena, body ? body : "", body ? len : 0);

    if (!url_parse_form(&visit->arena, raw, plain_lines(raw, body ? len : 0), &fields, err))
        return false;
    if (!form_is_ours(visit, url_value(&fields, "check"))) {
        err_set(err, ERR_FORBIDDEN, "This form was not made for you, or it is too old.");
        return err_hint(err, "Open the question once more and answer there.");
    }
    if (!question_form_read(&fields, &response, err))
        return false;
    visit->body = json_pack("{s:o}", "response", response);
    return true;
}

static void serve(struct visit *visit)
{
    bool post = http_method(visit->exchange) == HTTP_POST;
    struct err err = { 0 };

    if (visit->secret && !post) {
        show_cover(visit);
    } else if (visit->secret) {
        visit->body = json_pack("{s:s}", "link", visit->secret);
        run(visit, "link_open", show_opened);
    } else if (!post) {
        run(visit, "question_get", show_question);
    } else if (read_form(visit, &err)) {
        run(visit, "question_answer", show_answered);
    } else {
        show_refused(visit, &err);
        visit_free(visit);
    }
}

/* "/q/ID" or "/q/ID/SECRET"; what a secret of ours could not hold is none. */
static bool read_path(struct visit *visit, const char *path)
{
    const char *from = path + strlen("/q/"), *behind = from + strcspn(from, "/");

    if (behind - from != ID_LEN)
        return false;
    visit->id = str_lower(&visit->arena, arena_copy(&visit->arena, from, ID_LEN));
    if (*behind)
        visit->secret = behind + 1;
    return uuid_valid(visit->id) &&
           (!visit->secret ||
            strspn(visit->secret, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
                strlen(visit->secret));
}

void question_page_handle(struct edge *edge, struct http_exchange *exchange)
{
    static const struct http_header_line allow[] = { { "Allow", "GET, HEAD, POST" }, { NULL, NULL } };
    enum http_method method = http_method(exchange);
    struct err err = { 0 };
    struct visit *visit;
    BUF_AUTO none = { 0 };

    if (method != HTTP_GET && method != HTTP_POST) {
        http_reply(exchange, 405, NULL, allow, &none);
        return;
    }
    if (!(visit = calloc(1, sizeof(*visit))))
        abort();
    atomic_fetch_add(&edge->running, 1);
    visit->edge = edge;
    visit->arena.budget = &edge->budget;
    visit->exchange = exchange;
    visit->began_us = clock_ticks_us();
    gate_remote(edge, exchange, visit->remote);
    bool good =
        gate_check(edge, exchange, gate_kind_of(exchange), &visit->arena, &visit->request.credentials, &err);

    if (good && !read_path(visit, http_path(exchange)))
        good = err_set(&err, ERR_NOT_FOUND, "There is no such question.");
    if (!good) {
        refuse(exchange, &err);
        visit_free(visit);
        return;
    }
    visit->request.credentials.bearer = NULL; /* browsers send none by themselves: pages are for people */
    gate_visit(exchange, &visit->arena, visit->id, &visit->request.credentials);
    serve(visit);
}

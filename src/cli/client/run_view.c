#include "cli/client/run_view.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "cli/client/question_view.h"
#include "cli/term.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define LINE_CHARS 160 /* of one line, unless the terminal says how wide it is */
#define LINE_LEAST 40

struct run_view_call {
    const char *id, *name;
};

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static bool is_of(const json_t *entry, const char *kind)
{
    return str_equal(text_of(entry, "kind"), kind);
}

void run_view_open(struct run_view *view, const struct cli *cli, FILE *out)
{
    *view = (struct run_view){ .cli = cli, .out = out };
    view->colour = cli->colour && (out == stdout || isatty(fileno(out)));
}

static void show(struct run_view *view, const struct buf *text)
{
    if (text->len == 0 || (view->out == stderr && view->cli->quiet))
        return;
    if (view->at_prompt)
        cli_print_to(view->out, "\n", 1);
    view->at_prompt = false;
    view->code = cli_print_to(view->out, text->bytes, text->len);
}

/* "12ms", "1.2s", "3m10s". */
static const char *took(struct arena *arena, int64_t ms)
{
    if (ms < 1000)
        return arena_format(arena, "%" PRId64 "ms", ms);
    if (ms < 60000)
        return arena_format(arena, "%.1fs", (double)ms / 1000);
    return arena_format(arena, "%" PRId64 "m%02" PRId64 "s", ms / 60000, ms / 1000 % 60);
}

/* One line of a text of somebody else's, as long as there is room. */
static const char *cut(const struct run_view *view, struct term *term, const char *text, size_t used)
{
    size_t room = term->width > 0 ? term->width : LINE_CHARS;
    const char *line = term_line(term->arena, text);

    room = room > used + LINE_LEAST ? room - used : LINE_LEAST;
    return view->full || str_chars(line) <= room ? line : str_beginning(term->arena, line, room - 3);
}

/* What a model wrote need not be JSON: it is kept as the text that it is. */
static const char *arguments_of(const json_t *entry)
{
    const char *arguments = text_of(json_object_get(entry, "call"), "arguments");

    return arguments ? arguments : "{}";
}

/* Which calls a reply makes, so that what comes of each can say whose it is. */
static void note_calls(struct run_view *view, const json_t *reply)
{
    const json_t *calls = json_object_get(json_object_get(reply, "data"), "calls"), *call;
    struct arena *arena = view->cli->arena;
    struct run_view_call *kept = arena_array(arena, struct run_view_call, json_array_size(calls) + 1);
    size_t i;

    json_array_foreach(calls, i, call)
    {
        const char *id = text_of(call, "call"), *name = text_of(call, "name");

        kept[i] =
            (struct run_view_call){ arena_text(arena, id ? id : ""), arena_text(arena, name ? name : "") };
    }
    view->calls = kept;
    view->call_count = json_array_size(calls);
}

/* The tool of a call, with a number where the same reply calls it several times: "note #2". */
static const char *tool_of(const struct run_view *view, struct arena *arena, const json_t *entry)
{
    const json_t *call = json_object_get(entry, "call");
    const char *id = text_of(call, "id"), *name = text_of(call, "name");
    size_t same = 0, own = 0;

    if (!name)
        return "?";
    for (size_t i = 0; i < view->call_count; i++) {
        same += strcmp(view->calls[i].name, name) == 0;
        if (str_equal(id, view->calls[i].id))
            own = same;
    }
    name = term_line(arena, name);
    return own > 0 && same > 1 ? arena_format(arena, "%s #%zu", name, own) : name;
}

/* What was decided about a call; other arguments stand beside it, for the call shows those that were
 * proposed. */
static const char *decision_of(const struct run_view *view, struct arena *arena, const json_t *entry)
{
    const char *words = text_of(entry, "text");
    const char *edited = text_of(json_object_get(entry, "call"), "approvedArguments");
    bool approved = str_equal(text_of(json_object_get(entry, "data"), "verdict"), "approved");

    words = arena_format(arena, "%s: %s", tool_of(view, arena, entry), words ? words : "-");
    if (!approved || !edited)
        return words;
    size_t len = strlen(words);

    return arena_format(arena, "%.*s: %s", (int)(len - (words[len - 1] == '.')), words, edited);
}

static const char *output_of(const json_t *entry)
{
    const char *text = text_of(entry, "text");

    return text && *text ? text : text_of(json_object_get(entry, "call"), "output");
}

/* "reply", in colours by what it is. */
static enum term_colour colour_of(const json_t *entry)
{
    const char *outcome = text_of(json_object_get(entry, "call"), "outcome");

    if (is_of(entry, "error"))
        return TERM_RED;
    if (is_of(entry, "result"))
        return str_equal(outcome, "ok") ? TERM_GREEN : TERM_YELLOW;
    return is_of(entry, "reply") ? TERM_BOLD : is_of(entry, "call") ? TERM_BLUE : TERM_DIM;
}

/* What it cost: "(1.2s, 300 + 40 tokens)", with "estimated" where its provider did not say it; or nothing. */
static const char *cost_of(struct arena *arena, const json_t *entry)
{
    int64_t ms = member_int(entry, "tookMs"), in = member_int(entry, "tokensIn"),
            out = member_int(entry, "tokensOut");
    const char *time = ms > 0 ? took(arena, ms) : "";
    bool estimated = json_is_true(json_object_get(json_object_get(entry, "data"), "estimated"));

    if (in + out == 0)
        return *time ? arena_format(arena, " (%s)", time) : "";
    return arena_format(arena, " (%s%s%" PRId64 " + %" PRId64 " tokens%s)", time, *time ? ", " : "", in, out,
                        estimated ? ", estimated" : "");
}

/* Trace */

/* A model that calls tools need not say a word; the calls follow as entries of their own. */
static const char *wordless_reply(struct arena *arena, const json_t *data)
{
    size_t calls = json_array_size(json_object_get(data, "calls"));

    if (calls == 0)
        return "says nothing";
    return calls == 1 ? "calls a tool" : arena_format(arena, "calls %zu tools", calls);
}

/* Which entries a summary stands for, and what it says. */
static const char *summary_of(struct arena *arena, const json_t *entry)
{
    const json_t *data = json_object_get(entry, "data");
    const char *text = text_of(entry, "text");

    return arena_format(arena, "entries %" PRId64 " to %" PRId64 ": %s", member_int(data, "from"),
                        member_int(data, "to"), text ? text : "-");
}

/* What an entry says in words, beside its kind. */
static const char *words_of(const struct run_view *view, struct arena *arena, const json_t *entry)
{
    const json_t *call = json_object_get(entry, "call");

    if (is_of(entry, "call"))
        return arena_format(arena, "%s %s", tool_of(view, arena, entry), arguments_of(entry));
    if (is_of(entry, "result")) {
        const char *outcome = text_of(call, "outcome"), *output = output_of(entry);

        return arena_format(arena, "%s %s: %s", tool_of(view, arena, entry), outcome ? outcome : "-",
                            output ? output : "");
    }
    if (is_of(entry, "decision") && json_is_object(call))
        return decision_of(view, arena, entry);
    if (is_of(entry, "condensed"))
        return summary_of(arena, entry);
    const char *text = text_of(entry, "text");
    const json_t *data = json_object_get(entry, "data");

    if (text && *text)
        return text;
    if (is_of(entry, "reply"))
        return wordless_reply(arena, data);
    return data && !json_is_null(data) ? json_dump_text(arena, data) : "-";
}

static void trace_entry(struct run_view *view, struct term *term, const json_t *entry)
{
    const char *at = term_time(term->arena, text_of(entry, "at"), clock_now_ms(), view->cli->utc);
    const char *words = words_of(view, term->arena, entry), *cost = cost_of(term->arena, entry);
    size_t used = strlen(at) + strlen(cost) + 18;

    buf_format(term->out, "%s  %3" PRId64 "  ", at, member_int(entry, "step"));
    term_paint(term, colour_of(entry),
               arena_format(term->arena, "%-9s", term_line(term->arena, text_of(entry, "kind"))));
    if (view->full && strchr(words, '\n')) {
        buf_format(term->out, "%s\n", cost);
        term_block(term, "    ", words);
        return;
    }
    buf_format(term->out, "  %s%s\n", cut(view, term, words, used), cost);
}

/* "5 of 50 steps". */
static const char *part_of(struct arena *arena, int64_t done, int64_t all, const char *what)
{
    return all > 0 ? arena_format(arena, "%" PRId64 " of %" PRId64 " %s", done, all, what)
                   : arena_format(arena, "%" PRId64 " %s", done, what);
}

void run_view_about(struct run_view *view, const json_t *run)
{
    const char *name = text_of(run, "agent");

    if (name && !view->name)
        view->name = arena_text(view->cli->arena, name);
}

void run_view_head(struct run_view *view, const json_t *run, const json_t *job)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    struct term term;
    const json_t *budget = json_object_get(run, "budget"), *spent = json_object_get(run, "spent");

    const char *state =
        json_is_string(json_object_get(job, "endedAt")) ? text_of(job, "status") : text_of(run, "phase");

    run_view_about(view, run);
    buf_init(&text, 0);
    term_init(&term, &arena, &text, view->colour);
    term_paint(&term, TERM_BOLD, term_line(&arena, text_of(run, "agent")));
    buf_format(&text, " on %s: %s, %s, %s\n", term_line(&arena, text_of(run, "model")),
               term_line(&arena, state),
               part_of(&arena, member_int(run, "step"), member_int(budget, "steps"), "steps"),
               part_of(&arena, member_int(spent, "tokensIn") + member_int(spent, "tokensOut"),
                       member_int(budget, "tokens"), "tokens"));
    show(view, &text);
}

/* As it happens */

/* "3 of 10: migrating tables", of a report of progress. */
static const char *progress_of(struct arena *arena, const char *written)
{
    struct err ignored = { 0 };
    JSON_AUTO *arguments = NULL;

    if (!json_parse(written, strlen(written), &arguments, &ignored))
        return "";
    const json_t *done = json_object_get(arguments, "done"), *total = json_object_get(arguments, "total");
    const char *step = text_of(arguments, "step"), *text = "";

    if (json_is_number(done))
        text = arena_format(arena, "%g", json_number_value(done));
    if (json_is_number(done) && json_is_number(total))
        text = arena_format(arena, "%s of %g", text, json_number_value(total));
    if (step && *step)
        text = arena_format(arena, "%s%s%s", text, *text ? ": " : "", step);
    return *text ? text : "";
}

static void live_call(struct run_view *view, struct term *term, const json_t *entry)
{
    const json_t *call = json_object_get(entry, "call");
    const char *name = text_of(call, "name");

    /* What it hands in is shown when it has ended. */
    if (str_equal(name, "finish"))
        return;
    if (str_equal(name, "report_progress")) {
        const char *progress = progress_of(term->arena, arguments_of(entry));

        if (*progress)
            term_paint(term, TERM_DIM, arena_format(term->arena, "... %s\n", cut(view, term, progress, 4)));
        return;
    }
    term_paint(term, TERM_BLUE, "calls ");
    name = tool_of(view, term->arena, entry);
    buf_format(term->out, "%s %s\n", name, cut(view, term, arguments_of(entry), strlen(name) + 7));
}

/* What a question has come to: "Wren, by Ada"; NULL: it cannot be told from what the model was given. */
static const char *answer_of(struct arena *arena, const char *output)
{
    struct err ignored = { 0 };
    JSON_AUTO *told = NULL;

    if (!output || !json_parse(output, strlen(output), &told, &ignored))
        return NULL;
    const char *answer = view_answer(arena, json_object_get(told, "response")), *by = text_of(told, "by"),
               *source = text_of(told, "source");

    if (!answer)
        return NULL;
    if (source)
        return arena_format(arena, "goes on with \"%s\"%s", answer,
                            str_equal(source, "default") ? ", the default" : ", as it was answered before");
    return by ? arena_format(arena, "%s, by %s", answer, by) : arena_text(arena, answer);
}

static void live_result(struct run_view *view, struct term *term, const json_t *entry)
{
    const json_t *call = json_object_get(entry, "call");
    const char *name = text_of(call, "name"), *outcome = text_of(call, "outcome");
    const char *output = output_of(entry), *cost = cost_of(term->arena, entry);
    const char *answer = str_equal(name, "ask_question") ? answer_of(term->arena, output) : NULL;

    if (str_equal(outcome, "ok") && (str_equal(name, "finish") || str_equal(name, "report_progress")))
        return;
    name = tool_of(view, term->arena, entry);
    outcome = term_line(term->arena, outcome);
    buf_format(term->out, "  %s ", name);
    term_paint(term, colour_of(entry), outcome);
    term_paint(term, TERM_DIM, cost);
    if (answer)
        output = answer;
    if (output && *output)
        buf_format(term->out, ": %s",
                   cut(view, term, output, strlen(name) + strlen(outcome) + strlen(cost) + 5));
    buf_char(term->out, '\n');
}

static void live_reply(struct run_view *view, struct term *term, const json_t *entry)
{
    const char *text = text_of(entry, "text");

    if (!text || str_is_blank(text))
        return;
    view->said = arena_text(view->cli->arena, text);
    term_paint(term, TERM_BOLD, term_line(term->arena, view->name ? view->name : "The agent"));
    buf_text(term->out, ":\n");
    term_block(term, "  ", text);
}

static void live_remark(struct run_view *view, struct term *term, const json_t *entry)
{
    const char *kind = term_line(term->arena, text_of(entry, "kind"));
    const char *words = words_of(view, term->arena, entry);
    const char *shown = cut(view, term, words, strlen(kind) + 2);

    if (is_of(entry, "error"))
        view->error = str_equal(shown, words) ? arena_text(view->cli->arena, words) : NULL;
    term_paint(term, colour_of(entry), kind);
    buf_format(term->out, ": %s\n", shown);
}

/* What people have said about a call. */
static void live_decision(struct run_view *view, struct term *term, const json_t *entry)
{
    if (json_is_object(json_object_get(entry, "call")))
        buf_format(term->out, "  %s\n", cut(view, term, decision_of(view, term->arena, entry), 2));
}

/* What it was told and why it does what it does is left to the trace. */
static void live_entry(struct run_view *view, struct term *term, const json_t *entry)
{
    if (is_of(entry, "call"))
        live_call(view, term, entry);
    else if (is_of(entry, "result"))
        live_result(view, term, entry);
    else if (is_of(entry, "reply"))
        live_reply(view, term, entry);
    else if (is_of(entry, "decision"))
        live_decision(view, term, entry);
    else if (is_of(entry, "note") || is_of(entry, "condensed") || is_of(entry, "error"))
        live_remark(view, term, entry);
}

void run_view_entry(struct run_view *view, const json_t *entry)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    struct term term;

    buf_init(&text, 0);
    term_init(&term, &arena, &text, view->colour);
    if (is_of(entry, "reply"))
        note_calls(view, entry);
    if (view->json)
        buf_format(&text, "%s\n", json_dump_text(&arena, entry));
    else if (!view->trace)
        live_entry(view, &term, entry);
    else if (view->full || !is_of(entry, "instructions"))
        trace_entry(view, &term, entry);
    show(view, &text);
}

const char *run_view_result(struct arena *arena, const json_t *job)
{
    const json_t *result = json_object_get(job, "result"), *only = json_object_get(result, "result");

    if (only && json_object_size(result) == 1)
        result = only;
    if (!result || json_is_null(result))
        return NULL;
    return json_is_string(result) ? json_string_value(result) : json_dump_text(arena, result);
}

/*
 * The page is written from the reply of question_get, not from rows, so that it cannot show more than the API
 * does. The form carries the type it was made for and the arguments that were shown, and the answer is
 * checked by the same rules as any.
 */
#include "edge/question_form.h"

#include "base/colour.h"
#include "base/json.h"
#include "base/str.h"
#include "edge/html.h"

#include <stdlib.h>
#include <string.h>

/* A form of strangers is small (HTTP_BODY_ASK), and a character may take nine bytes in it. */
#define ANSWER_CHARS "6000"
#define NOTE_CHARS   "1500"

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* Colours of a terminal say nothing here; in what is done they are shown as what they are. */
static void write_shown(struct buf *page, const char *text, enum visible_way way)
{
    ARENA_AUTO arena = { 0 };

    if (text && way == VISIBLE_PROSE && strchr(text, '\033'))
        text = colour_drop(&arena, text);
    if (text)
        html_shown(page, text, strlen(text), way);
}

/* A value as people read it: a text as it is, anything else as JSON. */
static void write_value(struct buf *page, const json_t *value)
{
    char *text;

    if (json_is_string(value)) {
        write_shown(page, json_string_value(value), VISIBLE_PROSE);
        return;
    }
    if (json_is_boolean(value)) {
        buf_text(page, json_is_true(value) ? "yes" : "no");
        return;
    }
    text = json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY);
    write_shown(page, text, VISIBLE_PROSE);
    free(text);
}

static void write_block(struct buf *page, const char *head, const json_t *value)
{
    if (!value || json_is_null(value))
        return;
    buf_text(page, "<h2>");
    html_text(page, head);
    bool words = json_is_string(value) || json_is_boolean(value);

    buf_text(page, words ? "</h2>\n<p class=\"words\" dir=\"auto\">" : "</h2>\n<pre dir=\"ltr\">\n");
    write_value(page, value);
    buf_text(page, words ? "</p>\n" : "</pre>\n");
}

/*
 * What will be done, letter by letter. A text of several lines is one; one that could be taken for a number
 * or a word of JSON keeps its quotes. A page drops the first line break of a block, so that it gets one.
 */
static void write_exactly(struct buf *page, const json_t *value)
{
    const char *words = json_string_value(value);
    char *text =
        words && !json_reads_otherwise(words) ? NULL : json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY);

    buf_text(page, "<pre dir=\"ltr\">\n");
    write_shown(page, text ? text : words, VISIBLE_EXACT);
    buf_text(page, "</pre>\n");
    free(text);
}

static void write_args(struct buf *page, const char *head, const json_t *args)
{
    const char *name;
    const json_t *value;

    if (!args || json_is_null(args))
        return;
    buf_text(page, "<h2>");
    html_text(page, head);
    buf_text(page, "</h2>\n");
    if (!json_is_object(args) || json_object_size(args) == 0) {
        write_exactly(page, args);
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)args, name, value)
    {
        buf_text(page, "<h3 dir=\"ltr\">");
        write_shown(page, name, VISIBLE_EXACT);
        buf_text(page, "</h3>\n");
        write_exactly(page, value);
    }
}

static void write_line(struct buf *page, const char *before, const char *text, const char *after)
{
    buf_text(page, "<p class=\"soft\">");
    buf_text(page, before);
    buf_text(page, "<bdi>");
    write_shown(page, text, VISIBLE_PROSE);
    buf_text(page, "</bdi>");
    buf_text(page, after);
    buf_text(page, "</p>\n");
}

/* The first line is what is asked, and the page's heading; what follows explains it. */
static void write_question(struct buf *page, const char *text)
{
    const char *rest = strchr(text, '\n');

    buf_text(page, "<h1 dir=\"auto\">");
    html_shown(page, text, rest ? (size_t)(rest - text) : strlen(text), VISIBLE_PROSE);
    buf_text(page, "</h1>\n");
    while (rest && *rest == '\n')
        rest++;
    if (rest && *rest) {
        buf_text(page, "<p class=\"words\" dir=\"auto\">");
        write_shown(page, rest, VISIBLE_PROSE);
        buf_text(page, "</p>\n");
    }
}

/* What there is to know: the known members of a context in words, the rest as it is. */
static void write_context(struct buf *page, const json_t *context)
{
    static const struct {
        const char *name, *head;
    } known[] = {
        { "projectName", "Project" },
        { "jobType", "Job" },
        { "currentStep", "Step" },
        { "errorDetails", "What went wrong" },
        { "suggestedOptions", "What the agent thinks of" },
    };
    json_t *rest = json_copy((json_t *)(uintptr_t)context);

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        write_block(page, known[i].head, json_object_get(rest, known[i].name));
        json_object_del(rest, known[i].name);
    }
    if (json_object_size(rest) > 0)
        write_block(page, "Further", rest);
    json_decref(rest);
}

/* What an asker put into an action beside its name and its args is approved with them. */
static void write_more(struct buf *page, const json_t *action)
{
    json_t *more = json_copy((json_t *)(uintptr_t)action);

    json_object_del(more, "name");
    json_object_del(more, "args");
    if (json_object_size(more) > 0)
        write_args(page, "And", more);
    json_decref(more);
}

static void write_action(struct buf *page, const json_t *question)
{
    const json_t *action = json_object_get(question, "action");
    const json_t *changed = json_object_get(question, "approvedArgs");

    if (json_is_object(action)) {
        buf_text(page, "<h2>What is to be done</h2>\n");
        write_exactly(page, json_object_get(action, "name"));
        write_args(page, json_is_null(changed) ? "With" : "With, as it was proposed",
                   json_object_get(action, "args"));
        write_more(page, action);
    }
    write_args(page, "With, as others have approved it", changed);
}

static void write_approvals(struct buf *page, const json_t *question)
{
    const json_t *approvals = json_object_get(question, "approvals");

    if (json_integer_value(json_object_get(approvals, "need")) > 1)
        buf_format(page, "<p class=\"soft\">%lld of %lld have approved; one no ends it.</p>\n",
                   (long long)json_integer_value(json_object_get(approvals, "have")),
                   (long long)json_integer_value(json_object_get(approvals, "need")));
}

/* Whose it is, and what whoever gave it to them, or back to all, said about it. */
static void write_for(struct buf *page, const json_t *question)
{
    const json_t *handover = json_object_get(question, "handover");

    if (text_of(question, "assignee"))
        write_line(page, "For ", text_of(question, "assignee"), ".");
    if (text_of(handover, "note")) {
        write_line(page, "", text_of(handover, "by"), " said about it:");
        buf_text(page, "<p class=\"words\" dir=\"auto\">");
        write_shown(page, text_of(handover, "note"), VISIBLE_PROSE);
        buf_text(page, "</p>\n");
    }
}

static void write_outcome(struct buf *page, const json_t *question)
{
    const json_t *outcome = json_object_get(question, "outcome");
    const json_t *response = json_object_get(question, "response");

    buf_format(page, "<p class=\"soft\">This question has ended: %s.</p>\n", text_of(question, "status"));
    if (text_of(outcome, "by"))
        write_line(page, "Settled by ", text_of(outcome, "by"), ".");
    write_block(page, "Answer", json_object_get(response, "value"));
    write_block(page, "Note", json_object_get(response, "text"));
}

void question_form_write_lost(struct buf *page, const json_t *refusal, const json_t *response)
{
    const json_t *won = json_object_get(json_object_get(refusal, "winner"), "response");

    write_block(page, "What was decided", json_object_get(won, "value"));
    write_block(page, "With the words", json_object_get(won, "text"));
    buf_text(page, "<p>What you sent came too late and does not count:</p>\n");
    write_block(page, "Your answer", json_object_get(response, "value"));
    write_block(page, "Your words", json_object_get(response, "text"));
}

static void hidden(struct buf *page, const char *name, const char *value)
{
    buf_text(page, "<input type=\"hidden\" name=\"");
    buf_text(page, name);
    buf_text(page, "\" value=\"");
    html_text(page, value);
    buf_text(page, "\">\n");
}

static void write_buttons(struct buf *page, const char *yes, const char *no)
{
    buf_format(page,
               "<div class=\"row\">\n<button name=\"answer\" value=\"yes\">%s</button>\n"
               "<button class=\"no\" name=\"answer\" value=\"no\">%s</button>\n</div>\n",
               yes, no);
}

static void write_note(struct buf *page)
{
    buf_text(page, "<label>A note, if you like\n"
                   "<textarea class=\"note\" dir=\"auto\" name=\"note\" maxlength=\"" NOTE_CHARS
                   "\"></textarea></label>\n");
}

static void write_choices(struct buf *page, const json_t *question)
{
    bool other = json_is_true(json_object_get(question, "allowOther"));
    const json_t *option;
    size_t i;

    buf_text(page, "<fieldset>\n<legend>Choose one</legend>\n");
    json_array_foreach(json_object_get(question, "options"), i, option)
    {
        buf_format(page, "<label class=\"choice\"><input type=\"radio\" name=\"answer\"%s value=\"",
                   other ? "" : " required");
        html_text(page, text_of(option, "id"));
        buf_text(page, "\"><span dir=\"auto\">");
        write_shown(page, text_of(option, "label"), VISIBLE_PROSE);
        if (text_of(option, "description")) {
            buf_text(page, "<br><span class=\"soft\" dir=\"auto\">");
            write_shown(page, text_of(option, "description"), VISIBLE_PROSE);
            buf_text(page, "</span>");
        }
        buf_text(page, "</span></label>\n");
    }
    buf_text(page, "</fieldset>\n");
    if (other)
        buf_text(page, "<label>Or in your own words\n<input type=\"text\" dir=\"auto\" name=\"other\" "
                       "maxlength=\"" NOTE_CHARS "\"></label>\n");
    write_note(page);
    buf_text(page, "<div class=\"row\"><button>Answer</button></div>\n");
}

static void write_form(struct buf *page, const json_t *question, const char *id, const char *check)
{
    const char *type = text_of(question, "responseType");
    const json_t *args = json_object_get(question, "approvedArgs");

    buf_format(page, "<form method=\"post\" action=\"/q/%s\">\n", id);
    hidden(page, "check", check);
    hidden(page, "type", type);
    if (str_equal(type, "approval") && args && !json_is_null(args)) {
        char *text = json_dumps(args, JSON_COMPACT | JSON_ENCODE_ANY);

        hidden(page, "args", text);
        free(text);
    }
    if (str_equal(type, "approval")) {
        write_note(page);
        write_buttons(page, "Approve", "Reject");
    } else if (str_equal(type, "boolean")) {
        write_note(page);
        write_buttons(page, "Yes", "No");
    } else if (str_equal(type, "choice")) {
        write_choices(page, question);
    } else {
        buf_text(
            page,
            "<label>Your answer\n<textarea dir=\"auto\" name=\"answer\" required maxlength=\"" ANSWER_CHARS
            "\"></textarea></label>\n"
            "<div class=\"row\"><button>Answer</button></div>\n");
    }
    buf_text(page, "</form>\n");
}

/* "2026-11-15T22:43:35.777Z" as people read it; a page without a script does not know their own time. */
static void write_deadline(struct buf *page, const char *at)
{
    if (at && strlen(at) > 16)
        buf_format(page, "<p class=\"soft\">Open until <time datetime=\"%s\">%.10s, %.5s UTC</time>.</p>\n",
                   at, at, at + 11);
}

void question_form_write(struct buf *page, const json_t *question, const char *id, const char *check)
{
    bool open = str_equal(text_of(question, "status"), "pending");
    const json_t *you = json_object_get(question, "you");

    write_line(page, "", text_of(question, "askedBy"), " asks:");
    write_question(page, text_of(question, "question"));
    write_action(page, question);
    if (json_is_object(json_object_get(question, "context")))
        write_context(page, json_object_get(question, "context"));
    if (!open) {
        write_outcome(page, question);
        return;
    }
    write_for(page, question);
    write_approvals(page, question);
    write_deadline(page, text_of(question, "timeoutAt"));
    if (json_is_object(json_object_get(question, "defaultResponse")))
        write_block(page, "If nobody answers",
                    json_object_get(json_object_get(question, "defaultResponse"), "value"));
    /* Whoever may not answer is told why; whose yes would not count may still say no. */
    if (text_of(you, "reason"))
        write_line(page, "", text_of(you, "reason"), "");
    if (!json_is_false(json_object_get(you, "mayAnswer")))
        write_form(page, question, id, check);
}

static json_t *value_of(const char *type, const char *answer, const char *other)
{
    bool given = answer && answer[0];

    if (str_equal(type, "approval") || str_equal(type, "boolean")) {
        if (str_equal(answer, "yes") || str_equal(answer, "no"))
            return json_boolean(str_equal(answer, "yes"));
        return NULL;
    }
    if (given)
        return json_string(answer);
    return str_equal(type, "choice") && other && other[0] ? json_null() : NULL;
}

bool question_form_read(const struct url_query *fields, json_t **response, struct err *err)
{
    const char *type = url_value(fields, "type"), *note = url_value(fields, "note");
    const char *other = url_value(fields, "other"), *args = url_value(fields, "args");
    json_t *value = value_of(type, url_value(fields, "answer"), other);
    json_t *made;

    if (!value)
        return err_set(err, ERR_INVALID, "There was no answer in the form.");
    if (json_is_null(value))
        note = other;
    made = json_pack("{s:s, s:o}", "type", type ? type : "", "value", value);
    if (note && note[0])
        json_object_set_new(made, "text", json_string(note));
    if (args && json_is_true(value))
        json_object_set_new(made, "args", json_loads(args, JSON_DECODE_ANY, NULL));
    *response = made;
    return true;
}

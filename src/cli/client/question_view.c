/*
 * Everything here is judged from the JSON that the server sent, since scripts act on it: an exit code of 0
 * needs an answer of the type that was asked for, whose value is exactly true where a yes was wanted, and a
 * person's where only that counts.
 */
#include "cli/client/question_view.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/program.h"
#include "base/str.h"
#include "cli/cli.h"

#include <inttypes.h>
#include <string.h>

#define MOST_INDENT 12 /* what lies deeper is one line of JSON */
#define TASK_CHARS  40 /* of a task's title, where something stands behind it */

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

bool view_yes_no(const char *word, bool *yes)
{
    static const struct {
        const char *word;
        bool yes;
    } words[] = {
        { "yes", true }, { "y", true },  { "true", true },   { "approve", true }, { "approved", true },
        { "no", false }, { "n", false }, { "false", false }, { "reject", false }, { "rejected", false },
    };
    ARENA_AUTO arena = { 0 };
    const char *folded = str_fold(&arena, str_trim(&arena, word));

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].word, folded) == 0) {
            *yes = words[i].yes;
            return true;
        }
    return false;
}

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

/* An option by its value, its id or, as people do, by what stands there. */
static const json_t *option_named(struct arena *arena, const json_t *options, const char *word)
{
    static const char *const keys[] = { "value", "id", "label" };
    const char *folded = str_fold(arena, word);
    const json_t *option;
    size_t index;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        json_array_foreach(options, index, option)
        {
            const char *text = member_text(arena, option, keys[i]);

            if (text && strcmp(str_fold(arena, text), folded) == 0)
                return option;
        }
    return NULL;
}

/* How many options a number names, counted from 1; 0: one of them is called by a number itself. */
static size_t numbered(struct arena *arena, const json_t *question)
{
    static const char *const keys[] = { "value", "id", "label" };
    const json_t *options = json_object_get(question, "options"), *option;
    size_t index;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        json_array_foreach(options, index, option)
        {
            const char *text = member_text(arena, option, keys[i]);

            if (text && is_number(str_trim(arena, text)))
                return 0;
        }
    return json_array_size(options);
}

/* "1 eu (Europe)", or without the number where none is offered. */
static const char *option_names(struct arena *arena, const json_t *options, bool numbers)
{
    const char *all = "";
    const json_t *option;
    size_t index;

    json_array_foreach(options, index, option)
    {
        const char *value = member_text(arena, option, "value"), *label = member_text(arena, option, "label");

        all = arena_format(arena, "%s%s%s%s", all, index > 0 ? ", " : "",
                           numbers ? arena_format(arena, "%zu ", index + 1) : "", value ? value : "?");
        if (label && !str_equal(label, value))
            all = arena_format(arena, "%s (%s)", all, label);
    }
    return all;
}

static bool no_such_option(struct arena *arena, const json_t *options, const char *word, bool numbers,
                           struct err *err)
{
    err_set(err, ERR_INVALID, "\"%s\" is not one of the options.", term_line(arena, word));
    return err_hint(err, "Choose one of: %s.", term_line(arena, option_names(arena, options, numbers)));
}

static void take_option(const json_t *option, json_t **response)
{
    *response = json_pack("{s:s, s:O}", "type", "choice", "value", json_object_get(option, "value"));
}

static bool choose(struct arena *arena, const json_t *question, const char *word, json_t **response,
                   struct err *err)
{
    const json_t *options = json_object_get(question, "options");
    const json_t *option = option_named(arena, options, word);

    if (option)
        take_option(option, response);
    else if (json_is_true(json_object_get(question, "allowOther")))
        *response = json_pack("{s:s, s:s}", "type", "choice", "text", word);
    else
        return no_such_option(arena, options, word, false, err);
    return true;
}

bool view_response(struct arena *arena, const json_t *question, const char *word, json_t **response,
                   struct err *err)
{
    const char *type = text_of(question, "responseType");
    bool yes;

    if (!str_is_utf8(word, strlen(word)))
        return err_set(err, ERR_INVALID, "The answer is not UTF-8 text.");
    if (str_equal(type, "choice"))
        return choose(arena, question, word, response, err);
    if (str_equal(type, "text")) {
        if (str_is_blank(word))
            return err_set(err, ERR_INVALID, "The answer is empty.");
        *response = json_pack("{s:s, s:s}", "type", type, "value", word);
        return true;
    }
    if (!str_equal(type, "boolean") && !str_equal(type, "approval"))
        return err_set(err, ERR_INTERNAL, "This witan does not know answers of the type %s.",
                       term_line(arena, type));
    if (!view_yes_no(word, &yes))
        return err_set(err, ERR_INVALID, "This question is answered with %s, not \"%s\".",
                       str_equal(type, "approval") ? "approve or reject" : "yes or no",
                       term_line(arena, word));
    *response = json_pack("{s:s, s:b}", "type", type, "value", yes);
    return true;
}

/* A number alone is never somebody's own words: whoever types one means an option. */
static bool choose_typed(struct arena *arena, const json_t *question, const char *word, json_t **response,
                         struct err *err)
{
    const json_t *options = json_object_get(question, "options");
    size_t count = numbered(arena, question), len = strlen(word);
    int64_t number;

    if (!*word)
        return err_set(err, ERR_INVALID, "The answer is empty.");
    if (count == 0 || !is_number(word))
        return option_named(arena, options, word) || json_is_true(json_object_get(question, "allowOther"))
                   ? choose(arena, question, word, response, err)
                   : no_such_option(arena, options, word, count > 0, err);
    if (len > 9 || !str_to_int(word, &number) || number < 1 || number > (int64_t)count)
        return no_such_option(arena, options, word, true, err);
    take_option(json_array_get(options, (size_t)number - 1), response);
    return true;
}

static bool undecided(struct arena *arena, const char *line, struct err *err)
{
    err_set(err, ERR_INVALID, "Nothing is decided: this is answered with approve or reject, not \"%s\".",
            term_line(arena, line));
    return err_hint(err, "Type approve, or reject and, if you like, why.");
}

/* "reject not on Friday": the word, and behind it why. */
static bool decide_typed(struct arena *arena, const char *line, json_t **response, struct err *err)
{
    size_t len = strcspn(line, " \t,:");
    const char *word = str_fold(arena, arena_copy(arena, line, len)), *why = line + len;
    bool yes = strcmp(word, "approve") == 0;

    why += strspn(why, " \t,:");
    if (yes ? *why : strcmp(word, "reject") != 0)
        return undecided(arena, line, err);
    *response = json_pack("{s:s, s:b}", "type", "approval", "value", yes);
    if (*why)
        json_object_set_new(*response, "text", json_string(why));
    return true;
}

bool view_typed(struct arena *arena, const json_t *question, const char *line, json_t **response,
                struct err *err)
{
    const char *type = text_of(question, "responseType"), *word = str_trim(arena, line);

    if (str_is_utf8(word, strlen(word)) && str_equal(type, "approval"))
        return decide_typed(arena, word, response, err);
    if (str_is_utf8(word, strlen(word)) && str_equal(type, "choice"))
        return choose_typed(arena, question, word, response, err);
    return view_response(arena, question, word, response, err);
}

const char *view_answer(struct arena *arena, const json_t *response)
{
    const char *type = text_of(response, "type");
    const json_t *value = json_object_get(response, "value");

    if (!json_is_object(response))
        return NULL;
    if (json_is_boolean(value) && str_equal(type, "approval"))
        return json_is_true(value) ? "approved" : "rejected";
    if (json_is_string(value) && *json_string_value(value))
        return json_string_value(value);
    if (json_is_boolean(value) || json_is_integer(value))
        return member_text(arena, response, "value");
    if (json_is_real(value))
        return arena_format(arena, "%g", json_real_value(value));
    return text_of(response, "text");
}

bool view_needs_others(const json_t *approvals)
{
    return member_int(approvals, "have") < member_int(approvals, "need");
}

bool view_is_open(const json_t *question)
{
    return str_equal(text_of(question, "status"), "pending");
}

bool view_ended_by_deadline(const json_t *question)
{
    return str_equal(text_of(question, "status"), "timeout") ||
           str_equal(text_of(json_object_get(question, "outcome"), "source"), "default");
}

const char *view_wanted(const json_t *question)
{
    const char *type = text_of(question, "responseType");

    if (str_equal(type, "choice"))
        return json_is_true(json_object_get(question, "allowOther"))
                   ? "one of the options, or your own words> "
                   : "one of the options> ";
    return str_equal(type, "approval")  ? "approve or reject> "
           : str_equal(type, "boolean") ? "yes or no> "
                                        : "> ";
}

const char *view_how(struct arena *arena, const char *name, const json_t *question)
{
    const json_t *option = json_array_get(json_object_get(question, "options"), 0);
    const char *type = text_of(question, "responseType");
    const char *answer = arena_format(arena, "%s answer %s", program_name(), name);

    if (str_equal(type, "approval"))
        return arena_format(arena, "%s --approve, or: %s --reject", answer, answer);
    if (str_equal(type, "boolean"))
        return arena_format(arena, "%s yes, or: %s no", answer, answer);
    if (!str_equal(type, "choice") || !option)
        return arena_format(arena, "%s \"...\"", answer);
    return arena_format(arena, "%s \"%s\", or another of the options", answer,
                        term_line(arena, member_text(arena, option, "value")));
}

const char *view_bar(const json_t *thing)
{
    const json_t *you = json_object_get(thing, "you");

    return json_is_false(json_object_get(you, "mayAnswer")) ? text_of(you, "reason") : NULL;
}

/* Who else is to answer where nobody is named. */
static const char *others_for(struct arena *arena, const json_t *thing)
{
    const json_t *you = json_object_get(thing, "you");
    const char *role = text_of(thing, "requiredRole");

    if (!text_of(you, "bar") || str_equal(text_of(you, "bar"), "agent"))
        return NULL;
    if (str_equal(text_of(you, "bar"), "role") && role)
        return arena_format(arena, "%s %s", strchr("aeiou", role[0]) ? "an" : "a", role);
    return "others";
}

const char *view_for(struct arena *arena, const json_t *thing)
{
    const char *assignee = text_of(thing, "assignee");
    const char *whom = assignee ? assignee : others_for(arena, thing);

    if (!text_of(json_object_get(thing, "you"), "snoozedUntil"))
        return whom;
    return whom ? arena_format(arena, "%s, snoozed", whom) : "snoozed";
}

/* For whom it is, who said so, and what stands in the way of whoever looks. */
static void write_standing(struct term *term, const json_t *question, int64_t now_ms)
{
    const json_t *you = json_object_get(question, "you"), *handover = json_object_get(question, "handover");
    const char *assignee = text_of(question, "assignee"), *role = text_of(question, "requiredRole");
    const char *by = text_of(handover, "by"), *note = text_of(handover, "note"),
               *reason = text_of(you, "reason");

    if (assignee)
        buf_format(term->out, "for %s%s%s%s%s\n", term_line(term->arena, assignee), by ? ", by " : "",
                   by ? term_line(term->arena, by) : "", note ? ": " : "",
                   note ? term_shown(term->arena, note, VISIBLE_PROSE) : "");
    if (role)
        buf_format(term->out, "needs the role %s\n", term_line(term->arena, role));
    if (!view_is_open(question))
        return;
    if (reason && !str_equal(text_of(you, "bar"), "agent"))
        buf_format(term->out, "%s\n", term_line(term->arena, reason));
    if (text_of(you, "snoozedUntil"))
        buf_format(term->out, "snoozed, and back %s\n",
                   term_when(term->arena, text_of(you, "snoozedUntil"), now_ms));
}

bool view_by_person(const json_t *question)
{
    return str_equal(text_of(json_object_get(question, "outcome"), "source"), "human");
}

int view_exit(const json_t *question, bool require_human)
{
    const char *status = text_of(question, "status");
    const char *type = text_of(question, "responseType");
    const json_t *response = json_object_get(question, "response");
    const json_t *value = json_object_get(response, "value");

    if (str_equal(status, "timeout"))
        return CLI_TIMED_OUT;
    if (str_equal(status, "cancelled"))
        return CLI_CANCELLED;
    if (!str_equal(status, "answered") || !type || !json_is_object(response))
        return CLI_ERROR;
    if (require_human && !view_by_person(question))
        return CLI_TIMED_OUT;
    if (strcmp(type, "boolean") == 0 || strcmp(type, "approval") == 0)
        return json_is_true(value) ? CLI_OK : json_is_false(value) ? CLI_NO : CLI_ERROR;
    if (strcmp(type, "text") != 0 && strcmp(type, "choice") != 0)
        return CLI_ERROR;
    return json_is_null(value) && !text_of(response, "text") ? CLI_ERROR : CLI_OK;
}

const char *view_task(struct arena *arena, const char *title)
{
    return term_shown(arena, str_beginning(arena, title, TASK_CHARS), VISIBLE_PROSE);
}

const char *view_text(struct arena *arena, const json_t *item)
{
    const char *text = term_shown(arena, text_of(item, "text"), VISIBLE_PROSE), *task = text_of(item, "task");

    return task ? arena_format(arena, "%s: %s", view_task(arena, task), text) : text;
}

const char *view_left(struct arena *arena, const json_t *question, int64_t now_ms)
{
    const char *until = text_of(question, "timeoutAt");
    int64_t due_ms, left;

    if (!until || !clock_parse(until, &due_ms))
        return "-";
    left = due_ms > now_ms ? (due_ms - now_ms + 999) / 1000 : 0;
    if (left < 3600)
        return arena_format(arena, "%" PRId64 ":%02" PRId64, left / 60, left % 60);
    return arena_format(arena, "%" PRId64 ":%02" PRId64 ":%02" PRId64, left / 3600, left / 60 % 60,
                        left % 60);
}

const char *view_deadline(struct arena *arena, const json_t *question)
{
    const char *answer = view_answer(arena, json_object_get(question, "defaultResponse"));

    if (answer)
        return arena_format(arena, "\"%s\" is taken as the answer", term_line(arena, answer));
    if (!text_of(question, "timeoutAt"))
        return "it stays open";
    if (str_equal(text_of(question, "responseType"), "approval"))
        return "it is not approved";
    return "it ends without an answer, and what waits for it fails";
}

static void write_options(struct term *term, const json_t *options, bool numbers)
{
    const json_t *option;
    size_t index;

    json_array_foreach(options, index, option)
    {
        const char *value = member_text(term->arena, option, "value");
        const char *name = member_text(term->arena, option, "label");
        const char *more = member_text(term->arena, option, "description");

        if (numbers)
            buf_format(term->out, "  %zu  ", index + 1);
        else
            buf_text(term->out, "  - ");
        term_paint(term, TERM_BOLD, term_shown(term->arena, value, VISIBLE_PROSE));
        if (name && !str_equal(name, value))
            buf_format(term->out, "  %s", term_shown(term->arena, name, VISIBLE_PROSE));
        if (more)
            buf_format(term->out, ": %s", term_shown(term->arena, more, VISIBLE_PROSE));
        buf_char(term->out, '\n');
    }
}

/* A text that could be taken for a number or a word of JSON keeps its quotes. */
static const char *value_text(struct arena *arena, const json_t *value, enum visible_way way)
{
    const char *text = json_string_value(value);

    return text && !(way == VISIBLE_EXACT && json_reads_otherwise(text)) ? text
                                                                         : json_dump_text(arena, value);
}

/* What has several lines or members stands below its name, further in. */
static void write_members(struct term *term, const char *indent, const json_t *object, enum visible_way way)
{
    const char *key, *deeper = arena_format(term->arena, "%s  ", indent);
    const json_t *value;

    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        const char *name = term_shown(term->arena, key, way), *text = json_string_value(value);

        if (json_is_object(value) && json_object_size(value) > 0 && strlen(indent) < MOST_INDENT) {
            buf_format(term->out, "%s%s:\n", indent, name);
            write_members(term, deeper, value, way);
        } else if (text && strchr(text, '\n')) {
            buf_format(term->out, "%s%s:\n", indent, name);
            term_shown_block(term, deeper, text, way);
        } else {
            buf_format(term->out, "%s%s: %s\n", indent, name,
                       term_shown(term->arena, value_text(term->arena, value, way), way));
        }
    }
}

static void write_section(struct term *term, const char *head, const json_t *object, enum visible_way way)
{
    if (!json_is_object(object) || json_object_size(object) == 0)
        return;
    buf_format(term->out, "%s\n", head);
    write_members(term, "  ", object, way);
}

static void write_approved(struct term *term, const char *head, const json_t *args)
{
    if (json_is_object(args))
        write_section(term, arena_format(term->arena, "%s:", head), args, VISIBLE_EXACT);
    else if (args && !json_is_null(args))
        buf_format(term->out, "%s: %s\n", head,
                   term_shown(term->arena, json_dump_text(term->arena, args), VISIBLE_EXACT));
}

void view_write_action(struct term *term, const json_t *question)
{
    write_section(term, "action:", json_object_get(question, "action"), VISIBLE_EXACT);
    write_approved(term, "approved with", json_object_get(question, "approvedArgs"));
}

void view_write_edited(struct term *term, const json_t *question, const json_t *args)
{
    write_section(term, "action:", json_object_get(question, "action"), VISIBLE_EXACT);
    write_approved(term, "would be approved with", args);
}

static void write_whole(struct term *term, const json_t *question, int64_t now_ms, bool numbers)
{
    const char *by = text_of(question, "askedBy");

    term_paint(term, TERM_BOLD, term_line(term->arena, text_of(question, "type")));
    if (by)
        buf_format(term->out, "  asked by %s", term_shown(term->arena, by, VISIBLE_PROSE));
    buf_format(term->out, "  %s\n", term_line(term->arena, text_of(question, "id")));
    term_shown_block(term, "  ", text_of(question, "question"), VISIBLE_PROSE);
    write_options(term, json_object_get(question, "options"), numbers);
    write_section(term, "context:", json_object_get(question, "context"), VISIBLE_PROSE);
    view_write_action(term, question);
    write_standing(term, question, now_ms);
    if (view_is_open(question) && text_of(question, "timeoutAt"))
        buf_format(term->out, "%s left; then %s.\n", view_left(term->arena, question, now_ms),
                   view_deadline(term->arena, question));
}

void view_write(struct term *term, const json_t *question, int64_t now_ms)
{
    write_whole(term, question, now_ms, false);
}

void view_write_asked(struct term *term, const json_t *question, int64_t now_ms)
{
    write_whole(term, question, now_ms, numbered(term->arena, question) > 0);
}

/*
 * What a result says besides its questions: status, summary, tasks, prd, plan.
 */
#include "base/str.h"
#include "output/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct fields {
    struct arena *arena;
    const struct value *holder, *outer;
    struct output *out;
    struct problems *problems;
};

/* The member of the holder, or else of the object around it; null counts as absent. */
static const struct value *find(const struct fields *fields, const char *key)
{
    const struct value *value = value_member(fields->holder, key);

    if (!value || (value->type == VALUE_NULL && value->whole))
        value = value_member(fields->outer, key);
    return value && (value->type != VALUE_NULL || !value->whole) ? value : NULL;
}

static char *tidy(struct arena *arena, const char *text)
{
    return str_trim(arena, str_sanitise(arena, text));
}

/* The text as it stood in the source, for values that ought to have been a string. */
static const char *as_written(const struct fields *fields, const struct value *value)
{
    const char *text = value->type == VALUE_TEXT || !value->raw
                           ? value->text
                           : value_decode(fields->arena, value->raw, value->raw_len, false);

    return tidy(fields->arena, text ? text : "");
}

static bool means_success(const char *text)
{
    static const char *const words[] = { "success", "completed", "complete", "done", "passed", NULL };

    for (size_t i = 0; words[i]; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

static void read_status(struct fields *fields, bool coder)
{
    const struct value *value = find(fields, "status");
    struct output *out = fields->out;

    if (!value) {
        out->status = coder || out->question_count > 0 ? OUTPUT_FAILED : OUTPUT_SUCCESS;
        if (coder && out->question_count == 0)
            problems_add(fields->problems, "The result has no status, so it counts as failed.");
        return;
    }
    out->status_text = as_written(fields, value);
    if (value->type == VALUE_TEXT && value->whole && means_success(out->status_text)) {
        out->status = OUTPUT_SUCCESS;
        return;
    }
    out->status = OUTPUT_FAILED;
    if (value->type != VALUE_TEXT || !value->whole || strcasecmp(out->status_text, "failed") != 0)
        problems_add(fields->problems,
                     "The status `%.80s` is neither success nor failed, so it counts as failed.",
                     out->status_text);
}

static void read_summary(struct fields *fields, bool coder)
{
    const struct value *value = find(fields, "summary");
    struct output *out = fields->out;

    if (value && value->type == VALUE_TEXT) {
        out->summary = tidy(fields->arena, value->text);
        if (!value->whole)
            problems_add(fields->problems, "The summary is cut off.");
    } else if (value) {
        problems_add(fields->problems, "The summary is not a text and was passed over.");
    }
    if (out->summary && *out->summary)
        return;
    out->summary = out->question_count > 0 ? OUTPUT_ASKS : NULL;
    if (coder && !out->summary)
        problems_add(fields->problems, "The result has no summary.");
}

/* Text, or the JSON that stands there. What is cut off is no document to go on with. */
static const char *read_document(struct fields *fields, const char *key)
{
    const struct value *value = find(fields, key);

    if (!value)
        return NULL;
    if (!value->whole) {
        problems_add(fields->problems, "`%s` is cut off and was passed over.", key);
        return NULL;
    }
    const char *text = as_written(fields, value);

    return *text ? text : NULL;
}

static bool to_whole_number(const struct value *value, int64_t *number)
{
    double real = 0;
    char *end;

    if (str_to_int(value->text, number))
        return true;
    if (value->type != VALUE_NUMBER)
        return false;
    real = strtod(value->text, &end);
    if (*end || !(real > -1e15 && real < 1e15) || (double)(int64_t)real != real)
        return false;
    *number = (int64_t)real;
    return true;
}

static void read_priority(struct fields *fields, const struct value *entry, size_t place,
                          struct output_task *task)
{
    const struct value *value = value_member(entry, "priority");

    if (!value || value->type == VALUE_NULL)
        return;
    task->has_priority = (value->type == VALUE_NUMBER || value->type == VALUE_TEXT) && value->whole &&
                         to_whole_number(value, &task->priority);
    if (!task->has_priority)
        problems_add(fields->problems, "The priority of task %zu is not a whole number and was passed over.",
                     place);
}

/* The first reason is told; of the others there may be thousands. */
static void lose(struct fields *fields, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void lose(struct fields *fields, const char *fmt, ...)
{
    va_list args;
    char text[240];

    if (fields->out->lost)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    fields->out->lost = arena_text(fields->arena, text);
}

/* A name or a place; NULL: nothing is named, or what stands there is no name. */
static const char *dependency_of(struct fields *fields, const struct value *item, size_t place)
{
    bool names = item->type == VALUE_TEXT || item->type == VALUE_NUMBER;
    const char *text = names ? as_written(fields, item) : "";

    if (!item->whole || (!names && item->type != VALUE_NULL))
        lose(fields, "A dependency of task %zu is neither a title nor a place: no task was made.", place);
    return item->whole && *text ? text : NULL;
}

static void read_depends(struct fields *fields, const struct value *entry, size_t place,
                         struct output_task *task)
{
    const struct value *list = value_member(entry, "depends_on");

    if (!list)
        list = value_member(entry, "dependsOn");
    if (!list || list->type == VALUE_NULL)
        return;
    bool one = list->type != VALUE_LIST;
    size_t skipped = 0;

    if (!one && list->count > LIMIT_DEPENDS) {
        lose(fields, "Task %zu has %zu dependencies, more than %d: no task was made.", place,
             list->count + list->passed, LIMIT_DEPENDS);
        return;
    }
    task->depends_on = arena_array(fields->arena, const char *, one ? 1 : list->count + 1);
    for (const struct value *item = one ? list : list->first; item; item = one ? NULL : item->next) {
        const char *text = dependency_of(fields, item, place);

        if (text)
            task->depends_on[task->depends_count++] = text;
        else
            skipped++;
    }
    if (skipped)
        problems_add(fields->problems, "%zu dependencies of task %zu were passed over.", skipped, place);
}

/* The title's beginning, in characters, when it is too long. */
static const char *fit_title(struct fields *fields, char *title, size_t place)
{
    size_t chars = 0;

    for (char *at = title; *at; at++) {
        if (((unsigned char)*at & 0xC0) == 0x80)
            continue;
        if (chars++ == LIMIT_TITLE) {
            *at = '\0';
            problems_add(fields->problems, "The title of task %zu is longer than %d characters and was cut.",
                         place, LIMIT_TITLE);
            break;
        }
    }
    return title;
}

static void read_task(struct fields *fields, const struct value *entry, size_t place)
{
    const struct value *title = entry->type == VALUE_TEXT ? entry : value_member(entry, "title");
    const struct value *description = value_member(entry, "description");
    struct output *out = fields->out;
    struct output_task task = { .place = place - 1, .description = "" };

    if (!title || title->type != VALUE_TEXT || !title->whole || !entry->whole ||
        str_is_blank(str_plain_line(fields->arena, title->text))) {
        problems_add(fields->problems, "Task %zu has no title and was left out.", place);
        return;
    }
    if (out->task_count == LIMIT_RESULT_TASKS) {
        lose(fields, "The result has more than %d tasks: none was made. Hand them in with several results.",
             LIMIT_RESULT_TASKS);
        return;
    }
    task.title = fit_title(fields, str_plain_line(fields->arena, title->text), place);
    if (description && description->type == VALUE_TEXT)
        task.description = tidy(fields->arena, description->text);
    else if (description && description->type != VALUE_NULL)
        problems_add(fields->problems, "The description of task %zu is not a text and was passed over.",
                     place);
    read_priority(fields, entry, place, &task);
    read_depends(fields, entry, place, &task);
    out->tasks[out->task_count++] = task;
}

static void read_tasks(struct fields *fields)
{
    const struct value *list = find(fields, "tasks");
    size_t place = 0;

    if (!list)
        return;
    if (list->type != VALUE_LIST) {
        problems_add(fields->problems, "`tasks` is not a list and was passed over.");
        if (list->type == VALUE_MAP && list->count > 0)
            lose(fields, "`tasks` is an object, not a list: no task was made.");
        return;
    }
    size_t room = list->count < LIMIT_RESULT_TASKS ? list->count : LIMIT_RESULT_TASKS;

    fields->out->tasks = arena_array(fields->arena, struct output_task, room + 1);
    for (const struct value *entry = list->first; entry; entry = entry->next)
        read_task(fields, entry, ++place);
}

void output_too_many_values(struct arena *arena, struct output *out)
{
    out->lost = arena_format(
        arena,
        "The result has more than %d values, of which the rest was not read: nothing was made of it. "
        "Hand it in as several results.",
        LIMIT_RESULT_VALUES);
}

void output_fields_read(struct arena *arena, const struct value *holder, const struct value *outer,
                        bool coder, struct output *out, struct problems *problems)
{
    struct fields fields = {
        .arena = arena, .holder = holder, .outer = outer, .out = out, .problems = problems
    };

    read_status(&fields, coder);
    read_summary(&fields, coder);
    read_tasks(&fields);
    out->prd = read_document(&fields, "prd");
    out->plan = read_document(&fields, "plan");
}

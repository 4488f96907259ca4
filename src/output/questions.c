/*
 * The one normaliser of open questions: every source goes through it.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "output/parts.h"

#include <string.h>
#include <strings.h>

/* One entry of the list as given, before ids are settled. */
struct question_draft {
    const char *text, *id, *created_at;
    bool confirmation;
    size_t place; /* 1-based, dropped entries counted */
};

struct drafts {
    struct arena *arena;
    struct problems *problems;
    struct question_draft items[LIMIT_QUESTIONS];
    size_t count, place, left_out;
};

/* Words without quotes are names in code as a rule, and no text that somebody meant to be read. */
static bool is_string(const struct value *value)
{
    return value && value->type == VALUE_TEXT && !value->bare;
}

static const char *tidy(struct arena *arena, const char *text)
{
    return str_trim(arena, str_sanitise(arena, text));
}

/* Words people put where there is nothing to ask. */
static bool says_nothing(const char *text)
{
    static const char *const words[] = { "none", "none.", "n/a", "no", "no.", "null", "nothing", "-", NULL };

    for (size_t i = 0; words[i]; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return *text == '\0';
}

static const char *usable_id(struct drafts *drafts, const struct value *id)
{
    if (!is_string(id) || !id->whole)
        return NULL;
    const char *text = tidy(drafts->arena, id->text);

    if (*text == '\0')
        return NULL;
    if (strlen(text) <= LIMIT_REF)
        return text;
    problems_add(drafts->problems, "The id of question %zu is longer than %d bytes and was replaced.",
                 drafts->place, LIMIT_REF);
    return NULL;
}

static const char *usable_time(const struct value *entry)
{
    const struct value *time = value_member(entry, "createdAt");
    int64_t ms;

    if (!time)
        time = value_member(entry, "created_at");
    return time && time->type == VALUE_TEXT && time->whole && clock_parse(time->text, &ms) ? time->text
                                                                                           : NULL;
}

static bool is_marked(const struct value *entry)
{
    const struct value *mark = value_member(entry, "confirmation");

    return mark && mark->type == VALUE_BOOL && strcasecmp(mark->text, "true") == 0;
}

#define OPTIONS_SHOWN 26 /* one for each letter */

/* Pros and cons: a text, or several. */
static void add_side(struct arena *arena, struct buf *into, const char *name, const struct value *side)
{
    const struct value *part = side && side->type == VALUE_LIST ? side->first : side;

    for (bool first = true; part; part = side->type == VALUE_LIST ? part->next : NULL) {
        if (!is_string(part) || !*tidy(arena, part->text))
            continue;
        buf_format(into, "%s%s", first ? name : "; ", tidy(arena, part->text));
        first = false;
    }
}

static const char *name_of_option(struct arena *arena, const struct value *option)
{
    static const char *const keys[] = { "label", "text", "option", "name", "title", NULL };

    if (is_string(option))
        return tidy(arena, option->text);
    for (size_t i = 0; keys[i]; i++)
        if (is_string(value_member(option, keys[i])))
            return tidy(arena, value_member(option, keys[i])->text);
    return "";
}

/* Options that stand beside the text, as lines of it: whoever answers must see what there is to choose. */
static const char *with_options(struct drafts *drafts, const char *text, const struct value *entry)
{
    const struct value *options = value_member(entry, "options");
    BUF_AUTO whole = { 0 };
    char letter = 'A';
    size_t looked = 0;

    if (!options || options->type != VALUE_LIST)
        return text;
    buf_init(&whole, 0);
    buf_text(&whole, text);
    for (const struct value *option = options->first; option && looked < OPTIONS_SHOWN;
         option = option->next, looked++) {
        const char *name = name_of_option(drafts->arena, option);

        if (!*name || strstr(text, name))
            continue;
        buf_format(&whole, "\n%c) %s", letter++, name);
        add_side(drafts->arena, &whole, " Pros: ", value_member(option, "pros"));
        add_side(drafts->arena, &whole, " Cons: ", value_member(option, "cons"));
    }
    return arena_copy(drafts->arena, whole.bytes, whole.len);
}

/* `entry` is the object around the text, or NULL when the text stands alone. */
static void add_draft(struct drafts *drafts, const struct value *text, const char *id,
                      const struct value *entry)
{
    size_t place = drafts->place;

    if (!text->whole) {
        problems_add(drafts->problems, "Question %zu is cut off and was left out.", place);
        return;
    }
    const char *tidied = tidy(drafts->arena, text->text);

    if (*tidied == '\0') {
        problems_add(drafts->problems, "Question %zu has an empty text and was left out.", place);
        return;
    }
    if (drafts->count == LIMIT_QUESTIONS) {
        drafts->left_out++;
        return;
    }
    tidied = with_options(drafts, tidied, entry);
    if (strlen(tidied) > LIMIT_MESSAGE) {
        problems_add(drafts->problems, "The text of question %zu is longer than %d bytes and was cut.", place,
                     LIMIT_MESSAGE);
        tidied =
            str_trim(drafts->arena, arena_copy(drafts->arena, tidied, str_fitting(tidied, LIMIT_MESSAGE)));
    }
    drafts->items[drafts->count++] = (struct question_draft){ .text = tidied,
                                                              .id = id,
                                                              .created_at = usable_time(entry),
                                                              .confirmation = is_marked(entry),
                                                              .place = place };
}

/* An entry of the list, or a member of a map that stands in its place; then `key` is its id. */
static void add_entry(struct drafts *drafts, const struct value *entry, const char *key)
{
    drafts->place++;
    if (is_string(entry)) {
        add_draft(drafts, entry, key, NULL);
        return;
    }
    const struct value *text = value_member(entry, "text");

    if (!text) /* as those write it who ask people by ask_question, too */
        text = value_member(entry, "question");
    if (is_string(text)) {
        const char *id = usable_id(drafts, value_member(entry, "id"));

        add_draft(drafts, text, id ? id : key, entry);
    } else if (!entry->whole) {
        problems_add(drafts->problems, "Question %zu is cut off and was left out.", drafts->place);
    } else {
        problems_add(drafts->problems, "Question %zu %s and was left out.", drafts->place,
                     entry->type != VALUE_MAP ? "is neither an object nor a text"
                     : text                   ? "has a text that is not a string"
                                              : "has no text");
    }
}

/* What stands in for a text: dots, a word in angle brackets, or the name of its type. */
static bool is_placeholder(const struct value *entry)
{
    const struct value *text = entry->type == VALUE_MAP ? value_member(entry, "text") : entry;

    if (!is_string(text) || *text->text == '\0')
        return false;
    const char *end = strchr(text->text, '>');

    if (text->text[0] == '<')
        return end && end[1] == '\0';
    return strspn(text->text, ". ") == strlen(text->text) || strcmp(text->text, "\xe2\x80\xa6") == 0 ||
           strcmp(text->text, "string") == 0;
}

bool output_is_example(const struct value *field)
{
    if (!field || field->type != VALUE_LIST)
        return false;
    for (const struct value *entry = field->first; entry; entry = entry->next)
        if (!is_placeholder(entry))
            return false;
    return field->count > 0 && field->passed == 0;
}

bool output_is_schema(const struct value *field)
{
    const struct value *type = value_member(field, "type");

    return value_member(field, "items") || value_member(field, "$ref") ||
           (is_string(type) && strcmp(type->text, "array") == 0);
}

static void add_map(struct drafts *drafts, const struct value *map, const char *name)
{
    if (map->count == 0)
        return;
    if (output_is_schema(map)) {
        problems_add(drafts->problems, "`%s` is described by a schema; that was passed over.", name);
        return;
    }
    problems_add(drafts->problems, "`%s` is an object, not a list; its questions were read.", name);
    if (value_member(map, "text")) {
        add_entry(drafts, map, NULL);
        return;
    }
    for (const struct value *member = map->first; member; member = member->next) {
        const char *key = tidy(drafts->arena, member->key ? member->key : "");

        add_entry(drafts, member, *key && strlen(key) <= LIMIT_REF ? key : NULL);
    }
}

/* What stands under the field: a list, or something that is read in its place. */
static void add_field(struct drafts *drafts, const struct value *field, const char *name)
{
    size_t left_out = 0;

    switch (field->type) {
    case VALUE_LIST:
        for (const struct value *entry = field->first; entry; entry = entry->next)
            add_entry(drafts, entry, NULL);
        left_out = field->passed;
        break;
    case VALUE_MAP: add_map(drafts, field, name); break;
    case VALUE_TEXT:
        if (field->whole && says_nothing(tidy(drafts->arena, field->text)))
            break;
        if (field->bare) {
            problems_add(drafts->problems, "`%s` is not a list and was passed over.", name);
            break;
        }
        problems_add(drafts->problems, "`%s` is a text, not a list; it was taken as one question.", name);
        add_entry(drafts, field, NULL);
        break;
    case VALUE_NUMBER:
        problems_add(drafts->problems, "`%s` is a number, not a list, and was passed over.", name);
        break;
    case VALUE_BOOL:
    case VALUE_NULL:
        if (!field->whole)
            problems_add(drafts->problems, "`%s` is cut off.", name);
        else if (field->text && strcasecmp(field->text, "true") == 0)
            problems_add(drafts->problems, "`%s` is `true`, not a list, and was passed over.", name);
        else if (!field->text)
            problems_add(drafts->problems, "`%s` could not be read and was passed over.", name);
        break;
    }
    drafts->left_out += left_out;
    if (drafts->left_out)
        problems_add(drafts->problems, "%zu questions beyond the first %d were left out.", drafts->left_out,
                     LIMIT_QUESTIONS);
    drafts->left_out = 0;
}

/* All members of that name: a model that repeats the key means both. */
static size_t add_fields(struct drafts *drafts, const struct value *map, const char *name)
{
    size_t seen = 0;

    for (const struct value *member = map->first; member; member = member->next) {
        if (strcmp(member->key, name) != 0)
            continue;
        if (seen++ == 1)
            problems_add(drafts->problems, "`%s` stands more than once in the object; all were read.", name);
        add_field(drafts, member, name);
    }
    return seen;
}

/* Whether a question before this one has the name "q<place>", or one behind it will. */
static bool is_taken(const struct drafts *drafts, const struct output_question *done, size_t count,
                     size_t place, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(done[i].id, id) == 0)
            return true;
    for (size_t i = count + 1; i < drafts->count; i++) {
        const struct question_draft *later = &drafts->items[i];

        if (later->id ? strcmp(later->id, id) == 0 : later->place == place)
            return true;
    }
    return false;
}

static const char *free_id(const struct drafts *drafts, const struct output_question *done, size_t count,
                           size_t place)
{
    const char *id = arena_format(drafts->arena, "q%zu", place);

    while (is_taken(drafts, done, count, place, id))
        id = arena_format(drafts->arena, "q%zu", ++place);
    return id;
}

/*
 * A question without an id is named after its place, and keeps that name even when a later one claims it:
 * the later one is renamed, and the report says so.
 */
static void settle_ids(struct drafts *drafts, struct output *out)
{
    for (size_t i = 0; i < drafts->count; i++) {
        struct question_draft *draft = &drafts->items[i];
        const char *wanted = draft->id ? draft->id : arena_format(drafts->arena, "q%zu", draft->place);
        const char *id = wanted;

        draft->id = NULL;
        for (size_t k = 0; k < i && id; k++)
            if (strcmp(out->questions[k].id, wanted) == 0)
                id = NULL;
        if (!id) {
            id = free_id(drafts, out->questions, i, draft->place);
            problems_add(drafts->problems, "The id `%.80s` is there twice; question %zu became `%s`.", wanted,
                         draft->place, id);
        }
        out->questions[i] = (struct output_question){ .id = id,
                                                      .text = draft->text,
                                                      .created_at = draft->created_at,
                                                      .confirmation = draft->confirmation };
    }
}

static bool same_drafts(const struct drafts *a, const struct drafts *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->items[i].text, b->items[i].text) != 0)
            return false;
    return true;
}

static struct drafts *drafts_new(struct arena *arena, struct problems *problems)
{
    struct drafts *drafts = arena_new(arena, struct drafts);

    drafts->arena = arena;
    drafts->problems = problems;
    return drafts;
}

static struct problems *no_problems(struct arena *arena)
{
    struct problems *problems = arena_new(arena, struct problems);

    problems->arena = arena;
    return problems;
}

void output_questions_read(struct arena *arena, const struct value *map, struct output *out,
                           struct problems *problems)
{
    struct drafts *drafts = drafts_new(arena, problems);

    if (add_fields(drafts, map, "open_questions") == 0) {
        add_fields(drafts, map, "openQuestions");
    } else if (value_member(map, "openQuestions")) {
        struct drafts *other = drafts_new(arena, no_problems(arena));

        add_fields(other, map, "openQuestions");
        if (!same_drafts(drafts, other))
            problems_add(problems,
                         "`openQuestions` differs from `open_questions` beside it and was passed over.");
    }
    out->questions = arena_array(arena, struct output_question, drafts->count + 1);
    out->question_count = drafts->count;
    settle_ids(drafts, out);
}

bool output_questions_there(struct arena *arena, const struct value *map)
{
    struct output trial = { 0 };
    const struct value *field = value_member(map, "open_questions");

    if (!field)
        field = value_member(map, "openQuestions");
    if (!field)
        return false;
    output_questions_read(arena, map, &trial, no_problems(arena));
    return trial.question_count > 0 || (field->type == VALUE_LIST && field->whole && field->count == 0);
}

/*
 * An answer is written anew from the parts that were understood and never copied from the request, so that
 * stored answers have one form. An option may be named by value or id, therefore no two options may share any
 * of these.
 */
#include "core/questions/response.h"

#include "base/colour.h"
#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/questions/answer_shape.h"

#include <string.h>

/* What went wrong is often the end of a log: its colours stay, as they do in a job's. */
static const char *clean_text(struct arena *arena, const char *text)
{
    return strchr(text, '\033') ? colour_keep(arena, text) : str_sanitise(arena, text);
}

static void put_clean(struct json_out *out, struct arena *arena, const char *key, const json_t *value)
{
    const char *name;
    json_t *member;

    if (json_is_string(value)) {
        json_text(out, key, clean_text(arena, json_string_value(value)));
    } else if (json_is_array(value)) {
        json_list(out, key);
        for (size_t i = 0; i < json_array_size(value); i++)
            put_clean(out, arena, NULL, json_array_get(value, i));
        json_list_end(out);
    } else if (json_is_object(value)) {
        json_map(out, key);
        json_object_foreach((json_t *)(uintptr_t)value, name, member)
        {
            put_clean(out, arena, name, member);
        }
        json_map_end(out);
    } else {
        json_value(out, key, value);
    }
}

const char *response_clean(struct arena *arena, const json_t *value)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (!value || json_is_null(value))
        return NULL;
    json_begin(&out, &text);
    put_clean(&out, arena, NULL, value);
    return arena_copy(arena, text.bytes, text.len);
}

/* Options */

/* The options of one field being read: whose memory they get, and where a mistake is told. */
struct response_reading {
    struct arena *arena;
    const char *field;
    struct err *err;
};

/* A text of an option: there, not blank, not too long; NULL where it is not given. */
static bool option_text(const struct response_reading *reading, const json_t *option, const char *name,
                        size_t most, const char **text)
{
    const json_t *value = json_object_get(option, name);

    *text = NULL;
    if (!value || json_is_null(value))
        return true;
    if (!json_is_string(value))
        return err_field(reading->err, reading->field, "%s of an option must be a string.", name);
    *text = str_sanitise(reading->arena, json_string_value(value));
    if (str_is_blank(*text))
        return err_field(reading->err, reading->field, "%s of an option must not be empty.", name);
    if (strlen(*text) > most)
        return err_field(reading->err, reading->field, "%s of an option is too long: at most %zu bytes.",
                         name, most);
    return true;
}

struct option {
    const char *id, *label, *description;
    const char *value; /* or NULL: `truth` is */
    bool truth;
};

static bool read_option(const struct response_reading *reading, const json_t *json, size_t place,
                        struct option *option)
{
    const json_t *value = json_object_get(json, "value");

    if (!json_is_object(json))
        return err_field(reading->err, reading->field, "Each option must be an object.");
    if (!option_text(reading, json, "id", LIMIT_REF, &option->id) ||
        !option_text(reading, json, "label", LIMIT_OPTION, &option->label) ||
        !option_text(reading, json, "description", LIMIT_OPTION_HELP, &option->description))
        return false;
    if (json_is_boolean(value)) {
        option->truth = json_is_true(value);
        if (!option->label)
            option->label = option->truth ? "Yes" : "No";
    } else {
        if (!option_text(reading, json, "value", LIMIT_OPTION, &option->value))
            return false;
        if (!option->value)
            option->value = option->label;
        if (!option->label)
            option->label = option->value;
    }
    if (!option->label)
        return err_field(reading->err, reading->field, "Each option needs a label or a value.");
    if (!option->id)
        option->id = arena_format(reading->arena, "o%zu", place + 1);
    return true;
}

/* An answer names an option by value or id: none of these may mean two of them. */
static bool same_name(const struct option *a, const struct option *b)
{
    if (str_equal(a->id, b->id))
        return true;
    if (!a->value || !b->value)
        return !a->value && !b->value && a->truth == b->truth;
    return str_equal(a->value, b->value) || str_equal(a->value, b->id) || str_equal(a->id, b->value);
}

static void write_option(const struct option *option, struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "id", option->id);
    json_text(out, "label", option->label);
    if (option->value)
        json_text(out, "value", option->value);
    else
        json_bool(out, "value", option->truth);
    if (option->description)
        json_text(out, "description", option->description);
    json_map_end(out);
}

bool response_options(struct arena *arena, const json_t *options, const char *field, const char **checked,
                      struct err *err)
{
    size_t count = json_array_size(options);
    struct response_reading reading = { .arena = arena, .field = field, .err = err };
    struct option *read = arena_array(arena, struct option, count + 1);
    BUF_AUTO text = { 0 };
    struct json_out out;

    *checked = NULL;
    if (!options)
        return true;
    if (count > LIMIT_OPTIONS)
        return err_field(err, field, "There are too many options: at most %d.", LIMIT_OPTIONS);
    json_begin(&out, &text);
    json_list(&out, NULL);
    for (size_t i = 0; i < count; i++) {
        if (!read_option(&reading, json_array_get(options, i), i, &read[i]))
            return false;
        for (size_t other = 0; other < i; other++)
            if (same_name(&read[i], &read[other]))
                return err_field(err, field, "Two options have the same id or value: %.80s.", read[i].id);
        write_option(&read[i], &out);
    }
    json_list_end(&out);
    *checked = arena_copy(arena, text.bytes, text.len);
    return true;
}

/* Answers */

/* A text of the answer, cleaned; NULL where there is none. */
static bool answer_text(struct arena *arena, const json_t *value, const char *field, const char **text,
                        struct err *err)
{
    *text = NULL;
    if (!value || json_is_null(value))
        return true;
    if (!json_is_string(value))
        return err_field(err, field, "The text of an answer must be a string.");
    if (json_string_length(value) > (size_t)settings()->limits_message)
        return err_field(err, field, "The answer is too long: at most %lld bytes.",
                         (long long)settings()->limits_message);
    *text = str_sanitise(arena, json_string_value(value));
    if (str_is_blank(*text))
        *text = NULL;
    return true;
}

struct response_answer {
    const json_t *value;
    const char *text;    /* a free text beside or instead of the value, or NULL */
    const char *written; /* the value as text, when it is one */
    bool truth, is_truth;
    const char *label; /* of the option that was chosen, or NULL */
};

static const json_t *find_option(const json_t *options, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(options); i++) {
        const json_t *option = json_array_get(options, i);

        if (json_equal(json_object_get(option, "value"), value) ||
            (json_is_string(value) && json_equal(json_object_get(option, "id"), value)))
            return option;
    }
    return NULL;
}

static bool check_choice(const struct response_rules *rules, const char *field,
                         struct response_answer *answer, struct err *err)
{
    const json_t *option = find_option(rules->options, answer->value);

    if (option) {
        const json_t *value = json_object_get(option, "value");

        answer->written = json_string_value(value);
        answer->is_truth = json_is_boolean(value);
        answer->truth = json_is_true(value);
        answer->label = json_string_value(json_object_get(option, "label"));
        return true;
    }
    if (rules->allow_other && answer->text)
        return true;
    if (answer->value && !json_is_null(answer->value))
        err_field(err, field, "The answer is not one of the options.");
    else
        err_field(err, field, "The answer must name an option.");
    return err_hint(err, rules->allow_other
                             ? "Give an option's value or id as value, or your own words as text."
                             : "Give an option's value or id as value.");
}

static bool fits_form(struct arena *arena, const json_t *form, const char *field, const char *text,
                      struct err *err)
{
    JSON_AUTO *filled = NULL;

    return answer_shape_form(arena, form, text, field, &filled, err);
}

static bool check_value(struct arena *arena, const struct response_rules *rules, const char *field,
                        struct response_answer *answer, struct err *err)
{
    if (rules->response_type == RESPONSE_CHOICE)
        return check_choice(rules, field, answer, err);
    if (rules->response_type == RESPONSE_TEXT) {
        if (!json_is_string(answer->value))
            return err_field(err, field, "The answer must be a text: value must be a string.");
        if (!answer_text(arena, answer->value, field, &answer->written, err))
            return false;
        if (!answer->written)
            return err_field(err, field, "The answer must not be empty.");
        return !rules->form || fits_form(arena, rules->form, field, answer->written, err);
    }
    if (!json_is_boolean(answer->value))
        return err_field(err, field, "The answer must be yes or no: value must be true or false.");
    answer->is_truth = true;
    answer->truth = json_is_true(answer->value);
    return true;
}

static bool check_args(struct arena *arena, const struct response_rules *rules, const json_t *args,
                       const char *field, const struct response_answer *answer, struct err *err)
{
    if (!args)
        return true;
    if (!rules->has_action || rules->response_type != RESPONSE_APPROVAL)
        return err_field(err, field, "Only an approval of an action takes args.");
    if (!answer->truth)
        return err_field(err, field, "A rejection takes no args.");
    if (json_dumpb(args, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY) > LIMIT_CONTEXT)
        return err_field(err, field, "args are too large: at most %d bytes.", LIMIT_CONTEXT);
    return answer_shape_args(arena, rules->args_schema, args, field, err);
}

static const char *truth_word(enum response_type type, bool truth)
{
    if (type == RESPONSE_APPROVAL)
        return truth ? "approved" : "rejected";
    return truth ? "yes" : "no";
}

/* A copy: labels and texts may belong to JSON that is given back before the summary is used. */
static const char *join_summary(struct arena *arena, const char *word, const char *text)
{
    if (word && text)
        return arena_format(arena, "%s (%s)", str_beginning(arena, word, ANSWER_SUMMARY_CHARS),
                            str_beginning(arena, text, ANSWER_SUMMARY_CHARS));
    return arena_text(arena, str_beginning(arena, word ? word : text ? text : "", ANSWER_SUMMARY_CHARS));
}

static const char *summarise(struct arena *arena, const struct response_rules *rules,
                             const struct response_answer *answer)
{
    const char *word = answer->label ? answer->label : answer->written;

    if (!word && answer->is_truth)
        word = truth_word(rules->response_type, answer->truth);
    return join_summary(arena, word, answer->text);
}

const char *response_summary(struct arena *arena, const char *json)
{
    JSON_AUTO *response = NULL;
    struct err ignored = { 0 };
    const json_t *value;

    if (!json_parse(json, strlen(json), &response, &ignored))
        return json;
    value = json_object_get(response, "value");
    return join_summary(
        arena,
        json_is_boolean(value)
            ? truth_word(words_find(response_types, json_string_value(json_object_get(response, "type"))),
                         json_is_true(value))
            : json_string_value(value),
        json_string_value(json_object_get(response, "text")));
}

static const char *write_response(struct arena *arena, const struct response_rules *rules,
                                  const struct response_answer *answer, const char *args)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "type", response_type_word(rules->response_type));
    if (answer->is_truth)
        json_bool(&out, "value", answer->truth);
    else
        json_text(&out, "value", answer->written);
    if (answer->text)
        json_text(&out, "text", answer->text);
    if (args)
        json_raw(&out, "args", args);
    json_map_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

bool response_check(struct arena *arena, const struct response_rules *rules, const json_t *value,
                    const char *field, struct response *response, struct err *err)
{
    const json_t *type = json_object_get(value, "type"), *args = json_object_get(value, "args");
    struct response_answer answer = { .value = json_object_get(value, "value") };
    struct response made = { 0 };

    if (!json_is_object(value))
        return err_field(err, field, "%s must be an object: {type, value, text?}.", field);
    if (type && !json_is_null(type) &&
        words_find(response_types, json_string_value(type)) != rules->response_type)
        return err_field(err, field, "The answer must be of type %s.",
                         response_type_word(rules->response_type));
    if (json_is_null(args))
        args = NULL;
    if (!answer_text(arena, json_object_get(value, "text"), field, &answer.text, err) ||
        !check_value(arena, rules, field, &answer, err) ||
        !check_args(arena, rules, args, field, &answer, err))
        return false;
    made.args = args ? json_dump_text(arena, args) : NULL;
    made.json = write_response(arena, rules, &answer, made.args);
    made.summary = summarise(arena, rules, &answer);
    made.is_true = answer.is_truth && answer.truth;
    made.is_false = answer.is_truth && !answer.truth;
    *response = made;
    return true;
}

bool response_check_of(struct arena *arena, const struct question *question, const json_t *value,
                       struct response *response, struct err *err)
{
    bool has_args = question->action && json_object_get(value, "args");
    bool has_form = question->context && question->response_type == RESPONSE_TEXT;
    JSON_AUTO *options = NULL;
    JSON_AUTO *action = NULL;
    JSON_AUTO *context = NULL;

    if ((question->options && !json_parse(question->options, strlen(question->options), &options, err)) ||
        (has_args && !json_parse(question->action, strlen(question->action), &action, err)) ||
        (has_form && !json_parse(question->context, strlen(question->context), &context, err)))
        return false;
    return response_check(arena,
                          &(struct response_rules){ .response_type = question->response_type,
                                                    .options = options,
                                                    .allow_other = question->allow_other,
                                                    .has_action = question->action != NULL,
                                                    .args_schema = json_object_get(action, ACTION_SCHEMA),
                                                    .form = json_object_get(context, CONTEXT_SCHEMA) },
                          value, "response", response, err);
}

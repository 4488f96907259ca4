/*
 * Checking and reading are two functions on purpose. What is stored has passed the first, so the second
 * cannot fail; where another program has written nonsense, it takes the careful value (all must agree,
 * nothing ends early).
 */
#include "core/council/rules/options.h"

#include "base/str.h"

#include <string.h>

static const char *const members[] = {
    "vote", "agreement_threshold", "smart_termination", "judge", "budget", "rehearse", "context", NULL
};
static const char *const vote_members[] = { "choices", "rule", NULL };
static const char *const budget_members[] = { "calls", "tokens", "seconds", NULL };

static bool wrong(struct err *err, const char *name, const char *what)
{
    char field[64];

    snprintf(field, sizeof(field), "options.%.50s", name);
    return err_field(err, field, "options.%s %s", name, what);
}

static bool known_only(const json_t *object, const char *prefix, const char *const names[], struct err *err)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)object, name, value)
    {
        bool found = false;
        char whole[80];

        for (size_t i = 0; names[i] && !found; i++)
            found = strcmp(names[i], name) == 0;
        snprintf(whole, sizeof(whole), "%s%.40s", prefix, name);
        if (!found)
            return wrong(err, whole, "is not known.");
    }
    return true;
}

static bool is_word(const char *const words[], const json_t *value)
{
    return json_is_string(value) && words_find(words, json_string_value(value)) != WORD_UNKNOWN;
}

/* The twin spelling of the two that have one. */
static const json_t *member(const json_t *given, const char *name, const char *twin)
{
    const json_t *value = json_object_get(given, name);

    return value ? value : json_object_get(given, twin);
}

/* Whether a ballot could not tell a choice from one before it: both are compared as they are read. */
static bool is_twin(struct arena *arena, const json_t *choices, size_t at)
{
    const char *own = str_normal(arena, json_string_value(json_array_get(choices, at)));

    for (size_t i = 0; i < at; i++) {
        const char *other = json_string_value(json_array_get(choices, i));

        if (other && strcmp(str_normal(arena, other), own) == 0)
            return true;
    }
    return false;
}

static bool check_choices(struct arena *arena, const json_t *choices, struct err *err)
{
    if (!json_is_array(choices) || json_array_size(choices) < 2 || json_array_size(choices) > LIMIT_CHOICES)
        return wrong(err, "vote.choices", "must be a list of two choices or more.");
    for (size_t i = 0; i < json_array_size(choices); i++) {
        const char *choice = json_string_value(json_array_get(choices, i));

        if (!choice || str_is_blank(choice) || strlen(choice) > LIMIT_OPTION)
            return wrong(err, "vote.choices", "must hold texts that are not blank.");
        if (is_twin(arena, choices, i))
            return wrong(err, "vote.choices", "names a choice twice.");
    }
    return true;
}

static bool check_vote(struct arena *arena, const json_t *vote, struct err *err)
{
    const json_t *rule = json_object_get(vote, "rule");

    if (!vote || json_is_null(vote))
        return true;
    if (!json_is_object(vote))
        return wrong(err, "vote", "must be an object: {choices, rule}.");
    if (!known_only(vote, "vote.", vote_members, err) ||
        !check_choices(arena, json_object_get(vote, "choices"), err))
        return false;
    if (rule && !is_word(vote_rules, rule))
        return wrong(err, "vote.rule", "must be majority, borda or weighted.");
    return true;
}

static bool check_budget(const json_t *budget, struct err *err)
{
    if (!budget || json_is_null(budget))
        return true;
    if (!json_is_object(budget))
        return wrong(err, "budget", "must be an object: {calls, tokens, seconds}.");
    if (!known_only(budget, "budget.", budget_members, err))
        return false;
    for (size_t i = 0; budget_members[i]; i++) {
        const json_t *value = json_object_get(budget, budget_members[i]);
        char name[32];

        snprintf(name, sizeof(name), "budget.%s", budget_members[i]);
        if (value && !json_is_null(value) &&
            (!json_is_integer(value) || json_integer_value(value) < 1 ||
             json_integer_value(value) > LIMIT_BUDGET))
            return wrong(err, name, "must be a whole number, 1 or more.");
    }
    return true;
}

static bool check_smart(const json_t *smart, struct err *err)
{
    if (!smart || json_is_null(smart) || json_is_boolean(smart) || is_word(smart_modes, smart))
        return true;
    return wrong(err, "smart_termination", "must be off, on or shadow.");
}

static bool check_threshold(const json_t *threshold, struct err *err)
{
    struct threshold read;
    struct err cause = { 0 };

    if (!threshold || json_is_null(threshold) || threshold_from_json(threshold, &read, &cause))
        return true;
    return wrong(err, "agreement_threshold", "must be all, majority, or a share of the voters such as 0.75.");
}

static void keep(json_t *into, const char *name, const json_t *value)
{
    if (value && !json_is_null(value))
        json_object_set(into, name, (json_t *)value);
}

bool options_check(struct arena *arena, const json_t *given, const char **stored, struct err *err)
{
    const json_t *threshold = member(given, "agreement_threshold", "agreementThreshold");
    const json_t *smart = member(given, "smart_termination", "smartTermination");
    const json_t *judge = json_object_get(given, "judge"), *rehearse = json_object_get(given, "rehearse");
    const json_t *context = json_object_get(given, "context");
    JSON_AUTO *plain = given && json_is_object(given) ? json_copy((json_t *)given) : json_object();
    JSON_AUTO *kept = json_object();

    json_object_del(plain, "agreementThreshold");
    json_object_del(plain, "smartTermination");
    if (given && !json_is_null(given) && !json_is_object(given))
        return err_field(err, "options", "options must be an object.");
    if (!known_only(plain, "", members, err) || !check_vote(arena, json_object_get(given, "vote"), err) ||
        !check_threshold(threshold, err) || !check_smart(smart, err) ||
        !check_budget(json_object_get(given, "budget"), err))
        return false;
    if (judge && !json_is_null(judge) && !json_is_boolean(judge))
        return wrong(err, "judge", "must be true or false.");
    if (rehearse && !json_is_null(rehearse) && !json_is_boolean(rehearse))
        return wrong(err, "rehearse", "must be true or false.");
    if (context && !json_is_null(context) &&
        (!json_is_string(context) || json_string_length(context) > LIMIT_DISCUSSION_CONTEXT))
        return wrong(err, "context", "must be a text of at most 32 KB.");
    keep(kept, "context", context);
    keep(kept, "vote", json_object_get(given, "vote"));
    keep(kept, "agreement_threshold", threshold);
    if (json_is_boolean(smart))
        json_object_set_new(kept, "smart_termination",
                            json_string(smart_mode_word(json_is_true(smart) ? SMART_ON : SMART_OFF)));
    else
        keep(kept, "smart_termination", smart);
    keep(kept, "judge", judge);
    keep(kept, "rehearse", rehearse);
    keep(kept, "budget", json_object_get(given, "budget"));
    *stored = json_dump_text(arena, kept);
    return true;
}

static void read_vote(struct arena *arena, const json_t *vote, struct council_options *options)
{
    const json_t *choices = json_object_get(vote, "choices"), *rule = json_object_get(vote, "rule");

    options->choices = arena_array(arena, const char *, json_array_size(choices));
    for (size_t i = 0; i < json_array_size(choices); i++)
        if (json_is_string(json_array_get(choices, i)) && !is_twin(arena, choices, i))
            options->choices[options->choice_count++] =
                arena_text(arena, json_string_value(json_array_get(choices, i)));
    if (is_word(vote_rules, rule))
        options->rule = words_find(vote_rules, json_string_value(rule));
}

void options_read(struct arena *arena, const char *stored, const char *threshold,
                  struct council_options *options)
{
    struct err ignored = { 0 };
    json_t *parsed = NULL;
    const json_t *budget, *smart;

    *options = (struct council_options){ .rule = VOTE_MAJORITY, .smart = SMART_OFF };
    if (!threshold_parse(threshold, &options->threshold, &ignored))
        options->threshold = (struct threshold){ .kind = THRESHOLD_ALL };
    if (!json_parse(stored, strlen(stored), &parsed, &ignored))
        return;
    JSON_AUTO *tree = parsed;

    read_vote(arena, json_object_get(tree, "vote"), options);
    if (json_object_get(tree, "agreement_threshold") &&
        !threshold_from_json(json_object_get(tree, "agreement_threshold"), &options->threshold, &ignored))
        options->threshold = (struct threshold){ .kind = THRESHOLD_ALL };
    smart = json_object_get(tree, "smart_termination");
    if (is_word(smart_modes, smart))
        options->smart = words_find(smart_modes, json_string_value(smart));
    options->judge = json_is_true(json_object_get(tree, "judge"));
    options->rehearse = json_is_true(json_object_get(tree, "rehearse"));
    options->context = arena_text(arena, json_string_value(json_object_get(tree, "context")));
    budget = json_object_get(tree, "budget");
    options->budget.calls = json_integer_value(json_object_get(budget, "calls"));
    options->budget.tokens = json_integer_value(json_object_get(budget, "tokens"));
    options->budget.seconds = json_integer_value(json_object_get(budget, "seconds"));
}

static void tighten(json_t *own, const json_t *parents)
{
    const char *name;
    json_t *limit;

    json_object_foreach((json_t *)parents, name, limit)
    {
        const json_t *mine = json_object_get(own, name);

        if (json_is_integer(limit) &&
            (!json_is_integer(mine) || json_integer_value(mine) > json_integer_value(limit)))
            json_object_set(own, name, limit);
    }
}

const char *options_within(struct arena *arena, const char *own, const char *parents)
{
    struct err ignored = { 0 };
    json_t *mine = NULL, *theirs = NULL;

    if (!json_parse(own, strlen(own), &mine, &ignored) ||
        !json_parse(parents, strlen(parents), &theirs, &ignored))
        return own;
    JSON_AUTO *kept = mine, *other = theirs;

    if (!json_object_get(kept, "budget"))
        json_object_set(kept, "budget", json_object_get(other, "budget"));
    else
        tighten(json_object_get(kept, "budget"), json_object_get(other, "budget"));
    return json_dump_text(arena, kept);
}

/*
 * Two readers with opposite manners. What a model sent is guessed at: the last object that can be read, a
 * choice by number or inside a phrase, as long as it can mean only one. What a program sent must be exact,
 * since a program can be told what was wrong with it.
 */
#include "core/council/rules/ballot.h"

#include "base/str.h"
#include "output/value.h"

#include <stdlib.h>
#include <string.h>

#define OBJECTS_MAX 32 /* braces of one reply that are tried */

#define RANKED_TIMES 2 /* entries of a ranking that are looked at, for each choice */

/* The choices as what is said is compared with them. */
struct choices {
    const char **normal, **bare;
    size_t count;
    struct arena *arena;
};

/* Quotes and marks around a text are not part of it. */
static char *bare(struct arena *arena, const char *text)
{
    char *normal = str_normal(arena, text);
    size_t start = strspn(normal, " \"'`*_([{"), len = strlen(normal);

    while (len > start && strchr(" \"'`*_)]},.", normal[len - 1]))
        len--;
    return arena_copy(arena, normal + start, len - start);
}

/* Once for each ballot: a reply may name any number of things. */
static struct choices prepare(struct arena *arena, const char *const texts[], size_t count)
{
    struct choices choices = { .normal = arena_array(arena, const char *, count),
                               .bare = arena_array(arena, const char *, count),
                               .count = count,
                               .arena = arena };

    for (size_t i = 0; i < count; i++) {
        choices.normal[i] = str_normal(arena, texts[i]);
        choices.bare[i] = bare(arena, texts[i]);
    }
    return choices;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80);
}

/* Whether the text has the words of this choice in it. Both are folded. */
static bool names(const char *text, const char *choice)
{
    size_t len = strlen(choice);

    if (len == 0)
        return false;
    for (const char *at = strstr(text, choice); at; at = strstr(at + 1, choice)) {
        bool begins = at == text || !is_letter(at[-1]) || !is_letter(choice[0]);
        bool ends = !is_letter(at[len]) || !is_letter(choice[len - 1]);

        if (begins && ends)
            return true;
    }
    return false;
}

/* A choice that another one contains is not named by naming that one. */
static bool names_alone(const struct choices *choices, const char *text, size_t which)
{
    const char *choice = choices->normal[which];

    if (!strstr(text, choice))
        return false;
    char *rest = arena_text(choices->arena, text);

    for (size_t i = 0; i < choices->count; i++) {
        const char *other = choices->normal[i];

        if (strlen(other) <= strlen(choice) || !names(other, choice))
            continue;
        for (char *at = strstr(rest, other); at; at = strstr(at, other))
            memset(at, ' ', strlen(other));
    }
    return names(rest, choice);
}

static int find_number(const struct choices *choices, const char *text)
{
    int64_t number;

    if (str_to_int(text, &number) && number >= 1 && number <= (int64_t)choices->count)
        return (int)number - 1;
    return NO_CHOICE;
}

static int find_exact(const struct choices *choices, const char *text)
{
    const char *wanted = bare(choices->arena, text);

    for (size_t i = 0; i < choices->count; i++)
        if (*wanted && strcmp(choices->bare[i], wanted) == 0)
            return (int)i;
    return NO_CHOICE;
}

static int find_choice(const struct choices *choices, const char *text)
{
    const char *folded = str_normal(choices->arena, text);
    int found = find_exact(choices, text);

    if (found == NO_CHOICE)
        found = find_number(choices, bare(choices->arena, text));
    for (size_t i = 0, named = 0; found == NO_CHOICE && named == 0 && i < choices->count; i++) {
        if (!names_alone(choices, folded, i))
            continue;
        for (size_t k = i + 1; k < choices->count; k++)
            named += names_alone(choices, folded, k);
        if (named == 0)
            found = (int)i;
    }
    return found;
}

/* A share, or a percentage: anything above 1 is taken for one. */
static double read_confidence(const char *text)
{
    char *end;

    while (*text == ' ')
        text++;
    if (!*text || !strchr("0123456789.", *text))
        return NO_CONFIDENCE;
    double number = strtod(text, &end);
    bool percent = *end == '%' || number > 1;

    if (end == text || (*end && !strchr(" %", *end)))
        return NO_CONFIDENCE;
    number = percent ? number / 100 : number;
    return number >= 0 && number <= 1 ? number : NO_CONFIDENCE;
}

static void note(struct ballot *ballot, struct arena *arena, const char *problem)
{
    ballot->problem = ballot->problem ? arena_format(arena, "%s %s", ballot->problem, problem) : problem;
}

/* Room for a ranking, which grows by choices that are in it only once. */
struct ranking {
    int *items;
    size_t count;
};

static bool rank(struct ranking *ranking, int choice)
{
    for (size_t i = 0; i < ranking->count; i++)
        if (ranking->items[i] == choice)
            return false;
    if (choice != NO_CHOICE)
        ranking->items[ranking->count++] = choice;
    return choice != NO_CHOICE;
}

static void read_ranking(const struct choices *choices, const struct value *list, struct ballot *ballot)
{
    struct ranking ranking = { arena_array(choices->arena, int, choices->count), 0 };
    size_t left = RANKED_TIMES * choices->count;
    const struct value *item = list->first;
    bool passed = false;

    for (; item && left > 0; item = item->next, left--)
        passed |= !item->text || !rank(&ranking, find_choice(choices, item->text));
    passed |= item != NULL;
    if (passed)
        note(ballot, choices->arena, "The ranking has entries that are not choices, or names one twice.");
    ballot->ranking = ranking.items;
    ballot->ranked = ranking.count;
}

/* What goes together, whichever members there were. */
static void settle(struct arena *arena, struct ballot *ballot)
{
    if (ballot->choice == NO_CHOICE && ballot->ranked > 0)
        ballot->choice = ballot->ranking[0];
    else if (ballot->ranked > 0 && ballot->ranking[0] != ballot->choice)
        note(ballot, arena, "The choice is not the first of the ranking.");
    if (ballot->choice == NO_CHOICE)
        note(ballot, arena, "It names no choice, or several.");
}

static void read_members(const struct choices *choices, const struct value *map, struct ballot *ballot)
{
    const struct value *choice = value_member(map, "choice"), *ranking = value_member(map, "ranking"),
                       *confidence = value_member(map, "confidence");

    if (choice && choice->text)
        ballot->choice = find_choice(choices, choice->text);
    if (ranking && ranking->type == VALUE_LIST)
        read_ranking(choices, ranking, ballot);
    if (confidence && confidence->text)
        ballot->confidence = read_confidence(confidence->text);
    if (ballot->confidence < 0)
        note(ballot, choices->arena, "It has no confidence between 0 and 1.");
}

/* The last object with a choice or a ranking in it. */
static const struct value *find_object(struct arena *arena, const char *reply)
{
    const struct value *best = NULL;
    const char *at = reply;
    size_t len = strlen(reply);

    for (size_t tries = 0; tries < OBJECTS_MAX && (at = strchr(at, '{')); tries++) {
        struct reading reading = {
            .arena = arena, .text = reply, .len = len, .at = (size_t)(at - reply), .all = true
        };
        const struct value *map = value_read(&reading);

        if (value_member(map, "choice") || value_member(map, "ranking"))
            best = map;
        at = map->whole ? reply + reading.at : at + 1;
    }
    return best;
}

struct ballot ballot_read(struct arena *arena, const char *const choices[], size_t choice_count,
                          const char *voter, const char *reply)
{
    struct ballot ballot = { .voter = voter, .choice = NO_CHOICE, .confidence = NO_CONFIDENCE };
    const struct choices all = prepare(arena, choices, choice_count);
    const struct value *map = find_object(arena, reply);

    if (map) {
        read_members(&all, map, &ballot);
    } else {
        note(&ballot, arena, "The reply holds no ballot as an object.");
        ballot.choice = find_choice(&all, reply);
    }
    settle(arena, &ballot);
    return ballot;
}

static bool take_ranking(const struct choices *choices, const json_t *list, struct ballot *ballot,
                         struct err *err)
{
    struct ranking ranking = { arena_array(choices->arena, int, choices->count), 0 };
    size_t i;
    json_t *item;

    if (!json_is_array(list))
        return err_field(err, "votes", "A ranking is a list of choices.");
    json_array_foreach(list, i, item)
    {
        const char *text = json_string_value(item);

        if (!text || !rank(&ranking, find_exact(choices, text)))
            return err_field(err, "votes", "A ranking names choices, each of them once.");
    }
    ballot->ranking = ranking.items;
    ballot->ranked = ranking.count;
    return true;
}

static bool take_confidence(const json_t *value, struct ballot *ballot, struct err *err)
{
    double confidence = json_is_number(value) ? json_number_value(value) : NO_CONFIDENCE;

    if (!(confidence >= 0 && confidence <= 1))
        return err_field(err, "votes", "A confidence is a number from 0 to 1.");
    ballot->confidence = confidence;
    return true;
}

bool ballot_from_json(struct arena *arena, const char *const choices[], size_t choice_count,
                      const json_t *object, struct ballot *ballot, struct err *err)
{
    const struct choices all = prepare(arena, choices, choice_count);
    const json_t *choice = json_object_get(object, "choice"), *ranking = json_object_get(object, "ranking"),
                 *confidence = json_object_get(object, "confidence");
    struct ballot read = { .choice = NO_CHOICE, .confidence = NO_CONFIDENCE };

    if (!json_is_object(object))
        return err_field(err, "votes", "A vote is an object with a choice or a ranking.");
    read.voter = arena_text(arena, json_string_value(json_object_get(object, "voter")));
    if (choice && !json_is_null(choice)) {
        const char *text = json_string_value(choice);

        read.choice = text ? find_exact(&all, text) : NO_CHOICE;
        if (read.choice == NO_CHOICE)
            return err_field(err, "votes", "\"%.100s\" is not one of the choices.", text ? text : "");
    }
    if (ranking && !json_is_null(ranking) && !take_ranking(&all, ranking, &read, err))
        return false;
    if (confidence && !json_is_null(confidence) && !take_confidence(confidence, &read, err))
        return false;
    settle(arena, &read);
    *ballot = read;
    return true;
}

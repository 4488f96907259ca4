#include "core/caller/role.h"

#include "base/words.h"

enum { NO, YES };

#define WORD(name, bit, word, ...)                              word,
#define ANSWERING(name, bit, word, owns, manages, answers, ...) ROLE_IF_##answers(word, )

const char *const role_names[] = { ALL_ROLES(WORD) NULL };
const char *const answering_roles[] = { ALL_ROLES(ANSWERING) NULL };

#define ROW(name, bit, word, owns, manages, answers, works, meaning) \
    { ROLE_##name, (owns) << 3 | (manages) << 2 | (answers) << 1 | (works) },

static const struct row {
    enum role role;
    unsigned may;
} rows[] = { ALL_ROLES(ROW) };
enum { COUNT = sizeof(rows) / sizeof(*rows) };

/* The place of a role; COUNT: it is none. */
static unsigned place_of(enum role role)
{
    unsigned at = 0;

    while (at < COUNT && rows[at].role != role)
        at++;
    return at;
}

const char *role_name(enum role role)
{
    unsigned at = place_of(role);

    return at < COUNT ? role_names[at] : "nobody";
}

bool role_parse(const char *name, enum role *role)
{
    unsigned value = words_find(role_names, name);

    if (value == 0 || value == WORD_UNKNOWN)
        return false;
    *role = rows[value - 1].role;
    return true;
}

static bool covers(unsigned may, unsigned wanted)
{
    return (may & wanted) == wanted;
}

enum role role_lesser(enum role a, enum role b)
{
    unsigned one = place_of(a), other = place_of(b), both, most = 0;
    enum role lesser = 0;

    if (one == COUNT || other == COUNT)
        return 0;
    both = rows[one].may & rows[other].may;
    if (both == rows[one].may)
        return a;
    if (both == rows[other].may)
        return b;
    for (unsigned i = 0; i < COUNT; i++) {
        if (!covers(both, rows[i].may) || (lesser && rows[i].may <= most))
            continue;
        lesser = rows[i].role;
        most = rows[i].may;
    }
    return lesser;
}

unsigned roles_at_least(enum role role)
{
    unsigned at = place_of(role), all = 0;

    for (unsigned i = 0; at < COUNT && i < COUNT; i++)
        if (covers(rows[i].may, rows[at].may))
            all |= (unsigned)rows[i].role;
    return all;
}

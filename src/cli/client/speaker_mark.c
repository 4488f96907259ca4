/*
 * Two tables: roles that everybody knows, and marks for the others, one after the other. Shapes differ before
 * colours repeat: where there are no colours, shapes still tell speakers apart.
 */
#include "cli/client/speaker_mark.h"

#include "core/council/participant.h"
#include "core/council/rules/transcript.h"

#include <strings.h>

static const struct {
    const char *role;
    enum term_colour colour;
} known[] = { { "divergent", TERM_BLUE }, { "convergent", TERM_GREEN }, { "critical", TERM_RED } };

static const struct speaker_mark own[] = {
    { "\xF0\x9F\x9F\xA3", TERM_MAGENTA },       /* purple circle */
    { "\xF0\x9F\x9F\xA0", TERM_YELLOW },        /* orange circle */
    { "\xF0\x9F\x94\xB7", TERM_CYAN },          /* blue diamond */
    { "\xF0\x9F\x9F\xA8", TERM_LIGHT_YELLOW },  /* yellow square */
    { "\xF0\x9F\x9F\xA9", TERM_LIGHT_GREEN },   /* green square */
    { "\xF0\x9F\x9F\xAA", TERM_LIGHT_MAGENTA }, /* purple square */
    { "\xF0\x9F\x94\xB6", TERM_LIGHT_RED },     /* orange diamond */
    { "\xF0\x9F\x9F\xA6", TERM_LIGHT_BLUE },    /* blue square */
    { "\xF0\x9F\x9F\xA4", TERM_YELLOW },        /* brown circle */
    { "\xF0\x9F\x9F\xA5", TERM_LIGHT_RED },     /* red square */
    { "\xF0\x9F\x9F\xA1", TERM_LIGHT_YELLOW },  /* yellow circle */
    { "\xF0\x9F\x9F\xA7", TERM_YELLOW },        /* orange square */
    { "\xF0\x9F\x9F\xAB", TERM_CYAN },          /* brown square */
};

#define OWN (sizeof(own) / sizeof(*own))

static bool colour_of(const char *word, enum term_colour *colour)
{
    for (size_t i = 0; word && i < sizeof(known) / sizeof(*known); i++) {
        if (strcasecmp(word, known[i].role) == 0) {
            *colour = known[i].colour;
            return true;
        }
    }
    return false;
}

struct speaker_mark speaker_mark(const char *role, const char *name, int place)
{
    struct speaker_mark mark = { .shape = transcript_icon(role, name), .colour = TERM_BOLD };

    if (colour_of(role, &mark.colour) || colour_of(name, &mark.colour))
        return mark;
    return place < 0 || (role && role_is_person(role)) ? mark : own[(size_t)place % OWN];
}

#include "core/council/rules/judgement.h"

#include "base/str.h"
#include "output/value.h"

#include <string.h>
#include <strings.h>

#define OBJECTS_MAX 32 /* braces of one reply that are tried */

static bool says(const struct value *value, const char *const words[])
{
    for (; value && value->text && *words; words++)
        if (strcasecmp(value->text, *words) == 0)
            return true;
    return false;
}

/* Takes what this object says, if it says it. */
static void take(struct arena *arena, const struct value *map, struct judgement *judgement)
{
    static const char *const yes[] = { "true", "yes", NULL }, *const no[] = { "false", "no", NULL };
    const struct value *go_on = value_member(map, "go_on"), *reason = value_member(map, "reason");

    if (!says(go_on, yes) && !says(go_on, no))
        return;
    judgement->understood = true;
    judgement->go_on = says(go_on, yes);
    judgement->reason = reason && reason->text ? str_trim(arena, reason->text) : "";
}

struct judgement judgement_read(struct arena *arena, const char *reply)
{
    struct judgement judgement = { .go_on = true, .reason = "" };
    size_t len = strlen(reply);
    const char *at = reply;

    for (size_t tries = 0; tries < OBJECTS_MAX && (at = strchr(at, '{')); tries++) {
        struct reading reading = {
            .arena = arena, .text = reply, .len = len, .at = (size_t)(at - reply), .all = true
        };
        const struct value *map = value_read(&reading);

        take(arena, map, &judgement);
        at = map->whole ? reply + reading.at : at + 1;
    }
    return judgement;
}

/*
 * A short text in the event's row, parsed once for each event and compared by each stream. What cannot be
 * parsed is for the owner alone: a newer version may mean something narrower by it than we could guess.
 */
#include "core/log/audience.h"

#include "base/str.h"

#include <string.h>

#define SQUAD "squad "
#define AGENT "agent:"
#define USER  "user:"
#define ROLES "roles:"

const char *audience_text(struct arena *arena, const struct audience *audience)
{
    const char *squad = audience->squad ? SQUAD : "";

    if (audience->agent_key)
        return arena_format(arena, "%s" AGENT "%s", squad, audience->agent_key);
    if (audience->user_id)
        return arena_format(arena, "%s" USER "%s", squad, audience->user_id);
    return audience->roles ? arena_format(arena, "%s" ROLES "%u", squad, audience->roles) : NULL;
}

struct audience audience_parse(const char *text)
{
    struct audience audience = { 0 };
    int64_t roles;

    if (!text)
        return audience;
    audience.squad = str_starts(text, SQUAD);
    if (audience.squad)
        text += strlen(SQUAD);
    if (str_starts(text, AGENT))
        audience.agent_key = text + strlen(AGENT);
    else if (str_starts(text, USER))
        audience.user_id = text + strlen(USER);
    else if (str_starts(text, ROLES) && str_to_int(text + strlen(ROLES), &roles) && roles > 0)
        audience.roles = (unsigned)roles;
    else
        audience = (struct audience){ .roles = ROLE_OWNER };
    return audience;
}

bool audience_has(const struct audience *audience, const struct hearer *hearer)
{
    if (hearer->role == 0)
        return true;
    if (audience->agent_key)
        return !hearer->agent_key || str_equal(hearer->agent_key, audience->agent_key);
    if (audience->user_id)
        return hearer->person && str_equal(hearer->id, audience->user_id);
    return audience->roles == 0 || (hearer->person && (audience->roles & hearer->role) != 0);
}

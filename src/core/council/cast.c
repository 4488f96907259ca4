#include "core/council/cast.h"

#include "core/council/agent.h"

const char *const council_casts[] = { "specialists", "moderator", NULL };
WORDS_FIT(council_casts, CAST_END);

static const struct cast_member {
    enum cast cast;
    const char *name, *role;
} members[] = {
    { CAST_SPECIALISTS, "Divergent", "divergent" },
    { CAST_SPECIALISTS, "Convergent", "convergent" },
    { CAST_SPECIALISTS, "Critical", "critical" },
    { CAST_MODERATOR, "Moderator", "moderator" },
};

/* The agent of that name, whoever made it and with whatever words of its own. */
static bool find_or_make(const struct tx *tx, const struct cast_member *member, struct agent *agent,
                         bool *made)
{
    *made = false;
    if (agent_find(tx, member->name, agent))
        return true;
    if (tx->err->code != ERR_NOT_FOUND)
        return false;
    *tx->err = (struct err){ 0 };
    *agent = (struct agent){ .name = member->name, .role = member->role, .system_prompt = "" };
    *made = agent_create(tx, agent);
    return *made;
}

bool cast_seat(const struct tx *tx, enum cast cast, struct cast_seats *seats)
{
    *seats = (struct cast_seats){ 0 };
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
        struct agent agent;
        bool made;

        if (members[i].cast != cast)
            continue;
        if (!find_or_make(tx, &members[i], &agent, &made))
            return false;
        if (made)
            seats->made[seats->made_count++] = members[i].name;
        seats->list[seats->count] = (struct participant){ .agent_id = agent.id,
                                                          .name = agent.name,
                                                          .role = members[i].role,
                                                          .sequence_order = (int)seats->count + 1,
                                                          .model_config = agent.ai_model_config };
        seats->count++;
    }
    return true;
}

void cast_write_made(const struct cast_seats *seats, const char *key, struct json_out *out)
{
    json_list(out, key);
    for (size_t i = 0; i < seats->made_count; i++)
        json_text(out, NULL, seats->made[i]);
    json_list_end(out);
}

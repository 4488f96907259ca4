/*
 * Agents are looked up by name and made when nobody has it; when somebody else makes one in the same moment,
 * that one serves as well.
 */
#include "cli/client/specialists.h"

#include "base/str.h"
#include "cli/client/agent_ref.h"

#include <string.h>

struct specialist {
    const char *name, *role;
};

static const struct specialist three[] = {
    { "Divergent", "divergent" },
    { "Convergent", "convergent" },
    { "Critical", "critical" },
};
static const struct specialist moderator = { "Moderator", "moderator" };

static bool make(struct cli *cli, const struct specialist *specialist, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s, s:s}", "name", specialist->name, "role", specialist->role);
    JSON_AUTO *made = NULL;
    struct client_reply reply;

    if (!invoke_json(cli, op_find("agent_create"), params, 0, &reply, &made, err))
        return reply.status == 409; /* somebody else was quicker */
    cli_note(cli, "Made the agent %s.", specialist->name);
    return true;
}

static bool seat(struct cli *cli, const struct specialist *list, size_t count, json_t **participants,
                 struct err *err)
{
    JSON_AUTO *seats = json_array();
    bool there = false;
    const char *id;

    for (size_t i = 0; i < count; i++) {
        if (!agent_ref_find(cli, list[i].name, &there, &id, err) || (!there && !make(cli, &list[i], err)))
            return false;
        json_array_append_new(seats,
                              json_pack("{s:s, s:s}", "agentName", list[i].name, "role", list[i].role));
    }
    *participants = json_incref(seats);
    return true;
}

bool specialists_seat(struct cli *cli, json_t **participants, struct err *err)
{
    return seat(cli, three, sizeof(three) / sizeof(*three), participants, err);
}

bool specialists_seat_moderator(struct cli *cli, json_t **participants, struct err *err)
{
    return seat(cli, &moderator, 1, participants, err);
}

bool specialists_named(struct cli *cli, const char *names, json_t **participants, struct err *err)
{
    JSON_AUTO *seats = json_array();

    while (*names) {
        size_t len = strcspn(names, ",");
        const char *name = str_trim(cli->arena, arena_copy(cli->arena, names, len));

        if (*name)
            json_array_append_new(seats, json_pack("{s:s}", "agentName", name));
        names += len + (names[len] == ',');
    }
    if (json_array_size(seats) == 0)
        return err_field(err, "agents", "--agents takes names, such as Builder,Reviewer.");
    *participants = json_incref(seats);
    return true;
}

/*
 * People say an agent's name and operations want its id. The list is read page by page until the name is
 * found; workspaces have few agents, and an id is taken as it is.
 */
#include "cli/client/agent_ref.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/council/rules/order.h"

#include <string.h>
#include <strings.h>

/* Of two whose names came to be one, the one that is spelt so. */
static const char *id_in(struct cli *cli, const json_t *agents, const char *name)
{
    const char *found = NULL;
    const json_t *agent;
    size_t i;

    json_array_foreach(agents, i, agent)
    {
        const char *known = json_string_value(json_object_get(agent, "name"));
        const char *id = json_string_value(json_object_get(agent, "id"));

        if (known && id && (str_equal(known, name) || (!found && str_same_name(known, name))))
            found = arena_text(cli->arena, id);
    }
    return found;
}

/* Page by page: there may be many agents. */
bool agent_ref_find(struct cli *cli, const char *name, bool *there, const char **id, struct err *err)
{
    const char *cursor = NULL;

    do {
        JSON_AUTO *params = json_pack("{s:i, s:s*}", "limit", LIMIT_PAGE, "cursor", cursor);
        JSON_AUTO *page = NULL;
        struct client_reply reply;

        if (!invoke_json(cli, op_find("agent_list"), params, 0, &reply, &page, err))
            return false;
        *id = id_in(cli, json_object_get(page, "agents"), name);
        cursor = json_string_value(json_object_get(page, "nextCursor"));
        cursor = cursor ? arena_text(cli->arena, cursor) : NULL;
    } while (!*id && cursor);
    *there = *id != NULL;
    return true;
}

bool agent_ref_id(struct cli *cli, const char *word, const char **id, struct err *err)
{
    bool there = false;

    if (uuid_valid(word)) {
        *id = word;
        return true;
    }
    if (!agent_ref_find(cli, word, &there, id, err))
        return false;
    if (there)
        return true;
    err_set(err, ERR_NOT_FOUND, "There is no agent %s.", word);
    return err_hint(err, "`witan agent list` names them.");
}

/* An agent by its name; user, or user:NAME, is a person. */
static json_t *seat_of(struct cli *cli, const char *word)
{
    size_t len = sizeof(ROLE_OF_PEOPLE) - 1;
    const char *name;

    if (strncasecmp(word, ROLE_OF_PEOPLE, len) != 0 || (word[len] && word[len] != ':'))
        return json_pack("{s:s}", "agentName", word);
    name = word[len] ? str_trim(cli->arena, word + len + 1) : "";
    return json_pack("{s:s, s:s*}", "role", ROLE_OF_PEOPLE, "name", *name ? name : NULL);
}

bool agent_ref_seats(struct cli *cli, const char *names, json_t **participants, struct err *err)
{
    JSON_AUTO *seats = json_array();

    while (*names) {
        size_t len = strcspn(names, ",");
        const char *name = str_trim(cli->arena, arena_copy(cli->arena, names, len));

        if (*name)
            json_array_append_new(seats, seat_of(cli, name));
        names += len + (names[len] == ',');
    }
    if (json_array_size(seats) == 0)
        return err_field(err, "agents",
                         "--agents takes names, such as Builder,Reviewer, and user for a person.");
    *participants = json_incref(seats);
    return true;
}

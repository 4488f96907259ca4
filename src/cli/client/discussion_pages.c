#include "cli/client/discussion_pages.h"

#include "cli/client/invoke.h"
#include "cli/term.h"

bool discussion_pages(struct cli *cli, const char *id, json_t *state, struct err *err)
{
    const char *cursor;

    while ((cursor = member_text(cli->arena, state, "nextCursor"))) {
        JSON_AUTO *params = json_pack("{s:s, s:s}", "id", id, "cursor", cursor);
        JSON_AUTO *page = NULL;
        struct client_reply reply;

        if (!invoke_json(cli, op_find("discussion_get"), params, 0, &reply, &page, err))
            return false;
        json_array_extend(json_object_get(state, "entries"), json_object_get(page, "entries"));
        json_object_set(state, "nextCursor", json_object_get(page, "nextCursor"));
    }
    return true;
}

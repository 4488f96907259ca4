#include "ops/identity.h"

#include "base/clock.h"
#include "core/log/cursor.h"

const struct field identity_workspace_fields[] = {
    { "id", T_TEXT, REQUIRED, "Its id." },
    { "slug", T_TEXT, REQUIRED, "Its short name, good wherever the id is." },
    { "name", T_TEXT, REQUIRED, "Its name." },
    { 0 },
};

void identity_write_workspace(struct json_out *out, const char *key, const struct workspace *workspace)
{
    json_map(out, key);
    json_text(out, "id", workspace->id);
    json_text(out, "slug", workspace->slug);
    json_text(out, "name", workspace->name);
    json_map_end(out);
}

const char *identity_solo_note(const struct call *call, bool owner_can_come_in)
{
    if (call->caller.kind != CALLER_LOCAL)
        return NULL;
    if (owner_can_come_in)
        return "Solo mode has ended: every request now needs a token or a login.";
    return "Solo mode has ended: every request now needs a token or a login, and no owner has one yet. "
           "Make one on this machine with `witan user add NAME --role owner` (with --db if the store is not the default one).";
}

bool identity_page(struct call *call, const char *list, const char **after)
{
    const char *cursor = arg_text(call, "cursor");
    struct cursor from;

    if (!cursor_read(list, cursor, &from, &call->err))
        return false;
    *after = cursor ? arena_text(call->tx.arena, from.id) : NULL;
    return true;
}

void identity_write_next(struct call *call, const char *list, bool more, int64_t created_ms, const char *id)
{
    const char *cursor = NULL;

    if (more)
        cursor = cursor_after(call->tx.arena, list, 0, clock_text(call->tx.arena, created_ms), id);
    json_text(&call->out, "nextCursor", cursor);
}

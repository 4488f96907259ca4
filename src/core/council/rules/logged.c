/*
 * Metadata is only parsed where a plain search finds one of the words that matter: most rows have none of
 * them.
 */
#include "core/council/rules/logged.h"

#include <string.h>

static bool holds_place(const struct logged *logged)
{
    return logged->kind == ROW_TURN && logged->turn_index >= 0;
}

/* Those who are asked at once answer in any order: their round is over when each place of it is taken. */
static bool round_is_over(const struct seating *seating, const struct logged *rows, size_t count, int round)
{
    size_t taken = 0;

    for (size_t i = 0; i < count; i++)
        taken += holds_place(&rows[i]) && rows[i].round == round;
    return taken >= seating->count;
}

struct slot logged_place(const struct seating *seating, const struct logged *rows, size_t count)
{
    struct slot at = order_first();

    for (size_t i = 0; i < count; i++)
        if (holds_place(&rows[i]))
            at = order_after(seating, (struct slot){ rows[i].round, rows[i].turn_index });
    if (seating->mode == MODE_PARALLEL && at.round > 1 && !round_is_over(seating, rows, count, at.round - 1))
        at.round--;
    return at;
}

bool logged_is_shown(const struct logged *logged)
{
    return logged->kind == ROW_MESSAGE || logged->kind == ROW_TURN;
}

static bool is_marked(json_t *metadata, const char *name)
{
    return json_is_true(json_object_get(metadata, name));
}

struct council_entry logged_entry(const struct logged *logged)
{
    struct err ignored = { 0 };
    json_t *parsed = NULL;
    struct council_entry entry = {
        .kind = logged->manner,
        .speaker = logged->speaker,
        .role = logged->role,
        .content = logged->content,
        .round = logged->round,
        .turn = logged->turn_index,
        .person = logged->user_id != NULL || role_is_person(logged->role),
    };

    /* Only what is unusual is marked, and most rows have a plain reply's figures alone. */
    if (!strstr(logged->metadata, "\"partial\"") && !strstr(logged->metadata, "\"failed\""))
        return entry;
    if (json_parse(logged->metadata, strlen(logged->metadata), &parsed, &ignored)) {
        JSON_AUTO *metadata = parsed;

        entry.partial = is_marked(metadata, "partial");
        entry.failed = is_marked(metadata, "failed");
    }
    return entry;
}

struct council_entry *logged_entries(struct arena *arena, const struct logged *rows, size_t count,
                                     size_t *entry_count)
{
    struct council_entry *entries = arena_array(arena, struct council_entry, count);

    *entry_count = 0;
    for (size_t i = 0; i < count; i++)
        if (logged_is_shown(&rows[i]))
            entries[(*entry_count)++] = logged_entry(&rows[i]);
    return entries;
}

void logged_write(const struct logged *logged, const char *key, struct json_out *out)
{
    json_map(out, key);
    json_text(out, "id", logged->id);
    json_text(out, "speaker", logged->speaker);
    json_text(out, "agentId", logged->agent_id);
    json_text(out, "role", logged->role);
    json_text(out, "content", logged->content);
    json_int(out, "turnIndex", logged->turn_index);
    json_int(out, "roundNumber", logged->round);
    json_raw(out, "metadata", logged->metadata);
    json_time(out, "createdAt", logged->created_ms);
    json_map_end(out);
}

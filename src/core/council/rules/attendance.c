#include "core/council/rules/attendance.h"

#include "base/str.h"

static const char *wrong(struct arena *arena, const struct logged *row, const char *name, const char *role)
{
    return arena_format(arena, "Round %d, turn %d: %s (%s) is logged, where %s (%s) sits.", row->round,
                        row->turn_index, row->speaker, row->role, name, role);
}

const char *attendance_of_row(struct arena *arena, const struct seating *seating, const struct logged *row)
{
    const char *kind = row_kind_word(row->kind);

    if (row->kind == ROW_MESSAGE)
        return NULL;
    if (row->kind != ROW_TURN && row->kind != ROW_BALLOT)
        return str_equal(row->speaker, kind) && str_equal(row->role, kind) ? NULL
                                                                           : wrong(arena, row, kind, kind);
    if (row->turn_index < 0 || (size_t)row->turn_index >= seating->count)
        return arena_format(arena, "Round %d, turn %d: nobody sits there, and %s is logged.", row->round,
                            row->turn_index, row->speaker);
    const struct seat *seat = &seating->seats[row->turn_index];
    bool named = role_is_person(seat->role) || str_equal(row->speaker, seat->name);

    return named && str_equal(row->role, seat->role) ? NULL : wrong(arena, row, seat->name, seat->role);
}

const char *attendance_of_place(struct arena *arena, const struct seating *seating, const struct logged *row,
                                struct slot *at)
{
    struct slot wanted = *at;

    if (seating->mode == MODE_PARALLEL || row->kind != ROW_TURN || row->turn_index < 0)
        return NULL;
    *at = order_after(seating, (struct slot){ row->round, row->turn_index });
    if (row->round == wanted.round && row->turn_index == wanted.turn)
        return NULL;
    return arena_format(arena, "Round %d, turn %d: %s is logged, when it was the turn of round %d, turn %d.",
                        row->round, row->turn_index, row->speaker, wanted.round, wanted.turn);
}

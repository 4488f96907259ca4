/*
 * What is being spoken on other nodes. Its pieces reach the streams of the node that drives; what that node
 * saves of them once a second is read here as often, while anybody listens, and what is new of it is passed
 * on as a piece. So a reader hears a turn grow on whichever node, a second or two behind.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/council_internal.h"

#include <stdio.h>
#include <string.h>

enum { ELSEWHERE_PROJECT = COL_TURN_USAGE_MISSING + 1 };

struct elsewhere_unit {
    struct holder_unit unit; /* first */
    struct db_rows rows;
};

static bool run_look(const struct tx *tx, struct holder_unit *unit)
{
    struct elsewhere_unit *look = (struct elsewhere_unit *)unit;

    return tx_query(tx, SQL_TURN_SPOKEN_ELSEWHERE,
                    DB_ARGS(db_text(unit->holder->node), db_int(COUNCIL_ELSEWHERE)), &look->rows);
}

static size_t told_before(const struct council *council, const char *turn_id)
{
    for (size_t i = 0; i < council->elsewhere_count; i++)
        if (strcmp(council->elsewhere[i].turn_id, turn_id) == 0)
            return council->elsewhere[i].bytes;
    return 0;
}

static void tell(struct council *council, const struct db_rows *rows, size_t row, size_t told)
{
    const char *text = db_cell(rows, row, COL_TURN_PARTIAL);
    ARENA_AUTO arena = { 0 };

    tailer_say(council->tailer, council_piece(&(struct council_piece){
                                    .workspace_id = db_cell(rows, row, COL_TURN_WORKSPACE_ID),
                                    .project_id = db_cell(rows, row, ELSEWHERE_PROJECT),
                                    .discussion_id = db_cell(rows, row, COL_TURN_DISCUSSION_ID),
                                    .turn_id = db_cell(rows, row, COL_TURN_ID),
                                    .kind = TURN_TURN,
                                    .speaker = db_cell(rows, row, COL_TURN_SPEAKER),
                                    .round = (int)db_cell_int(rows, row, COL_TURN_ROUND_NUMBER),
                                    .turn_index = (int)db_cell_int(rows, row, COL_TURN_TURN_INDEX),
                                    .offset = str_chars(arena_copy(&arena, text, told)),
                                    .text = text + told,
                                    .len = strlen(text) - told,
                                }));
}

static bool has_finished(const struct council *council, const char *turn_id)
{
    size_t count = council->finished_count < COUNCIL_ELSEWHERE ? council->finished_count : COUNCIL_ELSEWHERE;

    for (size_t i = 0; i < count; i++)
        if (strcmp(council->finished[i], turn_id) == 0)
            return true;
    return false;
}

void elsewhere_finished(struct council *council, const char *turn_id)
{
    if (council->listening)
        snprintf(council->finished[council->finished_count++ % COUNCIL_ELSEWHERE], UUID_SIZE, "%s", turn_id);
}

/* A text that has become shorter was begun anew. */
static void pass_on(struct council *council, const struct db_rows *rows)
{
    struct told_turn now[COUNCIL_ELSEWHERE];

    for (size_t i = 0; i < rows->count; i++) {
        const char *turn_id = db_cell(rows, i, COL_TURN_ID);
        size_t len = strlen(db_cell(rows, i, COL_TURN_PARTIAL)), told = told_before(council, turn_id);

        snprintf(now[i].turn_id, sizeof(now[i].turn_id), "%s", turn_id);
        now[i].bytes = len;
        if (len != told && !has_finished(council, turn_id))
            tell(council, rows, i, len > told ? told : 0);
    }
    memcpy(council->elsewhere, now, rows->count * sizeof(*now));
    council->elsewhere_count = rows->count;
}

static void after_look(struct holder_unit *unit)
{
    struct elsewhere_unit *look = (struct elsewhere_unit *)unit;

    council_of(unit->holder)->listening = false;
    if (unit->work.err.code == ERR_NONE)
        pass_on(council_of(unit->holder), &look->rows);
    unit_free(unit);
}

bool elsewhere_matters(const struct council *council)
{
    return !council->holder.alone && !council->listening && tailer_heard(council->tailer);
}

void elsewhere_look(struct council *council)
{
    int64_t now = clock_ticks_ms();

    if (!elsewhere_matters(council) || now - council->listened_ms < COUNCIL_SAVE_MS)
        return;
    council->listened_ms = now;
    council->listening = true;
    council->finished_count = 0;
    unit_hand_in(unit_new(&council->holder, sizeof(struct elsewhere_unit), run_look, after_look));
}

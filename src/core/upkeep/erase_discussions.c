/*
 * What a person who is erased has said in discussions, which of them they started or ended, where they sat
 * and what waits for them there.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/council/participant.h"
#include "core/upkeep/erase_parts.h"

#include <stdlib.h>

/* A person says who they are by id, or by whatever name the caller gave. */
static bool is_them(const struct tx *tx, const struct erasing *e, const char *user_id)
{
    return user_id && (str_equal(user_id, e->person->id) || erase_is_name(e, tx->arena, user_id));
}

/* Of what a person said: whether it was a pass, and of which kind; a reason that they gave are words. */
static const char *blank_metadata(struct arena *arena, const char *text)
{
    JSON_AUTO *metadata = erase_parse(text);
    JSON_AUTO *kind = json_incref(json_object_get(metadata, "passKind"));

    if (!metadata)
        return "{}";
    erase_blank(metadata, false);
    if (kind)
        json_object_set(metadata, "passKind", kind);
    return json_dump_text(arena, metadata);
}

/* What came of a discussion that they began, in the one it was split off from: its speaker is the topic. */
static bool tells_of_own(const struct erasing *e, const char *metadata_text)
{
    JSON_AUTO *metadata = erase_parse(metadata_text);

    return erase_noted(e->own, "discussion", erase_member(metadata, "discussionId"));
}

static bool erase_said(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *id = db_cell(rows, i, COL_ERASE_SAID_ID), *speaker = db_cell(rows, i, COL_ERASE_SAID_SPEAKER),
               *content = db_cell(rows, i, COL_ERASE_SAID_CONTENT),
               *metadata = db_cell(rows, i, COL_ERASE_SAID_METADATA),
               *workspace_id = db_cell(rows, i, COL_ERASE_SAID_WORKSPACE_ID);
    int64_t at_ms = db_cell_int(rows, i, COL_ERASE_SAID_CREATED_AT);
    bool person = participant_is_person(db_cell(rows, i, COL_ERASE_SAID_ROLE));
    bool own = is_them(tx, e, db_cell(rows, i, COL_ERASE_SAID_USER_ID)) ||
               (person && (erase_is_theirs(e, tx->arena, speaker, workspace_id, at_ms) ||
                           erase_is_gone(speaker, content)));
    bool council = !own && tells_of_own(e, metadata);

    if (!erase_is_in(e, workspace_id) || (!own && !council))
        return true;
    erase_note(e->own, "entry", id);
    if (council ? str_equal(speaker, ERASED_NAME)
                : str_equal(content, ERASED_TEXT) && !db_cell(rows, i, COL_ERASE_SAID_USER_ID))
        return true;
    return erase_change(
        tx, e, SQL_ERASE_SAID,
        DB_ARGS(db_text(id), db_text(council || erase_is_name(e, tx->arena, speaker) ? ERASED_NAME : speaker),
                db_text(own ? ERASED_TEXT : content),
                db_text(own ? blank_metadata(tx->arena, metadata) : metadata)),
        &e->report->messages);
}

bool erase_said_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_SAID_PAGE, erase_said);
}

/* What it was told to do stays, as what was decided does: the choices of a vote are what can be decided. What
 * else stands there are words. */
static const char *blank_options(struct arena *arena, const char *text)
{
    static const char *const kept[] = {
        "vote", "agreement_threshold", "smart_termination", "judge", "budget", "rehearse"
    };
    JSON_AUTO *options = erase_parse(text);
    JSON_AUTO *left = json_object();

    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
        if (json_object_get(options, kept[i]))
            json_object_set(left, kept[i], json_object_get(options, kept[i]));
    return json_dump_text(arena, left);
}

static bool erase_discussion(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *workspace_id = db_cell(rows, i, COL_ERASE_DISCUSSION_WORKSPACE_ID),
               *id = db_cell(rows, i, COL_ERASE_DISCUSSION_DISCUSSION_ID),
               *topic = db_cell(rows, i, COL_ERASE_DISCUSSION_TOPIC),
               *by = db_cell(rows, i, COL_ERASE_DISCUSSION_OUTCOME_BY),
               *created_by = db_cell(rows, i, COL_ERASE_DISCUSSION_CREATED_BY_ID),
               *creator = db_cell(rows, i, COL_ERASE_DISCUSSION_CREATED_BY_NAME),
               *options = db_cell(rows, i, COL_ERASE_DISCUSSION_OPTIONS);
    JSON_AUTO *result = erase_parse(db_cell(rows, i, COL_ERASE_DISCUSSION_RESULT));
    bool own = str_equal(created_by, e->person->id);
    bool ended =
        erase_is_theirs(e, tx->arena, by, workspace_id, db_cell_int(rows, i, COL_ERASE_DISCUSSION_ENDED_AT));
    bool named = erase_seat_of(e, id) && erase_rename(result, erase_seat_of(e, id));

    if (!erase_is_in(e, workspace_id))
        return true;
    if (own || erase_is_gone(creator, topic))
        erase_note(e->own, "discussion", id);
    if (!own && !ended && !named)
        return true;
    return erase_change(tx, e, SQL_ERASE_DISCUSSION,
                        DB_ARGS(db_text(db_cell(rows, i, COL_ERASE_DISCUSSION_ID)),
                                db_text(own ? ERASED_TEXT : topic), db_text(own ? NULL : created_by),
                                db_text(own ? ERASED_NAME : creator), db_text(ended ? ERASED_NAME : by),
                                db_text(own ? blank_options(tx->arena, options) : options),
                                db_text(named ? json_dump_text(tx->arena, result)
                                              : db_cell(rows, i, COL_ERASE_DISCUSSION_RESULT))),
                        NULL);
}

bool erase_discussion_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_DISCUSSION_PAGE, erase_discussion);
}

/* A seat that was emptied before may have been theirs, so that logs still name them; not where an agent sits
 * who has their name. */
static bool note_empty_seat(const struct tx *tx, struct erasing *e, const char *discussion_id)
{
    struct db_rows agent;

    if (!tx_query(tx, SQL_ERASE_SEAT_OF_AGENT, DB_ARGS(db_text(discussion_id), db_text(e->person->name)),
                  &agent))
        return false;
    if (agent.count == 0)
        erase_note_seat(e, discussion_id, e->person->name);
    return true;
}

/* By the id, or, where any person may sit, by the name that they were given. */
static bool erase_seat(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *name = db_cell(rows, i, COL_ERASE_SEAT_NAME);
    const char *user_id = db_cell(rows, i, COL_ERASE_SEAT_USER_ID);
    const char *workspace_id = db_cell(rows, i, COL_ERASE_SEAT_WORKSPACE_ID);
    const char *discussion_id = db_cell(rows, i, COL_ERASE_SEAT_DISCUSSION_ID);

    if (!erase_is_in(e, workspace_id))
        return true;
    if (!user_id && str_equal(name, ERASED_NAME) && !erase_seat_of(e, discussion_id))
        return note_empty_seat(tx, e, discussion_id);
    if (!is_them(tx, e, user_id) &&
        (user_id ||
         !erase_is_theirs(e, tx->arena, name, workspace_id, db_cell_int(rows, i, COL_ERASE_SEAT_CREATED_AT))))
        return true;
    erase_note_seat(e, discussion_id, name);
    return erase_change(tx, e, SQL_ERASE_SEAT,
                        DB_ARGS(db_text(db_cell(rows, i, COL_ERASE_SEAT_ID)),
                                db_text(erase_is_name(e, tx->arena, name) ? ERASED_NAME : name)),
                        NULL);
}

bool erase_seat_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_SEAT_PAGE, erase_seat);
}

/* A turn that they owe is then anybody's. */
static bool erase_turn(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *speaker = db_cell(rows, i, COL_ERASE_TURN_SPEAKER);
    const char *seat = erase_seat_of(e, db_cell(rows, i, COL_ERASE_TURN_DISCUSSION_ID));

    if (!erase_is_in(e, db_cell(rows, i, COL_ERASE_TURN_WORKSPACE_ID)) ||
        (!is_them(tx, e, db_cell(rows, i, COL_ERASE_TURN_USER_ID)) && !(seat && str_equal(seat, speaker))))
        return true;
    return erase_change(tx, e, SQL_ERASE_TURN,
                        DB_ARGS(db_text(db_cell(rows, i, COL_ERASE_TURN_ID)),
                                db_text(erase_is_name(e, tx->arena, speaker) ? ERASED_NAME : speaker)),
                        NULL);
}

bool erase_turn_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_TURN_PAGE, erase_turn);
}

static bool erase_interjection(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *speaker = db_cell(rows, i, COL_ERASE_INTERJECTION_SPEAKER);
    const char *seat = erase_seat_of(e, db_cell(rows, i, COL_ERASE_INTERJECTION_DISCUSSION_ID));

    if (!erase_is_in(e, db_cell(rows, i, COL_ERASE_INTERJECTION_WORKSPACE_ID)) ||
        (!is_them(tx, e, db_cell(rows, i, COL_ERASE_INTERJECTION_USER_ID)) &&
         !(seat && str_equal(seat, speaker))))
        return true;
    return erase_change(tx, e, SQL_ERASE_INTERJECTION,
                        DB_ARGS(db_text(db_cell(rows, i, COL_ERASE_INTERJECTION_ID)),
                                db_text(erase_is_name(e, tx->arena, speaker) ? ERASED_NAME : speaker)),
                        &e->report->messages);
}

bool erase_interjection_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_INTERJECTION_PAGE, erase_interjection);
}

/* What was decided in a discussion in which they sit names who speaks; a replay finds the same name in the
 * seat. */
bool erase_ruling_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_RULING_PAGE,
                  DB_ARGS(db_text(page->after[0]), db_int(atoll(page->after[1])), db_int(ERASE_BATCH)),
                  &rows))
        return false;
    page->rows = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        page->after[0] = db_cell(&rows, i, COL_ERASE_RULING_DISCUSSION_ID);
        page->after[1] = db_cell(&rows, i, COL_ERASE_RULING_SEQ);
        const char *seat = erase_seat_of(e, page->after[0]);
        JSON_AUTO *inputs = seat ? erase_parse(db_cell(&rows, i, COL_ERASE_RULING_INPUTS)) : NULL;

        if (!seat || !erase_rename(inputs, seat))
            continue;
        if (!erase_change(tx, e, SQL_ERASE_RULING,
                          DB_ARGS(db_text(page->after[0]), db_int(atoll(page->after[1])),
                                  db_text(json_dump_text(tx->arena, inputs))),
                          NULL))
            return false;
    }
    return true;
}

static bool erase_agent(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *workspace_id = db_cell(rows, i, COL_ERASE_AGENT_WORKSPACE_ID);

    if (!erase_is_in(e, workspace_id) ||
        !erase_is_theirs(e, tx->arena, db_cell(rows, i, COL_ERASE_AGENT_CREATED_BY), workspace_id,
                         db_cell_int(rows, i, COL_ERASE_AGENT_CREATED_AT)))
        return true;
    return erase_change(tx, e, SQL_ERASE_AGENT, DB_ARGS(db_text(db_cell(rows, i, COL_ERASE_AGENT_ID))), NULL);
}

bool erase_agent_page(const struct tx *tx, struct erasing *e, struct erase_page *page)
{
    return erase_each_row(tx, e, page, SQL_ERASE_AGENT_PAGE, erase_agent);
}

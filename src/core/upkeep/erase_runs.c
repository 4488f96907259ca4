/*
 * What runs were told by people. The log of a run is looked at before its calls: which of those are theirs
 * stands in decisions of the log, and these come before the results that they led to.
 */
#include "base/buf.h"
#include "base/str.h"
#include "core/runs/rules/loop.h"
#include "core/upkeep/erase_parts.h"
#include "core/work/brief.h"

#include <string.h>

/* A piece of the text of what a run was told first (core/work/brief.h): a name, an answer, or other words. */
static const char *erased_piece(const struct erase_row *row, const json_t *said)
{
    const char *as = erase_member(said, "as"), *of = erase_member(said, "of");
    bool own = erase_noted(row->e->own, "", of), part = erase_noted(row->e->part, "", of);

    if (str_equal(as, said_as_word(SAID_TEXT)))
        return own ? ERASED_TEXT : NULL;
    if ((!own && !part) || !erase_is_name(row->e, row->tx->arena, erase_member(said, "by")))
        return NULL;
    return str_equal(as, said_as_word(SAID_NAME)) ? ERASED_NAME : part ? ERASED_TEXT : NULL;
}

/* With what stands in the place of each piece; where the pieces are moves with that. */
static void erase_run_input(struct erase_row *row, json_t *data)
{
    const char *text = CELL(RUN_ENTRY_TEXT), *put;
    size_t len = text ? strlen(text) : 0, from = 0, i;
    BUF_AUTO whole = { 0 };
    json_t *said;

    buf_init(&whole, 0);
    json_array_foreach(json_object_get(data, "said"), i, said)
    {
        size_t at = (size_t)json_integer_value(json_object_get(said, "at")),
               bytes = (size_t)json_integer_value(json_object_get(said, "bytes"));

        if (at < from || at > len || bytes > len - at)
            return; /* not as we have written it */
        put = erased_piece(row, said);
        buf_add(&whole, text + from, at - from);
        json_object_set_new(said, "at", json_integer((json_int_t)whole.len));
        if (put) {
            buf_text(&whole, put);
            json_object_set_new(said, "bytes", json_integer((json_int_t)strlen(put)));
        } else {
            buf_add(&whole, text + at, bytes);
        }
        if (put && json_object_get(said, "by"))
            json_object_set_new(said, "by", json_string(ERASED_NAME));
        from = at + bytes;
    }
    if (from == 0)
        return;
    buf_add(&whole, text + from, len - from);
    erase_put(row, COL_ERASE_RUN_ENTRY_TEXT, arena_copy(row->tx->arena, whole.bytes, whole.len));
    erase_put_json(row, COL_ERASE_RUN_ENTRY_DATA, data);
}

/*
 * What people were asked about a call while it ran, or before, is in the log alone: the call itself says only
 * what it waits for. Of an approval nothing is theirs but the arguments that they have put in place of the
 * model's.
 */
static void note_call(struct erase_row *row, const json_t *data)
{
    const struct erasing *e = row->e;
    const char *verdict = erase_member(data, "verdict"), *discussion_id = CELL(RUN_ENTRY_DISCUSSION_ID);
    bool decided = str_equal(erase_member(data, "rule"), "people") &&
                   erase_noted(e->part, "", erase_member(data, "questionId")) &&
                   (str_equal(verdict, "answered") ||
                    (str_equal(verdict, "approved") && CELL(RUN_ENTRY_APPROVED_ARGUMENTS)));

    if (CELL(RUN_ENTRY_CALL_ID) && (decided || erase_noted(e->part, "", CELL(RUN_ENTRY_QUESTION_ID)) ||
                                    erase_noted(e->part, "", CELL(RUN_ENTRY_PROMPT_ID)) ||
                                    (discussion_id && erase_seat_of(e, discussion_id))))
        erase_note(e->own, "", CELL(RUN_ENTRY_CALL_ID));
}

/* The log of the run: what it was told first, what came of calls, and advice that is about no call. What the
 * loop itself decided is nobody's. */
bool erase_run_entry(struct erase_row *row)
{
    JSON_AUTO *data = erase_parse(CELL(RUN_ENTRY_DATA));
    bool loops = str_equal(CELL(RUN_ENTRY_KIND), run_entry_kind_word(RUN_DECISION)) &&
                 !str_equal(erase_member(data, "rule"), "people");

    if (str_equal(CELL(RUN_ENTRY_KIND), run_entry_kind_word(RUN_INPUT))) {
        erase_run_input(row, data);
        return true;
    }
    note_call(row, data);
    if (!loops && (erase_noted(row->e->own, "", CELL(RUN_ENTRY_CALL_ID)) ||
                   erase_noted(row->e->part, "", erase_member(data, "questionId"))))
        erase_put(row, COL_ERASE_RUN_ENTRY_TEXT, ERASED_TEXT);
    return true;
}

/* What came of a call that they answered, approved with other arguments, or replied to, or of a discussion in
 * which they sit. One that is still to be run, or runs, has the arguments that were approved, and no others.
 */
bool erase_run_call(struct erase_row *row)
{
    const struct erasing *e = row->e;
    const char *discussion_id = CELL(RUN_CALL_DISCUSSION_ID);

    if ((!erase_noted(e->own, "", ID) && !erase_noted(e->part, "", CELL(RUN_CALL_QUESTION_ID)) &&
         !erase_noted(e->part, "", CELL(RUN_CALL_PROMPT_ID)) &&
         !(discussion_id && erase_seat_of(e, discussion_id))) ||
        !str_equal(CELL(RUN_CALL_STATE), run_call_state_word(CALL_DONE)))
        return true;
    if (CELL(RUN_CALL_OUTPUT))
        erase_put(row, COL_ERASE_RUN_CALL_OUTPUT, ERASED_TEXT);
    if (CELL(RUN_CALL_APPROVED_ARGUMENTS))
        erase_put(row, COL_ERASE_RUN_CALL_APPROVED_ARGUMENTS, NO_ARGS);
    return true;
}

/*
 * The tables that hold what people did and wrote. A new column with a name or words in it is added to its
 * table's columns in erase.sql and here; tests/e2e/erase-all.test.mjs asks about every column there is.
 *
 * A row that they wrote is noted as theirs while it is looked at, whether or not it was erased before: what
 * repeats it elsewhere is found by that.
 */
#include "base/str.h"
#include "core/chat/chat.h"
#include "core/council/rules/order.h"
#include "core/questions/question.h"
#include "core/upkeep/erase_parts.h"

#include <string.h>

#define NO_ID "00000000-0000-0000-0000-000000000000" /* before every other */

/* Whether they did what a column says, without a mark. */
static bool is_them(const struct erase_row *row, size_t column)
{
    const char *id = row->cells[column];

    return id && (str_equal(id, row->e->person->id) || erase_is_name(row->e, row->tx->arena, id));
}

/* The squad's talk */

/* One name in a line, taken out. */
static const char *without_voice(struct arena *arena, const char *voices, const char *key)
{
    const char *line = arena_format(arena, "\n%s\n", key);
    const char *at = strstr(voices, line);

    if (!at)
        return voices;
    return arena_format(arena, "%.*s%s", (int)(at - voices), voices, at + strlen(line) - 1);
}

/* The reply that a prompt collected; another of the same name keeps their voice. */
static bool erase_collected(const struct tx *tx, const struct erase_row *row, const char *name,
                            const char *text)
{
    const char *key = str_fold(tx->arena, name), *prompt = CELL(CHAT_DISCUSSION_PROMPT_ID);
    const char *put = CELL(CHAT_AGENT_NAME);
    bool human = db_cell_bool(row->rows, row->at, COL_ERASE_CHAT_IS_HUMAN), other = false;
    struct db_rows rows;
    json_t *entry;
    size_t i;

    if (!tx_query(tx, SQL_ERASE_CONTEXT, DB_ARGS(db_text(prompt)), &rows))
        return false;
    if (rows.count == 0)
        return true;
    JSON_AUTO *list = erase_parse(db_cell(&rows, 0, 0));

    json_array_foreach(list, i, entry)
    {
        const char *agent = erase_member(entry, "agent");
        bool same =
            agent && str_equal(agent, name) && json_is_true(json_object_get(entry, "is_human")) == human;

        if (same && str_equal(erase_member(entry, "message"), text)) {
            json_object_set_new(entry, "agent", json_string(put));
            json_object_set_new(entry, "message", json_string(ERASED_TEXT));
        } else if (agent && str_equal(str_fold(tx->arena, agent), key)) {
            other = true;
        }
    }
    const char *voices = db_cell(&rows, 0, 1);

    if (!other && !str_equal(put, name))
        voices = without_voice(tx->arena, voices, key);
    return tx_exec(tx, SQL_ERASE_SET_CONTEXT,
                   DB_ARGS(db_text(prompt), db_text(json_dump_text(tx->arena, list)), db_text(voices),
                           db_text(ID), db_text(put)),
                   NULL);
}

/* A message that is marked as a person's is that of the person of this name, whoever has written it down. */
static bool erase_message(struct erase_row *row)
{
    const char *name = CELL(CHAT_AGENT_NAME), *text = CELL(CHAT_MESSAGE),
               *workspace_id = CELL(CHAT_WORKSPACE_ID), *prompt_id = CELL(CHAT_DISCUSSION_PROMPT_ID);
    bool named = db_cell_bool(row->rows, row->at, COL_ERASE_CHAT_IS_HUMAN) &&
                 erase_is_name(row->e, row->tx->arena, name) && erase_is_in(row->e, workspace_id);

    if (str_equal(CELL(CHAT_MESSAGE_TYPE), message_type_word(MESSAGE_SYSTEM)) ||
        (!named && !erase_is_theirs(row->e, row->tx->arena, CELL(CHAT_AUTHOR_ID), name, workspace_id)))
        return true;
    erase_note(row->e->own, "", ID);
    if (prompt_id)
        erase_note(row->e->part, "", prompt_id);
    erase_put_name(row, COL_ERASE_CHAT_AGENT_NAME);
    erase_put(row, COL_ERASE_CHAT_MESSAGE, ERASED_TEXT);
    return !row->changed || row->e->looking || !prompt_id || erase_collected(row->tx, row, name, text);
}

static bool erase_prompt(struct erase_row *row)
{
    if (row->theirs[1])
        erase_note(row->e->part, OF_ENDED, ID);
    return true;
}

/* Questions and jobs */

/* Entries [{id, by, ...}] or [{response, by, respondedBy, ...}]: theirs by id. */
static bool blank_entries(struct erase_row *row, size_t column, bool keep_value)
{
    JSON_AUTO *list = erase_parse(row->cells[column]);
    const char *id = row->e->person->id;
    bool any = false;
    json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry)
    {
        if (!str_equal(erase_member(entry, "id"), id) && !str_equal(erase_member(entry, "respondedBy"), id))
            continue;
        any = true;
        json_object_set_new(entry, "by", json_string(ERASED_NAME));
        erase_blank(json_object_get(entry, "response"), keep_value);
    }
    erase_put_json(row, column, list);
    return any;
}

static void blank_cell(struct erase_row *row, size_t column, bool keep_value)
{
    JSON_AUTO *value = erase_parse(row->cells[column]);

    erase_blank(value, keep_value);
    erase_put_json(row, column, value);
}

/*
 * Arguments that they have changed are their words, whoever approved them after them: who changes them is the
 * first of the approvals. Where it is still open, nobody approves what nobody can read any more: all begins
 * anew.
 */
static void erase_changed_args(struct erase_row *row)
{
    JSON_AUTO *approvals = erase_parse(CELL(QUESTION_APPROVALS));
    JSON_AUTO *response = erase_parse(CELL(QUESTION_RESPONSE));
    const char *args = CELL(QUESTION_APPROVED_ARGS);

    if (!args || str_equal(args, NO_ARGS) ||
        !str_equal(erase_member(json_array_get(approvals, 0), "id"), row->e->person->id))
        return;
    erase_put(row, COL_ERASE_QUESTION_APPROVED_ARGS, NO_ARGS);
    if (!CELL(QUESTION_ENDED_AT)) {
        erase_put(row, COL_ERASE_QUESTION_APPROVED_ARGS, NULL);
        erase_put(row, COL_ERASE_QUESTION_APPROVALS, "[]");
    } else if (json_object_get(response, "args")) {
        json_object_set_new(response, "args", json_object());
        erase_put_json(row, COL_ERASE_QUESTION_RESPONSE, response);
    }
}

static void erase_own_question(struct erase_row *row, bool keep_value)
{
    erase_note(row->e->own, "", ID);
    erase_put(row, COL_ERASE_QUESTION_QUESTION, ERASED_TEXT);
    erase_put(row, COL_ERASE_QUESTION_CONTEXT, NULL);
    erase_put(row, COL_ERASE_QUESTION_METADATA, NULL);
    blank_cell(row, COL_ERASE_QUESTION_OPTIONS, true);
    blank_cell(row, COL_ERASE_QUESTION_DEFAULT_RESPONSE, keep_value);
    if (CELL(QUESTION_ACTION))
        erase_put(row, COL_ERASE_QUESTION_ACTION, "{\"name\":\"" ERASED_TEXT "\",\"args\":{}}");
}

/* Who has assigned it, and what they said about it. */
static bool erase_handover(struct erase_row *row)
{
    JSON_AUTO *handover = erase_parse(CELL(QUESTION_HANDOVER));

    if (!str_equal(erase_member(handover, "id"), row->e->person->id))
        return false;
    json_object_set_new(handover, "by", json_string(ERASED_NAME));
    json_object_set_new(handover, "note", json_null());
    erase_put_json(row, COL_ERASE_QUESTION_HANDOVER, handover);
    return true;
}

static bool erase_question(struct erase_row *row)
{
    const char *id = row->e->person->id, *response = CELL(QUESTION_RESPONSE);
    bool own = row->theirs[0], answered = str_equal(CELL(QUESTION_RESPONDED_BY), id);
    bool keep_value = !str_equal(CELL(QUESTION_RESPONSE_TYPE), response_type_word(RESPONSE_TEXT));

    erase_changed_args(row);
    bool approved = blank_entries(row, COL_ERASE_QUESTION_APPROVALS, true);
    bool late = blank_entries(row, COL_ERASE_QUESTION_LATE_ANSWERS, keep_value);
    bool assigned = erase_handover(row) || str_equal(CELL(QUESTION_ASSIGNED_TO), id) ||
                    str_equal(CELL(QUESTION_REQUESTED_BY), id);

    if (own)
        erase_own_question(row, keep_value);
    if (answered) {
        blank_cell(row, COL_ERASE_QUESTION_RESPONSE, keep_value);
        if (CELL(QUESTION_APPROVED_ARGS))
            erase_put(row, COL_ERASE_QUESTION_APPROVED_ARGS, NO_ARGS);
    }
    if (answered || approved || late || assigned || row->changed)
        erase_note(row->e->part, "", ID);
    return str_equal(response, CELL(QUESTION_RESPONSE)) || row->e->looking ||
           tx_exec(row->tx, SQL_ERASE_RESULT,
                   DB_ARGS(db_text(CELL(QUESTION_JOB_ID)), db_text(CELL(QUESTION_RESPONSE))), NULL);
}

/* A job ends with a reason, and may have been started again with somebody's answer. */
static bool erase_job(struct erase_row *row)
{
    JSON_AUTO *answer = erase_parse(CELL(JOB_RESTART_ANSWER));
    const char *question_id = erase_member(answer, "questionId");

    if (row->theirs[1] && CELL(JOB_ERROR))
        erase_note(row->e->own, "", ID);
    if (erase_noted(row->e->own, "", question_id))
        json_object_set_new(answer, "question", json_string(ERASED_TEXT));
    if (erase_noted(row->e->part, "", question_id) &&
        erase_is_name(row->e, row->tx->arena, erase_member(answer, "by"))) {
        json_object_set_new(answer, "by", json_string(ERASED_NAME));
        erase_blank(json_object_get(answer, "response"), false);
    }
    if (erase_noted(row->e->part, "", question_id))
        erase_put_json(row, COL_ERASE_JOB_RESTART_ANSWER, answer);
    return true;
}

/* Projects */

/* Answers say who gave them while a set is open; the others are of whoever settled it. */
static void blank_answers(struct erase_row *row)
{
    JSON_AUTO *list = erase_parse(CELL(SET_RESPONSES));
    char *ids = arena_format(row->tx->arena, "%s", CELL(SET_ANSWER_IDS)), *rest = ids;
    json_t *entry;
    size_t i;

    json_array_foreach(list, i, entry)
    {
        const char *id = strtok_r(i == 0 ? ids : NULL, " ", &rest), *by = erase_member(entry, "by");

        if (by ? !erase_is_theirs(row->e, row->tx->arena, id, by, CELL(SET_WORKSPACE_ID)) : !row->theirs[0])
            continue;
        erase_note(row->e->part, "", ID);
        json_object_set_new(entry, "answer", json_string(ERASED_TEXT));
        if (by)
            json_object_set_new(entry, "by", json_string(ERASED_NAME));
    }
    erase_put_json(row, COL_ERASE_SET_RESPONSES, list);
}

static bool erase_set(struct erase_row *row)
{
    JSON_AUTO *questions = erase_parse(CELL(SET_QUESTIONS));
    json_t *entry;
    size_t i;

    blank_answers(row);
    if (erase_noted(row->e->own, "", CELL(SET_SOURCE_ID)))
        erase_note(row->e->part, OF_ABOUT, ID);
    if (!str_equal(CELL(SET_ASKED_BY_ID), row->e->person->id))
        return true;
    erase_note(row->e->own, "", ID);
    erase_put_name(row, COL_ERASE_SET_AGENT);
    json_array_foreach(questions, i, entry) json_object_set_new(entry, "text", json_string(ERASED_TEXT));
    erase_put_json(row, COL_ERASE_SET_QUESTIONS, questions);
    return true;
}

static bool erase_project(struct erase_row *row)
{
    JSON_AUTO *settings = erase_parse(CELL(PROJECT_SETTINGS));

    if (erase_is_in(row->e, CELL(PROJECT_WORKSPACE_ID)) &&
        erase_from_answerers(row->e, row->tx->arena, settings))
        erase_put_json(row, COL_ERASE_PROJECT_SETTINGS, settings);
    return true;
}

/* Discussions */

/* What it was told to do stays, as what was decided does: the choices of a vote are what can be decided. What
 * else stands there are words. */
static void blank_options(struct erase_row *row)
{
    static const char *const kept[] = {
        "vote", "agreement_threshold", "smart_termination", "judge", "budget", "rehearse"
    };
    JSON_AUTO *options = erase_parse(CELL(DISCUSSION_OPTIONS));
    JSON_AUTO *left = json_object();

    for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
        if (json_object_get(options, kept[i]))
            json_object_set(left, kept[i], json_object_get(options, kept[i]));
    erase_put_json(row, COL_ERASE_DISCUSSION_OPTIONS, left);
}

static bool erase_discussion(struct erase_row *row)
{
    const char *seat = erase_seat_of(row->e, CELL(DISCUSSION_DISCUSSION_ID));
    JSON_AUTO *result = seat ? erase_parse(CELL(DISCUSSION_RESULT)) : NULL;

    if (row->theirs[0]) {
        erase_note(row->e->own, "", CELL(DISCUSSION_DISCUSSION_ID));
        blank_options(row);
    }
    if (result && erase_rename(result, seat))
        erase_put_json(row, COL_ERASE_DISCUSSION_RESULT, result);
    return true;
}

/* Of what a person said: whether it was a pass, and of which kind; a reason that they gave are words. */
static void blank_metadata(struct erase_row *row)
{
    JSON_AUTO *metadata = erase_parse(CELL(SAID_METADATA));
    JSON_AUTO *kind = json_incref(json_object_get(metadata, "passKind"));

    erase_blank(metadata, false);
    if (kind)
        json_object_set(metadata, "passKind", kind);
    erase_put_json(row, COL_ERASE_SAID_METADATA, metadata);
}

/* What came of a discussion that they began is told in the one it was split off from: its speaker is the
 * topic. */
static bool erase_said(struct erase_row *row)
{
    JSON_AUTO *metadata = erase_parse(CELL(SAID_METADATA));
    const char *user_id = CELL(SAID_USER_ID), *speaker = CELL(SAID_SPEAKER);
    bool own = is_them(row, COL_ERASE_SAID_USER_ID) ||
               (!user_id && role_is_person(CELL(SAID_ROLE)) &&
                erase_is_theirs(row->e, row->tx->arena, NULL, speaker, CELL(SAID_WORKSPACE_ID)));

    if (!own && erase_noted(row->e->own, "", erase_member(metadata, "discussionId"))) {
        erase_note(row->e->own, "", ID);
        erase_put(row, COL_ERASE_SAID_SPEAKER, ERASED_NAME);
    }
    if (!own)
        return true;
    erase_note(row->e->own, "", ID);
    erase_put_name(row, COL_ERASE_SAID_SPEAKER);
    erase_put(row, COL_ERASE_SAID_CONTENT, ERASED_TEXT);
    erase_put(row, COL_ERASE_SAID_USER_ID, NULL);
    blank_metadata(row);
    return true;
}

/* By the id, or, in a discussion that they began themselves, by their name; then it is anybody's. */
static bool erase_seat(struct erase_row *row)
{
    bool began = str_equal(CELL(SEAT_CREATED_BY_ID), row->e->person->id);

    if (!is_them(row, COL_ERASE_SEAT_USER_ID) &&
        !(began && !CELL(SEAT_USER_ID) && erase_is_name(row->e, row->tx->arena, CELL(SEAT_NAME))))
        return true;
    json_object_set_new(row->e->seats, CELL(SEAT_DISCUSSION_ID), json_string(CELL(SEAT_NAME)));
    erase_put_name(row, COL_ERASE_SEAT_NAME);
    erase_put(row, COL_ERASE_SEAT_USER_ID, NULL);
    return true;
}

/* A turn that they owe is then anybody's. */
static bool erase_turn(struct erase_row *row)
{
    const char *seat = erase_seat_of(row->e, CELL(TURN_DISCUSSION_ID));

    if (!is_them(row, COL_ERASE_TURN_USER_ID) && !(seat && str_equal(seat, CELL(TURN_SPEAKER))))
        return true;
    erase_put_name(row, COL_ERASE_TURN_SPEAKER);
    erase_put(row, COL_ERASE_TURN_USER_ID, NULL);
    return true;
}

/* Words that wait for the end of a turn. */
static bool erase_interjection(struct erase_row *row)
{
    if (!is_them(row, COL_ERASE_INTERJECTION_USER_ID))
        return true;
    erase_put_name(row, COL_ERASE_INTERJECTION_SPEAKER);
    erase_put(row, COL_ERASE_INTERJECTION_CONTENT, ERASED_TEXT);
    erase_put(row, COL_ERASE_INTERJECTION_USER_ID, NULL);
    return true;
}

/* What was decided in a discussion in which they sit names who speaks; a replay finds the same name in the
 * seat. */
static bool erase_ruling(struct erase_row *row)
{
    const char *seat = erase_seat_of(row->e, CELL(RULING_DISCUSSION_ID));
    JSON_AUTO *inputs = seat ? erase_parse(CELL(RULING_INPUTS)) : NULL;

    if (inputs && erase_rename(inputs, seat))
        erase_put_json(row, COL_ERASE_RULING_INPUTS, inputs);
    return true;
}

#define PLACES(table, id_column, name_column) \
    .id = COL_ERASE_##table##_##id_column, .name = COL_ERASE_##table##_##name_column

/* Whatever notes something stands before whatever asks for it. */
const struct erase_table erase_tables[] = {
    { ERASE_TABLE(SEAT), .more = erase_seat },
    { ERASE_TABLE(CHAT), .first = NO_ID, .more = erase_message, ERASE_COUNT(messages) },
    { ERASE_TABLE(PROMPT), .first = NO_ID,
      .marks = { { PLACES(PROMPT, REQUESTER_ID, REQUESTER_AGENT), .words = COL_ERASE_PROMPT_PROMPT_MESSAGE },
                 { PLACES(PROMPT, OUTCOME_BY_ID, OUTCOME_BY) } },
      .more = erase_prompt, ERASE_COUNT(prompts) },
    { ERASE_TABLE(QUESTION),
      .marks = { { PLACES(QUESTION, ASKED_BY_ID, ASKED_BY) },
                 { PLACES(QUESTION, OUTCOME_BY_ID, OUTCOME_BY) },
                 { PLACES(QUESTION, DRAFT_BY_ID, DRAFT_BY), .gone = COL_ERASE_QUESTION_DRAFT_BY } },
      .more = erase_question, ERASE_COUNT(answers) },
    { ERASE_TABLE(JOB),
      .marks = { { PLACES(JOB, REQUESTED_BY, REQUESTED_NAME) },
                 { PLACES(JOB, OUTCOME_BY_ID, OUTCOME_BY), .words = COL_ERASE_JOB_ERROR } },
      .more = erase_job },
    { ERASE_TABLE(FEEDBACK),
      .marks = { { PLACES(FEEDBACK, AUTHOR_ID, AUTHOR), .words = COL_ERASE_FEEDBACK_TEXT } },
      ERASE_COUNT(feedback) },
    { ERASE_TABLE(DOCUMENT), .keys = 4, .marks = { { PLACES(DOCUMENT, AUTHOR_ID, AUTHOR) } },
      ERASE_COUNT(documents) },
    { ERASE_TABLE(SET), .marks = { { PLACES(SET, OUTCOME_BY_ID, OUTCOME_BY) } }, .more = erase_set,
      ERASE_COUNT(sets) },
    { ERASE_TABLE(TASK), .marks = { { PLACES(TASK, ASSIGNEE_ID, ASSIGNEE) } } },
    { ERASE_TABLE(PROJECT), .more = erase_project },
    /* The question that people settle a decision by is erased as any other. */
    { ERASE_TABLE(DECISION),
      .marks = { { PLACES(DECISION, ASKED_BY_ID, AGENT), .words = COL_ERASE_DECISION_DESCRIPTION,
                   .gone = COL_ERASE_DECISION_DETAILS } } },
    { ERASE_TABLE(DISCUSSION),
      .marks = { { PLACES(DISCUSSION, CREATED_BY_ID, CREATED_BY_NAME), .words = COL_ERASE_DISCUSSION_TOPIC },
                 { PLACES(DISCUSSION, OUTCOME_BY_ID, OUTCOME_BY) } },
      .more = erase_discussion },
    { ERASE_TABLE(SAID), .more = erase_said, ERASE_COUNT(messages) },
    { ERASE_TABLE(TURN), .more = erase_turn },
    { ERASE_TABLE(INTERJECTION), .more = erase_interjection, ERASE_COUNT(messages) },
    { ERASE_TABLE(RULING), .keys = 2, .more = erase_ruling },
    { ERASE_TABLE(RUN_ENTRY), .keys = 2, .more = erase_run_entry },
    { ERASE_TABLE(RUN_CALL), .more = erase_run_call },
    /* What an agent was told stays: it is the workspace's. */
    { ERASE_TABLE(AGENT),
      .marks = { { PLACES(AGENT, CREATED_BY_ID, CREATED_BY), .gone = COL_ERASE_AGENT_CREATED_BY } } },
    /* A token that they made for themselves may have their name; it goes on being good. */
    { ERASE_TABLE(TOKEN), .marks = { { PLACES(TOKEN, CREATED_BY, NAME) } } },
};
const size_t erase_table_count = sizeof(erase_tables) / sizeof(erase_tables[0]);

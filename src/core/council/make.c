/*
 * Checks come in the order in which they can be explained: the topic, the options, the rounds, the project,
 * then each participant by its place in the list. A fork takes the log up to an entry and stands where the
 * next turn would have been.
 */
#include "core/council/make.h"

#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/caller/caller.h"
#include "core/chat/chat.h"
#include "core/council/agent.h"
#include "core/council/answer.h"
#include "core/council/participant.h"
#include "core/council/rules/options.h"
#include "core/council/tell.h"
#include "core/council/voice.h"
#include "core/identity/workspace.h"
#include "core/work/task.h"

#include <stdlib.h>
#include <string.h>

static bool wrong_participant(const struct tx *tx, size_t at, const char *member, const char *what)
{
    char field[64];

    snprintf(field, sizeof(field), "participants[%zu]%s%s", at, member ? "." : "", member ? member : "");
    return err_field(tx->err, field, "%s %s", field, what);
}

static const char *text_of(const json_t *object, const char *name, const char *twin)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : json_string_value(json_object_get(object, twin));
}

static bool find_agent(const struct tx *tx, const json_t *given, size_t at, struct participant *p)
{
    const char *id = text_of(given, "agentId", "agent_id"), *name = text_of(given, "agentName", "agent_name");
    struct agent agent;
    bool found;

    if (!id && !name)
        return wrong_participant(tx, at, NULL, "needs an agentId or an agentName, or the role user.");
    found = id ? agent_get(tx, id, &agent) : agent_find(tx, name, &agent);
    if (!found && tx->err->code == ERR_NOT_FOUND) {
        (void)wrong_participant(tx, at, id ? "agentId" : "agentName",
                                arena_format(tx->arena, "names an agent that does not exist: %s.",
                                             str_plain_line(tx->arena, id ? id : name)));
        return err_hint(tx->err, "`witan agent add NAME` or POST /api/agents makes one.");
    }
    if (!found)
        return false;
    p->agent_id = agent.id;
    p->name = agent.name;
    p->model_config = agent.ai_model_config;
    if (!p->role || !*p->role)
        p->role = agent.role;
    return true;
}

static bool take_participant(const struct tx *tx, const json_t *given, size_t at, struct participant *p)
{
    const json_t *order = json_object_get(given, "sequence_order");
    const char *role = text_of(given, "role", "role"), *name = text_of(given, "name", "name");

    if (!order)
        order = json_object_get(given, "sequenceOrder");
    *p = (struct participant){ .role = role ? role : "", .sequence_order = (int)at + 1 };
    if (order && !json_is_null(order)) {
        if (!json_is_integer(order) || json_integer_value(order) < 0 || json_integer_value(order) > 1000000)
            return wrong_participant(tx, at, "sequence_order", "must be a whole number, 0 or more.");
        p->sequence_order = (int)json_integer_value(order);
    }
    if (!role || !role_is_person(role))
        return find_agent(tx, given, at, p);
    if (text_of(given, "agentId", "agent_id") || text_of(given, "agentName", "agent_name"))
        return wrong_participant(tx, at, "role", "is a person's: it has no agent.");
    p->user_id = text_of(given, "userId", "user_id");
    p->name = name && !str_is_blank(name) ? name : "User";
    return true;
}

static int by_order(const void *a, const void *b)
{
    const struct participant *left = a, *right = b;

    return (left->sequence_order > right->sequence_order) - (left->sequence_order < right->sequence_order);
}

static bool twice(const struct participant *a, const struct participant *b)
{
    return (a->agent_id && str_equal(a->agent_id, b->agent_id)) || str_same_name(a->name, b->name);
}

/* One that could only fail is not begun: every agent that witan runs needs a model. */
static bool check_voices(const struct tx *tx, const struct participant *list, size_t count, bool by_place)
{
    for (size_t i = 0; i < count; i++) {
        char field[48];
        const struct voice voice = { field, list[i].name, list[i].model_config };

        if (by_place)
            snprintf(field, sizeof(field), "participants[%zu]", i);
        else
            snprintf(field, sizeof(field), "participants");
        if (list[i].agent_id && !voice_check(tx, &voice))
            return false;
    }
    return true;
}

static bool wants_rehearsal(const struct discussion_wish *wish)
{
    return json_is_true(json_object_get(wish->options, "rehearse"));
}

static bool take_participants(const struct tx *tx, const struct discussion_wish *wish,
                              struct participant **list, size_t *count)
{
    const json_t *given = wish->participants;

    *count = json_array_size(given);
    if (*count == 0) {
        err_field(tx->err, "participants", "A discussion needs participants.");
        return err_hint(tx->err, "Name them, or a cast that stands in for them, such as specialists.");
    }
    if (*count > LIMIT_PARTICIPANTS)
        return err_field(tx->err, "participants", "A discussion has at most %d participants.",
                         LIMIT_PARTICIPANTS);
    *list = arena_array(tx->arena, struct participant, *count);
    for (size_t i = 0; i < *count; i++) {
        if (!take_participant(tx, json_array_get(given, i), i, &(*list)[i]))
            return false;
        for (size_t j = 0; j < i; j++) {
            if ((*list)[i].sequence_order == (*list)[j].sequence_order)
                return wrong_participant(tx, i, "sequence_order", "is another's already.");
            if (twice(&(*list)[i], &(*list)[j]))
                return wrong_participant(tx, i, NULL, "is in the order already.");
        }
    }
    if (!wants_rehearsal(wish) && !check_voices(tx, *list, *count, true))
        return false;
    qsort(*list, *count, sizeof(**list), by_order);
    return true;
}

/* Those who were named, or the cast that stands in for them. */
static bool take_seats(const struct tx *tx, const struct discussion_wish *wish, struct cast_seats *cast,
                       struct participant **list, size_t *count)
{
    *cast = (struct cast_seats){ 0 };
    if (json_array_size(wish->participants) > 0 || !wish->cast)
        return take_participants(tx, wish, list, count);
    *list = cast->list;
    if (!cast_seat(tx, wish->cast, cast))
        return false;
    *count = cast->count;
    return wants_rehearsal(wish) || check_voices(tx, *list, *count, false);
}

static bool has_agent(const struct participant *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].agent_id)
            return true;
    return false;
}

static bool take_rounds(const struct tx *tx, const struct discussion_wish *wish, struct discussion *d)
{
    d->rounds = wish->rounds ? wish->rounds : (int)settings()->consensus_discussion_rounds;
    return d->rounds <= LIMIT_ROUNDS ||
           err_field(tx->err, "rounds", "A discussion has at most %d rounds.", LIMIT_ROUNDS);
}

static bool take_project(const struct tx *tx, const struct discussion_wish *wish, struct discussion *d)
{
    struct project project;
    struct task task;

    d->project_id = wish->project_id ? wish->project_id : tx->caller->project_id;
    if (d->project_id && !project_see(tx, d->project_id, &project)) {
        if (tx->err->code == ERR_NOT_FOUND)
            snprintf(tx->err->field, sizeof(tx->err->field), "projectId");
        return false;
    }
    if (!wish->task_id)
        return true;
    if (!d->project_id)
        return err_field(tx->err, "projectId", "A discussion about a task needs the task's project.");
    d->task_id = wish->task_id;
    if (task_get(tx, &project, wish->task_id, &task))
        return true;
    if (tx->err->code == ERR_NOT_FOUND)
        snprintf(tx->err->field, sizeof(tx->err->field), "taskId");
    return false;
}

/* One budget and one wall for all that are split off from one. */
static bool take_parent(const struct tx *tx, const struct discussion_wish *wish, struct discussion *d)
{
    struct discussion parent;

    d->root_id = d->id;
    if (!wish->parent_id)
        return true;
    if (!discussion_lock(tx, wish->parent_id, &parent)) {
        if (tx->err->code == ERR_NOT_FOUND)
            snprintf(tx->err->field, sizeof(tx->err->field), "parentId");
        return false;
    }
    if (discussion_has_ended(&parent))
        return err_set(tx->err, ERR_CONFLICT, "Discussion is already %s.",
                       council_status_word(parent.status));
    if (parent.depth + 1 > LIMIT_DISCUSSION_DEPTH)
        return err_field(tx->err, "parentId", "Discussions are at most %d deep.", LIMIT_DISCUSSION_DEPTH);
    if (d->project_id && !str_equal(d->project_id, parent.project_id))
        return err_field(tx->err, "projectId",
                         "A discussion belongs to the project of the one it is split off from.");
    d->parent_id = parent.id;
    d->root_id = parent.root_id;
    d->depth = parent.depth + 1;
    d->project_id = parent.project_id;
    d->options = parent.options;
    return true;
}

static bool is_rehearsal(const struct tx *tx, const struct discussion *d)
{
    struct council_options options;

    options_read(tx->arena, d->options, settings()->consensus_agreement_threshold, &options);
    return options.rehearse;
}

/* What its result answers may be about no project; then the discussion stays where it was put. */
static bool take_ref(const struct tx *tx, struct discussion *d)
{
    const char *project_id = NULL;

    if (d->ref_kind == REF_NONE)
        return true;
    if (is_rehearsal(tx, d))
        return err_field(tx->err, "options.rehearse", "A rehearsal cannot answer a real question or prompt.");
    if (!answer_may_be_put(tx, d->ref_kind, d->ref_id, &project_id))
        return false;
    if (d->project_id && project_id && !str_equal(d->project_id, project_id))
        return err_field(tx->err, "ref", "A discussion and what it answers belong to the same project.");
    if (!d->project_id)
        d->project_id = project_id;
    return true;
}

static bool insert(const struct tx *tx, struct discussion *d)
{
    bool starts = d->mode != MODE_TURNS || d->forked_from;

    d->phase = starts ? PHASE_OPENING : PHASE_PERSON;
    d->wants_drive = starts;
    return tx_exec(
        tx, SQL_DISCUSSION_INSERT,
        DB_ARGS(db_text(d->id), db_text(d->workspace_id), db_text(d->project_id), db_text(d->task_id),
                db_text(d->topic), db_text(council_mode_word(d->mode)), db_text(d->options),
                db_int(d->rounds), db_text(council_phase_word(d->phase)), db_text(d->parent_id),
                db_text(d->root_id), db_int(d->depth), db_text(council_ref_word(d->ref_kind)),
                db_text(d->ref_id), db_text(d->forked_from), db_ms(d->forked_at), db_text(d->session_id),
                db_bool(d->wants_drive), db_text(caller_kind_name(tx->caller->kind)), db_text(tx->caller->id),
                db_text(tx->caller->name), db_int(tx->now_ms), db_int(d->turn_index), db_int(d->round)),
        NULL);
}

static void begin(const struct tx *tx, struct discussion *d)
{
    d->id = uuid_new(tx->arena);
    d->workspace_id = tx->caller->workspace_id;
    d->round = d->round ? d->round : 1;
    d->status = STATUS_ACTIVE;
    d->created_by_kind = caller_kind_name(tx->caller->kind);
    d->created_by_id = tx->caller->id;
    d->created_by_name = tx->caller->name;
    d->created_ms = d->updated_ms = tx->now_ms;
}

static bool make(const struct tx *tx, const struct discussion_wish *wish, struct discussion *d,
                 struct cast_seats *cast)
{
    struct participant *list = NULL;
    const char *options;
    size_t count = 0;

    *d = (struct discussion){ .topic = wish->topic,
                              .mode = wish->mode,
                              .session_id = wish->session_id,
                              .ref_kind = wish->ref_kind,
                              .ref_id = wish->ref_id };
    begin(tx, d);
    if (!chat_check_text("topic", d->topic, tx->err) ||
        !options_check(tx->arena, wish->options, &options, tx->err) || !take_rounds(tx, wish, d) ||
        !take_project(tx, wish, d) || !take_seats(tx, wish, cast, &list, &count) || !take_parent(tx, wish, d))
        return false;
    d->options = d->options ? options_within(tx->arena, options, d->options) : options;
    if (d->mode != MODE_TURNS && !has_agent(list, count))
        return err_field(tx->err, "participants", "This mode needs at least one agent.");
    if (!take_ref(tx, d) || !insert(tx, d))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!participant_insert(tx, d, &list[i]))
            return false;
    return tell_created(tx, d);
}

/* In a rehearsal's workspace nobody's model is called, whatever was wished for. */
static bool rehearse_there(const struct tx *tx, struct discussion_wish *wish, json_t **options)
{
    struct workspace workspace;

    if (!workspace_get(tx, tx->caller->workspace_id, &workspace))
        return false;
    if (!workspace_is_rehearsal(&workspace))
        return true;
    *options = json_is_object(wish->options) ? json_copy((json_t *)wish->options) : json_object();
    json_object_set_new(*options, "rehearse", json_true());
    wish->options = *options;
    return true;
}

bool discussion_make(const struct tx *tx, const struct discussion_wish *wish, struct discussion *d,
                     struct cast_seats *cast)
{
    struct discussion_wish wanted = *wish;
    JSON_AUTO *options = NULL;

    return rehearse_there(tx, &wanted, &options) && make(tx, &wanted, d, cast);
}

/* The entry: by its id, or by its number among those that are shown, from 1. */
static bool find_entry(const struct tx *tx, const char *at, const struct logged *rows, size_t count,
                       size_t *end)
{
    int64_t wanted = 0, number = 0;
    bool by_number = str_to_int(at, &wanted);

    for (size_t i = 0; i < count; i++) {
        number += logged_is_shown(&rows[i]);
        if (by_number ? logged_is_shown(&rows[i]) && number == wanted : str_equal(rows[i].id, at)) {
            *end = i + 1;
            return true;
        }
    }
    return err_field(tx->err, "at", "at names no entry of the discussion.");
}

static void stand_behind(struct discussion *d, const struct seats *seats, const struct logged *rows,
                         size_t count)
{
    struct seating seating = participant_seating(d, seats);
    struct slot at = logged_place(&seating, rows, count);

    d->round = at.round;
    d->turn_index = at.turn;
}

/*
 * Whoever is gone is passed over, as in the discussion that is forked: which model would speak for them is
 * not asked. Somebody must be left.
 */
static bool check_fork(const struct tx *tx, const struct discussion *d, const struct seats *seats)
{
    bool rehearsal = is_rehearsal(tx, d), somebody = false;

    for (size_t i = 0; i < seats->count; i++) {
        if (seats->seats[i].gone)
            continue;
        somebody = true;
        if (!rehearsal && !check_voices(tx, &seats->list[i], 1, false))
            return false;
    }
    if (somebody)
        return true;
    err_set(tx->err, ERR_CONFLICT, "Nobody is left to speak: the agents of this discussion were removed.");
    return err_hint(tx->err, "Begin a new discussion with others.");
}

bool discussion_fork(const struct tx *tx, const char *id, const char *at, struct discussion *d)
{
    struct discussion from;
    struct logged *rows;
    struct seats seats;
    size_t count, end = 0;

    if (!discussion_get(tx, id, &from) || !participant_list(tx, from.id, &seats) ||
        !logged_all(tx, from.id, 0, &rows, &count) || !find_entry(tx, at, rows, count, &end))
        return false;
    *d = (struct discussion){ .topic = from.topic,
                              .mode = from.mode,
                              .rounds = from.rounds,
                              .options = from.options,
                              .project_id = from.project_id,
                              .session_id = from.session_id,
                              .forked_from = from.id,
                              .forked_at = rows[end - 1].seq };
    begin(tx, d);
    d->root_id = d->id;
    stand_behind(d, &seats, rows, end);
    if (d->round > d->rounds)
        d->rounds = d->round <= LIMIT_ROUNDS ? d->round : d->rounds;
    if (!check_fork(tx, d, &seats) || !insert(tx, d))
        return false;
    for (size_t i = 0; i < seats.count; i++)
        if (!participant_insert(tx, d, &seats.list[i]))
            return false;
    for (size_t i = 0; i < end; i++) {
        rows[i].spent = (struct spent){ 0 }; /* which the other one has paid for */
        if (logged_is_shown(&rows[i]) && !logged_add(tx, d, &rows[i]))
            return false;
    }
    return tell_created(tx, d);
}

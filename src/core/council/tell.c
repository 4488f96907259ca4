/*
 * One function for each event, since the table of events (ops/event_types.c) names the members of each: a
 * helper that took any members would hide what is told from the search for it.
 */
#include "core/council/tell.h"

#include "core/caller/caller.h"
#include "core/log/event.h"

struct told_event {
    struct buf text;
    struct json_out out;
};

static void begin(struct told_event *told, const struct discussion *discussion)
{
    buf_init(&told->text, 0);
    json_begin(&told->out, &told->text);
    json_map(&told->out, NULL);
    json_text(&told->out, "discussionId", discussion->id);
}

static bool append_about(const struct tx *tx, const struct discussion *discussion, enum event_type type,
                         const char *subject, struct told_event *told)
{
    const char *data;

    json_map_end(&told->out);
    data = arena_copy(tx->arena, told->text.bytes, told->text.len);
    buf_done(&told->text);
    return event_append(tx, &(struct event){ .workspace_id = discussion->workspace_id,
                                             .type = type,
                                             .project_id = discussion->project_id,
                                             .discussion_id = discussion->id,
                                             .subject = subject,
                                             .data = data,
                                             .at_ms = tx->now_ms });
}

static bool append(const struct tx *tx, const struct discussion *discussion, enum event_type type,
                   struct told_event *told)
{
    return append_about(tx, discussion, type, discussion->id, told);
}

bool tell_created(const struct tx *tx, const struct discussion *d)
{
    struct told_event told;

    begin(&told, d);
    json_text(&told.out, "projectId", d->project_id);
    json_text(&told.out, "topic", d->topic);
    json_text(&told.out, "mode", council_mode_word(d->mode));
    json_text(&told.out, "status", council_status_word(d->status));
    json_int(&told.out, "rounds", d->rounds);
    json_text(&told.out, "parentId", d->parent_id);
    json_text(&told.out, "createdBy", d->created_by_name);
    return append(tx, d, EVENT_DISCUSSION_CREATED, &told);
}

static bool tell_entry(const struct tx *tx, const struct discussion *d, enum event_type type,
                       const struct logged *logged)
{
    struct told_event told;

    begin(&told, d);
    logged_write(logged, "entry", &told.out);
    return append(tx, d, type, &told);
}

bool tell_message(const struct tx *tx, const struct discussion *discussion, const struct logged *logged)
{
    return tell_entry(tx, discussion, EVENT_DISCUSSION_MESSAGE, logged);
}

bool tell_interjected(const struct tx *tx, const struct discussion *discussion, const struct logged *logged)
{
    return tell_entry(tx, discussion, EVENT_DISCUSSION_INTERJECTED, logged);
}

static void write_turn(struct told_event *told, const struct open_turn *turn)
{
    json_text(&told->out, "turnId", turn->id);
    json_text(&told->out, "kind", turn_kind_word(turn->kind));
    json_text(&told->out, "speaker", turn->speaker);
    json_text(&told->out, "role", turn->role);
    json_text(&told->out, "agentId", turn->agent_id);
    json_int(&told->out, "roundNumber", turn->round);
    json_int(&told->out, "turnIndex", turn->turn_index);
}

bool tell_started(const struct tx *tx, const struct discussion *d, const struct open_turn *turn)
{
    struct told_event told;

    begin(&told, d);
    write_turn(&told, turn);
    json_int(&told.out, "attempt", turn->attempt);
    return append_about(tx, d, EVENT_TURN_STARTED, turn->id, &told);
}

bool tell_waiting(const struct tx *tx, const struct discussion *d, const struct open_turn *turn)
{
    struct told_event told;

    begin(&told, d);
    write_turn(&told, turn);
    json_text(&told.out, "userId", turn->user_id);
    json_time(&told.out, "dueAt", turn->due_ms);
    return append_about(tx, d, EVENT_TURN_WAITING, turn->id, &told);
}

bool tell_finished(const struct tx *tx, const struct discussion *d, const struct open_turn *turn,
                   const struct logged *logged)
{
    struct told_event told;

    begin(&told, d);
    json_text(&told.out, "turnId", turn->id);
    json_text(&told.out, "kind", turn_kind_word(turn->kind));
    logged_write(logged, "entry", &told.out);
    return append_about(tx, d, EVENT_TURN_FINISHED, turn->id ? turn->id : logged->id, &told);
}

bool tell_round(const struct tx *tx, const struct discussion *d, int round, size_t contributions,
                size_t passes)
{
    struct told_event told;

    begin(&told, d);
    json_int(&told.out, "round", round);
    json_int(&told.out, "rounds", d->rounds);
    json_int(&told.out, "contributions", (int64_t)contributions);
    json_int(&told.out, "passes", (int64_t)passes);
    return append(tx, d, EVENT_DISCUSSION_ROUND, &told);
}

bool tell_vote(const struct tx *tx, const struct discussion *d, int round, const char *vote)
{
    struct told_event told;

    begin(&told, d);
    json_int(&told.out, "round", round);
    json_raw(&told.out, "vote", vote);
    return append(tx, d, EVENT_VOTE_COUNTED, &told);
}

bool tell_resting(const struct tx *tx, const struct discussion *d, const char *next_speaker)
{
    struct told_event told;

    begin(&told, d);
    json_text(&told.out, "phase", council_phase_word(d->phase));
    json_text(&told.out, "nextSpeaker", next_speaker);
    return append(tx, d, EVENT_DISCUSSION_WAITING, &told);
}

static bool tell_by(const struct tx *tx, const struct discussion *d, enum event_type type)
{
    struct told_event told;

    begin(&told, d);
    json_text(&told.out, "by", tx->caller ? tx->caller->name : "system");
    return append(tx, d, type, &told);
}

bool tell_paused(const struct tx *tx, const struct discussion *discussion)
{
    return tell_by(tx, discussion, EVENT_DISCUSSION_PAUSED);
}

bool tell_resumed(const struct tx *tx, const struct discussion *discussion)
{
    return tell_by(tx, discussion, EVENT_DISCUSSION_RESUMED);
}

bool tell_ended(const struct tx *tx, const struct discussion *d)
{
    struct told_event told;

    begin(&told, d);
    json_text(&told.out, "status", council_status_word(d->status));
    json_text(&told.out, "endReason", council_end_word(d->end_reason));
    json_map(&told.out, "outcome");
    json_text(&told.out, "source", d->outcome_source);
    json_text(&told.out, "by", d->outcome_by);
    json_time(&told.out, "at", d->ended_ms);
    json_map_end(&told.out);
    return append(tx, d, EVENT_DISCUSSION_ENDED, &told);
}

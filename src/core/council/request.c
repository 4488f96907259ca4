/*
 * Put together anew for each attempt, from the log as it stands then: an interjection that came while a turn
 * waited in line is in it. In mode parallel nobody is shown the round that is being spoken, so that all begin
 * from the same place.
 */
#include "core/council/request.h"

#include "base/str.h"
#include "core/council/condense.h"
#include "core/council/own_words.h"
#include "core/council/rules/reply_cut.h"

static const struct participant *seat_of(const struct machine *m, const struct open_turn *turn)
{
    return turn->participant_id && (size_t)turn->turn_index < m->seats.count
               ? &m->seats.list[turn->turn_index]
               : NULL;
}

/* Only what is said to everybody is cut at stops; a ballot is an object, whose text may hold anything. */
struct reply_rules request_rules(const struct machine *m, const struct open_turn *turn)
{
    const struct participant *p = seat_of(m, turn);
    struct seating seating = participant_seating(m->d, &m->seats);
    struct reply_rules rules = reply_rules_of(m->tx->arena, &seating, turn->kind, turn->speaker);

    rules.again = turn->without_stops;
    if (turn->kind == TURN_TURN && p) {
        rules.stops = p->stops;
        rules.stop_count = p->stop_count;
    }
    return rules;
}

/* A summary by which the next speakers know the older part; the words of one at the end are for others. */
static bool is_for_going_on(const struct machine *m, const struct open_turn *turn)
{
    return turn->kind == TURN_SUMMARY && m->d->ending == END_NONE;
}

static bool history_of(struct machine *m, const struct open_turn *turn, const char **text)
{
    struct history history = { .mode = turn->kind == TURN_TURN ? m->d->mode : MODE_ROUNDS };
    struct condensed condensed;
    struct logged *rows;
    size_t count;

    if (m->d->mode == MODE_TURNS) {
        if (!logged_last(m->tx, m->d->id, HISTORY_ENTRIES, &rows, &count))
            return false;
        history.entries = logged_entries(m->tx->arena, rows, count, &history.count);
        *text = history_text(m->tx->arena, &history);
        return true;
    }
    if (!condense_look(m, &condensed))
        return false;
    history.entries = condensed.entries;
    history.count = condensed.count;
    if (is_for_going_on(m, turn)) {
        history.count = condensed.plan.first;
    } else {
        history.first = condensed.plan.first;
        history.summary = turn->kind == TURN_SUMMARY ? NULL : m->d->summary;
    }
    if (turn->kind == TURN_TURN && m->d->mode == MODE_PARALLEL)
        history.before_round = turn->round;
    *text = history_text(m->tx->arena, &history);
    return true;
}

static enum prompt_text occasion(const struct machine *m, const struct open_turn *turn)
{
    switch (turn->kind) {
    case TURN_BALLOT: return PROMPT_TEXT_VOTE;
    case TURN_JUDGE: return PROMPT_TEXT_JUDGE;
    case TURN_SUMMARY: return PROMPT_TEXT_SUMMARY;
    case TURN_TURN: break;
    }
    return m->d->mode == MODE_TURNS ? PROMPT_TEXT_TURN
                                    : wording_for(turn->role, turn->speaker, turn->round == 1);
}

static const char *joined(struct arena *arena, const char *const names[], size_t count)
{
    const char *text = count > 0 ? names[0] : "nobody else";

    for (size_t i = 1; i < count; i++)
        text = arena_format(arena, "%s, %s", text, names[i]);
    return text;
}

/* What came before stands behind the question: it is there to be understood by, not to be answered. */
static const char *topic_of(const struct machine *m)
{
    if (!m->options.context)
        return m->d->topic;
    return arena_format(m->tx->arena,
                        "%s\n\n(Earlier in this conversation, for understanding the question:)\n%s",
                        m->d->topic, m->options.context);
}

static bool words_for(struct machine *m, const struct open_turn *turn, const char *history, char **text)
{
    struct arena *arena = m->tx->arena;
    struct seating seating = participant_seating(m->d, &m->seats);
    size_t count;
    const char **others = order_others(arena, &seating, turn->speaker, &count);
    struct wording_value values[] = {
        { "topic", topic_of(m) },
        { "name", turn->speaker },
        { "role", turn->role },
        { "history", history },
        { "round", arena_format(arena, "%d", turn->round) },
        { "rounds", arena_format(arena, "%d", m->d->rounds) },
        { "choices", wording_choices(arena, m->options.choices, m->options.choice_count) },
        { "others", joined(arena, others, count) },
        { "summary", m->d->summary ? history_summary(arena, m->d->summary) : "None yet." },
    };

    const char *words;

    return own_words_of(m->tx, m->d->workspace_id, occasion(m, turn), &words) &&
           wording_fill(arena, words, values, sizeof(values) / sizeof(*values), text, m->tx->err);
}

bool request_build(struct machine *m, const struct open_turn *turn, struct turn_call *call)
{
    const struct participant *p = seat_of(m, turn);
    struct reply_rules *rules = arena_array(m->tx->arena, struct reply_rules, 1);
    const char **stops = arena_array(m->tx->arena, const char *, LIMIT_STOPS);
    const char *history;
    char *user;

    if (!history_of(m, turn, &history))
        return false;
    *rules = request_rules(m, turn);
    call->rules = rules;
    call->stop_count = reply_stops(m->tx->arena, rules, stops);
    call->stops = stops;
    call->send_stops = !turn->without_stops;
    call->system = p && p->system_prompt && *p->system_prompt ? p->system_prompt : NULL;
    if (!words_for(m, turn, history, &user))
        return false;
    call->user = user;
    return true;
}

/*
 * Text while it is being spoken. Each piece goes to those who listen at once, as a notice that is in no log;
 * what there is so far is saved once a second, for all turns in one transaction, for those who join late and
 * for the record of a turn that is cut off.
 *
 * A piece says at which character of the turn's text it belongs, so that it does not matter whether a reader
 * has seen a part of it before.
 *
 * Of a turn, readers are shown what will stand in the log: no thoughts, no labels, nothing from a stop
 * sequence on. So all that came in is cut anew as it grows; at most once for each 64th of its length, which
 * keeps the cost of a long reply in small pieces in proportion to it.
 */
#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "core/council/rules/pass.h"
#include "engine/council_internal.h"

#include <string.h>

#define LOOKS_AT_ONE 64 /* a reply is looked at again when it has grown by this part of it */

static size_t chars_in(const char *text, size_t len)
{
    size_t chars = 0;

    for (size_t i = 0; i < len; i++)
        chars += ((unsigned char)text[i] & 0xC0) != 0x80;
    return chars;
}

struct notice *council_piece(const struct council_piece *piece)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    buf_init(&data, 0);
    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "discussionId", piece->discussion_id);
    if (piece->project_id)
        json_text(&out, "projectId", piece->project_id);
    json_text(&out, "turnId", piece->turn_id);
    json_text(&out, "kind", turn_kind_word(piece->kind));
    json_text(&out, "speaker", piece->speaker);
    json_int(&out, "round", piece->round);
    json_int(&out, "turnIndex", piece->turn_index);
    json_int(&out, "offset", (int64_t)piece->offset);
    json_text_len(&out, "text", piece->text, piece->len);
    json_map_end(&out);
    return notice_new(&(struct event){
        .workspace_id = piece->workspace_id,
        .type = EVENT_TURN_DELTA,
        .project_id = piece->project_id,
        .discussion_id = piece->discussion_id,
        .subject = piece->turn_id,
        .data = data.bytes,
        .at_ms = clock_now_ms(),
    });
}

static struct council_piece piece_of(const struct turn *turn, size_t offset, const char *text, size_t len)
{
    const struct turn_call *of = &turn->wanted;

    return (struct council_piece){
        .workspace_id = of->workspace_id,
        .project_id = of->project_id,
        .discussion_id = of->ref.discussion_id,
        .turn_id = of->ref.turn_id,
        .kind = of->kind,
        .speaker = of->speaker,
        .round = of->round,
        .turn_index = of->turn_index,
        .offset = offset,
        .text = text,
        .len = len,
    };
}

static struct notice *piece(const struct turn *turn, size_t offset, const char *text, size_t len)
{
    struct council_piece whole = piece_of(turn, offset, text, len);

    return council_piece(&whole);
}

static const char *const *copy_names(struct arena *arena, const char *const names[], size_t count)
{
    const char **copy = arena_array(arena, const char *, count);

    for (size_t i = 0; i < count; i++)
        copy[i] = arena_text(arena, names[i]);
    return copy;
}

static void keep_rules(struct turn *turn, const struct reply_rules *rules)
{
    struct arena *arena = &turn->arena;

    turn->rules = *rules;
    turn->rules.speaker = arena_text(arena, rules->speaker);
    turn->rules.others = copy_names(arena, rules->others, rules->other_count);
    turn->rules.stops = copy_names(arena, rules->stops, rules->stop_count);
}

void text_begin(struct turn *turn, const struct reply_rules *rules)
{
    struct council *council = turn->council;

    keep_rules(turn, rules);
    turn->save_at_ms = clock_ticks_ms() + COUNCIL_SAVE_FIRST_MS;
    pthread_mutex_lock(&council->text_lock);
    turn->before = NULL;
    turn->behind = council->speaking;
    if (turn->behind)
        turn->behind->before = turn;
    council->speaking = turn;
    pthread_mutex_unlock(&council->text_lock);
}

void text_end(struct turn *turn)
{
    struct council *council = turn->council;

    pthread_mutex_lock(&council->text_lock);
    *(turn->before ? &turn->before->behind : &council->speaking) = turn->behind;
    if (turn->behind)
        turn->behind->before = turn->before;
    pthread_mutex_unlock(&council->text_lock);
}

/* Only the loop that calls models changes the text, so it may look at it without the lock; to change it, it
 * takes the lock when all memory is there: a call may be left at any allocation, and would leave it locked.
 */
static void text_grow(struct turn *turn, const char *text, size_t len)
{
    struct council *council = turn->council;
    bool moves = turn->text.room - turn->text.len <= len;
    BUF_AUTO other = { 0 };
    size_t offset;

    buf_init(&other, 0);
    if (moves) {
        buf_add(&other, turn->text.bytes, turn->text.len);
        buf_add(&other, text, len);
    }
    pthread_mutex_lock(&council->text_lock);
    offset = turn->chars;
    if (moves) {
        struct buf before = turn->text;

        turn->text = other;
        other = before;
    } else {
        buf_add(&turn->text, text, len);
    }
    turn->chars += chars_in(text, len);
    pthread_mutex_unlock(&council->text_lock);
    /* Ballots, judgements and summaries are the machine's own: nobody watches them being written. */
    if (turn->wanted.kind == TURN_TURN && tailer_heard(council->tailer))
        tailer_say(council->tailer, piece(turn, offset, text, len));
}

/*
 * While more may come, what it could still turn into something else is held back. What was shown stays:
 * should a later look read it otherwise, the log has the last word. False: whatever more comes will be cut.
 */
static bool text_show(struct turn *turn, bool more)
{
    struct reply reply;
    size_t shown = turn->text.len, len;

    arena_reset(&turn->hearing);
    reply = reply_cut(&turn->hearing, &turn->rules, turn->said.bytes, turn->said.len);
    if (!more && pass_of_reply(&turn->hearing, &reply).kind != PASS_NOT)
        return false;
    len = more ? reply_showable(&turn->hearing, &turn->rules, &reply) : strlen(reply.text);
    if (len > shown && (shown == 0 || memcmp(reply.text, turn->text.bytes, shown) == 0))
        text_grow(turn, reply.text + shown, len - shown);
    return !reply_is_over(&turn->rules, &reply);
}

bool text_add(struct turn *turn, const char *text, size_t len)
{
    if (turn->wanted.kind != TURN_TURN) {
        text_grow(turn, text, len);
        return true;
    }
    buf_add(&turn->said, text, len);
    if (turn->said.len < turn->look_at)
        return true;
    turn->look_at = turn->said.len + turn->said.len / LOOKS_AT_ONE;
    return text_show(turn, true);
}

void text_close(struct turn *turn, bool stopped)
{
    turn->rules.stopped = stopped;
    if (turn->said.len > 0)
        (void)text_show(turn, false);
}

void text_restart(struct turn *turn)
{
    buf_clear(&turn->said);
    turn->look_at = 0;
    pthread_mutex_lock(&turn->council->text_lock);
    buf_clear(&turn->text);
    turn->chars = turn->saved = 0;
    pthread_mutex_unlock(&turn->council->text_lock);
}

/* Room for what is copied while the lock is held. What does not fit is counted all the same. */
struct copies {
    char *bytes;
    size_t room, need;
};

static const char *copy_into(struct copies *copies, const char *text, size_t len)
{
    size_t at = copies->need;

    if (!text)
        return NULL;
    copies->need += len + 1;
    if (copies->need > copies->room)
        return NULL;
    char *copy = copies->bytes + at;

    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

static const char *copy_text(struct copies *copies, const char *text)
{
    return copy_into(copies, text, text ? strlen(text) : 0);
}

static void copy_piece(struct copies *copies, struct council_piece *of)
{
    of->workspace_id = copy_text(copies, of->workspace_id);
    of->project_id = copy_text(copies, of->project_id);
    of->discussion_id = copy_text(copies, of->discussion_id);
    of->turn_id = copy_text(copies, of->turn_id);
    of->speaker = copy_text(copies, of->speaker);
    of->text = copy_into(copies, of->text, of->len);
}

static size_t copy_pieces(struct council *council, const char *discussion_id, struct council_piece pieces[],
                          size_t most, struct copies *copies)
{
    size_t count = 0;

    pthread_mutex_lock(&council->text_lock);
    for (const struct turn *turn = council->speaking; turn && count < most; turn = turn->behind) {
        if (turn->text.len == 0 || turn->wanted.kind != TURN_TURN ||
            strcmp(turn->wanted.ref.discussion_id, discussion_id) != 0)
            continue;
        pieces[count] = piece_of(turn, 0, turn->text.bytes, turn->text.len);
        copy_piece(copies, &pieces[count++]);
    }
    pthread_mutex_unlock(&council->text_lock);
    return count;
}

/* How much room it takes is known only under the lock, and no memory is taken there: until what was set aside
 * is enough. */
size_t council_texts(struct council *council, const char *discussion_id, struct notice *texts[], size_t most)
{
    ARENA_AUTO arena = { 0 };
    struct council_piece *pieces = arena_array(&arena, struct council_piece, most);
    struct copies copies = { 0 };
    size_t count;

    do {
        if (copies.need > 0)
            copies.room = copies.need * 2;
        copies = (struct copies){ .bytes = arena_alloc(&arena, copies.room + 1, 1), .room = copies.room };
        count = copy_pieces(council, discussion_id, pieces, most, &copies);
    } while (copies.need > copies.room);
    for (size_t i = 0; i < count; i++)
        texts[i] = council_piece(&pieces[i]);
    return count;
}

bool council_speaks(struct council *council, const char *turn_id)
{
    bool speaks = false;

    pthread_mutex_lock(&council->text_lock);
    for (struct turn *turn = council->speaking; turn && !speaks; turn = turn->behind)
        speaks = strcmp(turn->wanted.ref.turn_id, turn_id) == 0;
    pthread_mutex_unlock(&council->text_lock);
    return speaks;
}

/* Saving. */

struct saved_text {
    struct turn_ref ref;
    const char *text;
    size_t len;
    bool is_turn, refused;
};

struct save_unit {
    struct holder_unit unit; /* first */
    struct arena texts;
    struct saved_text *list;
    size_t count;
};

static bool run_save(const struct tx *tx, struct holder_unit *unit)
{
    struct save_unit *save = (struct save_unit *)unit;

    for (size_t i = 0; i < save->count; i++) {
        struct saved_text *saved = &save->list[i];
        struct err err = { 0 };
        struct tx own = tx_with_err(tx, &err);

        bool fine = drive_partial(&own, &saved->ref, saved->text);

        saved->refused = !fine && holding_is_late(&err);
        /* One of which the rows cannot be read must not keep the others' words from being saved. */
        if (!fine && !saved->refused && (err.raw || !holding_is_hopeless(&err))) {
            *tx->err = err;
            return false;
        }
        if (fine && saved->is_turn)
            unit->phases |= 1U << PHASE_SPEAKING;
    }
    return true;
}

static void text_refused(struct turn *turn)
{
    atomic_fetch_add(&turn->council->late, 1);
    turn_disown(turn);
}

static void after_save(struct holder_unit *unit)
{
    struct save_unit *save = (struct save_unit *)unit;
    struct council *council = council_of(unit->holder);

    council->saving = false;
    for (size_t i = 0; unit->work.err.code == ERR_NONE && i < save->count; i++) {
        const struct saved_text *saved = &save->list[i];
        struct turn *turn = turn_find(council, saved->ref.turn_id);

        if (!turn || turn->stage != STAGE_CALLS || turn->doomed || turn->wanted.ref.epoch != saved->ref.epoch)
            continue;
        if (saved->refused)
            text_refused(turn);
    }
    arena_done(&save->texts);
    unit_free(unit);
}

static bool wants_saving(const struct turn *turn, int64_t now)
{
    return turn->text.len > turn->saved && now >= turn->save_at_ms;
}

static size_t count_new(const struct council *council, int64_t now)
{
    size_t count = 0;

    for (const struct turn *turn = council->speaking; turn; turn = turn->behind)
        count += wants_saving(turn, now);
    return count;
}

static void copy_new(struct council *council, struct save_unit *save, int64_t now)
{
    struct arena *arena = &save->texts;

    save->list = arena_array(arena, struct saved_text, count_new(council, now));
    for (struct turn *turn = council->speaking; turn; turn = turn->behind) {
        if (!wants_saving(turn, now))
            continue;
        struct saved_text *saved = &save->list[save->count++];

        saved->ref = turn->wanted.ref;
        saved->ref.turn_id = arena_text(arena, turn->wanted.ref.turn_id);
        saved->ref.discussion_id = arena_text(arena, turn->wanted.ref.discussion_id);
        saved->text = arena_copy(arena, turn->text.bytes, turn->text.len);
        saved->is_turn = turn->wanted.kind == TURN_TURN;
        turn->saved = turn->text.len;
        turn->save_at_ms = now + COUNCIL_SAVE_MS;
    }
}

void texts_save(struct council *council)
{
    int64_t now = clock_ticks_ms();
    bool any;

    if (council->saving || now - council->saved_ms < COUNCIL_SAVE_FIRST_MS)
        return;
    council->saved_ms = now;
    pthread_mutex_lock(&council->text_lock);
    any = count_new(council, now) > 0;
    pthread_mutex_unlock(&council->text_lock);
    if (!any)
        return;
    struct save_unit *save = unit_new(&council->holder, sizeof(*save), run_save, after_save);

    pthread_mutex_lock(&council->text_lock);
    copy_new(council, save, now);
    pthread_mutex_unlock(&council->text_lock);
    council->saving = true;
    unit_hand_in(&save->unit);
}

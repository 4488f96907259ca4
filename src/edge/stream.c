/*
 * What a stream has to say comes from four places, asked in this order: greetings, its last word, a page of
 * the store, the ring. Threads other than the door's only ever set an atomic and wake it.
 */
#include "edge/stream_parts.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "edge/callerkey.h"
#include "edge/internal.h"
#include "edge/log_page.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define TEXTS_MOST 32 /* turns of one discussion that are being spoken */

void stream_hold(struct stream *stream)
{
    atomic_fetch_add(&stream->holders, 1);
}

void stream_drop(struct stream *stream)
{
    if (atomic_fetch_sub(&stream->holders, 1) != 1)
        return;
    while (stream->greeted < stream->greeting_count)
        notice_drop(stream->greetings[stream->greeted++]);
    free(stream->greetings);
    notice_drop(atomic_load(&stream->last_word));
    log_page_free(stream->page);
    log_page_free(atomic_load(&stream->arrived));
    free(stream->wanted);
    free(stream);
}

/*
 * The door's target is valid until stream_close returns, and stream_close waits for those who are waking it
 * right now: a handful of instructions.
 */
void stream_wake(struct stream *stream)
{
    atomic_fetch_add(&stream->waking, 1);
    void *target = atomic_load(&stream->target);

    if (target && !atomic_load(&stream->closed))
        stream->wake(target);
    atomic_fetch_sub(&stream->waking, 1);
}

static void reader_hold(struct tailer_reader *reader)
{
    stream_hold((struct stream *)reader);
}

static void reader_drop(struct tailer_reader *reader)
{
    stream_drop((struct stream *)reader);
}

static void reader_wake(struct tailer_reader *reader)
{
    stream_wake((struct stream *)reader);
}

static const struct tailer_reader_calls reader_calls = { reader_hold, reader_drop, reader_wake };

static void word_of(enum event_type type, const char *reason, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "type", event_type_word(type));
    json_time(&out, "at", clock_now_ms());
    json_text(&out, "reason", reason);
    json_map_end(&out);
}

static void set_last_word(struct stream *stream, enum event_type type, const char *reason)
{
    BUF_AUTO json = { 0 };
    struct notice *none = NULL;

    word_of(type, reason, &json);

    struct notice *word = notice_word(json.bytes);

    if (!atomic_compare_exchange_strong(&stream->last_word, &none, word))
        notice_drop(word);
}

void stream_end(struct stream *stream, enum event_type type, const char *reason)
{
    set_last_word(stream, type, reason);
    stream_wake(stream);
}

/* Opening. */

static char *put(char **room, const char *text)
{
    char *at = *room;

    if (!text)
        return NULL;
    *room = stpcpy(at, text) + 1;
    return at;
}

static size_t size_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/*
 * Numbers that the log has forgotten, and numbers it has never given, are said to be missing before anything
 * else; the stream then starts with the oldest, or with now.
 */
static int64_t start_at(struct stream *stream, int64_t after, const struct stream_bounds *bounds)
{
    BUF_AUTO json = { 0 };
    struct json_out out;

    if (after < 0 || (after <= bounds->last && after + 1 >= bounds->first))
        return after;
    json_begin(&out, &json);
    json_map(&out, NULL);
    json_text(&out, "type", event_type_word(EVENT_STREAM_GAP));
    json_time(&out, "at", clock_now_ms());
    json_text(&out, "reason",
              after > bounds->last ? "The log has no such number: this may be another store."
                                   : "Events after the given number have been forgotten.");
    json_int(&out, "after", after);
    json_int(&out, "oldest", bounds->first);
    json_map_end(&out);
    stream_greet(stream, notice_word(json.bytes));
    return after > bounds->last ? bounds->last : bounds->first - 1;
}

void stream_greet(struct stream *stream, struct notice *word)
{
    size_t size = (stream->greeting_count + 1) * sizeof(struct notice *);

    stream->greetings = memory_resize(stream->greetings, size);
    stream->greetings[stream->greeting_count++] = word;
}

void stream_greet_wanted(struct stream *stream, struct notice *notice)
{
    if (notice_matches(notice, &stream->reader.filter))
        stream_greet(stream, notice);
    else
        notice_drop(notice);
}

/*
 * After the stream has joined the tailer, so that nothing is missed between the text so far and what follows.
 * What was said in that moment comes again, at the same place of the text.
 */
static void greet_with_texts(struct stream *stream)
{
    const struct notice_filter *filter = &stream->reader.filter;
    struct notice *texts[TEXTS_MOST];
    size_t count = 0;

    if (filter->discussion_id && stream->streams->council)
        count = council_texts(stream->streams->council, filter->discussion_id, texts, TEXTS_MOST);
    for (size_t i = 0; i < count; i++)
        stream_greet_wanted(stream, texts[i]);
}

/* Whoever is cut off before the first event comes back to where the stream began, and misses nothing. */
static void greet_with_place(struct stream *stream)
{
    ARENA_AUTO arena = { 0 };
    long long place = (long long)atomic_load(&stream->reader.cursor);

    stream_greet(stream, notice_comment(arena_format(&arena, "id: %lld\n\n", place)));
}

struct stream *stream_new(struct streams *streams, const struct caller *caller,
                          const struct stream_filter *wanted, const struct stream_bounds *bounds, bool beats,
                          stream_waker *wake)
{
    ARENA_AUTO arena = { 0 };
    const char *agent_key = caller->agent_name ? str_fold(&arena, caller->agent_name) : NULL;
    struct stream *stream =
        calloc(1, sizeof(*stream) + size_of(caller->workspace_id) + size_of(caller->credential) +
                      size_of(caller->project_id) + size_of(caller->id) + size_of(agent_key));
    char *room;

    if (!stream)
        abort();
    stream->streams = streams;
    stream->wake = wake;
    stream->beats = beats;
    stream->role = caller->role;
    stream->turn = callerkey_of(caller);
    stream->reader.calls = &reader_calls;
    atomic_init(&stream->holders, 1);
    room = stream->texts;
    stream->workspace_id = put(&room, caller->workspace_id);
    stream->credential = put(&room, caller->credential);
    stream->reader.filter = (struct notice_filter){
        .workspace_id = stream->workspace_id,
        .bound = put(&room, caller->project_id),
        .hearer = { .role = (unsigned)caller->role,
                    .person = caller_is_person(caller),
                    .id = put(&room, caller->id),
                    .agent_key = put(&room, agent_key) },
    };
    stream->wanted = stream_filter_apply(wanted, &stream->reader.filter);
    if (beats)
        stream_greet(stream, notice_comment("retry: 2000\n: open\n\n"));
    tailer_join(streams->tailer, &stream->reader, start_at(stream, wanted->after, bounds));
    if (beats)
        greet_with_place(stream);
    greet_with_texts(stream);
    atomic_fetch_add(&streams->count, 1);
    pthread_mutex_lock(&streams->lock);
    stream_beat_link(stream);
    pthread_mutex_unlock(&streams->lock);
    return stream;
}

void stream_keep(struct stream *stream, const struct hold *hold)
{
    stream->hold = *hold;
}

void stream_aim(struct stream *stream, void *target)
{
    atomic_store(&stream->target, target);
}

void stream_change(struct stream *stream, const struct stream_filter *wanted)
{
    struct notice_filter filter = stream->reader.filter;
    char *block = stream_filter_apply(wanted, &filter);
    int64_t last = tailer_last(stream->streams->tailer);

    tailer_refilter(stream->streams->tailer, &stream->reader, &filter,
                    wanted->after > last ? last : wanted->after);
    free(stream->wanted);
    stream->wanted = block;
    log_page_free(stream->page);
    stream->page = NULL;
    stream->following = false;
    greet_with_texts(stream);
}

void stream_close(struct stream *stream)
{
    struct streams *streams = stream->streams;

    atomic_store(&stream->closed, true);
    while (atomic_load(&stream->waking) > 0)
        sched_yield();
    pthread_mutex_lock(&streams->lock);
    stream_beat_unlink(stream);
    pthread_mutex_unlock(&streams->lock);
    tailer_leave(streams->tailer, &stream->reader);
    atomic_fetch_sub(&streams->count, 1);
    hold_give(&stream->hold);
    stream_drop(stream);
}

/* Reading. */

static void page_arrived(struct log_page *page, void *user)
{
    struct stream *stream = user;

    atomic_store(&stream->arrived, page);
    stream_wake(stream);
    stream_drop(stream);
}

/* The reader learns that it was cut off; the database's own words are for the log. */
static void cut_by_store(struct stream *stream, const struct err *err)
{
    if (err->raw)
        log_line(edge_outage_line() ? LOG_WARN : LOG_DEBUG, "a stream was cut off", "why", err->text, NULL);
    set_last_word(stream, EVENT_STREAM_CUT, err_for_callers(err));
}

static void load_page(struct stream *stream)
{
    struct err err = { 0 };

    stream_hold(stream);
    stream->loading = log_page_load(stream->streams->store, stream->turn, atomic_load(&stream->reader.cursor),
                                    page_arrived, stream, &err);
    if (stream->loading)
        return;
    stream_drop(stream);
    cut_by_store(stream, &err);
}

/* A page that was asked for before the client changed its place is thrown away. */
static void take_page(struct stream *stream)
{
    struct log_page *arrived = atomic_exchange(&stream->arrived, NULL);
    int64_t cursor = atomic_load(&stream->reader.cursor), last;

    if (!arrived)
        return;
    stream->loading = false;
    if (arrived->err.code != ERR_NONE)
        cut_by_store(stream, &arrived->err);
    if (arrived->err.code != ERR_NONE || arrived->after > cursor) {
        log_page_free(arrived);
        return;
    }
    /* Nothing in the store after a place that the ring has left behind: the log was emptied by hand. */
    if (arrived->count == 0 && (last = tailer_last(stream->streams->tailer)) > cursor)
        atomic_store(&stream->reader.cursor, last);
    log_page_free(stream->page);
    stream->page = arrived;
}

static bool next_of_page(struct stream *stream, struct notice **notice)
{
    take_page(stream);
    while (stream->page && stream->page->at < stream->page->count) {
        struct notice *next = stream->page->notices[stream->page->at++];

        if (next->seq <= atomic_load(&stream->reader.cursor))
            continue;
        atomic_store(&stream->reader.cursor, next->seq);
        if (notice_matches(next, &stream->reader.filter)) {
            *notice = notice_hold(next);
            return true;
        }
    }
    log_page_free(stream->page);
    stream->page = NULL;
    return false;
}

static bool next_word(struct stream *stream, struct notice **notice)
{
    if (stream->greeted < stream->greeting_count) {
        *notice = stream->greetings[stream->greeted++];
        return true;
    }
    if (atomic_load(&stream->last_word)) {
        *notice = notice_hold(atomic_load(&stream->last_word));
        stream->said_last = true;
        return true;
    }
    if (atomic_exchange(&stream->beat_due, false)) {
        *notice = notice_hold(stream->streams->beat);
        return true;
    }
    return false;
}

enum stream_found stream_next(struct stream *stream, struct notice **notice)
{
    if (stream->said_last)
        return STREAM_ENDED;
    for (;;) {
        if (next_word(stream, notice))
            return STREAM_NOTICE;
        if (next_of_page(stream, notice))
            return STREAM_NOTICE;
        if (atomic_load(&stream->last_word))
            continue;
        if (stream->loading && !atomic_load(&stream->arrived))
            return STREAM_NOTHING;
        if (stream->loading)
            continue;
        switch (tailer_next(stream->streams->tailer, &stream->reader, notice)) {
        case RING_EVENT: stream->following = true; return STREAM_NOTICE;
        case RING_NOTHING: stream->following = true; return STREAM_NOTHING;
        case RING_LOST: break;
        }
        if (!stream->following)
            load_page(stream);
        else
            set_last_word(stream, EVENT_STREAM_CUT,
                          "This reader fell too far behind. Come back with the last number to go on.");
    }
}

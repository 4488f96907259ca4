/*
 * stream.h - one reader of the event log, whatever the door.
 *
 * A stream that has just (re)connected catches up from the store, a page at a time and at its own pace; then
 * it follows the ring. One that follows and still falls out of the ring is too slow: it is cut off with a
 * last word and may come back with the number it had. With every heartbeat its rights are checked again; when
 * they are gone it ends.
 *
 * A stream of one discussion begins with the text so far of the turns that are being spoken on this node;
 * what follows of them is said by the tailer as it is written.
 *
 * stream_next hands out what is to be sent, in order: words of the server's own, then events. It never
 * blocks: when there is nothing it says so and the stream is woken later.
 *
 * Memory: counted. The door holds it until stream_close; the tailer, a page that is being read and a check of
 * its rights hold it meanwhile.
 *
 * Thread: stream_next, stream_change and stream_close by the door, one at a time; stream_end by any.
 */
#ifndef EDGE_STREAM_H
#define EDGE_STREAM_H

#include "core/caller/caller.h"
#include "edge/holds.h"
#include "edge/stream_filter.h"
#include "engine/council.h"
#include "engine/tailer.h"

struct streams;
struct stream;

struct streams *streams_new(struct store *store, struct tailer *tailer, struct council *council);
void streams_free(struct streams *streams); /* when no stream is left; accepts NULL */
unsigned streams_count(struct streams *streams);

/* What the log holds, found out together with who calls. */
struct stream_bounds {
    int64_t first, last;
};

/* Tells the door that stream_next has something. Called from any thread, never after stream_close. */
typedef void stream_waker(void *target);

/*
 * A stream in the caller's workspace, with one holder. `beats`: heartbeats are sent as comments. A token
 * that is bound to a project hears of that project only.
 */
struct stream *stream_new(struct streams *streams, const struct caller *caller,
                          const struct stream_filter *wanted, const struct stream_bounds *bounds, bool beats,
                          stream_waker *wake);
/* The place it has taken, given back when it is closed. Before stream_aim only. */
void stream_keep(struct stream *stream, const struct hold *hold);
/* Whom to wake; before it nobody is woken. */
void stream_aim(struct stream *stream, void *target);
/* Changes what is heard; with an `after` also from where. */
void stream_change(struct stream *stream, const struct stream_filter *wanted);
/* Queues a word ahead of everything else, taking over the caller's hold. By the door, as stream_next. */
void stream_greet(struct stream *stream, struct notice *word);
/* The same for what only those hear who want it and may. */
void stream_greet_wanted(struct stream *stream, struct notice *notice);

enum stream_found { STREAM_NOTICE, STREAM_NOTHING, STREAM_ENDED };
/* The notice is held for the caller. After the last word it is STREAM_ENDED for good. */
enum stream_found stream_next(struct stream *stream, struct notice **notice);
/* Makes the next thing the last: {"type":type,"at":now,"reason":reason}. The first such word counts. */
void stream_end(struct stream *stream, enum event_type type, const char *reason);
void stream_close(struct stream *stream);

#endif

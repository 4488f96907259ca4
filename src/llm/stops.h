/*
 * stops.h - what is cut from a reply while it is being written.
 *
 * First, at its beginning, white space and the speaker's own label ("[Name]:", "Name:"). Then everything from
 * the first stop sequence on, wherever the borders between the pieces are: a piece that ends in what may
 * become a stop sequence is held back until it is known. A secret, if there is one, is replaced by asterisks
 * in the same way.
 *
 * Text goes in and comes out as whole UTF-8 characters.
 */
#ifndef LLM_STOPS_H
#define LLM_STOPS_H

#include "base/arena.h"
#include "base/buf.h"

typedef void stops_emit(void *user, const char *text, size_t len);

struct stop {
    const char *text;
    size_t len;
    bool is_secret;
};

struct stops {
    struct stop *list;
    size_t count;
    const char *labels[2]; /* the speaker's, or NULL */
    enum { STOPS_BEFORE_LABEL, STOPS_AFTER_LABEL, STOPS_INSIDE, STOPS_HIT } state;
    bool emitted; /* something came out */
    struct buf held;
    stops_emit *emit;
    void *user;
};

/*
 * Stop sequences are trimmed, unless they are nothing but white space; empty ones are left out. `speaker` and
 * `secret` may be NULL. What is kept lies in the arena.
 */
void stops_init(struct stops *stops, struct arena *arena, const char *const *list, size_t count,
                const char *speaker);
void stops_hide(struct stops *stops, struct arena *arena, const char *secret);
void stops_done(struct stops *stops);
/* Starts over, for another attempt. */
void stops_reset(struct stops *stops);
/* False: a stop sequence was reached, and nothing more will come out. */
bool stops_feed(struct stops *stops, const char *text, size_t len);
/* The end of the text: what was held back comes out. */
void stops_flush(struct stops *stops);

#endif

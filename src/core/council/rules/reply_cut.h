/*
 * reply_cut.h - what a speaker is taken to have said, out of what a model sent.
 *
 * In this order: bytes and tokens that are not for readers go (reply_clean.h); then leading white space and
 * the speaker's own label ("[Name]:", "Name:", "[Round 2] Name:", also in bold); then everything from the
 * first stop sequence on, or from the first line that begins with another speaker's label: nobody speaks for
 * others. "Other:" is such a label in mode turns only, since in the long contributions of the other modes it
 * may well be a heading; there "[Other]:" and "[Round 2] Other:" are.
 *
 * Stop sequences are trimmed, unless they are white space only, and ones that are empty or no UTF-8 do not
 * count. A list without any means the mode's own: "[", an empty line and "Speaker:" in mode turns, none in
 * the others.
 *
 * A text without anything left says why. LACK_STOP and LACK_OTHER are worth a second call, to which no stops
 * are sent. The second time a stop sequence that the reply begins with, and the label in brackets behind it,
 * is passed over, so that a model which labels whatever it says is heard; it is never heard under the label
 * of somebody else who sits there, only under its own, should that follow.
 */
#ifndef CORE_COUNCIL_RULES_REPLY_CUT_H
#define CORE_COUNCIL_RULES_REPLY_CUT_H

#include "core/council/rules/order.h"

struct reply_rules {
    enum council_mode mode;
    const char *speaker;
    const char *const *others; /* the names of everybody else who may speak */
    size_t other_count;
    const char *const *stops;
    size_t stop_count;
    bool again;   /* this is the second time, without stops having been sent */
    bool stopped; /* the provider ended it at a stop that it was sent, or may have */
};

enum reply_lack {
    LACK_NONE,       /* there is a text */
    LACK_NOTHING,    /* nothing was sent, or white space only */
    LACK_UNREADABLE, /* nothing but characters that are not for readers */
    LACK_TOKENS,     /* nothing but control tokens */
    LACK_THOUGHT,    /* the model thought, and said nothing */
    LACK_LABEL,      /* nothing but its own name */
    LACK_STOP,       /* it began with a stop sequence */
    LACK_OTHER,      /* it began to speak for somebody else */
    LACK_END,
};
WORDS_OF(reply_lack, reply_lacks);

struct reply {
    const char *text;    /* valid UTF-8 without surrounding white space; "" when something lacks */
    const char *whole;   /* the same before stops and others were looked for: where a pass may stand */
    const char *thought; /* what the model thought aloud, or NULL */
    enum reply_lack lack;
    const char *stop;  /* the stop sequence that ended it, or NULL */
    const char *other; /* or the speaker whose label did */
    bool mended;       /* some bytes were no UTF-8 */
    bool too_long;     /* cut at LIMIT_MESSAGE */
};

/* Of a turn: everybody else in the order may not be spoken for; of anything else nobody is. */
struct reply_rules reply_rules_of(struct arena *arena, const struct seating *seating, enum turn_kind kind,
                                  const char *speaker);
struct reply reply_cut(struct arena *arena, const struct reply_rules *rules, const char *raw, size_t len);
const char *reply_lack_sentence(enum reply_lack lack); /* why there is no text; "" when there is one */
/* The stop sequences in force, trimmed; these are what a provider is sent. Says how many. */
size_t reply_stops(struct arena *arena, const struct reply_rules *rules, const char *stops[LIMIT_STOPS]);
/*
 * How many bytes of the text of an unfinished reply may be shown: what more of it could still turn into a
 * stop sequence, a label or a token is held back.
 */
size_t reply_showable(struct arena *arena, const struct reply_rules *rules, const struct reply *reply);
/* Whether the text of an unfinished reply is whole: whatever more comes will be cut. */
bool reply_is_over(const struct reply_rules *rules, const struct reply *reply);

#endif

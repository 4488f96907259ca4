/*
 * pass.h - is a reply a pass, and why.
 *
 * A pass is a reply that is nothing but a pass: it starts with [PASS] or [NO RESPONSE], in whatever case, and
 * what follows is the reason; or it is the bare word; or it is, as a whole, "I have nothing to add" in one of
 * the ways in which that is said. A reply that says something and then passes is a contribution. A reply
 * without a text, a call that failed and a turn whose time was up are passes too, each marked as what it is.
 */
#ifndef CORE_COUNCIL_RULES_PASS_H
#define CORE_COUNCIL_RULES_PASS_H

#include "base/json.h"
#include "core/council/rules/reply_cut.h"

enum pass_kind {
    PASS_NOT,
    PASS_MARK,     /* [PASS] or [NO RESPONSE] */
    PASS_WORD,     /* the bare word */
    PASS_SENTENCE, /* "I have nothing to add." */
    PASS_EMPTY,    /* no text was left of the reply */
    PASS_FAILED,   /* the call failed, and its retries */
    PASS_LATE,     /* the turn of an outside agent or a person was not taken in time */
    PASS_END,
};
WORDS_OF(pass_kind, pass_kinds);

struct pass {
    enum pass_kind kind;
    const char *reason; /* never NULL; "" when none was given */
};

/* The members pass, passKind and reason of an entry's metadata. */
void pass_members(const struct pass *pass, struct json_out *out);
/* Whether it begins with [PASS] or [NO RESPONSE]. */
bool pass_is_marked(const char *text);
/* Whether this text, by itself, is a pass. */
struct pass pass_of_text(struct arena *arena, const char *text);
/* The same of a reply, whose mark may stand where a stop sequence has cut it off. */
struct pass pass_of_reply(struct arena *arena, const struct reply *reply);

#endif

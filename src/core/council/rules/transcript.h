/*
 * transcript.h - a discussion as people read it, and as programs do.
 *
 * The text is a fixed format, line by line; no line of what was said can be taken for one of its own
 * (said.h). Everything that was said stands in it, what people threw in too; a round without anything said
 * counts as one of the rounds, and is not printed.
 */
#ifndef CORE_COUNCIL_RULES_TRANSCRIPT_H
#define CORE_COUNCIL_RULES_TRANSCRIPT_H

#include "base/buf.h"
#include "base/json.h"
#include "core/council/rules/council.h"
#include "core/council/rules/state.h"

struct transcript {
    const char *topic;
    const struct council_entry *entries; /* in the order of the log */
    size_t count;
    int rounds;           /* that it went through; those of the entries when this is less */
    enum council_end end; /* for markdown; END_NONE: not told */
    const char *vote;     /* for markdown, as vote_write has it; NULL: there was none */
};

/* The shape by which a role is known: by the role, or else by the name. */
const char *transcript_icon(const char *role, const char *name);
size_t transcript_contributions(const struct transcript *transcript);
void transcript_text(struct arena *arena, const struct transcript *transcript, struct buf *out);
void transcript_markdown(struct arena *arena, const struct transcript *transcript, struct buf *out);
/* The members of the result, {topic, rounds, full_discussion, total_contributions}; the caller opens the map.
 */
void transcript_members(const struct transcript *transcript, struct json_out *out);

#endif

/*
 * said.h - what a speaker said, told apart from what is written around it.
 *
 * Whoever speaks writes what they like, also lines that look like ours: another speaker's name, a ruler, the
 * head of a round. So that nobody speaks under another's name, no line of what was said stands where ours
 * stand:
 *
 *   in what models are shown   every line but the first, which follows the speaker's label, is set in;
 *   in a transcript            as it is, when no line of it could be taken for one of ours; else all of it is
 *                              quoted ("> "), since what follows such a line would be read as the other's
 * words; in one of Markdown         the same, and quoted as well when it has headings, rulers, fences, HTML
 * or definitions of links. What could reach out of the quote is escaped.
 *
 * Whatever ends a line anywhere (U+2028, a form feed) ends one here, and what turns the direction of reading
 * is left out.
 */
#ifndef CORE_COUNCIL_RULES_SAID_H
#define CORE_COUNCIL_RULES_SAID_H

#include "base/arena.h"
#include "base/buf.h"

/* For what models are shown, behind a label. */
void said_set_in(const char *content, struct buf *out);
/* The same where no label stands before it: the first line is set in as well. */
void said_set_in_whole(const char *content, struct buf *out);

/* Everybody who speaks somewhere: their labels are looked for. */
struct said_names {
    const char *const *list;
    size_t count;
    bool bare_heads; /* what begins a turn or a round has no colon */
};
/* Whether a line could be taken for one of ours. */
bool said_begins_like_ours(const struct said_names *names, const char *line);
/* For a text; ends without a line end. */
void said_text(const struct said_names *names, const char *content, struct buf *out);
/* For Markdown; ends without a line end. */
void said_markdown(const struct said_names *names, const char *content, struct buf *out);
/* In one line of Markdown. */
const char *said_markdown_line(struct arena *arena, const char *content);

#endif

/*
 * history.h - what a speaker is shown of what was said before.
 *
 * Mode turns shows the last ten entries, one "[Name]: text" each. The other modes show everything, as
 *
 *     Previous discussion:
 *
 *     [Round 1] Divergent: ...
 *     [Round 1] Convergent: ...
 *
 *     [Round 2] Divergent: ...
 *
 * or "No prior discussion yet.". Passes and skips are not shown. Each further line of
 * a text is set in (said.h), so that nobody speaks under another's name.
 *
 * When not all of it fits a model's window, the oldest entries give way to a summary. history_plan says from
 * which entry on things are shown and which entries the summary has to take in first; it moves half a window
 * at a time, so that summaries are rare.
 */
#ifndef CORE_COUNCIL_RULES_HISTORY_H
#define CORE_COUNCIL_RULES_HISTORY_H

#include "core/council/rules/council.h"

#define HISTORY_NOTHING "No prior discussion yet."
#define HISTORY_HEADING "Previous discussion:"
#define HISTORY_SUMMARY "Summary of what was said before:"

struct history {
    enum council_mode mode;
    const struct council_entry *entries;
    size_t count;
    int before_round;    /* entries of this round and later ones are not shown (mode parallel); 0: all are */
    const char *summary; /* of the entries before `first`, or NULL */
    size_t first;        /* entries before it are not shown */
};

char *history_text(struct arena *arena, const struct history *history);
/* A summary, as it stands in such a text: a model's words as well. */
char *history_summary(struct arena *arena, const char *summary);

struct history_plan {
    size_t first;   /* entries from here on are shown as they are */
    bool summarise; /* the summary must take in the entries from `from` to before `first` */
    size_t from;
};

/* `bytes` is what the history may take; `summarised` says how many entries the summary covers already. */
struct history_plan history_plan(const struct history *history, size_t summarised, size_t bytes);

#endif

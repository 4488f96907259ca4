/*
 * machine.h - what follows from where a discussion stands.
 *
 * machine_run is the one place that moves a discussion on. It looks at a locked discussion, opens the turns
 * that are due, skips who is gone, ends rounds, has votes counted and ends it, until somebody has to speak or
 * nothing is left to do, and stores where it then stands. It is run by the driver (drive.h) and by operations
 * after which no model is needed. Every decision is kept with its reason (machine_rule).
 */
#ifndef CORE_COUNCIL_MACHINE_H
#define CORE_COUNCIL_MACHINE_H

#include "core/council/drive.h"
#include "core/council/open_turn.h"
#include "core/council/rules/options.h"
#include "core/council/rules/ruling.h"

struct machine {
    const struct tx *tx;
    struct discussion *d;
    struct seats seats;
    struct council_options options;
    const char **lines; /* for the server's log */
    size_t line_count;
};

CHECKED bool machine_begin(const struct tx *tx, struct discussion *discussion, struct machine *machine);
/* Decides until somebody has to speak, and stores the discussion. `step` may be NULL. */
CHECKED bool machine_run(struct machine *machine, struct drive_step *step);

/* Logs what became of an open turn, tells of it, closes it and moves on where it held the place. */
CHECKED bool machine_log(struct machine *machine, const struct open_turn *turn, struct logged *logged);
/* Which model is asked for it: an agent's config, as model_config.h stores it; NULL: the default one. */
const char *machine_model(const struct machine *machine, const struct open_turn *turn);
/* A line for the server's log. */
void machine_line(struct machine *machine, const char *line);

/* Keeps what was decided, and after which row of the log. */
CHECKED bool machine_rule(struct machine *machine, struct ruling ruling);
/* Whether that was decided for a round already: then it is neither kept nor told of again. */
CHECKED bool machine_has_ruled(struct machine *machine, enum ruling_kind kind, int round, bool *ruled);

/* Judges the round that has just ended (round_end.c). `asked`: somebody has to speak first. */
CHECKED bool machine_settle(struct machine *machine, bool *asked);
/* What comes before an end: the vote, the summary, the reply to what was asked (closing.c). */
CHECKED bool machine_close(struct machine *machine, bool *asked);
/* It is on its way to this end. */
void machine_head_for(struct machine *machine, enum council_end reason);
/* What this discussion and all that share its budget have used. */
CHECKED bool machine_used(struct machine *machine, struct allowance *used);
/* Ends it now. */
CHECKED bool machine_end(struct machine *machine, enum council_end reason);
/* Opens a ballot for everybody of a round who has none yet; says whether any is out. */
CHECKED bool machine_ask_ballots(struct machine *machine, int round, bool *asked);
/*
 * What is asked of nobody who sits there, once for a round: a judge's words, a summary. *row is NULL when it
 * is not there yet; it is then asked for, unless no budget is left for it.
 */
CHECKED bool machine_ask_once(struct machine *machine, enum turn_kind kind, int round, bool *asked,
                              const struct logged **row);
/* Counts the ballots of a round, tells of it and remembers it. */
CHECKED bool machine_count(struct machine *machine, int round, struct vote_result *result);

#endif

/*
 * question_view.h - questions to people, as the command line reads and shows them.
 *
 * Nothing here talks to a server: each function looks at a question as the server sent it. What decides an
 * exit code is strict: only a yes that is there in so many words is a yes.
 */
#ifndef CLI_CLIENT_QUESTION_VIEW_H
#define CLI_CLIENT_QUESTION_VIEW_H

#include "base/err.h"
#include "cli/term.h"

#include <jansson.h>

/* yes, true, approve ... or no, false, reject ...; false for any other word. */
bool view_yes_no(const char *word, bool *yes);

/* A response for this question out of what somebody typed. The caller json_decrefs it. */
CHECKED bool view_response(struct arena *arena, const json_t *question, const char *word, json_t **response,
                           struct err *err);

/*
 * The same out of a line that was typed behind view_wanted, where more care is due: an approval is decided by
 * the words approve and reject alone, whatever else is typed says what they are; behind "reject" may stand
 * why. A number names the option that was shown with it (view_write_asked).
 */
CHECKED bool view_typed(struct arena *arena, const json_t *question, const char *line, json_t **response,
                        struct err *err);

/* A response in one line: "yes", "approved", the option's value or the text; NULL when there is none. */
const char *view_answer(struct arena *arena, const json_t *response);

/* Whether approvals so far, as {have, need} or none, are not enough. */
bool view_needs_others(const json_t *approvals);

bool view_is_open(const json_t *question);
/* Whether its time was up before anybody answered: it ended without an answer, or with the default. */
bool view_ended_by_deadline(const json_t *question);
/* What to type for an answer, before it is typed: "approve or reject> ". */
const char *view_wanted(const json_t *question);
/* The command that answers it under this name: "witan answer 2 --approve, or: witan answer 2 --reject". */
const char *view_how(struct arena *arena, const char *name, const json_t *question);
/* Whether a person's answer ended it. */
bool view_by_person(const json_t *question);
/*
 * The exit code that an ended question stands for: 0 yes, or any answer where yes and no have no meaning;
 * 3 no; 5 timed out, or, with `require_human`, answered by nobody; 6 cancelled; 1 for what is none of these.
 */
int view_exit(const json_t *question, bool require_human);

/*
 * For whom it is, if that is not plain, and whether they do not want to be reminded of it: "Ana", "an admin",
 * "others", "snoozed"; or NULL. Of anything in the inbox.
 */
const char *view_for(struct arena *arena, const json_t *thing);
/* Why whoever asks may not answer, in a sentence; NULL: they may. */
const char *view_bar(const json_t *thing);

/* The name of a task as it is shown beside other things, in one line: its beginning. */
const char *view_task(struct arena *arena, const char *title);
/* What an item of the inbox asks, in one line, behind the task that it is about. */
const char *view_text(struct arena *arena, const json_t *item);

/* "12:41", "1:02:03", "0:00"; "-" without a deadline. */
const char *view_left(struct arena *arena, const json_t *question, int64_t now_ms);
/* What happens at the deadline, as the end of a sentence: "\"skip\" is taken". */
const char *view_deadline(struct arena *arena, const json_t *question);

/* What an approval is for, whole, with a mark at all that cannot be seen in it. */
void view_write_action(struct term *term, const json_t *question);
/* The same with what would be approved instead, and is not yet. */
void view_write_edited(struct term *term, const json_t *question, const json_t *args);
/* The question, who asks, its options, what was proposed and what happens at the deadline. */
void view_write(struct term *term, const json_t *question, int64_t now_ms);
/* The same above a line to type: its options have numbers, unless one of them is called by a number itself.
 */
void view_write_asked(struct term *term, const json_t *question, int64_t now_ms);

#endif

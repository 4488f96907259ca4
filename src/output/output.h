/*
 * output.h - what an agent printed, read forgivingly.
 *
 * Agents print their result as a JSON object, or mean to: it stands in prose, in code fences, inside the
 * strings of a stream of JSON lines, with raw line breaks or trailing commas, or is cut off. The reader finds
 * the object, reads what can be read, and says in `problems` what it passed over. These rules hold:
 *
 *   Which object. The first complete object that holds `open_questions` or `openQuestions`, at whatever depth
 *   (the outermost complete object around it counts as the object; the shallowest holder as its place). Later
 *   ones are problems, unless they only repeat the chosen one inside a stream. Without the field, the last
 *   complete object that looks like a result: one with `tasks`, `prd`, `plan` or both `status` and `summary`
 *   before one with a single of them.
 *   What is repaired. Single quotes, comments, unquoted keys, Python's True and None, missing commas, quotes
 *   inside strings and escaped objects are read, but only when no complete object holds the field (or, for
 *   results without questions, none follows). What is cut off gives the questions that are whole, a
 *   problem, and status failed. What looks like a result and cannot be read is a problem and never success.
 *   Prose. Output without a result that ends in asking the person something is one open question that holds
 *   the asking paragraph and the list of options directly beside it; its status is failed.
 *   All or nothing. What a limit or a dependency that says nothing has kept out makes the result one that
 * must not be applied (`lost`): half of a plan is another plan. An entry that is no task is left out and
 * said. Questions. A list of objects with `text`. A plain string in the list counts as a text and is no
 * problem; a single object or a string in place of the list is read and reported. See output_questions_read.
 *
 * Time is linear in the input, whatever it holds: strict reading looks at each byte a few times at most,
 * repairs and their looks ahead have a budget in proportion to the input. Nesting deeper than
 * LIMIT_JSON_DEPTH is passed over.
 *
 * Everything returned lives in the arena, and nothing is allocated elsewhere.
 *
 * Thread: any. Large outputs belong on a worker, not on the writer.
 */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>
#include <stdint.h>

#define OUTPUT_ASKS "Needs clarification before proceeding."

enum output_status { OUTPUT_FAILED, OUTPUT_SUCCESS };

struct output_question {
    const char *id, *text;  /* with the options that stood beside it, a line for each */
    const char *created_at; /* RFC 3339 as given, or NULL: the caller sets it */
    bool confirmation;      /* marked as asking no more than whether somebody is sure */
};

struct output_task {
    size_t place;                    /* in the list as given, from 0; entries that were left out count */
    const char *title, *description; /* description may be "" */
    bool has_priority;
    int64_t priority;
    const char **depends_on; /* as given: ids, titles or places */
    size_t depends_count;
};

struct output {
    enum output_status status;
    const char *status_text; /* as given, or NULL */
    const char *summary;     /* or NULL */
    struct output_question *questions;
    size_t question_count;
    struct output_task *tasks;
    size_t task_count;
    const char *prd, *plan; /* text, or the JSON that stood there; NULL when absent */
    const char *lost;       /* why what is here is not all that the result says, so that it must not be
                               applied; NULL: it is all here. Not among the problems */
    const char **problems;  /* sentences: what was passed over, and where */
    size_t problem_count;
    bool found;      /* an object was found and read */
    bool from_prose; /* the question came from prose */
    bool cut;        /* the text was longer than the limit, and its end was not read */
    size_t steps;    /* bytes looked at in search of objects, over and over counted: what tests bound */
};

/* Whatever a text holds, looking for its objects takes no more steps than this for each of its bytes. */
#define OUTPUT_STEPS 64

struct output_options {
    size_t max_bytes; /* 0: LIMIT_RESULT_BODY */
    bool coder;       /* status and summary are required; otherwise a result without status succeeded */
};

/* Options may be NULL. Fails only when max_bytes is beyond 1 GB; whatever is in the text is no failure. */
CHECKED bool output_read(struct arena *arena, const char *text, size_t len,
                         const struct output_options *options, struct output *out, struct err *err);
/* A result handed in as an object: the same rules, without the search. Fails when it is no object. */
CHECKED bool output_read_object(struct arena *arena, const json_t *object,
                                const struct output_options *options, struct output *out, struct err *err);

#endif

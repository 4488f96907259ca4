/*
 * lines.h - cuts a stream of bytes into lines, wherever its pieces begin and end.
 *
 * A line that came whole in one piece is handed on where it stands; only what is left over is copied. A line
 * that is longer than LIMIT_MODEL_LINE, or than lines_bound says, ends it.
 */
#ifndef NET_LINES_H
#define NET_LINES_H

#include "base/buf.h"

enum lines_end {
    LINES_LF,  /* a line ends with LF; a CR before it belongs to the end */
    LINES_ANY, /* with LF, CR or both */
};

/* False: no more lines are wanted. The bytes are not followed by a NUL. */
typedef bool lines_take(void *user, const char *line, size_t len);

struct lines {
    enum lines_end end;
    bool after_cr; /* a LF that comes next belongs to the end of the last line */
    bool too_long;
    struct buf rest; /* its limit is how long a line may be */
};

void lines_init(struct lines *lines, enum lines_end end);
/* Another limit for one line; before the first is fed. */
void lines_bound(struct lines *lines, size_t most);
void lines_done(struct lines *lines);
/* False: `take` said so, or too_long. */
bool lines_feed(struct lines *lines, const char *bytes, size_t len, lines_take *take, void *user);
/* Hands on the rest, which has no line end. */
bool lines_flush(struct lines *lines, lines_take *take, void *user);

#endif

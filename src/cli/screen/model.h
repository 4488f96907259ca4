/*
 * model.h - all that the screen of the inbox shows, and what becomes of it when something is pressed.
 *
 * Nothing here draws (draw.h) or reads keys (window.h).
 */
#ifndef CLI_SCREEN_MODEL_H
#define CLI_SCREEN_MODEL_H

#include "cli/client/pending.h"
#include "cli/screen/line.h"
#include "cli/screen/list.h"
#include "cli/screen/reply.h"

struct model {
    struct cli *cli;
    struct pending_filter filter;
    enum screen_mode mode;
    struct screen_list list;
    struct arena lists[2]; /* of the list now and of the one before, in turn */
    size_t which;
    int64_t ahead_ms; /* what the server's clock shows more than this machine's ticks */
    bool more;        /* there is more than the list holds */
    int64_t need_you; /* how many of all need whoever looks */
    bool stale;       /* something has happened since it was read */
    int64_t read_ms;  /* when that was, in ticks */
    bool away;        /* the server does not answer */

    struct arena whole; /* of the one thing that is shown */
    struct subject subject;
    struct item_whole item;
    const char *text;        /* the same for people */
    size_t scrolled;         /* lines above the window */
    bool seen;               /* its end was on the screen (draw.c) */
    const char *words;       /* the answer that waits for Enter */
    struct screen_line line; /* what is being typed */
    char status[256];        /* one line about what happened last */
    bool quit;
};

/* Reads the list anew; false: the server is away, or refuses. */
CHECKED bool model_read(struct model *model, struct err *err);
void model_press(struct model *model, struct press press, size_t page);
void model_say(struct model *model, const char *text);
int64_t model_now_ms(const struct model *model); /* the server's clock */
/* A yes that waits for the end of what it is said to, which has not been on the screen yet. */
bool model_waits(const struct model *model);
#define MODEL_UNSEEN "Scroll to its end first: Space, or j."
void model_done(struct model *model);

#endif

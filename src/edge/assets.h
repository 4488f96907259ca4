/*
 * assets.h - the pages that were built into the program: the web app and what it loads.
 *
 * tools/mkassets writes the table from ui/dist. A program that was built without npm has an empty one; then
 * `/` says so, and everything else works as ever.
 *
 * Thread: any.
 */
#ifndef EDGE_ASSETS_H
#define EDGE_ASSETS_H

#include "http/server.h"

struct asset {
    const char *path, *type, *tag; /* the tag is its ETag; NULL path: the end */
    struct http_fixed body;
    bool lasting; /* its name changes with its content */
};
extern const struct asset assets_built[];

/* Whether the app is there. */
bool assets_present(void);

struct edge;

/*
 * Replies with a file of the app, or with the app itself where a browser goes to one of its pages. False: it
 * is neither, and nothing has been sent.
 */
bool assets_handle(struct edge *edge, struct http_exchange *exchange);
/* The app at `/`, for a request that has passed the gate. False: it is not there, and nothing has been sent.
 */
bool assets_front(struct http_exchange *exchange);

/*
 * The app's page around something for browsers without a script: begin, write that, reply. Only when the app
 * is there.
 */
void assets_page_begin(struct buf *page);
void assets_page_reply(struct http_exchange *exchange, int status, struct buf *page);

#endif

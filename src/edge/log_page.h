/*
 * log_page.h - a page of the log, for a reader that is behind the ring.
 *
 * Thread: log_page_load from any; `arrived` runs once on a store thread and takes the page over.
 */
#ifndef EDGE_LOG_PAGE_H
#define EDGE_LOG_PAGE_H

#include "db/store.h"
#include "engine/notice.h"

struct log_page {
    struct work work; /* log_page_load's */
    void (*arrived)(struct log_page *page, void *user);
    void *user;
    int64_t after;
    struct err err; /* the store did not answer */
    size_t count, at;
    struct notice *notices[];
};

/* `caller` is whose turn it takes (callerkey.h). */
CHECKED bool log_page_load(struct store *store, uint64_t caller, int64_t after,
                           void (*arrived)(struct log_page *page, void *user), void *user, struct err *err);
void log_page_free(struct log_page *page); /* accepts NULL */

#endif

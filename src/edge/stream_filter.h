/*
 * stream_filter.h - what a client of the event log asks for, and the filter it becomes.
 */
#ifndef EDGE_STREAM_FILTER_H
#define EDGE_STREAM_FILTER_H

#include "engine/notice.h"

/* What a client asks for. Texts are borrowed. */
struct stream_filter {
    const char *project_id, *job_id, *discussion_id; /* or NULL */
    const char *types;                               /* "a,b", or NULL: all */
    int64_t after;                                   /* a number, or -1: from now on */
};
/* Checks the texts; `after` is read from text when there is one. */
CHECKED bool stream_filter_check(struct stream_filter *wanted, const char *after, struct err *err);
/*
 * Sets what the filter wants; what its reader may hear (workspace, hearer, bound) is left as it is. The
 * texts stand in the block that is returned: the caller frees it.
 */
char *stream_filter_apply(const struct stream_filter *wanted, struct notice_filter *filter);

#endif

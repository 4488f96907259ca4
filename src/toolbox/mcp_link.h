/*
 * mcp_link.h - what carries a session: the pipes of a program, or requests over HTTP.
 *
 * Thread: net's loop, for all of it; `gone` comes exactly once for each link that was opened, as a task of
 * its own, and the link is no more when it returns.
 */
#ifndef TOOLBOX_MCP_LINK_H
#define TOOLBOX_MCP_LINK_H

#include "net/net.h"
#include "toolbox/mcp_session.h"

struct mcp_link;

struct mcp_link_host {
    /* A message came; `stream`: on that of this request, -1: on one that is nobody's own. */
    void (*message)(void *user, const char *text, size_t len, int64_t stream);
    /* HTTP: a request came to nothing. */
    void (*failed)(void *user, int64_t request, const struct mcp_failure *failure);
    /* HTTP: whether somebody still waits for its answer. */
    bool (*awaits)(void *user, int64_t request);
    /* `flooded`: it said more than it may. `why`: a sentence. */
    void (*gone)(void *user, bool flooded, const char *why);
    void *user;
};

struct mcp_link_kind {
    bool over_http;
    bool (*send)(struct mcp_link *link, const struct mcp_letter *letter);
    void (*drop)(struct mcp_link *link, int64_t request);
    void (*close)(struct mcp_link *link); /* nothing but `gone` follows */
};

struct mcp_link {
    const struct mcp_link_kind *kind;
    struct mcp_link_host host;
};

struct programs;
CHECKED bool mcp_stdio_open(struct mcp_link **link, const struct mcp_setup *setup, struct programs *programs,
                            struct net *net, const struct mcp_link_host *host, struct err *err);
CHECKED bool mcp_http_open(struct mcp_link **link, const struct mcp_setup *setup, struct net *net,
                           const struct mcp_link_host *host, struct err *err);

#endif

/*
 * client.h - talks to a running server.
 *
 * One request at a time, with limits on the size of what comes back. A reply with an error in it is a reply;
 * false means that there was none.
 */
#ifndef CLI_CLIENT_CLIENT_H
#define CLI_CLIENT_CLIENT_H

#include "base/buf.h"
#include "cli/cli.h"
#include "core/log/event_type.h"

struct client_request {
    const char *method;
    const char *path; /* with the query, after the server's URL */
    const char *body; /* JSON, or NULL */
    const char *idempotency_key;
    long timeout_s; /* 0: the usual one */
};

struct client_reply {
    long status;
    const char *body; /* in the arena of the run */
    size_t len;
    const char *type;    /* the content type, or "" */
    int64_t date_ms;     /* of the Date header, or 0 */
    const char *session; /* the secret of a login that it brought, or NULL */
    bool replayed;       /* the server had done this before, under the same idempotency key */
};

/* Nobody answered: ERR_UNAVAILABLE with what to do about it. */
CHECKED bool client_send(struct cli *cli, const struct client_request *request, struct client_reply *reply,
                         struct err *err);

/*
 * Reads a stream of server-sent events until it ends. `take` gets the id and the data of each; its false ends
 * it. *answered tells whether the server was there at all.
 */
struct client_stream {
    const char *path;
    const enum event_type *types; /* only these, ended by EVENT_UNKNOWN; NULL: as the path says */
    const char *last_id;          /* in, or NULL */
    bool (*take)(void *user, const char *id, const char *data);
    bool (*opened)(
        void *user); /* called once when the server has begun to send; or NULL; its false ends it */
    /*
     * For those who wait for something else as well: called when `also_fd` can be read, when something has
     * arrived, and about once a second; its false ends the stream. Not from within the others, so it may send
     * requests. Or NULL.
     */
    bool (*also)(void *user);
    int also_fd; /* read anew each time; -1: none */
    void *user;
    bool answered;
    struct client_reply refusal; /* when the status was not 200 */
};
CHECKED bool client_follow(struct cli *cli, struct client_stream *stream, struct err *err);

/* An error reply as the err it came from: code by its machine name or its status, sentence, field and hint.
 */
void client_error(const struct cli *cli, const struct client_reply *reply, struct err *err);

#endif

/*
 * pieces.h - a reply that is read from the store and sent piece by piece, however long it is.
 *
 * What an export holds may be more than there is memory for. Its first piece is read as any reply; each of
 * the next ones once its client has taken the one before, so that one that does not read costs one piece. The
 * owner is asked for a piece by `next` and hands it in with pieces_put, on any thread. A piece that cannot be
 * read ends the reply with the error as its last line: the head with the status is long gone.
 *
 * Memory: pieces_send gives them to the exchange's stream; `over` tells the owner, once, that nothing will be
 * asked any more and nothing is under way.
 */
#ifndef EDGE_PIECES_H
#define EDGE_PIECES_H

#include "base/budget.h"
#include "http/server.h"

struct pieces;

struct pieces_owner {
    void (*next)(void *user);
    void (*over)(void *user);
    void *user;
    struct budget *budget;
};

/* Takes the first piece over, and asks for more as it goes. NULL, and it is not taken: there is no room. */
struct pieces *pieces_new(const struct pieces_owner *owner, struct buf *first);
void pieces_send(struct pieces *pieces, struct http_exchange *exchange, const char *content_type);
/* After `next`: what was read, taken over, and whether there is more. The last word is an error or an end. */
void pieces_put(struct pieces *pieces, struct buf *piece, bool more);

#endif

/*
 * neighbours.h - how other machines reach a server that listens on every address.
 *
 * Its own link is the loopback's, which is of use on this machine only.
 */
#ifndef SERVER_NEIGHBOURS_H
#define SERVER_NEIGHBOURS_H

#include "base/arena.h"
#include "base/buf.h"

/*
 * Adds a link for each address of this machine that others may know, a few at most, one on each line; nothing
 * when `listen` names one address. Where no address is found the link has a word in its place.
 */
void neighbours_links(struct arena *arena, const char *listen, int port, struct buf *into);

#endif

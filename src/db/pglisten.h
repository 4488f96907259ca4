/*
 * pglisten.h - hears what other sessions say with NOTIFY.
 *
 * One PostgreSQL connection of its own that only listens. It comes back by itself when it is lost, and
 * then counts as having heard something, since a word may have been missed meanwhile.
 *
 * Thread: one waits; any may interrupt it.
 */
#ifndef DB_PGLISTEN_H
#define DB_PGLISTEN_H

#include <stdbool.h>
#include <stdint.h>

struct pg_listener;

/* Connects with the first wait. `channel` is an identifier of ours. */
struct pg_listener *pg_listener_new(const char *url, const char *channel);
void pg_listener_free(struct pg_listener *listener); /* accepts NULL */

/* True: something was said, or the connection is new. False: not within that time, or interrupted. */
bool pg_listener_wait(struct pg_listener *listener, int timeout_ms);
void pg_listener_interrupt(struct pg_listener *listener);
uint64_t pg_listener_reconnects(const struct pg_listener *listener);

#endif

/*
 * listen.h - hears what other sessions say with NOTIFY.
 *
 * One PostgreSQL connection of its own that only listens. It comes back by itself when it is lost, and
 * then counts as having heard something, since a word may have been missed meanwhile.
 *
 * Thread: one waits; any may interrupt it.
 */
#ifndef DB_LISTEN_H
#define DB_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

struct db_listener;

/* Connects with the first wait. `channel` is an identifier of ours. */
struct db_listener *db_listener_new(const char *url, const char *channel);
void db_listener_free(struct db_listener *listener); /* accepts NULL */

/* True: something was said, or the connection is new. False: not within that time, or interrupted. */
bool db_listener_wait(struct db_listener *listener, int timeout_ms);
void db_listener_interrupt(struct db_listener *listener);
uint64_t db_listener_reconnects(const struct db_listener *listener);

#endif

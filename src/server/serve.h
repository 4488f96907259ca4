/*
 * serve.h - starts the server, waits for the word to stop, stops it.
 *
 * Start: schema, checks, store, engine, HTTP. Stop is the other way round: no new requests, streams end with
 * server.stopping, what runs is finished, the store is closed. A second signal ends the process at once.
 */
#ifndef SERVER_SERVE_H
#define SERVER_SERVE_H

#include "base/arena.h"
#include "base/err.h"
#include "server/config.h"

/* Runs until SIGTERM or SIGINT. True: it stopped in order. test_clock, for tests only: POST /api/test/clock.
 */
CHECKED bool serve(const struct config *config, bool test_clock, struct err *err);

/* Whether only this machine can reach the address: "127.0.0.1:80", "[::1]:80", "localhost:80". */
bool serve_is_loopback(const char *listen);
/* Makes the folder of a store that is a file, for its owner alone; one that is there stays as it is. */
CHECKED bool serve_make_folder(const char *store_url, struct err *err);

#endif

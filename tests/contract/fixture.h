/*
 * fixture.h - a whole witan inside the test program: store, engine, HTTP, on one engine.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "contract.h"
#include "db/store.h"
#include "engine/engine.h"

struct fixture {
    const char *name; /* "sqlite", "postgres" */
    enum db_engine engine;
    char url[512];
    struct store *store;
    struct engine *clockwork;
    struct edge *edge;
    int port;
    char dir[64]; /* the temporary folder of the SQLite store */
};

void fixture_open(struct fixture *fixture, const char *name);
void fixture_close(struct fixture *fixture);

#endif

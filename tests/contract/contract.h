/*
 * contract.h - what holds, said once, shown on both engines and through every door.
 *
 * CONTRACT(name) registers a case. It runs for each engine (SQLite in a temporary folder; PostgreSQL when
 * WITAN_TEST_PG names one) and for each door: straight into the operation table, and over real HTTP. Each run
 * has a fresh workspace with one token for every role, so that cases do not see each other.
 */
#ifndef CONTRACT_H
#define CONTRACT_H

#include "base/json.h"
#include "base/str.h"
#include "core/caller/caller.h"
#include "db/db.h"
#include "ops/op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum door { DOOR_TABLE, DOOR_REST, DOORS };

struct t {
    struct arena arena;
    enum door door;
    enum db_engine engine;
    struct db *db; /* a connection of the test's own, as an outside program has */
    const char *workspace;
    const char *owner, *admin, *member, *agent, *viewer; /* token secrets */
    const char *as; /* who calls: the secret of a token, a session or an opened link; preset to owner; "" for
                       nobody */
    const char *idempotency_key; /* sent along while not NULL */

    int status;       /* of the last call */
    json_t *reply;    /* of the last call; the next one frees it */
    const char *text; /* the reply's text */
    bool replayed;
    const char *cookie;  /* the value of the first one that the last call set, or NULL */
    size_t memory_limit; /* what the arena of a call may hold, straight into the table only; 0: any number */
    size_t memory;       /* the most that it held */
    int due_rounds;      /* how often something overdue was met on the way; straight into the table only */
};

struct contract {
    const char *name, *file; /* tests/contract/test_job.c */
    void (*run)(struct t *t);
    struct contract *next;
};
void contract_register(struct contract *contract);

#define CONTRACT(id) \
    static void id(struct t *t); \
    __attribute__((constructor)) static void register_##id(void) \
    { \
        static struct contract self = { #id, __FILE__, id, NULL }; \
        contract_register(&self); \
    } \
    static void id(struct t *t)

/*
 * Calls an operation with parameters packed as by json_pack ("{s:s, s:i}", ...); returns the HTTP status.
 *   call(t, "prompt_create", "{s:s, s:s}", "requester_agent", "Dev", "prompt_message", "Why?");
 */
int call(struct t *t, const char *op, const char *format, ...);
int call_json(struct t *t, const char *op, const json_t *params);
/* The value at a dotted path of the last reply ("prompt.status", "prompts.0.id"); NULL when not there. */
const json_t *at(const struct t *t, const char *path);
const char *text_at(const struct t *t, const char *path); /* copied into the test's arena */
int64_t int_at(const struct t *t, const char *path);
/* Moves the clock and lets everything that is then due happen. */
void advance(struct t *t, int64_t ms);
/* Runs SQL as an outside program would: on a connection that is not witan's. */
void outside_sql(struct t *t, const char *sql, ...) __attribute__((format(printf, 2, 3)));
int64_t count_rows(struct t *t, const char *from_where, ...) __attribute__((format(printf, 2, 3)));
/* Those in force, to be changed and put in force by a case, which puts the ones before back. Each case gets
 * its own, which stay: the engine's threads may still read what a case before put in force. */
struct settings *settings_to_change(void); /* base/settings.h */
/* One more connection like t->db, for a transaction beside another; db_close gives it back. */
struct db *one_more_connection(void);
/* Until so many transactions wait for others on PostgreSQL. */
void until_so_many_wait_for_locks(struct t *t, int64_t count);
/* A further workspace and a token there. */
const char *token_elsewhere(struct t *t, const char *role);
/* A token of this workspace with a role, bound to an agent's name or not (NULL). */
const char *token_for(struct t *t, const char *role, const char *agent_name);
/* The same, bound to a project as well (or only: the name may be NULL). */
const char *token_bound(struct t *t, const char *role, const char *agent_name, const char *project_id);
/* A login of a user. */
const char *session_for(struct t *t, const char *user_id);
/* A line with a digest for every table but the ones that only count calls: equal means nothing changed. */
const char *fingerprint(struct t *t);
void print_newest_events(struct t *t); /* for the one who has to find out why a fingerprint changed */

#define CHECK_STATUS(want) \
    do { \
        if (t->status != (want)) \
            fail_msg("status %d, wanted %d: %s", t->status, (want), t->text); \
    } while (0)
#define CHECK_TEXT(path, want) \
    do { \
        if (!str_equal(text_at(t, path), (want))) \
            fail_msg("%s is %s, wanted %s in %s", path, text_at(t, path), (want), t->text); \
    } while (0)
#define CHECK_INT(path, want) \
    do { \
        if (!json_is_integer(at(t, path)) || int_at(t, path) != (want)) \
            fail_msg("%s is not %lld in %s", path, (long long)(want), t->text); \
    } while (0)
#define CHECK_TRUE(path)        assert_true(json_is_true(at(t, path)))
#define CHECK_FALSE(path)       assert_true(json_is_false(at(t, path)))
#define CHECK_NULL(path)        assert_true(json_is_null(at(t, path)))
#define CHECK_COUNT(path, want) assert_int_equal(json_array_size(at(t, path)), (want))

#endif

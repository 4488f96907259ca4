/*
 * The operations on people, tokens, workspaces and the audit log, as a door runs them.
 */
#include "base/clock.h"
#include "core/log/audit.h"
#include "ops/bind.h"
#include "ops/dispatch.h"
#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

/* One request of the one test that runs; a following one replaces it. */
static struct request request;
static struct arena arena;
static json_t *body, *reply;
static struct credentials who;
static const char *cursor; /* of the next request, when not NULL */

static struct engine *engine_of(void **state)
{
    struct engine *e = *state;

    if (!e->db)
        skip();
    who = (struct credentials){ .may_be_solo = true };
    cursor = NULL;
    return e;
}

static void forget(void)
{
    json_decref(body);
    json_decref(reply);
    body = reply = NULL;
    buf_done(&request.reply);
    arena_reset(&arena);
}

static int stop(void **state)
{
    forget();
    arena_done(&arena);
    return engine_end(state);
}

/* Runs an operation's steps in the order of the dispatcher; returns its status or the error's. */
static int ask(struct engine *e, const char *name, const char *id, const char *json)
{
    struct raw_value path = { "id", id };
    struct raw_value query = { "cursor", cursor };
    struct raw_input input = {
        .path = &path, .path_count = id ? 1 : 0, .query = &query, .query_count = cursor ? 1 : 0
    };
    const struct op *op = op_find(name);
    bool ok;

    forget();
    assert_non_null(op);
    if (json)
        assert_true(json_parse(json, strlen(json), &body, &e->err));
    input.body = body;
    request = (struct request){ .op = op, .credentials = who };
    request.call = (struct call){
        .op = op,
        .tx = { .db = e->db,
                .arena = &arena,
                .caller = &request.call.caller,
                .now_ms = clock_now_ms(),
                .err = &request.call.err },
        .door = "test",
    };
    if (!bind_args(op, &arena, &input, request.call.args, &request.bind_err))
        assert_int_not_equal(request.bind_err.code, ERR_NONE);
    ok = request.bind_err.code != ERR_NONE || !op->before ||
         (caller_identify(&request.call.tx, &who, &request.call.caller) &&
          (!op->fetch || op->fetch(&request.call)) && op->before(&request.call));
    if (!ok || !dispatch_run(e->db, &request)) {
        engine_undo(e);
        return err_http(request.call.err.code);
    }
    engine_commit(e);
    if (request.reply.len > 0 && !op->reply_type)
        assert_true(json_parse(request.reply.bytes, request.reply.len, &reply, &e->err));
    return request.call.status;
}

/* A member of the reply, by keys separated with dots; "" when it is missing or null. */
static const char *said(const char *path)
{
    char key[64];
    const json_t *at = reply;

    for (const char *dot = path; at && *path; path = *dot ? dot + 1 : dot) {
        dot = strchrnul(path, '.');
        snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
        at = json_is_array(at) ? json_array_get(at, (size_t)(key[0] - '0')) : json_object_get(at, key);
    }
    return json_is_string(at) ? json_string_value(at) : "";
}

static const char *keep(struct engine *e, const char *text)
{
    return arena_text(&e->arena, text);
}

#define ASK(status, ...) \
    do { \
        int got = ask(__VA_ARGS__); \
        if (got != (status)) \
            fail_msg("%d instead of %d: %s", got, (status), request.call.err.text); \
    } while (0)

/* Logs in and becomes that user. */
static void become(struct engine *e, const char *name, const char *password)
{
    const char *cookie, *end;

    who = (struct credentials){ 0 };
    ASK(200, e, "session_login", NULL,
        arena_format(&e->arena, "{\"name\":\"%s\",\"password\":\"%s\"}", name, password));
    cookie = request.call.cookies[0];
    assert_non_null(strstr(cookie, "; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000"));
    cookie = strchr(cookie, '=') + 1;
    end = strchr(cookie, ';');
    who.session = arena_copy(&e->arena, cookie, (size_t)(end - cookie));
}

static void the_first_owner_ends_solo_mode(void **state)
{
    struct engine *e = engine_of(state);

    ASK(200, e, "me_get", NULL, NULL);
    assert_string_equal(said("caller.kind"), "local");
    assert_string_equal(said("workspace.slug"), "default");
    ASK(201, e, "user_create", NULL, "{\"name\":\"Ada\",\"password\":\"long enough\",\"role\":\"owner\"}");
    assert_string_equal(said("note"), "Solo mode has ended: every request now needs a token or a login.");
    ASK(401, e, "me_get", NULL, NULL);
    who = (struct credentials){ 0 };
    ASK(401, e, "session_login", NULL, "{\"name\":\"Ada\",\"password\":\"wrong\"}");
    assert_string_equal(request.call.err.text, "The name or the password is wrong.");
    ASK(401, e, "session_login", NULL, "{\"name\":\"Nobody\",\"password\":\"wrong\"}");
    assert_string_equal(request.call.err.text, "The name or the password is wrong.");
    become(e, "ADA", "long enough");
    assert_string_equal(said("user.name"), "Ada");
    assert_string_equal(said("workspaces.0.slug"), "default");
    ASK(200, e, "me_get", NULL, NULL);
    assert_string_equal(said("caller.role"), "owner");
    ASK(204, e, "session_logout", NULL, NULL);
    assert_non_null(strstr(request.call.cookies[0], "Max-Age=0"));
    ASK(401, e, "me_get", NULL, NULL);
}

static void a_first_token_without_owner_says_how_to_go_on(void **state)
{
    struct engine *e = engine_of(state);
    const char *secret, *id;

    ASK(201, e, "token_create", NULL, "{\"name\":\"ci\"}");
    assert_non_null(strstr(said("note"), "witan user add NAME --role owner"));
    assert_string_equal(said("role"), "agent");
    secret = keep(e, said("secret"));
    id = keep(e, said("id"));
    ASK(401, e, "token_get", id, NULL);
    who = (struct credentials){ .bearer = secret };
    ASK(403, e, "token_get", id, NULL);
    ASK(200, e, "me_get", NULL, NULL);
    assert_string_equal(said("caller.id"), id);
}

static void admins_stay_below_owners(void **state)
{
    struct engine *e = engine_of(state);
    const char *ada, *bob;

    ASK(201, e, "user_create", NULL, "{\"name\":\"Ada\",\"password\":\"long enough\",\"role\":\"owner\"}");
    ada = keep(e, said("id"));
    become(e, "Ada", "long enough");
    ASK(201, e, "user_create", NULL, "{\"name\":\"Bob\",\"password\":\"long enough\",\"role\":\"admin\"}");
    assert_string_equal(said("note"), "");
    bob = keep(e, said("id"));
    ASK(409, e, "user_create", NULL, "{\"name\":\"bob\",\"password\":\"long enough\"}");
    ASK(400, e, "user_create", NULL, "{\"name\":\"Eve\",\"password\":\"short\"}");
    ASK(409, e, "user_update", ada, "{\"role\":\"member\"}");
    ASK(409, e, "user_delete", ada, NULL);
    become(e, "Bob", "long enough");
    ASK(403, e, "token_create", NULL, "{\"name\":\"x\",\"role\":\"owner\"}");
    ASK(403, e, "user_create", NULL, "{\"name\":\"Eve\",\"role\":\"owner\"}");
    ASK(403, e, "user_update", ada, "{\"password\":\"taken over\"}");
    ASK(403, e, "user_delete", ada, NULL);
    ASK(403, e, "user_update", bob, "{\"role\":\"owner\"}");
    ASK(409, e, "user_update", bob, "{\"disabled\":true}");
    ASK(404, e, "user_get", "00000000-0000-7000-8000-00000000dead", NULL);
    ASK(201, e, "token_create", NULL, "{\"name\":\"x\",\"role\":\"admin\"}");
    ASK(204, e, "token_revoke", keep(e, said("id")), NULL);
}

static void passwords_are_changed_with_the_old_one(void **state)
{
    struct engine *e = engine_of(state);

    ASK(403, e, "password_change", NULL, "{\"oldPassword\":\"x\",\"newPassword\":\"even longer\"}");
    ASK(201, e, "user_create", NULL, "{\"name\":\"Ada\",\"password\":\"long enough\",\"role\":\"owner\"}");
    become(e, "Ada", "long enough");
    ASK(400, e, "password_change", NULL, "{\"oldPassword\":\"x\",\"newPassword\":\"even longer\"}");
    ASK(204, e, "password_change", NULL, "{\"oldPassword\":\"long enough\",\"newPassword\":\"even longer\"}");
    ASK(200, e, "me_get", NULL, NULL);
    who = (struct credentials){ 0 };
    ASK(401, e, "session_login", NULL, "{\"name\":\"Ada\",\"password\":\"long enough\"}");
    become(e, "Ada", "even longer");
}

static void workspaces_come_and_go(void **state)
{
    struct engine *e = engine_of(state);

    ASK(201, e, "user_create", NULL, "{\"name\":\"Ada\",\"password\":\"long enough\",\"role\":\"owner\"}");
    become(e, "Ada", "long enough");
    ASK(201, e, "workspace_create", NULL, "{\"name\":\"Two\",\"settings\":{\"integrations\":[\"s3cret\"]}}");
    assert_string_equal(said("slug"), "two");
    assert_string_equal(said("settings.integrations.0"), "s3cret");
    ASK(200, e, "workspace_list", NULL, NULL);
    assert_string_equal(said("workspaces.0.slug"), "two");
    assert_string_equal(said("workspaces.1.slug"), "default");
    ASK(200, e, "workspace_update", "two", "{\"name\":\"Second\"}");
    assert_string_equal(said("name"), "Second");
    assert_string_equal(said("settings.integrations.0"), "s3cret");
    ASK(409, e, "workspace_delete", "default", NULL);
    who.workspace = "two";
    ASK(201, e, "token_create", NULL, "{\"name\":\"viewer\",\"role\":\"viewer\"}");
    who = (struct credentials){ .bearer = keep(e, said("secret")) };
    ASK(200, e, "workspace_get", "two", NULL);
    assert_string_equal(said("settings.integrations.0"), "");
    ASK(404, e, "workspace_get", "default", NULL);
    become(e, "Ada", "long enough");
    ASK(204, e, "workspace_delete", "two", NULL);
    ASK(404, e, "workspace_get", "two", NULL);
}

static void lists_come_in_pages(void **state)
{
    struct engine *e = engine_of(state);

    ASK(201, e, "token_create", NULL, "{\"name\":\"first\",\"role\":\"owner\"}");
    who.bearer = keep(e, said("secret"));
    for (int i = 0; i < 50; i++)
        ASK(201, e, "token_create", NULL, arena_format(&e->arena, "{\"name\":\"token %d\"}", i));
    ASK(200, e, "token_list", NULL, NULL);
    assert_string_equal(said("tokens.0.name"), "token 49");
    cursor = keep(e, said("nextCursor"));
    assert_int_equal(json_array_size(json_object_get(reply, "tokens")), 50);
    assert_null(json_object_get(json_array_get(json_object_get(reply, "tokens"), 0), "secret"));
    ASK(200, e, "token_list", NULL, NULL);
    assert_string_equal(said("tokens.0.name"), "first");
    assert_string_equal(said("nextCursor"), "");
    ASK(400, e, "user_list", NULL, NULL);
    cursor = "nonsense";
    ASK(400, e, "token_list", NULL, NULL);
    ASK(400, e, "audit_list", NULL, NULL);
}

static void preferences_and_tickets(void **state)
{
    struct engine *e = engine_of(state);

    ASK(200, e, "preferences_put", NULL, "{\"preferences\":{\"theme\":\"dark\"}}");
    ASK(400, e, "preferences_put", NULL, "{\"preferences\":[]}");
    ASK(200, e, "preferences_get", NULL, NULL);
    assert_string_equal(said("preferences.theme"), "dark");
    ASK(201, e, "ticket_create", NULL, NULL);
    who.ticket = keep(e, said("ticket"));
    ASK(200, e, "me_get", NULL, NULL);
    assert_string_equal(said("caller.kind"), "local");
}

static void what_was_done_is_in_the_audit_log_without_secrets(void **state)
{
    struct engine *e = engine_of(state);
    struct audit_verdict verdict;
    size_t sealed;

    ASK(201, e, "user_create", NULL, "{\"name\":\"Ada\",\"password\":\"long enough\",\"role\":\"owner\"}");
    become(e, "Ada", "long enough");
    assert_true(audit_seal(TX(e), &sealed));
    assert_int_equal(sealed, 2);
    engine_commit(e);
    ASK(200, e, "audit_list", NULL, NULL);
    assert_string_equal(said("entries.0.operation"), "session_login");
    assert_string_equal(said("entries.0.actor"), "Ada");
    assert_string_equal(said("entries.0.actorKind"), "user");
    assert_string_equal(said("entries.1.operation"), "user_create");
    assert_string_equal(said("entries.1.actor"), "local");
    assert_string_equal(said("entries.1.detail.name"), "Ada");
    assert_string_equal(said("entries.1.door"), "test");
    assert_null(strstr(request.reply.bytes, "long enough"));
    ASK(200, e, "audit_export", NULL, NULL);
    assert_non_null(strstr(request.reply.bytes, "}\n{\"seq\":2,"));
    assert_int_equal(request.reply.bytes[request.reply.len - 1], '\n');
    assert_true(audit_verify(TX(e), &verdict));
    assert_true(verdict.whole);
    assert_int_equal(verdict.rows, 2);
}

#define ON_BOTH_ENGINES(test) \
    { #test " on SQLite", test, engine_start_sqlite, stop, NULL }, \
    { \
#test " on PostgreSQL", test, engine_start_postgres, stop, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_ENGINES(the_first_owner_ends_solo_mode),
        ON_BOTH_ENGINES(a_first_token_without_owner_says_how_to_go_on),
        ON_BOTH_ENGINES(admins_stay_below_owners),
        ON_BOTH_ENGINES(passwords_are_changed_with_the_old_one),
        ON_BOTH_ENGINES(workspaces_come_and_go),
        ON_BOTH_ENGINES(lists_come_in_pages),
        ON_BOTH_ENGINES(preferences_and_tickets),
        ON_BOTH_ENGINES(what_was_done_is_in_the_audit_log_without_secrets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

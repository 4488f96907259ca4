/*
 * Who calls: every credential, the walls between workspaces, and what may be given to whom.
 */
#include "core/caller/caller.h"

#include "core/caller/secret.h"
#include "core/identity/session.h"
#include "core/identity/ticket.h"
#include "core/identity/token.h"
#include "core/identity/user.h"
#include "core/identity/workspace.h"
#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define NOW  INT64_C(1700000000000)
#define HASH "$argon2id$stored"

#define NEED(e, condition) \
    do { \
        if (!(condition)) \
            fail_msg("%s", (e)->err.text); \
    } while (0)

static struct engine *engine_of(void **state)
{
    struct engine *e = *state;

    if (!e->db)
        skip();
    return e;
}

static const char *make_workspace(struct engine *e, const char *slug)
{
    struct workspace workspace;

    NEED(e, workspace_create(TX_WITH(e, .now_ms = NOW), &(struct workspace){ .slug = slug, .name = slug },
                             NULL, &workspace));
    return workspace.id;
}

static struct token make_token(struct engine *e, struct token token, const char **secret)
{
    token.name = "test";
    NEED(e, token_create(TX_WITH(e, .now_ms = NOW), &token, secret));
    return token;
}

static const char *make_user(struct engine *e, const char *workspace_id, const char *name, enum role role)
{
    struct user_wish wish = { .workspace_id = workspace_id, .name = name, .password = HASH, .role = role };
    struct user user;

    NEED(e, user_create(TX_WITH(e, .now_ms = NOW), &wish, &user));
    return user.id;
}

static void join(struct engine *e, const char *workspace_id, const char *name, enum role role)
{
    struct user_wish wish = { .workspace_id = workspace_id, .name = name, .role = role };
    struct user user;

    NEED(e, user_create(TX_WITH(e, .now_ms = NOW), &wish, &user));
}

static const char *login(struct engine *e, const char *user_id)
{
    struct session session;

    NEED(e, session_create(TX_WITH(e, .now_ms = NOW), user_id, HASH, &session));
    return session.secret;
}

static struct caller identify(struct engine *e, struct credentials credentials)
{
    struct caller caller;

    NEED(e, caller_identify(TX_WITH(e, .now_ms = NOW), &credentials, &caller));
    return caller;
}

static void assert_refused_at(struct engine *e, struct credentials credentials, int64_t now_ms,
                              enum err_code code, const char *sentence)
{
    struct caller caller = { .name = "untouched" };
    struct err err = { 0 };

    assert_false(
        caller_identify(&(struct tx){ .db = e->db, .arena = &e->arena, .now_ms = now_ms, .err = &err },
                        &credentials, &caller));
    assert_int_equal(err.code, code);
    assert_string_equal(err.text, sentence);
    assert_string_equal(caller.name, "untouched");
}

static void assert_refused(struct engine *e, struct credentials credentials, enum err_code code,
                           const char *sentence)
{
    assert_refused_at(e, credentials, NOW, code, sentence);
}

static void solo_is_the_local_owner(void **state)
{
    struct engine *e = engine_of(state);
    struct credentials solo = { .may_be_solo = true };
    struct caller caller = identify(e, solo);
    const char *other = make_workspace(e, "other");

    assert_int_equal(caller.kind, CALLER_LOCAL);
    assert_int_equal(caller.role, ROLE_OWNER);
    assert_string_equal(caller.workspace_id, DEFAULT_WORKSPACE_ID);
    assert_true(caller_is_person(&caller));
    solo.workspace = "Other";
    assert_string_equal(identify(e, solo).workspace_id, other);
    solo.workspace = "nowhere";
    assert_refused(e, solo, ERR_NOT_FOUND, "There is no such workspace.");
    assert_int_equal(identify(e, (struct credentials){ 0 }).kind, CALLER_NOBODY);
}

static void the_first_token_or_user_ends_solo(void **state)
{
    struct engine *e = engine_of(state);
    struct credentials solo = { .may_be_solo = true };
    struct token token;
    const char *secret;
    bool allowed;

    NEED(e, caller_solo_allowed(TX(e), &allowed));
    assert_true(allowed);
    token =
        make_token(e, (struct token){ .workspace_id = DEFAULT_WORKSPACE_ID, .role = ROLE_VIEWER }, &secret);
    NEED(e, caller_solo_allowed(TX(e), &allowed));
    assert_false(allowed);
    assert_int_equal(identify(e, solo).kind, CALLER_NOBODY);
    assert_int_equal(identify(e, solo).role, 0);
    NEED(e, token_revoke(TX_WITH(e, .now_ms = NOW), DEFAULT_WORKSPACE_ID, token.id));
    assert_int_equal(identify(e, solo).kind, CALLER_NOBODY);
    engine_undo(e);
    assert_int_equal(identify(e, solo).kind, CALLER_LOCAL);
    (void)make_user(e, DEFAULT_WORKSPACE_ID, "Ada", ROLE_MEMBER);
    assert_int_equal(identify(e, solo).kind, CALLER_NOBODY);
}

static void a_token_is_judged_by_itself(void **state)
{
    struct engine *e = engine_of(state);
    struct credentials bad = { .bearer = "witan_wrong", .may_be_solo = true };
    const char *secret, *other = make_workspace(e, "other");
    struct token token = make_token(
        e,
        (struct token){
            .workspace_id = other, .role = ROLE_AGENT, .agent_name = "Builder", .expires_ms = NOW + 1000 },
        &secret);
    struct credentials good = { .bearer = secret };
    struct caller caller = identify(e, good);

    assert_refused(e, bad, ERR_UNAUTHORIZED, "This token is not known here.");
    assert_int_equal(caller.kind, CALLER_TOKEN);
    assert_int_equal(caller.role, ROLE_AGENT);
    assert_string_equal(caller.id, token.id);
    assert_string_equal(caller.workspace_id, other);
    assert_string_equal(caller.agent_name, "Builder");
    assert_false(caller_is_person(&caller));
    assert_true(caller_may_speak_as(&caller, "builder", &e->err));
    assert_false(caller_may_speak_as(&caller, "Growth", &e->err));
    assert_int_equal(e->err.code, ERR_FORBIDDEN);
    good.workspace = "other";
    assert_string_equal(identify(e, good).workspace_id, other);
    good.workspace = "default";
    assert_refused(e, good, ERR_NOT_FOUND, "There is no such workspace.");
    good.workspace = NULL;
    (void)identify(e, good);
    assert_refused_at(e, good, NOW + 1001, ERR_UNAUTHORIZED, "This token has expired.");
    NEED(e, token_revoke(TX_WITH(e, .now_ms = NOW), other, token.id));
    assert_refused(e, good, ERR_UNAUTHORIZED, "This token has been revoked.");
}

static void the_secret_is_not_stored(void **state)
{
    struct engine *e = engine_of(state);
    const char *secret;

    (void)make_token(e, (struct token){ .workspace_id = DEFAULT_WORKSPACE_ID, .role = ROLE_OWNER }, &secret);
    assert_string_equal(engine_sql(e, "SELECT hash FROM tokens"), secret_hash(&e->arena, secret));
}

static void a_user_chooses_among_own_workspaces(void **state)
{
    struct engine *e = engine_of(state);
    const char *a = make_workspace(e, "aa"), *b = make_workspace(e, "bb");
    const char *ada = make_user(e, a, "Ada", ROLE_OWNER);
    struct credentials session = { .session = login(e, ada) };

    (void)b;
    assert_string_equal(identify(e, session).workspace_id, a);
    join(e, DEFAULT_WORKSPACE_ID, "ada", ROLE_VIEWER);
    assert_string_equal(identify(e, session).workspace_id, DEFAULT_WORKSPACE_ID);
    assert_int_equal(identify(e, session).role, ROLE_VIEWER);
    session.workspace = a;
    assert_int_equal(identify(e, session).role, ROLE_OWNER);
    session.workspace = "bb";
    assert_refused(e, session, ERR_NOT_FOUND, "There is no such workspace.");
    session.workspace = NULL;
    assert_refused_at(e, session, NOW + INT64_C(31) * 86400000, ERR_UNAUTHORIZED, "This login has ended.");
    NEED(e, session_end_all(TX(e), ada, NULL));
    assert_refused(e, session, ERR_UNAUTHORIZED, "This login has ended.");
}

static void an_old_cookie_does_not_shut_out_the_local_owner(void **state)
{
    struct engine *e = engine_of(state);
    struct credentials old = { .session = "witans_old", .may_be_solo = true };

    assert_int_equal(identify(e, old).kind, CALLER_LOCAL);
    (void)make_user(e, DEFAULT_WORKSPACE_ID, "Ada", ROLE_OWNER);
    assert_refused(e, old, ERR_UNAUTHORIZED, "This login has ended.");
}

static void a_ticket_stands_for_its_credential(void **state)
{
    struct engine *e = engine_of(state);
    const char *secret, *other = make_workspace(e, "other");
    struct token token = make_token(e, (struct token){ .workspace_id = other, .role = ROLE_VIEWER }, &secret);
    struct caller caller = identify(e, (struct credentials){ .bearer = secret });
    struct credentials credentials = { 0 };
    struct ticket ticket;

    NEED(e, ticket_create(TX_WITH(e, .caller = &caller, .now_ms = NOW), &ticket));
    credentials.ticket = ticket.secret;
    caller = identify(e, credentials);
    assert_string_equal(caller.id, token.id);
    assert_string_equal(caller.workspace_id, other);
    assert_refused_at(e, credentials, ticket.expires_ms + 1, ERR_UNAUTHORIZED,
                      "This ticket is not known here or has expired.");
    NEED(e, caller_recheck(TX_WITH(e, .now_ms = ticket.expires_ms + 1), caller.credential, other, &caller));
    NEED(e, token_revoke(TX_WITH(e, .now_ms = NOW), other, token.id));
    assert_refused(e, credentials, ERR_UNAUTHORIZED, "This token has been revoked.");
    assert_false(caller_recheck(TX_WITH(e, .now_ms = NOW), caller.credential, other, &caller));
    assert_int_equal(e->err.code, ERR_UNAUTHORIZED);
}

static void a_solo_ticket_dies_with_solo_mode(void **state)
{
    struct engine *e = engine_of(state);
    struct caller caller = identify(e, (struct credentials){ .may_be_solo = true });
    struct credentials credentials = { 0 };
    struct ticket ticket;

    NEED(e, ticket_create(TX_WITH(e, .caller = &caller, .now_ms = NOW), &ticket));
    credentials.ticket = ticket.secret;
    assert_refused(e, credentials, ERR_UNAUTHORIZED,
                   "This ticket is only good on the machine it was made on.");
    credentials.may_be_solo = true;
    assert_int_equal(identify(e, credentials).kind, CALLER_LOCAL);
    (void)make_user(e, DEFAULT_WORKSPACE_ID, "Ada", ROLE_OWNER);
    assert_refused(e, credentials, ERR_UNAUTHORIZED,
                   "Solo mode has ended: a token or a login is needed now.");
}

static void a_disabled_user_is_out_at_once(void **state)
{
    struct engine *e = engine_of(state);
    const char *ada = make_user(e, DEFAULT_WORKSPACE_ID, "Ada", ROLE_OWNER);
    const char *bob = make_user(e, DEFAULT_WORKSPACE_ID, "Bob", ROLE_MEMBER);
    struct credentials session = { .session = login(e, bob) };
    struct session again;

    (void)ada;
    NEED(e, user_set_disabled(TX(e), bob, NOW));
    assert_refused(e, session, ERR_UNAUTHORIZED, "This login has ended.");
    assert_false(session_create(TX_WITH(e, .now_ms = NOW), bob, HASH, &again));
    assert_int_equal(e->err.code, ERR_UNAUTHORIZED);
}

static void a_login_needs_the_password_that_was_checked(void **state)
{
    struct engine *e = engine_of(state);
    const char *ada = make_user(e, DEFAULT_WORKSPACE_ID, "Ada", ROLE_OWNER);
    struct session session;

    NEED(e, user_set_password(TX(e), ada, "$argon2id$another"));
    assert_false(session_create(TX_WITH(e, .now_ms = NOW), ada, HASH, &session));
    assert_string_equal(e->err.text, "The name or the password is wrong.");
}

static void the_last_owner_stays(void **state)
{
    struct engine *e = engine_of(state);
    const char *ws = DEFAULT_WORKSPACE_ID, *ada = make_user(e, ws, "Ada", ROLE_OWNER), *bob;

    assert_false(user_set_role(TX(e), ws, ada, ROLE_ADMIN));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    assert_false(user_remove(TX(e), ws, ada));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    assert_false(user_set_disabled(TX(e), ada, NOW));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    bob = make_user(e, ws, "Bob", ROLE_OWNER);
    NEED(e, user_set_disabled(TX(e), bob, NOW));
    assert_false(user_set_role(TX(e), ws, ada, ROLE_ADMIN));
    NEED(e, user_set_disabled(TX(e), bob, 0));
    NEED(e, user_set_role(TX(e), ws, ada, ROLE_ADMIN));
    NEED(e, user_remove(TX(e), ws, ada));
    assert_string_equal(engine_sql(e, "SELECT count(*) FROM users"), "1");
}

struct rival {
    struct db *db;
    const char *user_id;
    bool demoted;
    struct err err;
};

static void *demote(void *user)
{
    struct rival *rival = user;
    ARENA_AUTO arena = { 0 };

    rival->demoted = db_begin(rival->db, true, &rival->err) &&
                     user_set_role(&(struct tx){ .db = rival->db, .arena = &arena, .err = &rival->err },
                                   DEFAULT_WORKSPACE_ID, rival->user_id, ROLE_MEMBER);
    db_rollback(rival->db);
    return NULL;
}

/* Each demotes the other; the second has to wait for the first and then finds itself the last. */
static void two_owners_cannot_demote_each_other_at_once(void **state)
{
    struct engine *e = engine_of(state);
    const char *ws = DEFAULT_WORKSPACE_ID, *ada = make_user(e, ws, "Ada", ROLE_OWNER);
    struct rival rival = { .user_id = make_user(e, ws, "Bob", ROLE_OWNER) };
    pthread_t thread;

    if (e->db->engine != DB_POSTGRES)
        skip();
    engine_commit(e);
    rival.db = engine_open_another(e);
    NEED(e, user_set_role(TX(e), ws, ada, ROLE_MEMBER));
    assert_int_equal(pthread_create(&thread, NULL, demote, &rival), 0);
    usleep(200000);
    engine_commit(e);
    pthread_join(thread, NULL);
    db_close(rival.db);
    assert_false(rival.demoted);
    assert_int_equal(rival.err.code, ERR_CONFLICT);
}

static void names_are_unique_in_any_case(void **state)
{
    struct engine *e = engine_of(state);
    const char *ws = DEFAULT_WORKSPACE_ID, *other = make_workspace(e, "other");
    struct user_wish wish = { .workspace_id = other, .name = "ADA", .role = ROLE_MEMBER };
    struct caller stranger = { .kind = CALLER_USER, .role = ROLE_OWNER, .workspace_id = other };
    struct user user;

    (void)make_user(e, ws, "Ada", ROLE_MEMBER);
    stranger.id = make_user(e, other, "Eve", ROLE_OWNER);
    assert_false(user_create(TX_WITH(e, .caller = &stranger, .now_ms = NOW), &wish, &user));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    assert_false(user_get(TX(e), other, wish.name, &user));
    wish.workspace_id = ws;
    assert_false(user_create(TX_WITH(e, .now_ms = NOW), &wish, &user));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    join(e, ws, "eve", ROLE_ADMIN);
    wish.workspace_id = other;
    NEED(e, user_create(TX_WITH(e, .caller = &stranger, .now_ms = NOW), &wish, &user));
    assert_string_equal(user.name, "Ada");
}

/* An admin here must not become somebody elsewhere by setting that somebody's password. */
static void accounts_are_changed_by_those_who_manage_all_of_them(void **state)
{
    struct engine *e = engine_of(state);
    const char *ws = DEFAULT_WORKSPACE_ID, *other = make_workspace(e, "other");
    struct caller admin = { .kind = CALLER_USER, .role = ROLE_ADMIN, .workspace_id = ws };
    struct user bob;

    admin.id = make_user(e, ws, "Ada", ROLE_ADMIN);
    NEED(e, user_get(TX(e), ws, make_user(e, ws, "Bob", ROLE_MEMBER), &bob));
    NEED(e, user_may_change_account(TX_WITH(e, .caller = &admin), &bob));
    join(e, other, "Bob", ROLE_OWNER);
    assert_false(user_may_change_account(TX_WITH(e, .caller = &admin), &bob));
    assert_int_equal(e->err.code, ERR_FORBIDDEN);
    join(e, other, "Ada", ROLE_ADMIN);
    assert_false(user_may_change_account(TX_WITH(e, .caller = &admin), &bob));
    NEED(e, user_set_role(TX(e), other, admin.id, ROLE_OWNER));
    NEED(e, user_may_change_account(TX_WITH(e, .caller = &admin), &bob));
}

static void nobody_gives_more_than_they_have(void **state)
{
    struct caller admin = { .kind = CALLER_USER, .role = ROLE_ADMIN };
    struct caller owner = { .kind = CALLER_LOCAL, .role = ROLE_OWNER };
    struct caller bound = { .kind = CALLER_TOKEN, .role = ROLE_OWNER, .agent_name = "Builder" };
    struct caller member = { .kind = CALLER_USER, .role = ROLE_MEMBER };
    struct err err = { 0 };

    (void)state;
    assert_true(caller_may_grant(&owner, ROLE_OWNER, &err));
    assert_true(caller_may_grant(&admin, ROLE_ADMIN, &err));
    assert_false(caller_may_grant(&admin, ROLE_OWNER, &err));
    assert_false(caller_may_grant(&bound, ROLE_VIEWER, &err));
    assert_false(caller_may_grant(&member, ROLE_VIEWER, &err));
    assert_int_equal(err.code, ERR_FORBIDDEN);
}

static void workspaces_are_walled(void **state)
{
    struct engine *e = engine_of(state);
    const char *other = make_workspace(e, "other"), *secret;
    struct token token = make_token(e, (struct token){ .workspace_id = other, .role = ROLE_OWNER }, &secret);
    struct caller caller = identify(e, (struct credentials){ .bearer = secret });
    struct workspace workspace, *list;
    enum role role;
    size_t count;

    assert_false(token_get(TX_WITH(e, .now_ms = NOW), DEFAULT_WORKSPACE_ID, token.id, &token));
    assert_int_equal(e->err.code, ERR_NOT_FOUND);
    assert_false(workspace_see(TX_WITH(e, .caller = &caller), "default", &workspace, &role));
    assert_int_equal(e->err.code, ERR_NOT_FOUND);
    NEED(e, workspace_see(TX_WITH(e, .caller = &caller), "OTHER", &workspace, &role));
    assert_int_equal(role, ROLE_OWNER);
    NEED(e, workspace_list(TX_WITH(e, .caller = &caller), NULL, 10, &list, &count));
    assert_int_equal(count, 1);
    assert_string_equal(list[0].id, other);
    NEED(e, workspace_list(TX_WITH(e, .caller = &caller), other, 10, &list, &count));
    assert_int_equal(count, 0);
    NEED(e, workspace_list(TX(e), NULL, 10, &list, &count));
    assert_int_equal(count, 2);
}

static void slugs_are_checked(void **state)
{
    struct engine *e = engine_of(state);
    const char *bad[] = { "",
                          "A",
                          "-a",
                          "a-",
                          "a--b",
                          "a b",
                          "\xc3\xa4",
                          DEFAULT_WORKSPACE_ID,
                          "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddx" };
    struct workspace workspace;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(workspace_create(TX_WITH(e, .now_ms = NOW),
                                      &(struct workspace){ .slug = bad[i], .name = "x" }, NULL, &workspace));
        assert_int_equal(e->err.code, ERR_INVALID);
        assert_string_equal(e->err.field, "slug");
    }
    NEED(e, workspace_create(TX_WITH(e, .now_ms = NOW), &(struct workspace){ .name = "  The R&D  Team! " },
                             NULL, &workspace));
    assert_string_equal(workspace.slug, "the-r-d-team");
    assert_false(workspace_create(TX_WITH(e, .now_ms = NOW),
                                  &(struct workspace){ .slug = "default", .name = "x" }, NULL, &workspace));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    assert_false(workspace_update(TX(e), workspace.id, &(struct workspace){ .slug = "default" }, &workspace));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    NEED(e,
         workspace_update(TX(e), workspace.id, &(struct workspace){ .settings = "{\"a\":1}" }, &workspace));
    assert_string_equal(workspace.settings, "{\"a\":1}");
    assert_string_equal(workspace.slug, "the-r-d-team");
}

static void deleting_a_workspace_leaves_a_way_in(void **state)
{
    struct engine *e = engine_of(state);
    const char *other = make_workspace(e, "other"), *secret;

    assert_false(workspace_delete(TX(e), DEFAULT_WORKSPACE_ID));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    (void)make_user(e, other, "Ada", ROLE_OWNER);
    assert_false(workspace_delete(TX(e), other));
    assert_int_equal(e->err.code, ERR_CONFLICT);
    (void)make_token(e, (struct token){ .workspace_id = DEFAULT_WORKSPACE_ID, .role = ROLE_OWNER }, &secret);
    NEED(e, workspace_delete(TX(e), other));
    assert_string_equal(engine_sql(e, "SELECT count(*) FROM users"), "0");
    assert_string_equal(engine_sql(e, "SELECT count(*) FROM workspaces"), "1");
}

static void preferences_belong_to_people(void **state)
{
    struct engine *e = engine_of(state);
    struct caller local = { .kind = CALLER_LOCAL, .id = "local" };
    struct caller ada = { .kind = CALLER_USER, .id = make_user(e, DEFAULT_WORKSPACE_ID, "Ada", ROLE_VIEWER) };
    struct caller token = { .kind = CALLER_TOKEN, .id = "t" };
    const char *preferences;

    NEED(e, user_preferences(TX_WITH(e, .caller = &local), &preferences));
    assert_string_equal(preferences, "{}");
    NEED(e, user_set_preferences(TX_WITH(e, .caller = &local), "{\"x\":1}"));
    NEED(e, user_set_preferences(TX_WITH(e, .caller = &local), "{\"x\":2}"));
    NEED(e, user_preferences(TX_WITH(e, .caller = &local), &preferences));
    assert_string_equal(preferences, "{\"x\":2}");
    NEED(e, user_preferences(TX_WITH(e, .caller = &ada), &preferences));
    assert_string_equal(preferences, "{}");
    assert_false(user_preferences(TX_WITH(e, .caller = &token), &preferences));
    assert_int_equal(e->err.code, ERR_FORBIDDEN);
}

static void old_sessions_and_tickets_are_forgotten(void **state)
{
    struct engine *e = engine_of(state);
    struct caller caller = { .credential = "local", .workspace_id = DEFAULT_WORKSPACE_ID };
    struct ticket ticket;
    size_t pruned;

    (void)login(e, make_user(e, DEFAULT_WORKSPACE_ID, "Ada", ROLE_OWNER));
    NEED(e, ticket_create(TX_WITH(e, .caller = &caller, .now_ms = NOW), &ticket));
    NEED(e, ticket_prune(TX(e), ticket.expires_ms, 10, &pruned));
    assert_int_equal(pruned, 0);
    NEED(e, ticket_prune(TX(e), ticket.expires_ms + 1, 10, &pruned));
    assert_int_equal(pruned, 1);
    NEED(e, session_prune(TX(e), NOW, 10, &pruned));
    assert_int_equal(pruned, 0);
    NEED(e, session_prune(TX(e), NOW * 2, 10, &pruned));
    assert_int_equal(pruned, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(solo_is_the_local_owner),
        ON_BOTH(the_first_token_or_user_ends_solo),
        ON_BOTH(a_token_is_judged_by_itself),
        ON_BOTH(the_secret_is_not_stored),
        ON_BOTH(a_user_chooses_among_own_workspaces),
        ON_BOTH(an_old_cookie_does_not_shut_out_the_local_owner),
        ON_BOTH(a_ticket_stands_for_its_credential),
        ON_BOTH(a_solo_ticket_dies_with_solo_mode),
        ON_BOTH(a_disabled_user_is_out_at_once),
        ON_BOTH(a_login_needs_the_password_that_was_checked),
        ON_BOTH(the_last_owner_stays),
        ON_BOTH(two_owners_cannot_demote_each_other_at_once),
        ON_BOTH(names_are_unique_in_any_case),
        ON_BOTH(accounts_are_changed_by_those_who_manage_all_of_them),
        cmocka_unit_test(nobody_gives_more_than_they_have),
        ON_BOTH(workspaces_are_walled),
        ON_BOTH(slugs_are_checked),
        ON_BOTH(deleting_a_workspace_leaves_a_way_in),
        ON_BOTH(preferences_belong_to_people),
        ON_BOTH(old_sessions_and_tickets_are_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

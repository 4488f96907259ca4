#include "core/caller/secret.h"
#include "questions.h"

#define HOUR (60 * MINUTE)

static const char *unique(struct t *t, const char *name)
{
    return arena_format(&t->arena, "%s %.13s", name, t->workspace + 20);
}

CONTRACT(password_that_everybody_tries_is_refused)
{
    static const char *const weak[] = { "short", "Password123", "p@ssw0rd99", "1234567890", "aaaaaaaaaaaa" };
    const char *maya = unique(t, "Maya"), *id;

    for (size_t i = 0; i < sizeof(weak) / sizeof(weak[0]); i++) {
        call(t, "user_create", "{s:s, s:s}", "name", maya, "password", weak[i]);
        CHECK_STATUS(400);
        CHECK_TEXT("field", "password");
    }
    call(t, "user_create", "{s:s, s:s}", "name", maya, "password", arena_format(&t->arena, "%s!", maya));
    CHECK_STATUS(400);
    call(t, "user_create", "{s:s, s:s}", "name", maya, "password", "three odd otters");
    CHECK_STATUS(201);
    id = text_at(t, "id");
    call(t, "user_update", "{s:s, s:s}", "id", id, "password", "QwertyUiop1");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "password");
    call(t, "user_update", "{s:s, s:s}", "id", id, "password", arena_format(&t->arena, "1%s1", maya));
    CHECK_STATUS(400);
    t->as = session_for(t, id);
    call(t, "password_change", "{s:s, s:s}", "oldPassword", "three odd otters", "newPassword",
         "letmein2026!");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "newPassword");
    call(t, "password_change", "{s:s, s:s}", "oldPassword", "three odd otters", "newPassword",
         "four even ermines");
    CHECK_STATUS(204);
}

CONTRACT(login_remembers_the_place_it_came_from)
{
    const char *maya = unique(t, "Maya"), *id;

    call(t, "user_create", "{s:s, s:s}", "name", maya, "password", "three odd otters");
    id = text_at(t, "id");
    t->as = "";
    call(t, "session_login", "{s:s, s:s}", "name", maya, "password", "wrong");
    CHECK_STATUS(401);
    assert_int_equal(count_rows(t, "login_places WHERE user_id = '%s'", id), 0);
    for (int i = 0; i < 2; i++) {
        call(t, "session_login", "{s:s, s:s}", "name", maya, "password", "three odd otters");
        CHECK_STATUS(200);
        /* The address is one place; a browser that shows no cookie is a new one each time. */
        assert_int_equal(count_rows(t, "login_places WHERE user_id = '%s'", id), 2 + i);
    }
    t->as = t->owner;
    call(t, "user_delete", "{s:s}", "id", id);
    CHECK_STATUS(204);
    assert_int_equal(count_rows(t, "login_places WHERE user_id = '%s'", id), 0);
}

/* These stores have tokens, so nobody is the first here any more, whatever code they come with. */
CONTRACT(setup_is_over_once_somebody_can_come_in)
{
    const char *code = secret_make(&t->arena, SECRET_SETUP);

    t->as = "";
    call(t, "setup_owner", "{s:s, s:s, s:s}", "code", "witano_wrong", "name", "Eve", "password",
         "three odd otters");
    CHECK_STATUS(403);
    outside_sql(t, "INSERT INTO setup_codes (hash, expires_at) VALUES ('%s', %lld)",
                secret_hash(&t->arena, code), (long long)(clock_now_ms() + HOUR));
    call(t, "setup_owner", "{s:s, s:s, s:s}", "code", code, "name", "Eve", "password", "three odd otters");
    CHECK_STATUS(403);
    assert_int_equal(count_rows(t, "users WHERE name = 'Eve'"), 0);
    call(t, "setup_get", "{}");
    CHECK_STATUS(200);
    CHECK_FALSE("open");
    outside_sql(t, "DELETE FROM setup_codes WHERE hash = '%s'", secret_hash(&t->arena, code));
}

#define DAY (24 * HOUR)

/* Who says so: 200 when the secret is good. */
static int use(struct t *t, const char *secret)
{
    const char *before = t->as;

    t->as = secret;
    call(t, "me_get", "{}");
    t->as = before;
    return t->status;
}

static const char *make_token(struct t *t, const char *role, int64_t life_ms, const char **id)
{
    const char *until = clock_text(&t->arena, clock_now_ms() + life_ms);

    if (life_ms)
        call(t, "token_create", "{s:s, s:s, s:s}", "name", "ci", "role", role, "expiresAt", until);
    else
        call(t, "token_create", "{s:s, s:s}", "name", "ci", "role", role);
    CHECK_STATUS(201);
    *id = text_at(t, "id");
    return text_at(t, "secret");
}

/* Whoever asks who they are, lists something, and then opens a stream with that number has missed nothing. */
CONTRACT(me_says_after_which_event_a_stream_goes_on)
{
    int64_t before, after;

    call(t, "me_get", "{}");
    CHECK_STATUS(200);
    before = int_at(t, "lastEvent");
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "Ada", "message", "Hello");
    CHECK_STATUS(201);
    advance(t, 0); /* on PostgreSQL rows are numbered a moment after their commit */
    call(t, "me_get", "{}");
    after = int_at(t, "lastEvent");
    assert_int_equal(
        count_rows(t,
                   "events WHERE workspace_id = '%s' AND type = 'chat.message' AND seq > %lld AND "
                   "seq <= %lld",
                   t->workspace, (long long)before, (long long)after),
        1);
}

CONTRACT(me_says_what_the_role_may)
{
    static const struct {
        const char *role;
        bool answers, manages;
    } rows[] = { { "owner", true, true },
                 { "admin", true, true },
                 { "member", true, false },
                 { "agent", false, false },
                 { "viewer", false, false } };
    const char *id;

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_int_equal(use(t, make_token(t, rows[i].role, 0, &id)), 200);
        CHECK_TEXT("caller.role", rows[i].role);
        assert_int_equal(json_is_true(at(t, "caller.answers")), rows[i].answers);
        assert_int_equal(json_is_true(at(t, "caller.manages")), rows[i].manages);
    }
}

CONTRACT(token_rotated_has_two_secrets_for_a_while)
{
    const char *id, *old = make_token(t, "member", 0, &id), *new;

    CHECK_NULL("rotatedAt");
    CHECK_COUNT("oldSecrets", 0);
    call(t, "token_rotate", "{s:s, s:i}", "id", id, "overlapMinutes", 60);
    CHECK_STATUS(200);
    CHECK_TEXT("id", id);
    CHECK_TEXT("role", "member");
    CHECK_NULL("expiresAt");
    new = text_at(t, "secret");
    assert_string_not_equal(old, new);
    assert_int_equal(use(t, old), 200);
    CHECK_TEXT("caller.id", id);
    assert_int_equal(use(t, new), 200);
    CHECK_TEXT("caller.id", id);
    call(t, "token_list", "{}");
    CHECK_TEXT("tokens.0.id", id);
    CHECK_COUNT("tokens.0.oldSecrets", 1);
    CHECK_COUNT("tokens.1.oldSecrets", 0);
    assert_null(strstr(t->text, "\"secret\""));
    assert_int_equal(
        count_rows(t, "token_secrets WHERE token_id = '%s' AND hash LIKE '%%%.20s%%'", id, old + 6), 0);
    advance(t, HOUR - MINUTE);
    assert_int_equal(use(t, old), 200);
    advance(t, 2 * MINUTE);
    assert_int_equal(use(t, old), 401);
    assert_int_equal(use(t, new), 200);
    call(t, "token_get", "{s:s}", "id", id);
    CHECK_COUNT("oldSecrets", 0);
    assert_non_null(text_at(t, "rotatedAt"));
}

CONTRACT(token_rotated_at_once_leaves_nothing_of_the_old_secret)
{
    const char *id, *first = make_token(t, "member", 0, &id), *second, *third;

    call(t, "token_rotate", "{s:s, s:i}", "id", id, "overlapMinutes", 0);
    second = text_at(t, "secret");
    assert_int_equal(use(t, first), 401);
    /* Revoking takes both. */
    call(t, "token_rotate", "{s:s}", "id", id);
    third = text_at(t, "secret");
    assert_int_equal(use(t, second), 200);
    call(t, "token_revoke", "{s:s}", "id", id);
    CHECK_STATUS(204);
    assert_int_equal(use(t, second), 401);
    assert_int_equal(use(t, third), 401);
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(409);
}

CONTRACT(token_rotated_at_once_cuts_off_what_earlier_rotations_left)
{
    const char *id, *first = make_token(t, "member", 0, &id), *second, *third;

    call(t, "token_rotate", "{s:s, s:i}", "id", id, "overlapMinutes", 30 * 24 * 60);
    second = text_at(t, "secret");
    /* Another overlap leaves what was promised, */
    call(t, "token_rotate", "{s:s, s:i}", "id", id, "overlapMinutes", 60);
    third = text_at(t, "secret");
    advance(t, 2 * HOUR);
    assert_int_equal(use(t, first), 200);
    assert_int_equal(use(t, second), 401);
    /* and none ends all of it, as after a leak. */
    call(t, "token_rotate", "{s:s, s:i}", "id", id, "overlapMinutes", 0);
    assert_int_equal(use(t, first), 401);
    assert_int_equal(use(t, third), 401);
}

CONTRACT(token_that_has_expired_has_no_good_secret)
{
    const char *id, *first = make_token(t, "member", 0, &id);
    const char *until = clock_text(&t->arena, clock_now_ms() + 2 * HOUR);

    call(t, "token_rotate", "{s:s, s:i, s:s}", "id", id, "overlapMinutes", 30 * 24 * 60, "expiresAt", until);
    assert_int_equal(use(t, first), 200);
    advance(t, 3 * HOUR);
    assert_int_equal(use(t, first), 401);
}

/* A ticket or a stream stands for the secret that it was opened with. */
CONTRACT(token_ticket_ends_with_the_secret_it_was_made_with)
{
    const char *id, *first = make_token(t, "member", 0, &id);

    t->as = first;
    call(t, "ticket_create", "{}");
    CHECK_STATUS(201);
    assert_int_equal(
        count_rows(t, "tickets WHERE workspace_id = '%s' AND caller LIKE 'token:%%'", t->workspace), 1);
    assert_int_equal(count_rows(t,
                                "tickets k WHERE k.workspace_id = '%s' AND EXISTS (SELECT 1 FROM tokens o "
                                "WHERE 'token:' || o.hash = k.caller)",
                                t->workspace),
                     1);
    t->as = t->owner;
    call(t, "token_rotate", "{s:s, s:i}", "id", id, "overlapMinutes", 0);
    CHECK_STATUS(200);
    assert_int_equal(count_rows(t,
                                "tickets k WHERE k.workspace_id = '%s' AND EXISTS (SELECT 1 FROM tokens o "
                                "WHERE 'token:' || o.hash = k.caller)",
                                t->workspace),
                     0);
}

CONTRACT(token_rotated_counts_as_one_approver)
{
    const char *id, *old = make_token(t, "member", 0, &id), *new, *question;

    call(t, "token_rotate", "{s:s}", "id", id);
    new = text_at(t, "secret");
    question = ask_in(t, make_job(t), "{s:s, s:s, s:s, s:i}", "question", "Deploy?", "type", "approval",
                      "responseType", "approval", "requiredApprovals", 2);
    t->as = old;
    answer(t, question, "{s:b}", "value", 1);
    CHECK_INT("approvals.have", 1);
    t->as = new;
    answer(t, question, "{s:b}", "value", 1);
    CHECK_STATUS(200);
    CHECK_INT("approvals.have", 1);
}

CONTRACT(token_rotated_lives_as_long_again_and_its_old_secret_no_longer_than_before)
{
    const char *id, *old = make_token(t, "member", 10 * DAY, &id);
    int64_t until_ms, made_ms = clock_now_ms();

    advance(t, 9 * DAY);
    call(t, "token_rotate", "{s:s, s:i}", "id", id, "overlapMinutes", 30 * 1440);
    CHECK_STATUS(200);
    assert_true(clock_parse(text_at(t, "expiresAt"), &until_ms));
    assert_in_range(until_ms - made_ms, 19 * DAY - MINUTE, 19 * DAY + 5 * MINUTE);
    advance(t, DAY + MINUTE);
    assert_int_equal(use(t, old), 401);
    call(t, "token_rotate", "{s:s, s:s}", "id", id, "expiresAt", "2001-01-01T00:00:00Z");
    CHECK_STATUS(400);
    for (int i = 0; i < 5; i++) {
        call(t, "token_rotate", "{s:s}", "id", id);
        CHECK_STATUS(200);
    }
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(409);
}

CONTRACT(token_is_rotated_by_those_who_may_grant_its_role)
{
    const char *id, *secret;

    (void)make_token(t, "owner", 0, &id);
    t->as = t->admin;
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(403);
    t->as = t->owner;
    secret = make_token(t, "agent", 0, &id);
    t->as = secret;
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(403);
    t->as = token_elsewhere(t, "owner");
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(404);
    t->as = t->admin;
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(200);
    /* Those who were refused have a row of their own, some time after. */
    assert_int_equal(
        count_rows(t,
                   "audit WHERE operation = 'token_rotate' AND subject = '%s' AND detail NOT LIKE "
                   "'%%refused%%'",
                   id),
        1);
}

/* Whoever has the new secret is that user: one who manages the workspace would approve twice. */
CONTRACT(token_of_a_user_is_rotated_by_nobody_else)
{
    const char *maya = make_user(t, "Maya", "admin"), *id;

    t->as = session_for(t, maya);
    call(t, "token_create", "{s:s, s:s, s:s}", "name", "laptop", "role", "admin", "userId", maya);
    CHECK_STATUS(201);
    id = text_at(t, "id");
    t->as = t->owner;
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(403);
    t->as = t->admin;
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(403);
    t->as = session_for(t, maya);
    call(t, "token_rotate", "{s:s}", "id", id);
    CHECK_STATUS(200);
    t->as = t->owner;
    call(t, "token_revoke", "{s:s}", "id", id);
    CHECK_STATUS(204);
}

static int64_t expiry_notices(struct t *t, const char *id)
{
    return count_rows(t, "notifications WHERE kind = 'token_expiring' AND ref_id = '%s'", id);
}

CONTRACT(token_expiry_is_told_once_to_those_who_can_do_something)
{
    const char *id;

    (void)make_token(t, "agent", 30 * DAY, &id);
    advance(t, 22 * DAY);
    assert_int_equal(expiry_notices(t, id), 0);
    advance(t, DAY + HOUR);
    assert_int_equal(expiry_notices(t, id), 1);
    advance(t, DAY);
    assert_int_equal(expiry_notices(t, id), 1);
    call(t, "notification_list", "{}");
    CHECK_TEXT("notifications.0.kind", "token_expiring");
    CHECK_TEXT("notifications.0.ref.id", id);
    assert_non_null(strstr(text_at(t, "notifications.0.title"), "\"ci\" expires in 7 days"));
    assert_int_equal(count_rows(t, "events WHERE type = 'notification.added' AND data %s '%%%s%%'",
                                t->engine == DB_SQLITE ? "LIKE" : "::TEXT LIKE", id),
                     1);
    t->as = t->member;
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 0);
    t->as = t->owner;
    call(t, "token_rotate", "{s:s}", "id", id);
    call(t, "notification_list", "{}");
    CHECK_TRUE("notifications.0.resolved");
    /* The next life has a notice of its own. */
    advance(t, 25 * DAY);
    assert_int_equal(expiry_notices(t, id), 2);
    call(t, "token_revoke", "{s:s}", "id", id);
    assert_int_equal(count_rows(t, "notifications WHERE ref_id = '%s' AND resolved_at IS NULL", id), 0);
}

CONTRACT(token_expiry_is_told_to_the_agent_and_to_who_made_it)
{
    const char *maya = make_user(t, "Maya", "admin"), *id;

    t->as = session_for(t, maya);
    call(t, "token_create", "{s:s, s:s, s:s}", "name", "ci", "agentName", "Builder", "expiresAt",
         clock_text(&t->arena, clock_now_ms() + 30 * DAY));
    CHECK_STATUS(201);
    id = text_at(t, "id");
    t->as = t->owner;
    call(t, "user_update", "{s:s, s:s}", "id", maya, "role", "member");
    advance(t, 24 * DAY);
    assert_int_equal(expiry_notices(t, id), 3);
    t->as = session_for(t, maya);
    call(t, "notification_list", "{}");
    CHECK_TEXT("notifications.0.ref.id", id);
    call(t, "notification_list", "{s:s}", "agent", "builder");
    CHECK_TEXT("notifications.0.ref.id", id);
}

CONTRACT(token_that_is_brief_revoked_or_expired_is_not_told_of)
{
    const char *brief, *revoked, *week;

    (void)make_token(t, "agent", 12 * HOUR, &brief);
    (void)make_token(t, "agent", 30 * DAY, &revoked);
    (void)make_token(t, "agent", 4 * DAY, &week);
    call(t, "token_revoke", "{s:s}", "id", revoked);
    advance(t, 2 * DAY);
    assert_int_equal(expiry_notices(t, week), 0);
    advance(t, DAY + HOUR); /* a quarter of its life is left */
    assert_int_equal(expiry_notices(t, week), 1);
    advance(t, 27 * DAY);
    assert_int_equal(expiry_notices(t, brief), 0);
    assert_int_equal(expiry_notices(t, revoked), 0);
}

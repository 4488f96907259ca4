#include "questions.h"

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

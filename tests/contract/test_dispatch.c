#include "contract.h"

static int post(struct t *t, const char *message)
{
    return call(t, "chat_post", "{s:s, s:s}", "agent_name", "Dev", "message", message);
}

CONTRACT(idempotency_gives_the_first_reply_again)
{
    t->idempotency_key = "once";
    post(t, "Hello");
    CHECK_STATUS(201);
    const char *id = text_at(t, "message.id");

    assert_false(t->replayed);
    post(t, "Hello");
    CHECK_STATUS(201);
    CHECK_TEXT("message.id", id);
    assert_true(t->replayed);
    post(t, "Something else");
    CHECK_STATUS(409);
    t->as = t->member;
    post(t, "Hello");
    CHECK_STATUS(201);
    assert_string_not_equal(text_at(t, "message.id"), id);
    assert_int_equal(count_rows(t, "squad_chat WHERE workspace_id = '%s'", t->workspace), 2);
}

CONTRACT(idempotency_forgets_after_a_day_and_keeps_no_failure)
{
    t->idempotency_key = "once";
    post(t, "  ");
    CHECK_STATUS(400);
    post(t, "Hello");
    CHECK_STATUS(201);
    advance(t, (int64_t)25 * 3600 * 1000);
    post(t, "Hello");
    assert_false(t->replayed);
    assert_int_equal(count_rows(t, "squad_chat WHERE workspace_id = '%s'", t->workspace), 2);
}

CONTRACT(idempotency_does_not_keep_secrets)
{
    t->idempotency_key = "secret";
    call(t, "token_create", "{s:s, s:s}", "name", "ci", "role", "agent");
    CHECK_STATUS(201);
    call(t, "token_create", "{s:s, s:s}", "name", "ci", "role", "agent");
    CHECK_STATUS(409);
    assert_int_equal(count_rows(t, "tokens WHERE workspace_id = '%s' AND name = 'ci'", t->workspace), 1);
    assert_int_equal(count_rows(t, "idempotency WHERE reply LIKE '%%witan_%%'"), 0);
}

CONTRACT(every_write_leaves_an_audit_row_and_no_read_does)
{
    int64_t before = count_rows(t, "audit WHERE workspace_id = '%s'", t->workspace);

    post(t, "Hello");
    assert_int_equal(count_rows(t, "audit WHERE workspace_id = '%s'", t->workspace), before + 1);
    call(t, "chat_list", "{}");
    post(t, " ");
    assert_int_equal(count_rows(t, "audit WHERE workspace_id = '%s'", t->workspace), before + 1);
    advance(t, 0); /* on PostgreSQL rows are numbered a moment after their commit */
    call(t, "audit_list", "{}");
    CHECK_STATUS(200);
    CHECK_TEXT("entries.0.operation", "chat_post");
}

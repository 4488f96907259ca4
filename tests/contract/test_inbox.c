/*
 * Whose mark counts: a notification is read when its reader, or one who may tidy up for its reader, says so.
 */
#include "questions.h"

/* A mention of Growth, which nobody has read. */
static const char *mention_growth(struct t *t)
{
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "Dev", "message", "Look here, @Growth.");
    CHECK_STATUS(201);
    call(t, "notification_list", "{s:s}", "agent", "Growth");
    CHECK_COUNT("notifications", 1);
    return text_at(t, "notifications.0.id");
}

static int64_t count_unread(struct t *t)
{
    return count_rows(t, "notifications WHERE workspace_id = '%s' AND read_at IS NULL", t->workspace);
}

CONTRACT(viewer_reads_an_agents_inbox_and_marks_nothing_there)
{
    const char *id = mention_growth(t);

    t->as = t->viewer;
    call(t, "notification_list", "{s:s}", "agent", "Growth");
    CHECK_COUNT("notifications", 1);
    CHECK_FALSE("notifications.0.read");
    call(t, "notification_read", "{s:s}", "id", id);
    CHECK_STATUS(404);
    call(t, "notification_read_all", "{s:s}", "agent", "Growth");
    CHECK_STATUS(403);
    assert_int_equal(count_unread(t), 1);
    assert_int_equal(
        count_rows(t, "events WHERE workspace_id = '%s' AND type = 'notification.read'", t->workspace), 0);
}

CONTRACT(agents_notification_is_marked_by_its_token_and_by_those_who_work_here)
{
    const char *others = token_for(t, "agent", "Dev"), *own = token_for(t, "agent", "Growth");
    const char *id = mention_growth(t);

    t->as = others;
    call(t, "notification_read", "{s:s}", "id", id);
    CHECK_STATUS(404);
    call(t, "notification_read_all", "{s:s}", "agent", "Growth");
    CHECK_STATUS(403);
    assert_int_equal(count_unread(t), 1);
    t->as = own;
    call(t, "notification_read", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_TRUE("notification.read");
    assert_int_equal(count_unread(t), 0);
    t->as = t->owner;
    call(t, "chat_post", "{s:s, s:s}", "agent_name", "Dev", "message", "And here, @Growth.");
    assert_int_equal(count_unread(t), 1);
    t->as = t->member;
    call(t, "notification_read_all", "{s:s}", "agent", "Growth");
    CHECK_STATUS(200);
    CHECK_INT("count", 1);
    assert_int_equal(
        count_rows(t, "events WHERE workspace_id = '%s' AND type = 'notification.read'", t->workspace), 2);
}

CONTRACT(persons_notification_is_marked_by_that_person_alone)
{
    const char *maya = session_for(t, make_user(t, "Maya", "member")), *job, *id;

    t->as = maya;
    job = make_job(t);
    t->as = t->agent;
    call(t, "job_update", "{s:s, s:s}", "id", job, "status", "completed");
    t->as = maya;
    call(t, "notification_list", "{}");
    CHECK_COUNT("notifications", 1);
    id = text_at(t, "notifications.0.id");
    const char *const strangers[] = { t->owner, t->admin, t->agent,
                                      session_for(t, make_user(t, "Noor", "admin")) };

    for (size_t i = 0; i < sizeof(strangers) / sizeof(*strangers); i++) {
        t->as = strangers[i];
        call(t, "notification_read", "{s:s}", "id", id);
        CHECK_STATUS(404);
    }
    assert_int_equal(count_unread(t), 1);
    t->as = maya;
    call(t, "notification_read", "{s:s}", "id", id);
    CHECK_STATUS(200);
    assert_int_equal(count_unread(t), 0);
}

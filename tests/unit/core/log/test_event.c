/*
 * The log: appended, numbered, read in order, pruned from its oldest end.
 */
#include "core/log/event.h"

#include "tests/support/engines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

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

static void append(struct engine *e, enum event_type type, int64_t at_ms)
{
    struct event event = {
        .workspace_id = "w", .type = type, .subject = "s", .data = "{\"n\":1}", .at_ms = at_ms
    };

    NEED(e, event_append(TX(e), &event));
}

static size_t number(struct engine *e)
{
    size_t numbered = 0;
    bool busy;

    engine_commit(e);
    NEED(e, event_number(TX(e), &numbered, &busy));
    assert_false(busy);
    engine_commit(e);
    return numbered;
}

static void events_are_read_in_order(void **state)
{
    struct engine *e = engine_of(state);
    struct event *events;
    size_t count;
    int64_t seq;

    append(e, EVENT_JOB_CREATED, 1);
    append(e, EVENT_JOB_LOG, 2);
    append(e, EVENT_JOB_ENDED, 3);
    if (e->db->engine == DB_POSTGRES) {
        NEED(e, event_read(TX(e), 0, 10, &events, &count));
        assert_int_equal(count, 0);
        assert_int_equal(number(e), 3);
    }
    assert_int_equal(number(e), 0);
    NEED(e, event_read(TX(e), 1, 10, &events, &count));
    assert_int_equal(count, 2);
    assert_int_equal(events[0].seq, 2);
    assert_int_equal(events[0].type, EVENT_JOB_LOG);
    assert_string_equal(events[0].subject, "s");
    assert_null(events[0].job_id);
    assert_int_equal(events[1].at_ms, 3);
    NEED(e, event_read(TX(e), 0, 1, &events, &count));
    assert_int_equal(count, 1);
    NEED(e, event_last(TX(e), &seq));
    assert_int_equal(seq, 3);
}

/* However many are appended at once, each keeps its values, its quotes and its place. */
static void many_are_appended_as_one_by_one(void **state)
{
    static const struct event wanted[] = {
        { .workspace_id = "w",
          .type = EVENT_JOB_CREATED,
          .project_id = "p",
          .data = "{\"t\":\"\\\"quoted\\\" \u00e9\"}",
          .at_ms = 1 },
        { .workspace_id = "w",
          .type = EVENT_JOB_LOG,
          .subject = "it's [1, null]",
          .at_ms = INT64_C(1) << 52 },
        { .workspace_id = "w", .type = EVENT_JOB_ENDED, .job_id = "", .data = "{}", .at_ms = 3 },
    };
    struct engine *e = engine_of(state);
    struct event *events;
    size_t count;

    NEED(e, event_append_many(TX(e), wanted, 0));
    NEED(e, event_append_many(TX(e), wanted, 3));
    NEED(e, event_append_many(TX(e), wanted, 1));
    number(e);
    NEED(e, event_read(TX(e), 0, 10, &events, &count));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        const struct event *want = &wanted[i % 3];

        assert_int_equal(events[i].type, want->type);
        assert_string_equal(events[i].data, want->data ? want->data : "{}");
        assert_int_equal(events[i].at_ms, want->at_ms);
        assert_int_equal(events[i].subject == NULL, want->subject == NULL);
        assert_int_equal(events[i].job_id == NULL, want->job_id == NULL);
    }
    assert_string_equal(events[1].subject, wanted[1].subject);
    assert_string_equal(events[3].project_id, "p");
}

static void an_empty_log_ends_at_nought(void **state)
{
    struct engine *e = engine_of(state);
    int64_t seq = 9;

    NEED(e, event_last(TX(e), &seq));
    assert_int_equal(seq, 0);
    NEED(e, event_first(TX(e), &seq));
    assert_int_equal(seq, 0);
}

/* Whoever commits later is numbered later, however early its row was written. */
static void numbers_follow_commits(void **state)
{
    struct engine *e = engine_of(state);
    struct db *other;
    struct event event = { .workspace_id = "w", .type = EVENT_JOB_LOG, .at_ms = 1 };
    struct event *events;
    size_t count, numbered;
    bool busy;

    if (e->db->engine == DB_SQLITE)
        skip();
    other = engine_open_another(e);
    NEED(e, db_begin(other, true, &e->err));
    NEED(e, event_append(&(struct tx){ .db = other, .arena = &e->arena, .err = &e->err }, &event));
    append(e, EVENT_JOB_ENDED, 2);
    assert_int_equal(number(e), 1);
    NEED(e, db_commit(other, &e->err));

    NEED(e, event_number(TX(e), &numbered, &busy));
    assert_int_equal(numbered, 1);
    NEED(e, db_begin(other, true, &e->err));
    NEED(e, event_append(&(struct tx){ .db = other, .arena = &e->arena, .err = &e->err }, &event));
    NEED(e, db_commit(other, &e->err));
    NEED(e, db_begin(other, true, &e->err));
    NEED(e, event_number(&(struct tx){ .db = other, .arena = &e->arena, .err = &e->err }, &numbered, &busy));
    assert_int_equal(numbered, 0);
    assert_true(busy);
    NEED(e, db_commit(other, &e->err));
    engine_commit(e);
    assert_int_equal(number(e), 1);
    db_close(other);

    NEED(e, event_read(TX(e), 0, 10, &events, &count));
    assert_int_equal(count, 3);
    assert_int_equal(events[0].type, EVENT_JOB_ENDED);
    assert_int_equal(events[1].type, EVENT_JOB_LOG);
    assert_int_equal(events[2].seq, 3);
}

static void pruning_takes_the_oldest_and_leaves_the_newest(void **state)
{
    struct engine *e = engine_of(state);
    size_t pruned;
    int64_t seq;

    for (int i = 1; i <= 5; i++)
        append(e, EVENT_JOB_CREATED, i * 100);
    (void)number(e);
    NEED(e, event_prune(TX(e), 250, 1, &pruned));
    assert_int_equal(pruned, 1);
    NEED(e, event_prune(TX(e), 250, 100, &pruned));
    assert_int_equal(pruned, 1);
    NEED(e, event_first(TX(e), &seq));
    assert_int_equal(seq, 3);
    NEED(e, event_prune(TX(e), 9999, 100, &pruned));
    assert_int_equal(pruned, 2);
    NEED(e, event_last(TX(e), &seq));
    assert_int_equal(seq, 5);
    append(e, EVENT_JOB_CREATED, 1);
    (void)number(e);
    NEED(e, event_last(TX(e), &seq));
    assert_int_equal(seq, 6);
}

static void clients_see_the_members_flat(void **state)
{
    BUF_AUTO text = { 0 };
    struct event event = {
        .workspace_id = "w", .type = EVENT_JOB_LOG, .data = "{\"x\" : {\"y\":2}}", .at_ms = 0
    };

    (void)state;
    buf_init(&text, 0);
    event_write(&event, &text);
    assert_string_equal(text.bytes,
                        "{\"type\":\"job.log\",\"at\":\"1970-01-01T00:00:00.000Z\",\"workspaceId\":\"w\","
                        "\"x\" : {\"y\":2}}");
    buf_clear(&text);
    event.data = "{}";
    event_write(&event, &text);
    assert_string_equal(text.bytes,
                        "{\"type\":\"job.log\",\"at\":\"1970-01-01T00:00:00.000Z\",\"workspaceId\":\"w\"}");
}

/* Another version, or a program that writes with plain SQL, may tell of what this one has no word for. */
static void a_type_that_is_unknown_is_read_and_told_as_it_stands(void **state)
{
    BUF_AUTO text = { 0 };
    struct engine *e = engine_of(state);
    struct event *events;
    size_t count;

    engine_sql(e, "INSERT INTO events(workspace_id, type, data, created_at)"
                  " VALUES('w', 'planted.event', '{}', 1)");
    append(e, EVENT_JOB_LOG, 2);
    number(e);
    NEED(e, event_read(TX(e), 0, 10, &events, &count));
    assert_int_equal(count, 2);
    assert_int_equal(events[0].type, EVENT_UNKNOWN);
    assert_int_equal(events[1].type, EVENT_JOB_LOG);
    buf_init(&text, 0);
    event_write(&events[0], &text);
    assert_memory_equal(text.bytes, "{\"type\":\"planted.event\",", 24);
}

/* Together they are more than any buffer holds. */
static void events_of_any_size_are_appended(void **state)
{
    enum { COUNT = 40, BYTES = 1000000 };
    struct engine *e = engine_of(state);
    struct event wanted[COUNT], *events;
    char *data = arena_alloc(&e->arena, BYTES + 3, 1);
    size_t count;

    memset(data, 'x', BYTES + 2);
    data[0] = data[BYTES + 1] = '"';
    data[BYTES + 2] = '\0';
    for (int i = 0; i < COUNT; i++)
        wanted[i] =
            (struct event){ .workspace_id = "w", .type = EVENT_JOB_LOG, .data = data, .at_ms = i + 1 };
    NEED(e, event_append_many(TX(e), wanted, COUNT));
    number(e);
    NEED(e, event_read(TX(e), 0, COUNT + 1, &events, &count));
    assert_int_equal(count, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(events[i].at_ms, i + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(events_are_read_in_order),
        ON_BOTH(many_are_appended_as_one_by_one),
        ON_BOTH(events_of_any_size_are_appended),
        ON_BOTH(a_type_that_is_unknown_is_read_and_told_as_it_stands),
        ON_BOTH(an_empty_log_ends_at_nought),
        ON_BOTH(numbers_follow_commits),
        ON_BOTH(pruning_takes_the_oldest_and_leaves_the_newest),
        cmocka_unit_test(clients_see_the_members_flat),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

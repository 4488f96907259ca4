/*
 * What bounds a discussion: words that wait, rounds that were held, pages of what was said, and how long an
 * ended one is kept.
 */
#include "council.h"

#include "base/limits.h"
#include "core/upkeep/purge.h"

#include <string.h>

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static void pair(struct t *t)
{
    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
}

CONTRACT(interjections_for_after_the_turn_are_bounded)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Bob"));

    stage_half_said(t, "I was about to");
    for (int i = 0; i < LIMIT_INTERJECTIONS; i++) {
        call(t, "discussion_interject", "{s:s, s:s, s:s}", "id", id, "content", "Wait.", "when",
             "after_turn");
        CHECK_STATUS(200);
    }
    call(t, "discussion_interject", "{s:s, s:s, s:s}", "id", id, "content", "Me too.", "when", "after_turn");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "too_many_interjections");
    assert_int_equal(count_rows(t, "discussion_interjections WHERE discussion_id = '%s'", id),
                     LIMIT_INTERJECTIONS);
    call(t, "discussion_interject", "{s:s, s:s}", "id", id, "content", "Now.");
    CHECK_STATUS(200);
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_COUNT("entries", LIMIT_INTERJECTIONS + 3);
    assert_int_equal(count_rows(t, "discussion_interjections WHERE discussion_id = '%s'", id), 0);
}

CONTRACT(discussion_that_ends_early_says_the_rounds_that_were_held)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 3, NAMES("Ada"));

    PLAY(t, { "Ada", "", "Away.", false }, { "Ada", "", "Away.", false }, { "Ada", "", "Away.", false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "failed");
    CHECK_INT("discussion.round", 1);
    CHECK_INT("discussion.rounds", 3);
    call(t, "discussion_list", "{}");
    CHECK_INT("discussions.0.round", 1);
}

/* Rows as another program would write them. */
static void write_messages(struct t *t, const char *id, int count, size_t bytes)
{
    char *text = arena_array(&t->arena, char, bytes + 1);

    memset(text, 'x', bytes);
    for (int i = 0; i < count; i++)
        outside_sql(t,
                    "INSERT INTO discussion_logs (workspace_id, discussion_id, kind, speaker, content) "
                    "VALUES ('%s', '%s', 'message', 'Maya', '%d %s')",
                    t->workspace, id, i, text);
}

CONTRACT(entries_of_a_discussion_come_in_pages)
{
    pair(t);
    const char *id = make_discussion(t, "turns", 3, NAMES("user", "Ada"));

    write_messages(t, id, 7, 1);
    show_discussion(t, id);
    CHECK_COUNT("entries", 7);
    CHECK_NULL("nextCursor");
    call(t, "discussion_get", "{s:s, s:i}", "id", id, "limit", 3);
    CHECK_COUNT("entries", 3);
    CHECK_INT("counts.Maya", 7);
    call(t, "discussion_get", "{s:s, s:i, s:s}", "id", id, "limit", 3, "cursor", text_at(t, "nextCursor"));
    CHECK_COUNT("entries", 3);
    CHECK_TEXT("entries.0.content", "3 x");
    call(t, "discussion_get", "{s:s, s:i, s:s}", "id", id, "limit", 3, "cursor", text_at(t, "nextCursor"));
    CHECK_COUNT("entries", 1);
    CHECK_TEXT("entries.0.content", "6 x");
    CHECK_NULL("nextCursor");
    call(t, "discussion_get", "{s:s, s:s}", "id", id, "cursor", "nonsense");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "cursor");
}

CONTRACT(reply_about_a_discussion_is_bounded_in_bytes)
{
    pair(t);
    const char *id = make_discussion(t, "turns", 3, NAMES("user", "Ada"));
    size_t seen = 0, pages = 0;

    write_messages(t, id, 60, 60000);
    show_discussion(t, id);
    for (;; pages++) {
        CHECK_STATUS(200);
        assert_in_range(strlen(t->text), 1, LIMIT_PAGE_BYTES + 100000);
        seen += json_array_size(at(t, "entries"));
        if (json_is_null(at(t, "nextCursor")))
            break;
        call(t, "discussion_get", "{s:s, s:s}", "id", id, "cursor", text_at(t, "nextCursor"));
    }
    assert_int_equal(seen, 60);
    assert_in_range(pages, 3, 60);
    call(t, "discussion_cancel", "{s:s}", "id", id);
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "cancelled");
    assert_null(at(t, "result")); /* which stands in the transcript */
}

/* How many go, of those that this test has made. */
static size_t purge(struct t *t, int64_t age_ms)
{
    const struct audit_entry by = { .actor_kind = "system", .actor = "system" };
    int64_t before = count_rows(t, "discussion_state WHERE workspace_id = '%s'", t->workspace);
    size_t purged;

    do {
        struct err err;
        struct tx tx = stage_begin(t, &err);

        assert_true(purge_batch(&tx, PURGE_DISCUSSIONS, &by, tx.now_ms - age_ms, PURGE_BATCH, &purged));
        stage_commit(t);
    } while (purged > 0);
    return (size_t)(before - count_rows(t, "discussion_state WHERE workspace_id = '%s'", t->workspace));
}

CONTRACT(ended_discussions_are_let_go_of_whole)
{
    pair(t);
    const char *open = make_discussion(t, "turns", 1, NAMES("user", "Ada"));
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Bob"));

    PLAY(t, { "", "", NULL, false });
    advance(t, 10000);
    assert_int_equal(purge(t, 3600000), 0);
    assert_int_equal(purge(t, 5000), 1);
    show_discussion(t, id);
    CHECK_STATUS(404);
    static const char *const tables[] = { "discussion_logs", "discussion_participants",
                                          "discussion_decisions", "discussion_turns" };

    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        assert_int_equal(count_rows(t, "%s WHERE discussion_id = '%s'", tables[i], id), 0);
    show_discussion(t, open);
    CHECK_STATUS(200);
}

CONTRACT(discussion_is_kept_for_those_that_need_it)
{
    pair(t);
    const char *id = make_discussion(t, "turns", 1, NAMES("user", "Ada"));

    call(t, "discussion_create", "{s:s, s:s, s:i, s:s, s:[{s:s}]}", "topic", "Below", "mode", "rounds",
         "rounds", 1, "parentId", id, "participants", "agentName", "Ada");
    CHECK_STATUS(201);
    PLAY(t, { "", "", NULL, false });
    advance(t, 10000);
    assert_int_equal(purge(t, 5000), 0); /* the one above goes on */
    say(t, id, "Well?");
    PLAY(t, { "", "", NULL, false });
    call(t, "discussion_fork", "{s:s, s:s}", "id", id, "at", "1");
    CHECK_STATUS(201);
    const char *fork = text_at(t, "discussion.id");

    advance(t, 10000);
    assert_int_equal(purge(t, 5000), 0); /* the fork goes on */
    call(t, "discussion_cancel", "{s:s}", "id", fork);
    advance(t, 10000);
    assert_int_equal(purge(t, 5000), 3);
    assert_int_equal(count_rows(t, "discussion_logs WHERE workspace_id = '%s'", t->workspace), 0);
}

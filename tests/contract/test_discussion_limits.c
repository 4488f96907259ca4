/*
 * What bounds a discussion: words that wait, rounds that were held, pages of what was said, and how long an
 * ended one is kept.
 */
#include "council.h"

#include "base/limits.h"

#define NAMES(...)                                                                                           \
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

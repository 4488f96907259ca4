/*
 * What models are told: a workspace's own words, and a summary in place of what no longer fits.
 */
#include "council.h"

#include <string.h>

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

CONTRACT(wordings_are_listed_changed_and_given_back)
{
    call(t, "wording_list", "{}");
    CHECK_STATUS(200);
    CHECK_TEXT("wordings.0.name", "agent_analyst");
    assert_non_null(text_at(t, "wordings.0.text"));
    call(t, "wording_put", "{s:s, s:s}", "name", "turn", "text", "Speak of {{topic}}, {{name}}.");
    CHECK_STATUS(200);
    CHECK_TRUE("own");
    CHECK_TEXT("text", "Speak of {{topic}}, {{name}}.");
    call(t, "wording_delete", "{s:s}", "name", "turn");
    CHECK_STATUS(204);
    assert_int_equal(count_rows(t, "wordings"), 0);
}

CONTRACT(wording_with_an_unknown_placeholder_is_refused)
{
    call(t, "wording_put", "{s:s, s:s}", "name", "turn", "text", "Speak of {{tpoic}}.");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "text");
    assert_int_equal(count_rows(t, "wordings"), 0);
    call(t, "wording_put", "{s:s, s:s}", "name", "no_such_text", "text", "Speak.");
    CHECK_STATUS(404);
}

CONTRACT(models_are_told_the_workspaces_own_words)
{
    make_agent(t, "Ada", "specialist");
    call(t, "wording_put", "{s:s, s:s}", "name", "role_first", "text", "Say one word about {{topic}}.");
    make_discussion(t, "rounds", 1, NAMES("Ada"));
    struct stage stage = { .t = t };

    play(&stage);
    assert_non_null(strstr(stage.asked, "Say one word about"));
}

/* Two of these are more than is shown as it is. */
static const char *long_text(struct t *t, const char *about)
{
    static char text[60001];

    memset(text, 'x', sizeof(text) - 1);
    memcpy(text, about, strlen(about));
    return arena_text(&t->arena, text);
}

CONTRACT(discussion_that_outgrows_the_window_goes_on_with_a_summary)
{
    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
    const char *id = make_discussion(t, "rounds", 2, NAMES("Ada", "Bob"));
    struct line lines[] = { { "Ada", long_text(t, "FIRST "), NULL, false },
                            { "Bob", long_text(t, "SECOND "), NULL, false },
                            { "summary", "Ada holds the first.", NULL, false },
                            { "Ada", "Then let us go.", NULL, false } };
    struct stage stage = { .t = t, .lines = lines, .line_count = 4, .most = 4 };

    play(&stage);
    assert_non_null(strstr(stage.asked, "Ada holds the first."));
    assert_null(strstr(stage.asked, "FIRST"));
    assert_non_null(strstr(stage.asked, "SECOND"));
    assert_int_equal(count_rows(t, "discussion_logs WHERE discussion_id = '%s' AND kind = 'summary'", id), 1);
    show_discussion(t, id);
    CHECK_COUNT("entries", 3);
}

CONTRACT(discussion_goes_on_when_the_summary_fails)
{
    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
    const char *id = make_discussion(t, "rounds", 2, NAMES("Ada", "Bob"));
    struct line lines[] = { { "Ada", long_text(t, "FIRST "), NULL, false },
                            { "Bob", long_text(t, "SECOND "), NULL, false },
                            { "summary", NULL, "No.", false },
                            { "summary", NULL, "No.", false },
                            { "summary", NULL, "No.", false } };

    play_lines(t, lines, 5);
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    CHECK_COUNT("entries", 4);
}

/*
 * What a council answers with, and what it does not: words that were meant for something else.
 */
#include "council.h"

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)
#define LONG_WORDS \
    60000 /* two of them are more than the next speakers are shown: they are summed up first \
           */

static const char *long_words(struct t *t, char letter)
{
    char *words = arena_alloc(&t->arena, LONG_WORDS + 1, 1);

    memset(words, letter, LONG_WORDS);
    words[LONG_WORDS] = '\0';
    return words;
}

static const char *make_prompt(struct t *t)
{
    call(t, "prompt_create", "{s:s, s:s, s:i}", "requester_agent", "Dev", "prompt_message", "Cache or not?",
         "required_responses", 1);
    CHECK_STATUS(201);
    return text_at(t, "prompt.id");
}

/* Ada and Bob, on a prompt, with two rounds and so many calls. */
static void put_to_council(struct t *t, const char *prompt, int calls)
{
    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
    call(t, "discussion_create", "{s:s, s:s, s:i, s:{s:s, s:s}, s:[{s:s}, {s:s}], s:{s:{s:i}}}", "topic",
         "Cache?", "mode", "rounds", "rounds", 2, "ref", "kind", "prompt", "id", prompt, "participants",
         "agentName", "Ada", "agentName", "Bob", "options", "budget", "calls", calls);
    CHECK_STATUS(201);
}

static void check_answer(struct t *t, const char *prompt, const char *beginning)
{
    call(t, "prompt_get", "{s:s}", "id", prompt);
    CHECK_COUNT("responses", 1);
    const char *message = text_at(t, "responses.0.message");

    if (strncmp(message, beginning, strlen(beginning)) != 0)
        fail_msg("it answers %.40s, wanted %s", message, beginning);
}

CONTRACT(council_whose_budget_is_spent_answers_with_the_last_words_and_not_with_a_part)
{
    const char *prompt = make_prompt(t);

    put_to_council(t, prompt, 3);
    PLAY(t, { "Ada", long_words(t, 'a'), NULL, false }, { "Bob", long_words(t, 'b'), NULL, false },
         { "summary", "Only of the older part.", NULL, false });
    check_answer(t, prompt, "[Council] bbbb");
}

CONTRACT(council_whose_last_summary_fails_answers_with_the_last_words_and_not_with_a_part)
{
    const char *prompt = make_prompt(t);

    put_to_council(t, prompt, 20);
    PLAY(t, { "Ada", long_words(t, 'a'), NULL, false }, { "Bob", long_words(t, 'b'), NULL, false },
         { "summary", "Only of the older part.", NULL, false }, { "Bob", "Cache it.", NULL, false },
         { "summary", "", "away", false }, { "summary", "", "away", false },
         { "summary", "", "away", false });
    check_answer(t, prompt, "[Council] Cache it.");
}

/* Whoever asked is better served by a person than by words that nobody said. */
CONTRACT(council_that_failed_answers_nothing)
{
    make_agent(t, "Ada", "specialist");
    call(t, "question_create", "{s:s, s:s, s:s}", "question", "Which way?", "type", "blocking",
         "responseType", "text");
    const char *question = text_at(t, "questionId");

    call(t, "discussion_create", "{s:s, s:s, s:i, s:[{s:s}], s:{s:s, s:s}}", "topic", "Which way?", "mode",
         "rounds", "rounds", 1, "participants", "agentName", "Ada", "ref", "kind", "question", "id",
         question);
    CHECK_STATUS(201);
    const char *id = text_at(t, "discussion.id");

    PLAY(t, { "Ada", "", "away", false }, { "Ada", "", "away", false }, { "Ada", "", "away", false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "failed");
    call(t, "question_get", "{s:s}", "id", question);
    CHECK_TEXT("question.status", "pending");
}

/*
 * On PostgreSQL a sweep may see a turn that was taken while it waited for the discussion. As that comes only
 * by chance, here the first one that a sweep passes does it to the second.
 */
static void plant(struct t *t, const char *when_gone, const char *then)
{
    if (t->engine == DB_SQLITE) {
        outside_sql(
            t, "CREATE TRIGGER planted AFTER DELETE ON discussion_turns WHEN OLD.id = '%s' BEGIN %s; END",
            when_gone, then);
        return;
    }
    outside_sql(t,
                "CREATE FUNCTION planted() RETURNS TRIGGER LANGUAGE plpgsql AS"
                " 'BEGIN IF OLD.id = ''%s'' THEN %s; END IF; RETURN NULL; END'",
                when_gone, then);
    outside_sql(t, "CREATE TRIGGER planted AFTER DELETE ON discussion_turns FOR EACH ROW"
                   " EXECUTE FUNCTION planted()");
}

static void unplant(struct t *t)
{
    outside_sql(t, t->engine == DB_SQLITE ? "DROP TRIGGER planted" : "DROP FUNCTION planted() CASCADE");
}

/* A discussion in which Eve owes a turn; the turn's id. */
static const char *owed_turn(struct t *t, const char **discussion)
{
    *discussion = make_discussion(t, "rounds", 1, NAMES("Eve"));
    PLAY(t, { "", "", NULL, false });
    call(t, "turn_list", "{}");
    for (size_t i = 0; i < json_array_size(at(t, "turns")); i++)
        if (str_equal(text_at(t, arena_format(&t->arena, "turns.%zu.discussionId", i)), *discussion))
            return text_at(t, arena_format(&t->arena, "turns.%zu.id", i));
    fail_msg("no turn waits: %s", t->text);
    return NULL;
}

CONTRACT(sweep_passes_what_is_due_though_another_turn_was_just_taken_or_put_off)
{
    static const char *const thens[] = {
        "DELETE FROM discussion_turns",
        "UPDATE discussion_turns SET due_ms = 9000000000000",
    };
    const char *quote = t->engine == DB_SQLITE ? "'" : "''", *first, *second;

    make_external_agent(t, "Eve", "critic");
    for (size_t i = 0; i < sizeof(thens) / sizeof(*thens); i++) {
        const char *turn = owed_turn(t, &first), *other = owed_turn(t, &second);

        plant(t, turn, arena_format(&t->arena, "%s WHERE id = %s%s%s", thens[i], quote, other, quote));
        advance(t, 11 * 60000);
        unplant(t);
        show_discussion(t, first);
        CHECK_COUNT("entries", 1);
        CHECK_TRUE("entries.0.metadata.pass");
        show_discussion(t, second);
        CHECK_COUNT("entries", 0);
        PLAY(t, { "", "", NULL, false });
        call(t, "discussion_cancel", "{s:s}", "id", second);
        CHECK_STATUS(200);
    }
}

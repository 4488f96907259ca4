/*
 * How much a model can be told at once, and what is refused for it.
 */
#include "core/runs/room.h"

#include "base/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define UNSAID MODEL_UNSET

static struct room room_with(int64_t window, int64_t max_tokens)
{
    struct llm_model model;
    const struct llm_models all = { &model, 1 };
    ARENA_AUTO arena = { 0 };
    struct room room;

    model_init(&model, "played");
    model.provider = LLM_OLLAMA;
    model.provider_name = "ollama";
    model.window = window;
    model.max_tokens = max_tokens;
    models_use(&all);
    room_of(&arena, NULL, &room);
    models_use(NULL);
    return room;
}

static void a_reply_has_the_room_that_its_model_may_take(void **state)
{
    (void)state;
    assert_int_equal(room_with(16000, UNSAID).window, 16000);
    assert_int_equal(room_with(16000, UNSAID).reply, 2000);
    assert_int_equal(room_with(16000, 3000).reply, 3000);
    assert_int_equal(room_with(16000, 7999).reply, 7999);
    assert_int_equal(room_with(16000, 8000).reply, 2000);
    assert_true(room_with(16000, UNSAID).stated);
    assert_false(room_with(16000, UNSAID).scripted);
    assert_false(room_with(UNSAID, UNSAID).stated);
    assert_int_equal(room_with(UNSAID, UNSAID).window, (settings()->council_window + 2) / 3);
}

static void what_fits_with_its_reply_is_not_refused(void **state)
{
    const struct room room = { .window = 3000, .reply = 500, .stated = true };
    const struct room unsaid = { .window = 3000, .reply = 500 };
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_null(room_refusal(&arena, &room, "Ada", 8000, 2000));
    assert_string_equal(
        room_refusal(&arena, &room, "Ada", 8000, 2004),
        "The input is too long for the model of Ada: with its instructions and tools it takes about 2501 tokens, and the model can be told 3000 at once (window), of which its reply needs 500.");
    assert_null(room_refusal(&arena, &unsaid, "Ada", 8000000, 2004));
    assert_null(room_refusal(&arena, &room, "Ada", 1197, 1000000));
    assert_non_null(room_refusal(&arena, &room, "Ada", 1198, 1000000));
}

static void a_tool_takes_its_name_and_all_that_is_said_of_it(void **state)
{
    const struct llm_tool tools[] = { { "look", "Looks.", "{}" }, { "see", NULL, "{}" } };

    (void)state;
    assert_int_equal(room_tools(tools, 2), 17);
    assert_int_equal(room_tools(tools, 1), 12);
    assert_int_equal(room_tools(NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_has_the_room_that_its_model_may_take),
        cmocka_unit_test(what_fits_with_its_reply_is_not_refused),
        cmocka_unit_test(a_tool_takes_its_name_and_all_that_is_said_of_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * What a run tells its model that it may call.
 */
#include "base/limits.h"
#include "runs.h"

/* As agents that run elsewhere have it, and with the words by which their models were told to use it. */
static const char ask_description[] =
    "Ask the user a question that may require clarification, approval, or input. Use this when you need "
    "information to proceed or want user preference.";
static const char ask_schema[] =
    "{\n"
    "  \"type\": \"object\",\n"
    "  \"properties\": {\n"
    "    \"question\": {\n"
    "      \"type\": \"string\",\n"
    "      \"description\": \"The question to ask the user\"\n"
    "    },\n"
    "    \"type\": {\n"
    "      \"type\": \"string\",\n"
    "      \"enum\": [\"blocking\", \"non_blocking\", \"approval\", \"error_recovery\"],\n"
    "      \"description\": \"Type of question - blocking pauses execution, non_blocking continues with default\"\n"
    "    },\n"
    "    \"responseType\": {\n"
    "      \"type\": \"string\",\n"
    "      \"enum\": [\"text\", \"choice\", \"boolean\", \"approval\"],\n"
    "      \"description\": \"Expected response format\"\n"
    "    },\n"
    "    \"options\": {\n"
    "      \"type\": \"array\",\n"
    "      \"items\": {\n"
    "        \"type\": \"object\",\n"
    "        \"properties\": {\n"
    "          \"label\": { \"type\": \"string\" },\n"
    "          \"value\": { \"type\": \"string\" },\n"
    "          \"description\": { \"type\": \"string\" }\n"
    "        }\n"
    "      },\n"
    "      \"description\": \"Options for choice questions\"\n"
    "    },\n"
    "    \"context\": {\n"
    "      \"type\": \"object\",\n"
    "      \"description\": \"Additional context about the question\"\n"
    "    },\n"
    "    \"timeoutMinutes\": {\n"
    "      \"type\": \"number\",\n"
    "      \"description\": \"Timeout in minutes (default: 30 for blocking, 15 for approval, 10 for error)\"\n"
    "    },\n"
    "    \"defaultResponse\": {\n"
    "      \"type\": \"object\",\n"
    "      \"description\": \"Default response if timeout (for non-blocking or error recovery)\"\n"
    "    }\n"
    "  },\n"
    "  \"required\": [\"question\", \"type\", \"responseType\"]\n"
    "}\n";

/* Laid out alike; the order of members stays. */
static const char *laid_out(struct t *t, const char *text)
{
    struct err err = { 0 };
    json_t *value;

    if (!json_parse(text, strlen(text), &value, &err))
        fail_msg("%s", err.text);
    const char *copy = json_dump_text(&t->arena, value);

    json_decref(value);
    return copy;
}

CONTRACT(run_offers_ask_question_word_for_word)
{
    const struct llm_tool *ask = NULL;
    struct playing p;

    use_tools(NULL, 0);
    play_run(t, &p, NULL);
    for (size_t i = 0; i < p.step.tool_count; i++)
        if (strcmp(p.step.tools[i].name, "ask_question") == 0)
            ask = &p.step.tools[i];
    assert_non_null(ask);
    assert_string_equal(ask->description, ask_description);
    assert_string_equal(laid_out(t, ask->schema), laid_out(t, ask_schema));
}

#define OWN  5
#define MANY (LIMIT_RUN_TOOLS + 44)

/* Tools of so many names, in their order. */
static const struct tool *make_tools(void)
{
    static struct tool many[MANY];
    static char names[MANY][24];

    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "box__%d", i);
        many[i] = (struct tool){ .name = names[i],
                                 .description = "",
                                 .schema = "{\"type\":\"object\"}",
                                 .kind = TOOL_MCP,
                                 .server = "box" };
    }
    return many;
}

CONTRACT(run_is_offered_the_first_tools_of_many_or_those_that_its_job_names)
{
    const struct tool *many = make_tools();
    const char *names[LIMIT_RUN_TOOLS + 1] = { NULL };
    struct playing p;

    use_tools(many, MANY);
    play_run(t, &p, NULL);
    assert_int_equal(p.step.tool_count, OWN + LIMIT_RUN_TOOLS);
    assert_string_equal(p.step.tools[OWN].name, many[0].name);
    assert_string_equal(p.step.tools[OWN + LIMIT_RUN_TOOLS - 1].name, many[LIMIT_RUN_TOOLS - 1].name);
    /* It may use the others as well. */
    model_calls(&p, many[MANY - 1].name, "{}", NULL);
    assert_int_equal(p.step.call_count, 1);
    check_replay(&p);
    /* As many as can be named are all offered. */
    for (int i = 0; i < LIMIT_RUN_TOOLS; i++)
        names[i] = many[MANY - 1 - i].name;
    play_run(t, &p, &(struct run_wish){ .tools = names });
    assert_int_equal(p.step.tool_count, OWN + LIMIT_RUN_TOOLS);
    assert_string_equal(p.step.tools[p.step.tool_count - 1].name, many[MANY - 1].name);
    use_tools(NULL, 0);
}

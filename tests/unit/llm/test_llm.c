/*
 * Asking models over real sockets: what comes back, how it ends, and in what words that is told.
 */
#include "base/json.h"
#include "base/limits.h"
#include "llm/lanes.h"
#include "llm/llm.h"
#include "tests/support/canned.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OK_HEAD   "HTTP/1.1 200 OK\r\nConnection: close\r\n"
#define EVENTS    OK_HEAD "Content-Type: text/event-stream\r\n\r\n"
#define LINES     OK_HEAD "Content-Type: application/x-ndjson\r\n\r\n"
#define SAY(text) "data: {\"choices\":[{\"delta\":{\"content\":\"" text "\"}}]}\n\n"
#define STOP      "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define COUNTS    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3}}\n\n"
#define DONE      "data: [DONE]\n\n"
#define ERROR(status, body) \
    "HTTP/1.1 " status "\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n" body

static struct net *net;
static struct llm *llm;
static struct arena arena;
static struct canned canned;

static int set_up(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_true(net_open(&net, &err));
    llm = llm_open(net);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    llm_close(llm);
    net_close(net);
    arena_done(&arena);
    return 0;
}

static const struct llm_message hello[] = { { .role = "system", .content = "Be brief." },
                                            { .role = "user", .content = "Hello?" } };

static void make_model(struct llm_model *model, const char *provider, const char *url)
{
    struct err err = { 0 };

    model_init(model, "");
    model->provider_name = provider;
    model->model = "m";
    model->base_url = url;
    model->retries = 0;
    if (!model_check(model, &arena, &err))
        fail_msg("%s", err.text);
}

static struct llm_result ask_as(const char *provider, const char *url, const struct llm_request *options)
{
    struct llm_request request = options ? *options : (struct llm_request){ 0 };
    struct llm_model model;
    struct llm_result result;
    struct err err = { 0 };

    make_model(&model, provider, url);
    if (!request.model)
        request.model = &model;
    if (!request.messages) {
        request.messages = hello;
        request.message_count = 2;
    }
    if (!llm_ask(llm, &request, &arena, &result, &err))
        fail_msg("%s", err.text);
    return result;
}

static struct llm_result openai(const char *reply, const struct llm_request *options)
{
    canned_start(&canned, (const char *const[]){ reply, NULL });
    struct llm_result result = ask_as("openai", arena_format(&arena, "%s/v1", canned.url), options);

    canned_stop(&canned);
    return result;
}

static void openai_streams_text_and_counts(void **state)
{
    struct llm_result result = openai(EVENTS SAY("Hel") SAY("lo.") STOP COUNTS DONE, NULL);

    (void)state;
    assert_int_equal(result.kind, LLM_FINE);
    assert_string_equal(result.text, "Hello.");
    assert_int_equal(result.finish, LLM_FINISH_STOP);
    assert_int_equal(result.usage.input, 12);
    assert_int_equal(result.usage.output, 3);
    assert_int_equal(result.attempts, 1);
    assert_false(result.scripted);
}

static void counts_that_do_not_come_are_not_reported(void **state)
{
    struct llm_result result = openai(EVENTS SAY("Hello.") STOP DONE, NULL);

    (void)state;
    assert_int_equal(result.kind, LLM_FINE);
    assert_int_equal(result.usage.input, LLM_NOT_REPORTED);
    assert_int_equal(result.usage.output, LLM_NOT_REPORTED);
}

static void a_stop_is_enforced_whatever_the_server_does(void **state)
{
    static const char *const stops[] = { "[", "\n\n", "Speaker:" };
    const struct llm_request options = { .stops = stops, .stop_count = 3 };
    struct llm_result result = openai(EVENTS SAY("One. Spea") SAY("ker: Two.") "\x01", &options);

    (void)state;
    assert_int_equal(result.kind, LLM_FINE);
    assert_string_equal(result.text, "One. ");
    assert_int_equal(result.finish, LLM_FINISH_CUT);
    result = openai(EVENTS SAY("[") "\x01", &options);
    assert_string_equal(result.text, "");
}

/* What a server that obeys stops sends of a reply that began with one looks like nothing. */
static void an_end_at_a_stop_that_was_sent_is_told(void **state)
{
    static const char *const stops[] = { "[" };
    const struct llm_request sent = { .stops = stops, .stop_count = 1, .own_cutting = true }, kept = {
        .stops = stops, .stop_count = 1, .own_cutting = true, .keep_stops = true
    };

    (void)state;
    assert_true(openai(EVENTS STOP DONE, &sent).stopped);
    assert_false(openai(EVENTS STOP DONE, &kept).stopped);
    assert_false(openai(EVENTS STOP DONE, NULL).stopped);
    assert_string_equal(openai(EVENTS SAY("[Bo]: a [b]") STOP DONE, &sent).text, "[Bo]: a [b]");
}

static void byte_by_byte_is_the_same(void **state)
{
    struct llm_result result =
        openai(EVENTS "\x02" SAY("gr\xc3\xbc\xc3\x9f") SAY(" dich \xf0\x9f\x90\x9d") STOP COUNTS DONE, NULL);

    (void)state;
    assert_int_equal(result.kind, LLM_FINE);
    assert_string_equal(result.text, "gr\xc3\xbc\xc3\x9f dich \xf0\x9f\x90\x9d");
    assert_int_equal(result.usage.output, 3);
}

static void tool_calls_are_put_together(void **state)
{
    struct llm_result result = openai(
        EVENTS
        "data: "
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"add\","
        "\"arguments\":\"\"}}]}}]}\n\n"
        "data: "
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\":\"}}"
        "]}}]}\n\n"
        "data: "
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n"
        "data: "
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"bad\","
        "\"arguments\":\"{oops\"}}]}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n" DONE,
        NULL);

    (void)state;
    assert_int_equal(result.finish, LLM_FINISH_TOOLS);
    assert_int_equal(result.tool_call_count, 2);
    assert_string_equal(result.tool_calls[0].id, "c1");
    assert_string_equal(result.tool_calls[0].name, "add");
    assert_string_equal(result.tool_calls[0].arguments, "{\"a\":1}");
    assert_true(result.tool_calls[0].is_object);
    assert_false(result.tool_calls[1].is_object);
}

static const char *with_tool_calls(size_t count)
{
    BUF_AUTO reply = { 0 };

    buf_init(&reply, 0);
    buf_text(&reply, LINES "{\"message\":{\"content\":\"\",\"tool_calls\":[");
    for (size_t i = 0; i < count; i++)
        buf_format(&reply, "%s{\"function\":{\"name\":\"add\",\"arguments\":{}}}", i > 0 ? "," : "");
    buf_text(&reply, "]},\"done\":true,\"done_reason\":\"stop\"}\n");
    return arena_copy(&arena, reply.bytes, reply.len);
}

/* More than a run makes, so that it can tell the model which it did not. */
static void a_reply_may_have_many_tool_calls_and_not_any_number(void **state)
{
    (void)state;
    assert_true(LIMIT_MODEL_TOOL_CALLS > LIMIT_RUN_CALLS);
    canned_start(&canned, (const char *const[]){ with_tool_calls(LIMIT_MODEL_TOOL_CALLS),
                                                 with_tool_calls(LIMIT_MODEL_TOOL_CALLS + 1), NULL });
    struct llm_result result = ask_as("ollama", canned.url, NULL);

    assert_int_equal(result.kind, LLM_FINE);
    assert_int_equal(result.tool_call_count, LIMIT_MODEL_TOOL_CALLS);
    result = ask_as("ollama", canned.url, NULL);
    assert_int_equal(result.kind, LLM_FLOODED);
    canned_stop(&canned);
}

static void ollama_speaks_in_lines(void **state)
{
    (void)state;
    canned_start(&canned,
                 (const char *const[]){
                     LINES
                     "{\"message\":{\"content\":\"Hel\"},\"done\":false}\n"
                     "{\"message\":{\"content\":\"lo.\",\"tool_calls\":[{\"function\":{\"name\":\"add\","
                     "\"arguments\":{\"a\":1}}}]},\"done\":false}\n"
                     "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\","
                     "\"prompt_eval_count\":7,\"eval_count\":2}\n",
                     NULL });
    struct llm_result result = ask_as("ollama", canned.url, NULL);

    assert_int_equal(result.kind, LLM_FINE);
    assert_string_equal(result.text, "Hello.");
    assert_int_equal(result.usage.input, 7);
    assert_string_equal(result.tool_calls[0].arguments, "{\"a\":1}");
    assert_string_equal(result.tool_calls[0].id, "call_1");
    assert_int_equal(result.finish, LLM_FINISH_TOOLS);
    assert_non_null(strstr(canned.request, "POST /api/chat HTTP/1.1"));
    canned_stop(&canned);
}

static void anthropic_speaks_in_events(void **state)
{
    (void)state;
    canned_start(
        &canned,
        (const char *const[]){
            EVENTS
            "event: message_start\ndata: "
            "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,"
            "\"output_tokens\":1}}}\n\n"
            "event: ping\ndata: {\"type\":\"ping\"}\n\n"
            "data: "
            "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":"
            "\"\"}}\n\n"
            "data: "
            "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":"
            "\"Hello.\"}}\n\n"
            "data: "
            "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":"
            "\"t1\","
            "\"name\":\"add\",\"input\":{}}}\n\n"
            "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
            "\"partial_json\":\"{\\\"a\\\":1}\"}}\n\n"
            "data: "
            "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_"
            "tokens\":5}}\n\n"
            "data: {\"type\":\"message_stop\"}\n\n",
            NULL });
    struct llm_result result = ask_as("anthropic", canned.url, NULL);

    assert_int_equal(result.kind, LLM_FINE);
    assert_string_equal(result.text, "Hello.");
    assert_int_equal(result.usage.input, 9);
    assert_int_equal(result.usage.output, 5);
    assert_string_equal(result.tool_calls[0].id, "t1");
    assert_string_equal(result.tool_calls[0].arguments, "{\"a\":1}");
    assert_non_null(strstr(canned.request, "anthropic-version: 2023-06-01"));
    assert_non_null(strstr(canned.request, "\"system\":\"Be brief.\""));
    assert_non_null(strstr(canned.request, "\"max_tokens\":4096"));
    canned_stop(&canned);
}

/* Neither half a text nor another value breaks the next request, whoever wrote the message. */
static void arguments_that_are_no_object_are_sent_as_an_empty_one(void **state)
{
    static const struct {
        const char *provider, *path, *end, *sent;
    } wires[] = { { "openai", "/v1", EVENTS SAY("Yes.") STOP DONE, "\"arguments\":\"{}\"" },
                  { "anthropic", "",
                    EVENTS "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
                           "\"text_delta\",\"text\":\"Yes.\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
                    "\"input\":{}" },
                  { "ollama", "", LINES "{\"message\":{\"content\":\"Yes.\"},\"done\":true}\n",
                    "\"arguments\":{}" } };
    static const char *const written[] = { "{\"step\": \"half", "[\"half\"]", "half", "\"half\"", "" };

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t w = 0; w < 5; w++) {
            const struct llm_tool_call call = {
                .id = "c1", .name = "add", .arguments = written[w], .is_object = true
            };
            const struct llm_message messages[] = {
                hello[0],
                hello[1],
                { .role = "assistant", .content = "", .tool_calls = &call, .tool_call_count = 1 },
                { .role = "tool", .name = "add", .tool_call_id = "c1", .content = "That was no object." }
            };
            const struct llm_request options = { .messages = messages, .message_count = 4 };
            JSON_AUTO *body = NULL;
            struct err err = { 0 };

            canned_start(&canned, (const char *const[]){ wires[i].end, NULL });
            struct llm_result result =
                ask_as(wires[i].provider, arena_format(&arena, "%s%s", canned.url, wires[i].path), &options);
            const char *sent = strstr(canned.request, "\r\n\r\n");

            assert_int_equal(result.kind, LLM_FINE);
            assert_true(json_parse(sent, strlen(sent), &body, &err));
            assert_non_null(strstr(sent, wires[i].sent));
            assert_null(strstr(sent, "half"));
            canned_stop(&canned);
        }
}

static void what_is_wrong_is_told_in_words(void **state)
{
    static const struct {
        const char *reply;
        enum llm_kind kind;
        const char *words;
    } wrong[] = {
        { ERROR("401 No", "{\"error\":{\"message\":\"bad key\"}}"), LLM_WRONG_KEY, "bad key" },
        { ERROR("404 No", "{\"error\":{\"message\":\"no such model\"}}"), LLM_UNKNOWN_MODEL, "\"m\"" },
        { ERROR("404 No", "<html>nginx</html>"), LLM_GARBLED, "web page" },
        { ERROR("429 No", "{\"error\":{\"message\":\"slow down\"}}"), LLM_BUSY, "slow down" },
        { ERROR("503 No", ""), LLM_BUSY, "503" },
        { ERROR("500 No", "{\"error\":{\"message\":\"http://127.0.0.1:99/v1/x, 127.0.0.1. is down\"}}"),
          LLM_BUSY, "http://***, ***. is down" },
        { EVENTS "data: {\"error\":{\"message\":\"127.0.0.1:80 lost it\"}}\n\n", LLM_BUSY, "*** lost it" },
        { ERROR("400 No", "{\"error\":{\"message\":\"too long\"}}"), LLM_REFUSED, "too long" },
        { "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:1/\r\nConnection: close\r\n\r\n", LLM_NOT_ALLOWED,
          "redirects" },
        { OK_HEAD "Content-Type: text/html\r\n\r\n<!doctype html>", LLM_GARBLED, "web page" },
        { EVENTS "<html>", LLM_GARBLED, "web page" },
        { EVENTS "data: {oops\n\n", LLM_GARBLED, "not JSON" },
        { OK_HEAD "Content-Type: application/json\r\n\r\n{\"hello\":1}", LLM_GARBLED, "not a reply" },
        { OK_HEAD "\r\n", LLM_GARBLED, "nothing" },
        { EVENTS SAY("Hel"), LLM_BROKE_OFF, "broke off" },
        { "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\nContent-Type: text/event-stream\r\n\r\n" SAY("x"),
          LLM_BROKE_OFF, "broke off" },
        { EVENTS "data: {\"error\":{\"message\":\"lost it\"}}\n\n", LLM_BUSY, "lost it" },
        { OK_HEAD "Content-Encoding: gzip\r\n\r\n\x1f\x8b", LLM_GARBLED, "compressed" },
        { OK_HEAD "Content-Encoding: identity, gzip\r\n\r\n\x1f\x8b", LLM_GARBLED, "compressed" },
        { OK_HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n\x1f\x8b\r\n0\r\n\r\n", LLM_GARBLED,
          "compressed" },
        { OK_HEAD "transfer-encoding:deflate\r\n\r\n\x1f\x8b", LLM_GARBLED, "compressed" },
        { OK_HEAD "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\x1f\x8b\r\n0\r\n\r\n",
          LLM_GARBLED, "compressed" },
        { "SSH-2.0-OpenSSH_9.2\r\n", LLM_GARBLED, "HTTP" },
        { EVENTS "\x03"
                 "data: {\"choices\":[{\"delta\":{\"content\":\"more and more and more\"}}]}\n\n",
          LLM_FLOODED, "more than" },
        { EVENTS "data: \x03xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
          LLM_FLOODED, "more than" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct llm_result result = openai(wrong[i].reply, NULL);

        if (result.kind != wrong[i].kind || !strstr(result.words, wrong[i].words) ||
            strstr(result.words, "127.0.0.1"))
            fail_msg("case %zu: %s: %s", i, llm_kind_name(result.kind), result.words);
    }
}

static void nobody_there_is_unreachable(void **state)
{
    struct llm_result result;

    (void)state;
    canned_start(&canned, (const char *const[]){ "", NULL });
    canned_stop(&canned);
    result = ask_as("ollama", canned.url, NULL);
    assert_int_equal(result.kind, LLM_UNREACHABLE);
    assert_non_null(strstr(result.words, "is the server running"));
    assert_non_null(strstr(result.words, "\"m\""));
    assert_null(strstr(result.words, "127.0.0.1"));
}

static void a_forbidden_address_is_not_called(void **state)
{
    struct llm_model model;
    struct llm_result result;

    (void)state;
    canned_start(&canned, (const char *const[]){ EVENTS SAY("x") DONE, NULL });
    make_model(&model, "ollama", canned.url);
    model.public_only = true;
    result = ask_as("ollama", canned.url, &(struct llm_request){ .model = &model });
    assert_int_equal(result.kind, LLM_NOT_ALLOWED);
    assert_int_equal(canned.connections, 0);
    canned_stop(&canned);
}

/* Whatever a name says: it is the address that it leads to when it is called which counts. */
static void a_name_that_leads_inside_is_not_called_either(void **state)
{
    struct llm_model model;
    struct llm_result result;
    char url[64];

    (void)state;
    canned_start(&canned, (const char *const[]){ EVENTS SAY("x") DONE, NULL });
    snprintf(url, sizeof(url), "http://localhost%s", strrchr(canned.url, ':'));
    make_model(&model, "ollama", url);
    model.public_only = true;
    result = ask_as("ollama", url, &(struct llm_request){ .model = &model });
    assert_int_equal(result.kind, LLM_NOT_ALLOWED);
    assert_int_equal(canned.connections, 0);
    canned_stop(&canned);
}

static void silence_ends_in_too_slow(void **state)
{
    static const char *const silences[] = { "\x01", EVENTS "\x01", EVENTS SAY("x") "\x01" };
    static const char *const words[] = { "no word", "no word", "silent" };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct llm_model model;
        struct llm_result result;

        canned_start(&canned, (const char *const[]){ silences[i], NULL });
        make_model(&model, "openai", arena_format(&arena, "%s/v1", canned.url));
        /* One that does say something has time for it, however slow the machine. */
        model.first_timeout_ms = i < 2 ? 30 : 60000;
        model.idle_timeout_ms = 30;
        result = ask_as("openai", model.base_url, &(struct llm_request){ .model = &model });
        assert_int_equal(result.kind, LLM_TOO_SLOW);
        assert_non_null(strstr(result.words, words[i]));
        canned_stop(&canned);
    }
}

static void what_may_pass_is_tried_again(void **state)
{
    struct llm_model model;
    struct llm_result result;

    (void)state;
    canned_start(&canned, (const char *const[]){ ERROR("503 No", "{}"), EVENTS SAY("Half"),
                                                 EVENTS SAY("Whole.") STOP DONE, NULL });
    make_model(&model, "openai", arena_format(&arena, "%s/v1", canned.url));
    model.retries = 3;
    result = ask_as("openai", model.base_url, &(struct llm_request){ .model = &model });
    assert_int_equal(result.kind, LLM_FINE);
    assert_string_equal(result.text, "Whole.");
    assert_int_equal(result.attempts, 3);
    canned_stop(&canned);
}

static void a_server_that_wants_it_otherwise_gets_it_so(void **state)
{
    struct llm_model model;
    struct llm_result result;

    (void)state;
    canned_start(&canned,
                 (const char *const[]){
                     ERROR("400 No", "{\"error\":{\"message\":\"Unknown parameter: stream_options\"}}"),
                     ERROR("400 No", "{\"error\":{\"message\":\"Use 'max_completion_tokens' instead.\"}}"),
                     EVENTS SAY("Yes.") STOP DONE, NULL });
    make_model(&model, "openai", arena_format(&arena, "%s/v1", canned.url));
    model.max_tokens = 50;
    result = ask_as("openai", model.base_url, &(struct llm_request){ .model = &model });
    assert_int_equal(result.kind, LLM_FINE);
    assert_null(strstr(canned.request, "stream_options"));
    assert_non_null(strstr(canned.request, "\"max_completion_tokens\":50"));
    canned_stop(&canned);
}

static void a_key_is_sent_and_never_shown(void **state)
{
    struct llm_model model;
    struct llm_result result;

    (void)state;
    setenv("WITAN_UNIT_KEY", "sk-very-secret-0123456789", 1);
    canned_start(&canned,
                 (const char *const[]){
                     ERROR("401 No", "{\"error\":{\"message\":\"Wrong key: sk-very-secret-0123456789\"}}"),
                     EVENTS SAY("It is sk-very-") SAY("secret-0123456789, no?") STOP DONE, NULL });
    make_model(&model, "openai", arena_format(&arena, "%s/v1", canned.url));
    model.api_key_env = "WITAN_UNIT_KEY";
    result = ask_as("openai", model.base_url, &(struct llm_request){ .model = &model });
    assert_int_equal(result.kind, LLM_WRONG_KEY);
    assert_non_null(strstr(result.words, "WITAN_UNIT_KEY"));
    assert_null(strstr(result.words, "secret"));
    assert_non_null(strstr(canned.request, "Authorization: Bearer sk-very-secret-0123456789"));
    result = ask_as("openai", model.base_url, &(struct llm_request){ .model = &model });
    assert_string_equal(result.text, "It is ***, no?");
    canned_stop(&canned);
}

static void scripts_speak_without_a_server(void **state)
{
    struct llm_model model;
    struct llm_result result;
    struct err err = { 0 };

    (void)state;
    model_init(&model, "");
    model.provider_name = "scripted";
    model.script_text = "Bo: One.\nBo: !fail I am out\n";
    assert_true(model_check(&model, &arena, &err));
    result = ask_as("ollama", "", &(struct llm_request){ .model = &model, .speaker = "Bo", .turn = 1 });
    assert_string_equal(result.text, "One.");
    assert_true(result.scripted);
    assert_int_equal(result.usage.output, LLM_NOT_REPORTED);
    result = ask_as("ollama", "", &(struct llm_request){ .model = &model, .speaker = "Bo", .turn = 2 });
    assert_int_equal(result.kind, LLM_REFUSED);
    assert_non_null(strstr(result.words, "I am out"));
}

static void scripts_call_tools_where_there_are_any(void **state)
{
    static const struct llm_tool tool = { .name = "count", .description = "Counts.", .schema = "{}" };
    struct llm_model model;
    struct llm_result result;
    struct err err = { 0 };

    (void)state;
    model_init(&model, "");
    model.provider_name = "scripted";
    model.script_text =
        "Bo: I count.\\n!call count {\"of\": \"a\\\\nb\"}\\n!call finish\nBo: !call count {oops\n";
    assert_true(model_check(&model, &arena, &err));
    struct llm_request request = {
        .model = &model, .speaker = "Bo", .turn = 1, .tools = &tool, .tool_count = 1
    };

    result = ask_as("ollama", "", &request);
    assert_string_equal(result.text, "I count.");
    assert_int_equal(result.finish, LLM_FINISH_TOOLS);
    assert_int_equal(result.tool_call_count, 2);
    assert_string_equal(result.tool_calls[0].name, "count");
    assert_string_equal(result.tool_calls[0].arguments, "{\"of\": \"a\\nb\"}");
    assert_true(result.tool_calls[0].is_object);
    assert_string_equal(result.tool_calls[1].name, "finish");
    assert_string_equal(result.tool_calls[1].arguments, "{}");
    assert_string_not_equal(result.tool_calls[0].id, result.tool_calls[1].id);
    request.turn = 2;
    result = ask_as("ollama", "", &request);
    assert_string_equal(result.text, "");
    assert_int_equal(result.tool_call_count, 1);
    assert_false(result.tool_calls[0].is_object);
    request.tool_count = 0;
    assert_non_null(strstr(ask_as("ollama", "", &request).text, "!call"));
}

/* Many at once, and cancelling. */

static atomic_int done_count, cancelled_count;

static void count_done(void *user, const struct llm_result *result)
{
    (void)user;
    if (result->kind == LLM_CANCELLED)
        atomic_fetch_add(&cancelled_count, 1);
    atomic_fetch_add(&done_count, 1);
}

static uint64_t begin(const struct llm_model *model)
{
    const struct llm_request request = { .model = model, .messages = hello, .message_count = 2 };
    const struct llm_callbacks callbacks = { .done = count_done };
    struct err err = { 0 };
    uint64_t id = 0;

    assert_true(llm_start(llm, &request, &callbacks, &id, &err));
    return id;
}

static void a_server_gets_no_more_calls_than_it_may(void **state)
{
    struct llm_model model;

    (void)state;
    done_count = 0;
    canned_start(&canned, (const char *const[]){ EVENTS SAY("x") STOP DONE, NULL });
    make_model(&model, "openai", arena_format(&arena, "%s/v1", canned.url));
    model.max_in_flight = 3;
    for (int i = 0; i < 60; i++)
        (void)begin(&model);
    while (done_count < 60)
        usleep(1000);
    assert_in_range(canned.most_asking, 1, 3);
    assert_int_equal(canned.requests, 60);
    /* A place is given back before its caller is told. */
    assert_int_equal(lanes_out(llm_lanes(llm)) + lanes_waiting(llm_lanes(llm)), 0);
    canned_stop(&canned);
}

static void cancelling_closes_the_connection(void **state)
{
    struct llm_model model;
    uint64_t ids[40];

    (void)state;
    done_count = cancelled_count = 0;
    canned_start(&canned, (const char *const[]){ EVENTS SAY("x") "\x01", NULL });
    make_model(&model, "openai", arena_format(&arena, "%s/v1", canned.url));
    model.max_in_flight = 20;
    for (int i = 0; i < 40; i++)
        ids[i] = begin(&model);
    while (canned.requests < 20)
        usleep(1000);
    for (int i = 0; i < 40; i++)
        llm_cancel(llm, ids[39 - i]);
    llm_cancel(llm, 999999);
    while (done_count < 40)
        usleep(1000);
    assert_int_equal(cancelled_count, 40);
    while (canned.gone < 20)
        usleep(1000);
    assert_int_equal(canned.requests, 20);
    canned_stop(&canned);
}

static void closing_ends_what_is_under_way(void **state)
{
    struct llm_model model;

    (void)state;
    done_count = cancelled_count = 0;
    canned_start(&canned, (const char *const[]){ EVENTS "\x01", NULL });
    make_model(&model, "openai", arena_format(&arena, "%s/v1", canned.url));
    for (int i = 0; i < 30; i++)
        (void)begin(&model);
    llm_close(llm);
    assert_int_equal(cancelled_count, 30);
    llm = llm_open(net);
    canned_stop(&canned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openai_streams_text_and_counts),
        cmocka_unit_test(counts_that_do_not_come_are_not_reported),
        cmocka_unit_test(a_stop_is_enforced_whatever_the_server_does),
        cmocka_unit_test(an_end_at_a_stop_that_was_sent_is_told),
        cmocka_unit_test(byte_by_byte_is_the_same),
        cmocka_unit_test(tool_calls_are_put_together),
        cmocka_unit_test(a_reply_may_have_many_tool_calls_and_not_any_number),
        cmocka_unit_test(ollama_speaks_in_lines),
        cmocka_unit_test(anthropic_speaks_in_events),
        cmocka_unit_test(arguments_that_are_no_object_are_sent_as_an_empty_one),
        cmocka_unit_test(what_is_wrong_is_told_in_words),
        cmocka_unit_test(nobody_there_is_unreachable),
        cmocka_unit_test(a_forbidden_address_is_not_called),
        cmocka_unit_test(a_name_that_leads_inside_is_not_called_either),
        cmocka_unit_test(silence_ends_in_too_slow),
        cmocka_unit_test(what_may_pass_is_tried_again),
        cmocka_unit_test(a_server_that_wants_it_otherwise_gets_it_so),
        cmocka_unit_test(a_key_is_sent_and_never_shown),
        cmocka_unit_test(scripts_speak_without_a_server),
        cmocka_unit_test(scripts_call_tools_where_there_are_any),
        cmocka_unit_test(a_server_gets_no_more_calls_than_it_may),
        cmocka_unit_test(cancelling_closes_the_connection),
        cmocka_unit_test(closing_ends_what_is_under_way),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

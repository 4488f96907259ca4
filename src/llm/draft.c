/*
 * What providers send in pieces is gathered by number: text through the stops, tool calls by their index,
 * each with a bound, because a server may send without end. The first failure is kept; what follows it is
 * usually its consequence.
 */
#include "llm/draft.h"

#include "base/limits.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void take_text(void *user, const char *text, size_t len)
{
    struct draft *draft = user;

    buf_add(&draft->text, text, len);
    if (!draft->text.full && draft->delta && !draft->delta(draft->user, text, len))
        draft->enough = true;
}

void draft_init(struct draft *draft, bool (*delta)(void *user, const char *text, size_t len), void *user)
{
    *draft = (struct draft){ .delta = delta, .user = user, .usage = { LLM_NOT_REPORTED, LLM_NOT_REPORTED } };
    buf_init(&draft->text, LIMIT_MODEL_TEXT);
}

static void drop_tools(struct draft *draft)
{
    for (size_t i = 0; i < draft->tool_count; i++) {
        buf_done(&draft->tools[i].id);
        buf_done(&draft->tools[i].name);
        buf_done(&draft->tools[i].arguments);
    }
    free(draft->tools);
    draft->tools = NULL;
    draft->tool_count = draft->tool_bytes = 0;
}

void draft_done(struct draft *draft)
{
    drop_tools(draft);
    stops_done(&draft->stops);
    buf_done(&draft->text);
}

void draft_reset(struct draft *draft)
{
    drop_tools(draft);
    stops_reset(&draft->stops);
    buf_clear(&draft->text);
    draft->ended = draft->over = draft->enough = false;
    draft->finish = LLM_FINISH_NONE;
    draft->usage = (struct llm_usage){ LLM_NOT_REPORTED, LLM_NOT_REPORTED };
    draft->kind = LLM_FINE;
    draft->words[0] = '\0';
}

bool draft_fail(struct draft *draft, enum llm_kind kind, const char *fmt, ...)
{
    va_list args;

    if (draft->kind != LLM_FINE)
        return false;
    draft->kind = kind;
    va_start(args, fmt);
    vsnprintf(draft->words, sizeof(draft->words), fmt, args);
    va_end(args);
    return false;
}

bool draft_text(struct draft *draft, const char *text, size_t len)
{
    draft->stops.emit = take_text;
    draft->stops.user = draft;
    bool more = stops_feed(&draft->stops, text, len) && !draft->enough;

    if (draft->text.full)
        return draft_fail(draft, LLM_FLOODED, "The reply has more than %d KB of text.",
                          LIMIT_MODEL_TEXT / KB);
    if (!more) {
        draft->ended = true;
        draft->finish = LLM_FINISH_CUT;
    }
    return more;
}

static struct draft_tool *tool_numbered(struct draft *draft, size_t number)
{
    if (number >= LIMIT_MODEL_TOOL_CALLS) {
        draft_fail(draft, LLM_FLOODED, "The reply has more than %d tool calls.", LIMIT_MODEL_TOOL_CALLS);
        return NULL;
    }
    if (number >= draft->tool_count) {
        draft->tools = memory_resize(draft->tools, (number + 1) * sizeof(*draft->tools));
        for (; draft->tool_count <= number; draft->tool_count++) {
            struct draft_tool *tool = &draft->tools[draft->tool_count];

            buf_init(&tool->id, LIMIT_REF);
            buf_init(&tool->name, LIMIT_REF);
            buf_init(&tool->arguments, LIMIT_MODEL_TEXT);
        }
    }
    return &draft->tools[number];
}

static void add_to(struct buf *buf, const char *text)
{
    if (text)
        buf_text(buf, text);
}

bool draft_tool(struct draft *draft, size_t number, const char *id, const char *name, const char *arguments)
{
    struct draft_tool *tool = tool_numbered(draft, number);

    if (!tool)
        return false;
    size_t before = tool->id.len + tool->name.len + tool->arguments.len;

    /* Some repeat the id in every piece. */
    if (tool->id.len == 0)
        add_to(&tool->id, id);
    if (tool->name.len == 0)
        add_to(&tool->name, name);
    add_to(&tool->arguments, arguments);
    draft->tool_bytes += tool->id.len + tool->name.len + tool->arguments.len - before;
    if (tool->id.full || tool->name.full || tool->arguments.full || draft->tool_bytes > LIMIT_MODEL_TEXT)
        return draft_fail(draft, LLM_FLOODED, "The reply has a tool call that is too large.");
    return true;
}

void draft_finish(struct draft *draft, enum llm_finish finish)
{
    if (draft->finish == LLM_FINISH_NONE)
        draft->finish = finish;
}

/* Neither none nor more than any model reads: such a count is not believed. */
static void read_count(int64_t *count, const json_t *number)
{
    if (json_is_integer(number) && json_integer_value(number) > 0 &&
        json_integer_value(number) <= LIMIT_MODEL_TOKENS)
        *count = json_integer_value(number);
}

void draft_usage(struct draft *draft, const json_t *input, const json_t *output)
{
    read_count(&draft->usage.input, input);
    read_count(&draft->usage.output, output);
}

void draft_close(struct draft *draft)
{
    draft->stops.emit = take_text;
    draft->stops.user = draft;
    stops_flush(&draft->stops);
    if (draft->stops.state == STOPS_HIT)
        draft->finish = LLM_FINISH_CUT;
}

bool draft_is_empty(const struct draft *draft)
{
    return draft->text.len == 0 && draft->tool_count == 0;
}

static bool is_object(const struct buf *text)
{
    JSON_AUTO *value = NULL;
    struct err ignored = { 0 };

    return json_parse(text->bytes, text->len, &value, &ignored) && json_is_object(value);
}

const struct llm_tool_call *draft_tool_calls(const struct draft *draft, struct arena *arena)
{
    struct llm_tool_call *calls = arena_array(arena, struct llm_tool_call, draft->tool_count + 1);

    for (size_t i = 0; i < draft->tool_count; i++) {
        const struct draft_tool *tool = &draft->tools[i];
        const char *arguments = tool->arguments.len > 0 ? tool->arguments.bytes : "{}";

        calls[i].id = tool->id.len > 0 ? arena_copy(arena, tool->id.bytes, tool->id.len)
                                       : arena_format(arena, "call_%zu", i + 1);
        calls[i].name = arena_copy(arena, tool->name.bytes, tool->name.len);
        calls[i].arguments = arena_text(arena, arguments);
        calls[i].is_object = tool->arguments.len == 0 || is_object(&tool->arguments);
    }
    return calls;
}

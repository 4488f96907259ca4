/*
 * Whatever is so short that every model can be told it is never refused: how long the tools' descriptions are
 * is not the business of whoever gave the task, and the estimate of small things is the worst.
 */
#include "core/runs/room.h"

#include "base/settings.h"
#include "core/runs/rules/loop.h"
#include "llm/model_choice.h"

#include <string.h>

#define REPLY_PART 8 /* a part of so many is left for the reply, where its length is not set */

/* Without a window of its own a model has the one that discussions give it: council.window. */
void room_of(struct arena *arena, const char *model_config, struct room *room)
{
    struct llm_model model = { 0 };
    struct err ignored = { 0 };

    *room = (struct room){ .scripted = false };
    if (!model_of_config(arena, model_config, &model, &ignored))
        model = (struct llm_model){ .provider = LLM_PROVIDERS, .window = MODEL_UNSET };
    room->scripted = model.provider == LLM_SCRIPTED;
    room->stated = model.window > 0;
    room->window = room->stated ? model.window : loop_tokens((size_t)settings()->council_window);
    room->reply = model.max_tokens > 0 && model.max_tokens < room->window / 2 ? model.max_tokens
                                                                              : room->window / REPLY_PART;
}

static size_t length(const char *text)
{
    return text ? strlen(text) : 0;
}

size_t room_tools(const struct llm_tool *tools, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += length(tools[i].name) + length(tools[i].description) + length(tools[i].schema);
    return bytes;
}

const char *room_refusal(struct arena *arena, const struct room *room, const char *agent, size_t said,
                         size_t tools)
{
    int64_t all = loop_tokens_likely(loop_tokens(said + tools));

    if (!room->stated || loop_tokens(said) < WINDOW_SMALL || all + room->reply <= room->window)
        return NULL;
    return arena_format(
        arena,
        "The input is too long for the model of %.80s: with its instructions and tools it takes about %lld tokens, and the model can be told %lld at once (window), of which its reply needs %lld.",
        agent, (long long)all, (long long)room->window, (long long)room->reply);
}

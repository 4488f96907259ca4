/*
 * room.h - how much a model can be told at once, and whether what a run begins with fits that.
 *
 * What is told later can be shortened or condensed (talk.c). The instructions, the input and what is told of
 * the tools cannot: where they do not fit the window that the operator has given the model, nothing is sent.
 *
 * Thread: any.
 */
#ifndef CORE_RUNS_ROOM_H
#define CORE_RUNS_ROOM_H

#include "llm/llm.h"
#include "llm/model.h"

#define WINDOW_SMALL 400 /* tokens that every model can be told */

struct room {
    int64_t window, reply; /* tokens: all that it can be told, and how much of that is left for its reply */
    bool stated;           /* by the model's settings; else nobody knows, and nothing is refused for it */
    bool scripted;         /* lines of a script: they are told nothing, and take no tokens */
};

/* Of the model that is asked by this config. */
void room_of(struct arena *arena, const char *model_config, struct room *room);
/* Bytes that a request names its tools with. */
size_t room_tools(const struct llm_tool *tools, size_t count);
/* Why so many bytes of instructions and input, beside so many of tools, cannot be told at once, in a
 * sentence; NULL: they can. */
const char *room_refusal(struct arena *arena, const struct room *room, const char *agent, size_t said,
                         size_t tools);

#endif

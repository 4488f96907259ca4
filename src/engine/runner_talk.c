/*
 * What a model has been told and has said, kept while its run is in hand. The store has all of it; here it
 * is only so that a step need not read the conversation again. A step says what is new, or all of it afresh.
 */
#include "engine/runner_internal.h"

#include <string.h>

#define TALK_ROOM 32 /* messages, at first */

static struct llm_tool_call *copy_calls(struct arena *arena, const struct llm_tool_call *from, size_t count)
{
    struct llm_tool_call *to = arena_array(arena, struct llm_tool_call, count);

    for (size_t i = 0; i < count; i++)
        to[i] = (struct llm_tool_call){ .id = arena_text(arena, from[i].id),
                                        .name = arena_text(arena, from[i].name),
                                        .arguments = arena_text(arena, from[i].arguments) };
    return to;
}

static struct llm_message copy_message(struct arena *arena, const struct llm_message *from)
{
    return (struct llm_message){
        .role = arena_text(arena, from->role),
        .name = arena_text(arena, from->name),
        .content = arena_text(arena, from->content),
        .tool_calls = copy_calls(arena, from->tool_calls, from->tool_call_count),
        .tool_call_count = from->tool_call_count,
        .tool_call_id = arena_text(arena, from->tool_call_id),
    };
}

static void copy_tools(struct run_talk *talk, const struct llm_tool *from, size_t count)
{
    struct arena *arena = &talk->arena;

    talk->tools = arena_array(arena, struct llm_tool, count);
    talk->tool_count = count;
    for (size_t i = 0; i < count; i++)
        talk->tools[i] = (struct llm_tool){ .name = arena_text(arena, from[i].name),
                                            .description = arena_text(arena, from[i].description),
                                            .schema = arena_text(arena, from[i].schema) };
}

static void make_room(struct run_talk *talk, size_t more)
{
    size_t room = talk->room ? talk->room : TALK_ROOM;

    if (talk->count + more <= talk->room)
        return;
    while (room < talk->count + more)
        room *= 2;
    struct llm_message *messages = arena_array(&talk->arena, struct llm_message, room);

    if (talk->count > 0)
        memcpy(messages, talk->messages, talk->count * sizeof(*messages));
    talk->messages = messages;
    talk->room = room;
}

static void begin_afresh(struct run_talk *talk, const struct run_step *step)
{
    arena_reset(&talk->arena);
    talk->messages = NULL;
    talk->count = talk->room = 0;
    copy_tools(talk, step->tools, step->tool_count);
    talk->edition = step->edition;
    talk->speaker = arena_text(&talk->arena, step->speaker);
    talk->model_config = arena_text(&talk->arena, step->model_config);
}

void talk_take(struct held_run *held, const struct run_step *step)
{
    struct run_talk *talk = &held->talk;

    if (step->afresh)
        begin_afresh(talk, step);
    make_room(talk, step->message_count);
    for (size_t i = 0; i < step->message_count; i++)
        talk->messages[talk->count++] = copy_message(&talk->arena, &step->messages[i]);
}

void talk_done(struct run_talk *talk)
{
    arena_done(&talk->arena);
}

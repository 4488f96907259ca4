/*
 * Each speaker's last word is kept, cut at a length, in the order in which they were said: what came before
 * it was the way there. So the memory is bounded whatever the models say: questions times speakers times that
 * length.
 */
#include "cli/client/chat_memory.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"
#include "core/council/rules/said.h"

#include <string.h>

#define QUESTION_CHARS 500
#define ANSWER_CHARS   600
#define SPEAKERS       8 /* of a large discussion the last ones */

static const char *agent_of(const json_t *said)
{
    const char *name = json_string_value(json_object_get(said, "agent"));

    return name ? name : "";
}

/* Whether the same speaker has another word later on. */
static bool speaks_again(const json_t *all, size_t at)
{
    for (size_t i = at + 1; i < json_array_size(all); i++)
        if (strcmp(agent_of(json_array_get(all, i)), agent_of(json_array_get(all, at))) == 0)
            return true;
    return false;
}

static size_t last_words(const json_t *all)
{
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(all); i++)
        count += !speaks_again(all, i);
    return count;
}

static void write_answers(struct arena *arena, const json_t *all, struct buf *into)
{
    size_t left = last_words(all);

    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *said = json_array_get(all, i);
        const char *text = json_string_value(json_object_get(said, "content"));

        if (speaks_again(all, i) || left-- > SPEAKERS)
            continue;
        buf_format(into, "%s: ", agent_of(said));
        said_set_in(str_beginning(arena, text ? text : "", ANSWER_CHARS), into);
        buf_char(into, '\n');
    }
}

void chat_memory_add(struct chat_memory *memory, struct arena *arena, const char *question,
                     const json_t *result)
{
    const json_t *all = json_object_get(result, "full_discussion");
    BUF_AUTO text = { 0 };

    if (json_array_size(all) == 0)
        return;
    buf_init(&text, 0);
    buf_format(&text, "Question: %s\n", str_beginning(arena, question, QUESTION_CHARS));
    write_answers(arena, all, &text);
    if (memory->count == CHAT_MEMORY_QUESTIONS)
        memmove(memory->past, memory->past + 1, --memory->count * sizeof(*memory->past));
    memory->past[memory->count++] = arena_copy(arena, text.bytes, text.len);
}

const char *chat_memory_text(const struct chat_memory *memory, struct arena *arena)
{
    const char *text = NULL;

    for (size_t i = 0; i < memory->count; i++)
        text = text ? arena_format(arena, "%s\n%s", text, memory->past[i]) : memory->past[i];
    return text;
}

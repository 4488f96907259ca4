/*
 * brief.h - what an agent's next prompt must hold.
 *
 * For a task: what it is about, what people answered, its chat, and how much the agent may decide by itself.
 * The same for feedback, sections of the PRD and plans, without a chat. It is given in parts and as one text
 * that can be put into a prompt as it stands.
 */
#ifndef CORE_WORK_BRIEF_H
#define CORE_WORK_BRIEF_H

#include "base/words.h"
#include "core/caller/tx.h"
#include "core/work/project.h"
#include "core/work/source.h"
#include "core/work/task.h"

struct brief_subject {
    enum work_source source;
    const char *source_id;
    const char *title; /* one line */
    const char *text;  /* the description, the feedback, the document; may be "" */
};

/* A task as the subject of its brief. */
struct brief_subject brief_of_task(const struct task *task);
/* Writes the whole reply object. */
CHECKED bool brief_write(const struct tx *tx, const struct project *project,
                         const struct brief_subject *subject, struct json_out *out);

/* What somebody has said in a brief's text, or their name: where it stands, so that it is found again when
 * they are erased. */
enum said_as { SAID_TEXT = 1, SAID_ANSWER, SAID_NAME, SAID_END };
WORDS_OF(said_as, said_as);
struct brief_said {
    enum said_as as;
    const char *of; /* the id of the feedback, the set of questions or the message */
    const char *by; /* who has answered, or whose name it is; NULL: who wrote that */
    size_t at, bytes;
};

/* Only its text for a prompt. */
struct brief {
    const char *text;
    struct brief_said *said; /* in the order of the text */
    size_t said_count;
};
CHECKED bool brief_prompt(const struct tx *tx, const struct project *project,
                          const struct brief_subject *subject, struct brief *brief);
/* The config.json for a task's folder: how much the agent may decide by itself. */
void brief_write_config(struct arena *arena, const struct project *project, const char *task_id,
                        struct json_out *out);

#endif

/*
 * project.h - work inside a workspace, and how much agents may decide in it.
 *
 * Everything of a project (tasks, feedback, documents, open questions, decisions) is reached through a struct
 * project, and only project_see gives one: it is the one place where another workspace's project, and one
 * that the caller's token is not bound to, do not exist.
 */
#ifndef CORE_WORK_PROJECT_H
#define CORE_WORK_PROJECT_H

#include "base/json.h"
#include "base/words.h"
#include "core/caller/caller.h"
#include "core/caller/tx.h"
#include "core/work/autonomy.h"

/* Who works on the tasks that a project's orchestrator takes: an agent of the runner, or the operator's
 * command. */
enum project_coder { CODER_RUNNER = 1, CODER_COMMAND, CODER_END };
WORDS_OF(project_coder, project_coders);

/* Whether it takes tasks by itself (core/runs/orchestrate.h). */
struct orchestrator_switch {
    bool on;
    int64_t parallel; /* tasks at a time, 1 to LIMIT_PARALLEL */
    enum project_coder coder;
};

struct project {
    const char *id, *workspace_id;
    const char *name, *description;
    struct autonomy autonomy;
    const char *settings; /* a JSON object's text; its list `answerers` names those who may answer */
    struct orchestrator_switch orchestrator;
    int64_t created_ms;
};

/* As this caller sees it. ERR_NOT_FOUND for anything else. */
CHECKED bool project_see(const struct tx *tx, const char *id, struct project *project);
/* Nobody else changes questions or dependencies in it until the transaction ends. ERR_NOT_FOUND when gone. */
CHECKED bool project_lock(const struct tx *tx, const struct project *project);
/* And nobody adds anything that refers to it: before it is deleted. */
CHECKED bool project_lock_whole(const struct tx *tx, const struct project *project);

/* Takes name, description, autonomy and settings; fills in the rest. Its orchestrator is off. */
CHECKED bool project_create(const struct tx *tx, struct project *project);
/* Writes what project_see gave and the caller changed. */
CHECKED bool project_save(const struct tx *tx, const struct project *project);
/* With all that is in it. Open questions are dismissed first: see question_set_clear. */
CHECKED bool project_delete(const struct tx *tx, const struct project *project);

/* Those the caller sees, newest first, after `cursor` (an id; NULL: from the start). */
CHECKED bool project_list(const struct tx *tx, const char *cursor, size_t limit, struct project **projects,
                          size_t *count);

/* key NULL: the root or inside a list. */
void project_write(struct arena *arena, const struct project *project, const char *key, struct json_out *out);

#endif

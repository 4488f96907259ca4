#include "core/runs/instructions.h"

#include "base/buf.h"
#include "core/runs/run_agents.h"
#include "core/work/project.h"

#include <string.h>

static const char loop_words[] =
    "You work in a loop: you call tools, and are told what came of each call. Call finish with the result when "
    "the work is done; an answer without a call ends the work, too. Ask people with ask_question when you need "
    "what only they can know or decide, and the other agents with ask_squad. A call that was not approved "
    "stays undone: do not try it again.";

/* What it is told of itself: nobody has made the agents that the runner knows, so they have no id. */
static bool own_words(const struct tx *tx, const struct agent *agent, const struct project *project,
                      const char **words)
{
    *words = agent->system_prompt ? agent->system_prompt : "";
    return agent->id || run_agent_words(tx, run_agent_known(tx->arena, agent->name), project, words);
}

bool run_instructions(const struct tx *tx, const struct agent *agent, const struct job *job,
                      const char **text)
{
    BUF_AUTO whole = { 0 };
    struct project project;
    const char *words;

    if (job->project_id && !project_see(tx, job->project_id, &project))
        return false;
    if (!own_words(tx, agent, job->project_id ? &project : NULL, &words))
        return false;
    buf_format(&whole, "%s%s%s", words, *words ? "\n\n" : "", loop_words);
    const char *autonomy = job->project_id ? autonomy_lines(tx->arena, &project.autonomy) : "";

    /* Whatever the words are, it is told this; those that have it say it once. */
    if (*autonomy && !strstr(words, autonomy))
        buf_format(&whole, "\n\nHow much you may decide by yourself in the project %s:\n%s", project.name,
                   autonomy);
    *text = arena_copy(tx->arena, whole.bytes, whole.len);
    return true;
}

static const char *given_text(const struct tx *tx, const struct job *job)
{
    struct err ignored = { 0 };
    JSON_AUTO *value = NULL;

    if (!job->input)
        return "Work on the task of this job.";
    if (!json_parse(job->input, strlen(job->input), &value, &ignored) || !json_is_string(value))
        return job->input;
    return arena_text(tx->arena, json_string_value(value));
}

bool run_input(const struct tx *tx, const struct job *job, const char **text)
{
    struct run_work work;
    const char *brief;

    *text = given_text(tx, job);
    if (!run_work_of(tx, job, &work))
        return false;
    if (!work.agent)
        return true;
    if (!run_work_brief(tx, &work, &brief))
        return false;
    *text = arena_format(tx->arena, "%s\n\n%s", *text, brief);
    return true;
}

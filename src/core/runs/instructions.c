#include "core/runs/instructions.h"

#include "base/buf.h"
#include "core/runs/offer.h"
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

/* Not where the folder is: that is the operator's business, and names in it are all that its tools need. */
static bool add_task(const struct tx *tx, const struct run *run, const char **text)
{
    const char *tools;

    if (!run->task_id)
        return true;
    if (!offer_in_task_folder(tx, run, &tools))
        return false;
    *text = arena_format(tx->arena, "%s\n\nThe task of this job has the id %s.", *text, run->task_id);
    if (tools)
        *text = arena_format(tx->arena,
                             "%s These tools work in its folder, in which config.json says how much you may "
                             "decide by yourself: %s.",
                             *text, tools);
    return true;
}

/* Who speaks in a brief that begins there. */
static const char *said_data(struct arena *arena, const struct brief *brief, size_t begins)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_list(&out, "said");
    for (size_t i = 0; i < brief->said_count; i++) {
        const struct brief_said *said = &brief->said[i];

        json_map(&out, NULL);
        json_text(&out, "as", said_as_word(said->as));
        json_text(&out, "of", said->of);
        if (said->by)
            json_text(&out, "by", said->by);
        json_int(&out, "at", (int64_t)(begins + said->at));
        json_int(&out, "bytes", (int64_t)said->bytes);
        json_map_end(&out);
    }
    json_list_end(&out);
    json_map_end(&out);
    return arena_copy(arena, data.bytes, data.len);
}

bool run_input(const struct tx *tx, const struct run *run, const struct job *job, const char **text,
               const char **data)
{
    struct run_work work;
    struct brief brief;

    *text = given_text(tx, job);
    *data = NULL;
    if (!add_task(tx, run, text) || !run_work_of(tx, job, &work))
        return false;
    if (!work.agent)
        return true;
    if (!run_work_brief(tx, &work, &brief))
        return false;
    *text = arena_format(tx->arena, "%s\n\n", *text);
    if (brief.said_count > 0)
        *data = said_data(tx->arena, &brief, strlen(*text));
    *text = arena_format(tx->arena, "%s%s", *text, brief.text);
    return true;
}

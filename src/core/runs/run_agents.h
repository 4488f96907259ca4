/*
 * run_agents.h - the agents that the runner knows without anybody making them: analyst, dreamer, planner and
 * coder, and what becomes of their results.
 *
 * Each is told a prompt of ours (src/prompts/agent_*.txt, or the workspace's own words for it) with the
 * project's autonomy in it, and speaks by the default model. An agent template of the same name that people
 * made is told its own words and has its own model instead.
 *
 * One of them that runs in a project and is told what to work on (feedbackId, sectionKey, planId or taskId in
 * its input; the job's own task for the coder) is given the brief of that (core/work/brief.h) beside its
 * input, and its final result is handed in as any agent's is (core/work/result.h), in the transaction that
 * ends its run: open questions become a set for people, tasks are made, texts written. What could not be read
 * is told and never taken for success.
 *
 * One that was not told what to work on has nothing to hand in for. What it would ask people by its result is
 * then asked by ask_question (run_finish_unfit), and one that ends as failed, or with questions all the same,
 * ends its job as failed.
 */
#ifndef CORE_RUNS_RUN_AGENTS_H
#define CORE_RUNS_RUN_AGENTS_H

#include "core/council/agent.h"
#include "core/questions/job.h"
#include "core/work/brief.h"
#include "core/work/result.h"

/* Which of the four it is, by its name in whatever case; 0: none of them. */
enum result_agent run_agent_known(struct arena *arena, const char *name);
/* One that nobody has made: without an id, on the default model. */
struct agent run_agent_made_up(struct arena *arena, const char *name);
/* Those of the four that nobody has made a template in place of; NULL behind the last. */
CHECKED bool run_agents_built_in(const struct tx *tx, const char *const **names);
/* What it is told before all else. `project` may be NULL. */
CHECKED bool run_agent_words(const struct tx *tx, enum result_agent agent, const struct project *project,
                             const char **words);

/* What one of them works on. */
struct run_work {
    enum result_agent agent; /* 0: nothing whose result is handed in */
    struct project project;
    struct brief_subject subject;
    const char *done; /* why nobody should begin with it any more, or NULL */
};

/*
 * What a job is about. A source of another agent, one that says something else than the job, or one that is
 * not there, is ERR_INVALID with its field; of a job that has run meanwhile it is as if it were none.
 */
CHECKED bool run_work_of(const struct tx *tx, const struct job *job, struct run_work *work);
/* Before a run is made that somebody asks for: the same, and what it is about must neither be done already
 * nor be in the hands of the orchestrator's coder. */
CHECKED bool run_work_begins(const struct tx *tx, const struct job *job);
/* The brief, as a text to stand behind what the job was given. */
CHECKED bool run_work_brief(const struct tx *tx, const struct run_work *work, struct brief *brief);

/* What came of handing a result in. */
struct run_handed {
    bool handed;         /* there was something to hand it in for */
    bool accepted;       /* it was understood and taken */
    const char *text;    /* the same as a JSON object: accepted, questions, notificationId, tasks, problems */
    const char *problem; /* why it was not taken, or did not succeed, in a sentence; NULL: it was, and did */
    bool unwanted; /* its task was taken away meanwhile, or others were quicker: nothing was made of it */
};
/*
 * Hands in what a run ended with: `result` is the JSON of what it gave to finish, or of a text that it ended
 * with. In the transaction that ends the run, whose job is locked.
 */
CHECKED bool run_hand_in(const struct tx *tx, const struct job *job, const char *result,
                         struct run_handed *handed);
/* Whether finish cannot be called with these arguments, in words for the model; NULL: it can. */
CHECKED bool run_finish_unfit(const struct tx *tx, const struct job *job, const char *arguments,
                              const char **why);

#endif

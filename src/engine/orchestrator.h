/*
 * orchestrator.h - has coders work on the tasks that projects' orchestrators take.
 *
 * What is taken, and what follows from how a coder ended, is decided in core (core/runs/orchestrate.h) and
 * kept in rows. This is the part that does what needs more than the store: it makes the folder of a task,
 * starts the operator's command in it and reads what that prints. A take is held under the node's lease
 * (holder.h) meanwhile. A command whose node dies or stops is ended with it, and never begun again by itself:
 * whoever claims the take finds it coding, and people are asked.
 *
 * Folders are made and outputs are read on a thread of its own, since both take as long as they take.
 *
 * Thread: the one that starts and stops.
 */
#ifndef ENGINE_ORCHESTRATOR_H
#define ENGINE_ORCHESTRATOR_H

#include "db/store.h"
#include "engine/tailer.h"
#include "programs/programs.h"

struct orchestrator;

struct orchestrator_setup {
    const char *folder;                       /* for the folders of tasks; NULL: none are made */
    const struct program *coder;              /* the operator's command, or NULL */
    const struct secret_forms *coder_secrets; /* not in what it prints (toolbox/secrets.h); or NULL */
    struct programs *programs;                /* or NULL: none can be started */
};

struct orchestrator *orchestrator_open(struct store *store, struct tailer *tailer,
                                       const struct orchestrator_setup *setup, struct err *err);
/* Ends the commands that run and lets go of all. Accepts NULL. */
void orchestrator_close(struct orchestrator *orchestrator);

#endif

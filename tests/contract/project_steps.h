/*
 * project_steps.h - the steps that the tests of projects, tasks, results and open questions are made of.
 */
#ifndef PROJECT_STEPS_H
#define PROJECT_STEPS_H

#include "contract.h"

const char *make_project(struct t *t);
const char *make_task(struct t *t, const char *project, const char *title);
/* A task that waits for another. */
const char *make_dependent(struct t *t, const char *project, const char *title, const char *depends_on);
int claim(struct t *t, const char *project, const char *task, const char *agent);
int set_status(struct t *t, const char *project, const char *task, const char *status);
/* Leaves the task in t->reply. */
void get_task(struct t *t, const char *project, const char *task);
/* The titles of what is ready, in order, separated by commas. */
const char *ready(struct t *t, const char *project);
/* Hands in a coder's result given as JSON text; returns the status. */
int hand_in(struct t *t, const char *project, const char *agent, const char *source_id, const char *result);
/* Answers one question of a set. */
int answer_one(struct t *t, const char *project, const char *set, const char *question, const char *answer);
/* The types of the project's events so far, in order, separated by spaces. */
const char *types_of_events(struct t *t, const char *project);
/* The data of the project's newest event of a type; the caller decrefs it. */
json_t *last_event(struct t *t, const char *project, const char *type);
/* Runs `run` in `count` threads at once, each with a struct t of its own; says how many returned true. */
int race(struct t *t, int count, bool (*run)(struct t *t, int number, void *user), void *user);

#endif

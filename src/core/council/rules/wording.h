/*
 * wording.h - what models are told: the texts of src/prompts, or a workspace's own, with what they speak of
 * filled in.
 *
 * A placeholder is a name between double braces, {{topic}}, with or without spaces around it. Filling goes
 * through the text once, and what was filled in is never looked at again. Braces around anything that is no
 * name are text.
 */
#ifndef CORE_COUNCIL_RULES_WORDING_H
#define CORE_COUNCIL_RULES_WORDING_H

#include "core/council/rules/council.h"
#include "gen/prompts.h"

struct wording_value {
    const char *name, *text;
};

/* Fails on a placeholder without a value, and names it. */
CHECKED bool wording_fill(struct arena *arena, const char *words, const struct wording_value values[],
                          size_t count, char **text, struct err *err);
/* Whether a workspace's own text has only placeholders that this prompt has; `field` names it in the error.
 */
CHECKED bool wording_check(enum prompt_text prompt, const char *words, const char *field, struct err *err);
/* Whether it is what an agent of the runner is told, and not somebody in a discussion. */
bool wording_is_agents(enum prompt_text prompt);
/* The prompt of this name. */
CHECKED bool wording_find(const char *name, enum prompt_text *prompt, struct err *err);
/* The prompt for a speaker of a round: by role, or else by name; any other role has one of its own. */
enum prompt_text wording_for(const char *role, const char *name, bool first);
/* The choices of a vote, one to a line. */
char *wording_choices(struct arena *arena, const char *const choices[], size_t count);

#endif

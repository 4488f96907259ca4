/*
 * answer_rights.h - which people may answer a question.
 *
 * Any person of the workspace who is more than a viewer, unless the question is assigned to somebody, needs
 * a role, or belongs to a project whose settings name its `answerers`. Agents never answer for people: who
 * is a person is said in caller.h. Nor does a member's token say yes to what it asked itself, since whoever
 * asks may well be an agent to whom a person has lent it: another person does, or the same one with a login
 * or a token of their own. Owners and admins are not held to that, since they could make another token. In
 * solo mode there is one person, who may answer everything.
 */
#ifndef CORE_QUESTIONS_ANSWER_RIGHTS_H
#define CORE_QUESTIONS_ANSWER_RIGHTS_H

#include "core/caller/tx.h"
#include "core/questions/question.h"

/* The settings of projects, by id: what is needed to judge several questions without asking again. */
struct project_settings {
    const char *id, *settings;
};

/* Those of the projects that these questions belong to. */
CHECKED bool answer_rights_projects(const struct tx *tx, const char *workspace_id,
                                    const struct question *const questions[], size_t count,
                                    struct project_settings **projects, size_t *project_count);
/* Whether a person may answer for a project with these settings, whatever is asked. ERR_FORBIDDEN. */
CHECKED bool answer_rights_for(struct arena *arena, const struct caller *caller, const char *settings,
                               struct err *err);
/* ERR_FORBIDDEN. */
CHECKED bool answer_rights_check(struct arena *arena, const struct caller *caller,
                                 const struct question *question, const struct project_settings *projects,
                                 size_t project_count, struct err *err);
/* The same for one question, which looks up what it needs. */
CHECKED bool answer_rights_check_one(const struct tx *tx, const struct question *question);

/*
 * Whether this caller may say yes to what was asked by a user or token (its id, or NULL: not known).
 * ERR_FORBIDDEN for the member's token that asked, and for a link that stands for it.
 */
CHECKED bool answer_rights_consent(const struct caller *caller, const char *asked_by_id, struct err *err);

/* The set of roles that suffice. */
unsigned answer_rights_roles(const struct question *question);
/* The users whom the question's project names; none when it does not restrict. */
CHECKED bool answer_rights_people(const struct tx *tx, const struct question *question,
                                  const char *const **ids, size_t *count);

#endif

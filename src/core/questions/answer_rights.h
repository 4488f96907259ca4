/*
 * answer_rights.h - which people may answer a question.
 *
 * Any person of the workspace who is more than a viewer, unless the question is assigned to somebody, needs
 * a role, or belongs to a project whose settings name its `answerers`. Agents never answer for people: who
 * is a person is said in caller.h. Nor does a member's token say yes to what it asked itself, since whoever
 * asks may well be an agent to whom a person has lent it: another person does, or the same one with a login
 * or a token of their own. Owners and admins are not held to that, since they could make another token. In
 * solo mode there is one person, who may answer everything.
 *
 * Whoever may answer a question may give it to somebody else who may, and owners and admins always: so what
 * is assigned can be handed over by the assignee, and be taken from nobody by a colleague.
 */
#ifndef CORE_QUESTIONS_ANSWER_RIGHTS_H
#define CORE_QUESTIONS_ANSWER_RIGHTS_H

#include "core/caller/tx.h"
#include "core/questions/question.h"

/* What stands between somebody and an answer, or, of the last three, between their yes and its effect. */
enum answer_bar {
    BAR_AGENT = 1, /* they are no person */
    BAR_ASSIGNED,  /* it is somebody else's */
    BAR_ROLE,
    BAR_PROJECT, /* whose settings name others */
    BAR_TOKEN,   /* the token that asked does not consent */
    BAR_REQUESTER,
    BAR_APPROVED, /* they have approved already, and others must */
    BAR_END,
};
WORDS_OF(answer_bar, answer_bars);

/* What one caller may do about a question that is open. */
struct answer_rights {
    enum answer_bar bar; /* 0: nothing stands in the way */
    bool may_answer;
    bool yes_counts; /* and where a yes is asked for, theirs brings it forward */
    bool may_assign;
};

/*
 * The settings of projects, by id: what is needed to judge several questions of one caller without asking
 * again. What they say about the caller is found out once.
 */
struct project_settings {
    const char *id, *settings;
    bool judged, open_to_caller;
};

/* Those of the projects that these questions belong to. */
CHECKED bool answer_rights_projects(const struct tx *tx, const char *workspace_id,
                                    const struct question *const questions[], size_t count,
                                    struct project_settings **projects, size_t *project_count);
/* Whether a person may answer for a project with these settings, whatever is asked. ERR_FORBIDDEN. */
CHECKED bool answer_rights_for(struct arena *arena, const struct caller *caller, const char *settings,
                               struct err *err);
/* What the caller may do. */
CHECKED bool answer_rights_judge(const struct tx *tx, const struct question *question,
                                 struct project_settings *projects, size_t project_count,
                                 struct answer_rights *rights);
/* ERR_FORBIDDEN unless the caller may answer. */
CHECKED bool answer_rights_check(const struct tx *tx, const struct question *question,
                                 struct project_settings *projects, size_t project_count);
/* The same for one question, which looks up what it needs. */
CHECKED bool answer_rights_check_one(const struct tx *tx, const struct question *question);
/* The bar in one sentence to whoever meets it; NULL for none. */
const char *answer_rights_reason(struct arena *arena, enum answer_bar bar, const struct question *question);

/*
 * Whether this caller may say yes to what was asked by a user or token (its id, or NULL: not known).
 * ERR_FORBIDDEN for the member's token that asked, and for a link that stands for it.
 */
CHECKED bool answer_rights_consent(const struct caller *caller, const char *asked_by_id, struct err *err);
/* The user who asked for it does not also grant it. Alone at home there is nobody else. */
bool answer_rights_is_requester(const struct caller *caller, const struct question *question);
/* Whether they are in a list of approvals. */
bool answer_rights_has_approved(const json_t *approvals, const char *id);

/* Somebody who can be asked, by id or name, as the caller they would be. ERR_INVALID about `field`. */
CHECKED bool answer_rights_person(const struct tx *tx, const char *field, const char *name,
                                  struct caller *person);
/* Whether the question can be theirs alone: somebody must be able to answer it. ERR_INVALID about `field`. */
CHECKED bool answer_rights_assignee(const struct tx *tx, const char *field, const struct question *question,
                                    const struct caller *person);
/* Everybody to whom it could be assigned, by name; `name` is a part of theirs, or NULL. */
CHECKED bool answer_rights_candidates(const struct tx *tx, const struct question *question, const char *name,
                                      struct caller **people, size_t *count);

/* The set of roles that suffice. */
unsigned answer_rights_roles(const struct question *question);
/* The users whom the question's project names; none when it does not restrict. */
CHECKED bool answer_rights_people(const struct tx *tx, const struct question *question,
                                  const char *const **ids, size_t *count);

#endif

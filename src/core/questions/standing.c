#include "core/questions/standing.h"

#include "base/limits.h"
#include "core/questions/snooze.h"

static bool any_open(const struct question questions[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (question_is_open(&questions[i]))
            return true;
    return false;
}

/* Agents are told the same about every question, and have nothing that has to be looked up. */
static bool read_projects(const struct tx *tx, const struct question questions[], size_t count,
                          struct project_settings **projects, size_t *project_count)
{
    const struct question **wanted = arena_array(tx->arena, const struct question *, count);

    *projects = NULL;
    *project_count = 0;
    if (count == 0 || !caller_is_person(tx->caller) || tx->caller->kind == CALLER_LOCAL)
        return true;
    for (size_t i = 0; i < count; i++)
        wanted[i] = &questions[i];
    return answer_rights_projects(tx, questions[0].workspace_id, wanted, count, projects, project_count);
}

bool standing_of(const struct tx *tx, const struct question questions[], size_t count,
                 struct standing **standings)
{
    struct standing *found = arena_array(tx->arena, struct standing, count);
    struct snoozes snoozes = { 0 };
    struct project_settings *projects;
    size_t project_count;

    if (!read_projects(tx, questions, count, &projects, &project_count) ||
        (any_open(questions, count) && !snooze_read(tx, count == 1 ? questions[0].id : NULL, &snoozes)))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct standing *standing = &found[i];

        if (!answer_rights_judge(tx, &questions[i], projects, project_count, &standing->rights))
            return false;
        standing->reason = answer_rights_reason(tx->arena, standing->rights.bar, &questions[i]);
        standing->snoozed_ms = snooze_until(&snoozes, &questions[i], tx->now_ms);
        standing->needed = question_is_open(&questions[i]) && question_blocks(&questions[i]) &&
                           standing->rights.yes_counts && !standing->snoozed_ms;
    }
    *standings = found;
    return true;
}

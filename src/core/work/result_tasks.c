/*
 * Names are sorted once and looked up by bisection, because a result may name 50,000 dependencies. Tasks are
 * made in an order in which each comes after what it depends on, so that a circle shows as tasks that never
 * get a place.
 */
#include "core/work/result_tasks.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NOT_INNER ((size_t)-1)

/* What a dependency may be named by, ready to be looked up: there may be 50,000 of them. */
struct names {
    const struct output *output;
    size_t *by_title, *by_place; /* numbers of tasks, sorted */
    const char **known;          /* ids of the project that the result names, sorted */
    size_t known_count;
};

static int compare_titles(const void *left, const void *right, void *user)
{
    const struct output_task *tasks = user;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = strcasecmp(tasks[a].title, tasks[b].title);

    return order ? order : (a > b) - (a < b);
}

static int compare_places(const void *left, const void *right, void *user)
{
    const struct output_task *tasks = user;
    size_t a = tasks[*(const size_t *)left].place, b = tasks[*(const size_t *)right].place;

    return (a > b) - (a < b);
}

/* The first of several tasks of that title, but for the one that asks. */
static bool find_title(const struct names *names, size_t self, const char *name, size_t *place)
{
    const struct output *output = names->output;
    size_t from = 0, to = output->task_count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (strcasecmp(output->tasks[names->by_title[middle]].title, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    if (from < output->task_count && names->by_title[from] == self)
        from++;
    if (from == output->task_count || strcasecmp(output->tasks[names->by_title[from]].title, name) != 0)
        return false;
    *place = names->by_title[from];
    return true;
}

static bool find_place(const struct names *names, const char *name, size_t *place)
{
    const struct output *output = names->output;
    size_t from = 0, to = output->task_count;
    int64_t number;

    if (!str_to_int(name, &number) || number < 0)
        return false;
    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (output->tasks[names->by_place[middle]].place < (uint64_t)number)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == output->task_count || output->tasks[names->by_place[from]].place != (uint64_t)number)
        return false;
    *place = names->by_place[from];
    return true;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const char *find_known(const struct names *names, const char *id)
{
    const char **found = names->known_count > 0 ? bsearch(&id, names->known, names->known_count,
                                                          sizeof(*names->known), compare_texts)
                                                : NULL;

    return found ? *found : NULL;
}

/* A dependency's name as the store writes ids, or NULL when it cannot be one. */
static const char *as_id(struct arena *arena, const char *name)
{
    char *id = uuid_valid(name) ? arena_text(arena, name) : NULL;

    if (id)
        uuid_lower(id);
    return id;
}

static bool read_names(const struct tx *tx, const struct project *project, const struct output *output,
                       struct names *names)
{
    size_t room = 0, count = 0;

    *names = (struct names){
        .output = output,
        .by_title = arena_array(tx->arena, size_t, output->task_count),
        .by_place = arena_array(tx->arena, size_t, output->task_count),
    };
    for (size_t i = 0; i < output->task_count; i++) {
        names->by_title[i] = names->by_place[i] = i;
        room += output->tasks[i].depends_count;
    }
    qsort_r(names->by_title, output->task_count, sizeof(size_t), compare_titles, output->tasks);
    qsort_r(names->by_place, output->task_count, sizeof(size_t), compare_places, output->tasks);

    const char **ids = arena_array(tx->arena, const char *, room);

    for (size_t i = 0; i < output->task_count; i++)
        for (size_t d = 0; d < output->tasks[i].depends_count; d++)
            if ((ids[count] = as_id(tx->arena, output->tasks[i].depends_on[d])))
                count++;
    return task_known(tx, project, ids, count, &names->known, &names->known_count);
}

/* An id of the project first, since it cannot be meant otherwise; then a title, then a place. */
static void find_dep(struct arena *arena, const struct names *names, size_t self, size_t which,
                     struct result_plan *plan)
{
    const char *name = names->output->tasks[self].depends_on[which], *id = as_id(arena, name);

    plan->inner[self][which] = NOT_INNER;
    plan->deps[self][which] = id ? find_known(names, id) : NULL;
    if (!plan->deps[self][which] && !find_title(names, self, name, &plan->inner[self][which]) &&
        !find_place(names, name, &plan->inner[self][which]))
        plan->problem = arena_format(
            arena,
            "Task `%.80s` depends on `%.80s`, which is neither a task of this result nor one of the project: no task was made.",
            names->output->tasks[self].title, name);
}

/* Takes whatever has nothing left to wait for, until all are placed or none can be. */
static void put_in_order(struct arena *arena, const struct output *output, struct result_plan *plan)
{
    bool *placed = arena_array(arena, bool, output->task_count);
    size_t count = 0;

    for (bool moved = true; moved && count < output->task_count;) {
        moved = false;
        for (size_t i = 0; i < output->task_count; i++) {
            bool waits = placed[i];

            for (size_t d = 0; !waits && d < output->tasks[i].depends_count; d++)
                waits = plan->inner[i][d] != NOT_INNER && !placed[plan->inner[i][d]];
            if (waits)
                continue;
            plan->order[count++] = i;
            placed[i] = moved = true;
        }
    }
    if (count < output->task_count)
        plan->problem = "The tasks depend on each other in a circle: none was made.";
}

bool result_plan(const struct tx *tx, const struct project *project, const struct output *output,
                 struct result_plan *plan)
{
    *plan = (struct result_plan){
        .order = arena_array(tx->arena, size_t, output->task_count),
        .deps = arena_array(tx->arena, const char **, output->task_count),
        .inner = arena_array(tx->arena, size_t *, output->task_count),
    };
    struct names names;

    if (!read_names(tx, project, output, &names))
        return false;
    for (size_t i = 0; i < output->task_count; i++) {
        plan->deps[i] = arena_array(tx->arena, const char *, output->tasks[i].depends_count);
        plan->inner[i] = arena_array(tx->arena, size_t, output->tasks[i].depends_count);
        for (size_t d = 0; d < output->tasks[i].depends_count; d++)
            find_dep(tx->arena, &names, i, d, plan);
    }
    if (!plan->problem)
        put_in_order(tx->arena, output, plan);
    return true;
}

static int64_t fit_priority(const struct output_task *task)
{
    int64_t fallback = 0;

    if (!task->has_priority)
        return str_to_int(TASK_PRIORITY_DEFAULT, &fallback) ? fallback : 0;
    return task->priority < 0 ? 0 : task->priority > TASK_PRIORITY_MAX ? TASK_PRIORITY_MAX : task->priority;
}

bool result_make_tasks(const struct tx *tx, const struct project *project, const struct result_plan *plan,
                       struct result *result)
{
    const struct output *output = result->output;

    struct task_draft *drafts = arena_array(tx->arena, struct task_draft, output->task_count);
    const char **ids = arena_array(tx->arena, const char *, output->task_count);

    for (size_t n = 0; n < output->task_count; n++) {
        size_t i = plan->order[n];
        const struct output_task *wanted = &output->tasks[i];

        for (size_t d = 0; d < wanted->depends_count; d++)
            if (plan->inner[i][d] != NOT_INNER)
                plan->deps[i][d] = ids[plan->inner[i][d]];
        ids[i] = uuid_new(tx->arena);
        drafts[n] = (struct task_draft){
            .task = { .id = ids[i],
                      .title = wanted->title,
                      .description = wanted->description,
                      .status = TASK_OPEN,
                      .priority = fit_priority(wanted) },
            .deps = plan->deps[i],
            .dep_count = wanted->depends_count,
        };
    }
    if (!task_create_many(tx, project, drafts, output->task_count))
        return false;
    result->tasks = arena_array(tx->arena, struct task, output->task_count);
    for (size_t n = 0; n < output->task_count; n++)
        result->tasks[plan->order[n]] = drafts[n].task;
    result->task_count = output->task_count;
    return true;
}

#include "project_steps.h"

#include <pthread.h>
#include <stdatomic.h>

#define RACERS_MAX 16

const char *make_project(struct t *t)
{
    call(t, "project_create", "{s:s}", "name", "Shop");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

const char *make_task(struct t *t, const char *project, const char *title)
{
    call(t, "task_create", "{s:s, s:s}", "id", project, "title", title);
    CHECK_STATUS(201);
    return text_at(t, "id");
}

const char *make_dependent(struct t *t, const char *project, const char *title, const char *depends_on)
{
    call(t, "task_create", "{s:s, s:s, s:[s]}", "id", project, "title", title, "depends_on", depends_on);
    CHECK_STATUS(201);
    return text_at(t, "id");
}

int claim(struct t *t, const char *project, const char *task, const char *agent)
{
    return call(t, "task_claim", "{s:s, s:s, s:s}", "id", project, "tid", task, "agent", agent);
}

int set_status(struct t *t, const char *project, const char *task, const char *status)
{
    return call(t, "task_update", "{s:s, s:s, s:s}", "id", project, "tid", task, "status", status);
}

void get_task(struct t *t, const char *project, const char *task)
{
    call(t, "task_get", "{s:s, s:s}", "id", project, "tid", task);
    CHECK_STATUS(200);
}

const char *ready(struct t *t, const char *project)
{
    const char *titles = "";

    call(t, "task_ready", "{s:s}", "id", project);
    CHECK_STATUS(200);
    for (size_t i = 0; i < json_array_size(at(t, "tasks")); i++) {
        const char *title = text_at(t, arena_format(&t->arena, "tasks.%zu.title", i));

        titles = arena_format(&t->arena, "%s%s%s", titles, i ? "," : "", title);
    }
    return titles;
}

int hand_in(struct t *t, const char *project, const char *agent, const char *source_id, const char *result)
{
    return call(t, "result_submit", "{s:s, s:s, s:s, s:s}", "id", project, "agent", agent, "sourceId",
                source_id, "output", result);
}

int answer_one(struct t *t, const char *project, const char *set, const char *question, const char *answer)
{
    return call(t, "open_question_resolve", "{s:s, s:s, s:[{s:s, s:s}]}", "id", project, "nid", set,
                "responses", "questionId", question, "answer", answer);
}

static struct db_rows events(struct t *t, const char *project, const char *tail)
{
    const char *order = t->engine == DB_SQLITE ? "seq" : "id";
    struct err err = { 0 };
    struct db_rows rows;

    if (!db_query_text(t->db, &t->arena,
                       arena_format(&t->arena, "SELECT type, data FROM events WHERE project_id = $1 %s %s %s",
                                    tail, "ORDER BY", order),
                       DB_ARGS(db_text(project)), &rows, &err))
        fail_msg("%s", err.text);
    return rows;
}

const char *types_of_events(struct t *t, const char *project)
{
    struct db_rows rows = events(t, project, "");
    const char *types = "";

    for (size_t row = 0; row < rows.count; row++)
        types = arena_format(&t->arena, "%s%s%s", types, row ? " " : "", db_cell(&rows, row, 0));
    return types;
}

json_t *last_event(struct t *t, const char *project, const char *type)
{
    struct db_rows rows = events(t, project, arena_format(&t->arena, "AND type = '%s'", type));

    if (rows.count == 0)
        fail_msg("there is no event %s", type);
    return json_loads(db_cell(&rows, rows.count - 1, 1), 0, NULL);
}

struct racer {
    struct t t;
    int number;
    bool (*run)(struct t *t, int number, void *user);
    void *user;
    pthread_barrier_t *start;
    atomic_int *won;
};

static void *run_racer(void *arg)
{
    struct racer *racer = arg;

    pthread_barrier_wait(racer->start);
    if (racer->run(&racer->t, racer->number, racer->user))
        atomic_fetch_add(racer->won, 1);
    return NULL;
}

/* Straight into the table: the door over HTTP has one connection for all threads of the test. */
int race(struct t *t, int count, bool (*run)(struct t *t, int number, void *user), void *user)
{
    pthread_t threads[RACERS_MAX];
    struct racer racers[RACERS_MAX];
    pthread_barrier_t start;
    atomic_int won = 0;

    assert_true(count <= RACERS_MAX);
    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        racers[i] = (struct racer){ *t, i, run, user, &start, &won };
        racers[i].t.door = DOOR_TABLE;
        racers[i].t.arena = (struct arena){ 0 };
        racers[i].t.reply = NULL;
        pthread_create(&threads[i], NULL, run_racer, &racers[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        json_decref(racers[i].t.reply);
        arena_done(&racers[i].t.arena);
    }
    pthread_barrier_destroy(&start);
    return won;
}

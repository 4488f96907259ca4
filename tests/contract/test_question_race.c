/*
 * Many people at once. Each thread has a state of its own and goes straight into the operation table, which
 * is what all doors do; the store decides who was first.
 */
#include "council.h"
#include "project_steps.h"
#include "questions.h"

#include "base/settings.h"

#include <pthread.h>

enum { PEOPLE = 24, ROUNDS = 5 };

struct person {
    struct t t;
    pthread_t thread;
    pthread_barrier_t *start;
    const char *id, *other; /* questions */
    int number;
};

static void *say_mine(void *user)
{
    struct person *person = user;

    pthread_barrier_wait(person->start);
    answer_text(&person->t, person->id, arena_format(&person->t.arena, "Answer %d", person->number));
    return NULL;
}

/* In opposite orders, so that whoever locks as they come would wait in a circle. */
static void *say_both(void *user)
{
    struct person *person = user;
    bool turned = person->number % 2;

    pthread_barrier_wait(person->start);
    call(&person->t, "question_answer_batch", "{s:[{s:s, s:{s:s}}, {s:s, s:{s:s}}]}", "answers", "id",
         turned ? person->other : person->id, "response", "value", "x", "id",
         turned ? person->id : person->other, "response", "value", "x");
    return NULL;
}

static void *cancel_it(void *user)
{
    struct person *person = user;

    pthread_barrier_wait(person->start);
    if (person->number % 2)
        call(&person->t, "question_cancel", "{s:s}", "id", person->id);
    else
        answer_text(&person->t, person->id, "x");
    return NULL;
}

static void all_at_once(struct t *t, struct person people[], const char *id, const char *other,
                        void *(*run)(void *))
{
    pthread_barrier_t start;

    pthread_barrier_init(&start, NULL, PEOPLE);
    for (int i = 0; i < PEOPLE; i++) {
        people[i] = (struct person){ .t = { .door = DOOR_TABLE,
                                            .engine = t->engine,
                                            .workspace = t->workspace,
                                            .as = i % 2 ? t->admin : t->member },
                                     .start = &start,
                                     .id = id,
                                     .other = other,
                                     .number = i };
        assert_int_equal(pthread_create(&people[i].thread, NULL, run, &people[i]), 0);
    }
    for (int i = 0; i < PEOPLE; i++)
        pthread_join(people[i].thread, NULL);
    pthread_barrier_destroy(&start);
}

static void let_go(struct person people[])
{
    for (int i = 0; i < PEOPLE; i++) {
        json_decref(people[i].t.reply);
        arena_done(&people[i].t.arena);
    }
}

CONTRACT(question_race_has_one_winner_whom_all_others_learn)
{
    static struct person people[PEOPLE];

    if (t->door != DOOR_TABLE)
        return;
    for (int round = 0; round < ROUNDS; round++) {
        const char *job = make_job(t), *id = ask_text(t, job), *won = NULL;

        all_at_once(t, people, id, NULL, say_mine);
        for (int i = 0; i < PEOPLE; i++) {
            if (people[i].t.status != 200)
                continue;
            assert_null(won);
            won = arena_format(&t->arena, "Answer %d", i);
        }
        assert_non_null(won);
        for (int i = 0; i < PEOPLE; i++) {
            if (people[i].t.status == 200)
                continue;
            assert_int_equal(people[i].t.status, 409);
            assert_string_equal(text_at(&people[i].t, "winner.response.value"), won);
        }
        let_go(people);
        show(t, id);
        CHECK_TEXT("question.response.value", won);
        check_job(t, job, "running");
        assert_int_equal(count_events(t, job, "question_answered"), 1);
        assert_int_equal(count_events(t, job, "status"), 2);
    }
}

CONTRACT(question_race_of_batches_does_not_lock_in_a_circle)
{
    static struct person people[PEOPLE];

    if (t->door != DOOR_TABLE)
        return;
    for (int round = 0; round < ROUNDS; round++) {
        const char *one = ask_text(t, make_job(t)), *other = ask_text(t, make_job(t));
        int answered = 0;

        all_at_once(t, people, one, other, say_both);
        for (int i = 0; i < PEOPLE; i++) {
            assert_int_equal(people[i].t.status, 200);
            answered += str_equal(text_at(&people[i].t, "results.0.status"), "answered");
            answered += str_equal(text_at(&people[i].t, "results.1.status"), "answered");
        }
        let_go(people);
        assert_int_equal(answered, 2);
    }
}

CONTRACT(question_race_of_answers_and_cancels_ends_it_once)
{
    static struct person people[PEOPLE];

    if (t->door != DOOR_TABLE)
        return;
    for (int round = 0; round < ROUNDS; round++) {
        const char *job = make_job(t), *id = ask_text(t, job);
        int ended = 0;

        all_at_once(t, people, id, NULL, cancel_it);
        for (int i = 0; i < PEOPLE; i++)
            ended += people[i].t.status == 200;
        let_go(people);
        assert_int_equal(ended, 1);
        check_job(t, job, "running");
        assert_int_equal(
            count_events(t, job, "question_answered") + count_events(t, job, "question_cancelled"), 1);
    }
}

static void *ask_more(void *user)
{
    struct person *person = user;

    pthread_barrier_wait(person->start);
    ask_in(&person->t, person->id, "{s:s, s:s, s:s}", "question", "And this?", "type", "blocking",
           "responseType", "text");
    return NULL;
}

/* They queue for the job, so that many were made by the time that one is counted. */
CONTRACT(question_race_keeps_to_the_rate_of_asking)
{
    static struct person people[PEOPLE];
    int asked = 0;

    if (t->door != DOOR_TABLE)
        return;
    all_at_once(t, people, make_job(t), NULL, ask_more);
    for (int i = 0; i < PEOPLE; i++) {
        asked += people[i].t.status == 201;
        if (people[i].t.status != 201)
            assert_int_equal(people[i].t.status, 429);
    }
    let_go(people);
    assert_int_equal(asked, settings()->questions_rate);
}

static void *put_to_council(void *user)
{
    struct person *person = user;

    pthread_barrier_wait(person->start);
    call(&person->t, "discussion_create", "{s:s, s:s, s:[{s:s}], s:{s:s, s:s}}", "topic", "Which way?",
         "mode", "rounds", "participants", "agentName", "Ada", "ref", "kind", person->other, "id",
         person->id);
    return NULL;
}

static const char *make_prompt(struct t *t)
{
    call(t, "prompt_create", "{s:s, s:s}", "requester_agent", "Dev", "prompt_message", "Which way?");
    CHECK_STATUS(201);
    return text_at(t, "prompt.id");
}

CONTRACT(question_or_prompt_is_put_to_one_council_at_a_time)
{
    static struct person people[PEOPLE];

    if (t->door != DOOR_TABLE)
        return;
    make_agent(t, "Ada", "specialist");
    for (int round = 0; round < ROUNDS; round++) {
        const char *id = round % 2 ? make_prompt(t) : ask_text(t, make_job(t));
        int made = 0;

        all_at_once(t, people, id, round % 2 ? "prompt" : "question", put_to_council);
        for (int i = 0; i < PEOPLE; i++) {
            made += people[i].t.status == 201;
            if (people[i].t.status != 201)
                assert_int_equal(people[i].t.status, 409);
        }
        let_go(people);
        assert_int_equal(made, 1);
    }
}

static void *ask_alone(void *user)
{
    struct person *person = user;

    call(&person->t, "question_create", "{s:s, s:s, s:s, s:s}", "projectId", person->id, "question", "Why?",
         "type", "blocking", "responseType", "text");
    return NULL;
}

static void *delete_project(void *user)
{
    struct person *person = user;

    call(&person->t, "project_delete", "{s:s}", "id", person->id);
    return NULL;
}

static void start_one(struct t *t, struct person *person, const char *id, void *(*run)(void *))
{
    *person = (struct person){
        .t = { .door = DOOR_TABLE, .engine = t->engine, .workspace = t->workspace, .as = t->owner }, .id = id
    };
    assert_int_equal(pthread_create(&person->thread, NULL, run, person), 0);
}

/*
 * The asking is stopped when its job is there and its question is not, the deleting comes, and then the
 * asking goes on. SQLite has one writer, where this cannot be.
 */
CONTRACT(question_asked_while_its_project_is_deleted_goes_with_it)
{
    struct person asker, deleter;
    const char *project;

    if (t->door != DOOR_TABLE || t->engine != DB_POSTGRES)
        return;
    project = make_project(t);
    outside_sql(t, "BEGIN");
    outside_sql(t, "LOCK TABLE agent_questions IN EXCLUSIVE MODE");
    start_one(t, &asker, project, ask_alone);
    until_so_many_wait_for_locks(t, 1);
    start_one(t, &deleter, project, delete_project);
    until_so_many_wait_for_locks(t, 2);
    outside_sql(t, "COMMIT");
    pthread_join(asker.thread, NULL);
    pthread_join(deleter.thread, NULL);
    assert_int_equal(asker.t.status, 201);
    assert_int_equal(deleter.t.status, 204);
    show(t, text_at(&asker.t, "questionId"));
    CHECK_TEXT("question.status", "cancelled");
    json_decref(asker.t.reply);
    json_decref(deleter.t.reply);
    arena_done(&asker.t.arena);
    arena_done(&deleter.t.arena);
}

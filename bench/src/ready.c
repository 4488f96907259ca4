/*
 * ready.c - agents that take work from one project, and the projects they take it from.
 *
 *   ready seed STORE PROJECT TASKS               fills a project of a stopped server's SQLite store
 *   ready work --target A:P --project P --connections 8 --seconds 5 --warmup 0.5
 *
 * Half of the seeded tasks are closed, and nearly every task depends on two that came before it, so that some
 * of the open ones are ready and most are not. A worker asks what is ready, claims one of it (the next when
 * another was faster) and gives it back, so that the project stays as it was for however long it is measured.
 * One line of JSON tells how many such turns there were in a second.
 *
 * Threads: one for each worker, with a connection of its own.
 */
#include "http_in.h"
#include "net.h"
#include "util.h"

#include <getopt.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGE         20
#define ID_LEN       36
#define BODY_KEPT    (1 << 20)
#define REQUEST_SIZE 1024

struct plan {
    struct target target;
    const char *project;
    size_t workers;
    double seconds, warmup;
    uint64_t counted_from, ends_at;
};

struct worker {
    const struct plan *plan;
    size_t number;
    int fd;
    struct http_in in;
    char *body;
    size_t body_len;
    uint64_t turns, conflicts;
    struct hist *latency;
};

static void keep_body(void *ctx, const char *data, size_t len)
{
    struct worker *worker = ctx;

    if (worker->body_len + len >= BODY_KEPT)
        die("a reply is longer than %d bytes", BODY_KEPT);
    memcpy(worker->body + worker->body_len, data, len);
    worker->body_len += len;
    worker->body[worker->body_len] = '\0';
}

/* One request and its reply; the status. */
static int call(struct worker *worker, const char *method, const char *path, const char *body)
{
    const struct plan *plan = worker->plan;
    char request[REQUEST_SIZE], bytes[1 << 16];
    int len =
        snprintf(request, sizeof(request),
                 "%s /api/projects/%s/tasks/%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
                 "Content-Length: %zu\r\n\r\n%s",
                 method, plan->project, path, plan->target.host, strlen(body), body);

    if (len < 0 || (size_t)len >= sizeof(request) || !net_send(worker->fd, request, (size_t)len))
        die("cannot send a request");
    http_in_reset(&worker->in);
    worker->body_len = 0;
    worker->body[0] = '\0';
    while (!http_in_done(&worker->in)) {
        ssize_t got = recv(worker->fd, bytes, sizeof(bytes), 0);
        size_t used;

        if (got <= 0 || !http_in_feed(&worker->in, bytes, (size_t)got, &used, keep_body, worker))
            die("the connection was lost");
    }
    return worker->in.status;
}

/* The ids of a page of tasks, in order. */
static size_t read_ids(const char *body, char ids[PAGE][ID_LEN + 1])
{
    static const char mark[] = "{\"id\":\"";
    size_t count = 0;

    for (const char *at = body; count < PAGE && (at = strstr(at, mark)); at += sizeof(mark) - 1)
        snprintf(ids[count++], ID_LEN + 1, "%s", at + sizeof(mark) - 1);
    return count;
}

static bool claim(struct worker *worker, const char *id)
{
    char path[ID_LEN + 16], body[64];
    int status;

    snprintf(path, sizeof(path), "%s/claim", id);
    snprintf(body, sizeof(body), "{\"agent\":\"worker-%zu\"}", worker->number);
    status = call(worker, "POST", path, body);
    if (status == 409) {
        worker->conflicts++;
        return false;
    }
    if (status / 100 != 2)
        die("a claim got %d: %.200s", status, worker->body);
    return true;
}

static void turn(struct worker *worker)
{
    char ids[PAGE][ID_LEN + 1];
    char query[32];
    size_t count, first;

    snprintf(query, sizeof(query), "ready?limit=%d", PAGE);
    if (call(worker, "GET", query, "") != 200)
        die("ready got %d: %.200s", worker->in.status, worker->body);
    count = read_ids(worker->body, ids);
    if (count < PAGE)
        die("only %zu tasks are ready: the two projects would not be asked for the same", count);
    /* Each begins at its own place, as agents with different tastes would. */
    first = worker->number % count;
    for (size_t i = 0; i < count; i++) {
        const char *id = ids[(first + i) % count];

        if (!claim(worker, id))
            continue;
        if (call(worker, "PATCH", id, "{\"status\":\"open\"}") != 200)
            die("giving a task back got %d: %.200s", worker->in.status, worker->body);
        return;
    }
}

static void *work(void *ctx)
{
    struct worker *worker = ctx;
    const struct plan *plan = worker->plan;

    for (;;) {
        uint64_t began = now_ns(), ended;

        if (began >= plan->ends_at)
            return NULL;
        turn(worker);
        ended = now_ns();
        if (began < plan->counted_from || ended > plan->ends_at)
            continue;
        worker->turns++;
        hist_add(worker->latency, ended - began);
    }
}

static void open_worker(struct worker *worker, const struct plan *plan, size_t number)
{
    *worker = (struct worker){ .plan = plan, .number = number };
    worker->fd = net_connect(&plan->target, number, true);
    worker->body = need_memory(BODY_KEPT);
    worker->latency = need_memory(sizeof(*worker->latency));
}

static int work_all(struct plan *plan)
{
    struct worker *workers = need_memory(plan->workers * sizeof(*workers));
    pthread_t *threads = need_memory(plan->workers * sizeof(*threads));
    uint64_t turns = 0, conflicts = 0, start = now_ns();

    plan->counted_from = start + (uint64_t)(plan->warmup * 1e9);
    plan->ends_at = plan->counted_from + (uint64_t)(plan->seconds * 1e9);
    for (size_t i = 0; i < plan->workers; i++) {
        open_worker(&workers[i], plan, i);
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            die("cannot start a thread");
    }
    for (size_t i = 0; i < plan->workers; i++) {
        pthread_join(threads[i], NULL);
        turns += workers[i].turns;
        conflicts += workers[i].conflicts;
    }
    printf("{\"requests\":%llu,\"conflicts\":%llu,\"seconds\":%.3f,\"rps\":%.1f,\"p50\":%.3f,\"p99\":%.3f}\n",
           (unsigned long long)turns, (unsigned long long)conflicts, plan->seconds,
           (double)turns / plan->seconds, hist_ms(workers[0].latency, 0.5),
           hist_ms(workers[0].latency, 0.99));
    for (size_t i = 0; i < plan->workers; i++) {
        close(workers[i].fd);
        free(workers[i].body);
        free(workers[i].latency);
    }
    free(workers);
    free(threads);
    return 0;
}

/* Numbers that jump about but are the same in every run. */
static const char SEED_TASKS[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) "
    "INSERT INTO tasks (id, workspace_id, project_id, title, description, status, priority, created_at) "
    "SELECT printf('01900000-0000-7000-8000-%012d', i), "
    "       (SELECT workspace_id FROM projects WHERE id = ?1), ?1, 'Task number ' || i, "
    "       'Cache the price list, mind the currency, and write down what was measured.', "
    "       CASE WHEN i <= ?2 / 2 THEN 'closed' ELSE 'open' END, i % 4, 1700000000000 + i FROM n";
static const char SEED_DEPS[] =
    "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < ?2) "
    "INSERT OR IGNORE INTO task_deps (task_id, depends_on) "
    "SELECT printf('01900000-0000-7000-8000-%012d', i), "
    "       printf('01900000-0000-7000-8000-%012d', 1 + (i * k + k) % (i - 1)) "
    "  FROM n, (SELECT 7919 AS k UNION ALL SELECT 104729) "
    " WHERE EXISTS (SELECT 1 FROM projects WHERE id = ?1)";

static void seed_run(sqlite3 *db, const char *sql, const char *project, long tasks)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        die("%s", sqlite3_errmsg(db));
    sqlite3_bind_text(statement, 1, project, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, tasks);
    if (sqlite3_step(statement) != SQLITE_DONE)
        die("%s", sqlite3_errmsg(db));
    sqlite3_finalize(statement);
    fprintf(stderr, "  seed: %lld rows\n", (long long)sqlite3_changes64(db));
}

static int seed(const char *store, const char *project, long tasks)
{
    sqlite3 *db;

    if (sqlite3_open_v2(store, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        die("cannot open %s", store);
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        die("%s", sqlite3_errmsg(db));
    seed_run(db, SEED_TASKS, project, tasks);
    seed_run(db, SEED_DEPS, project, tasks);
    if (sqlite3_exec(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) != SQLITE_OK)
        die("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
    return 0;
}

static void parse(struct plan *plan, int argc, char **argv)
{
    static const struct option options[] = {
        { "target", required_argument, NULL, 't' },      { "project", required_argument, NULL, 'p' },
        { "connections", required_argument, NULL, 'c' }, { "seconds", required_argument, NULL, 's' },
        { "warmup", required_argument, NULL, 'w' },      { NULL, 0, NULL, 0 },
    };
    int letter;

    *plan = (struct plan){ .workers = 1, .seconds = 5 };
    while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (letter) {
        case 't': target_parse(&plan->target, optarg); break;
        case 'p': plan->project = optarg; break;
        case 'c': plan->workers = (size_t)parse_count(optarg); break;
        case 's': plan->seconds = strtod(optarg, NULL); break;
        case 'w': plan->warmup = strtod(optarg, NULL); break;
        default: die("see the head of bench/src/ready.c for how to call it");
        }
    }
    if (!plan->target.host[0] || !plan->project)
        die("--target and --project are needed");
}

int main(int argc, char **argv)
{
    struct plan plan;

    if (argc == 5 && strcmp(argv[1], "seed") == 0)
        return seed(argv[2], argv[3], parse_count(argv[4]));
    if (argc < 2 || strcmp(argv[1], "work") != 0)
        die("the first argument is seed (STORE PROJECT TASKS) or work");
    parse(&plan, argc - 1, argv + 1);
    return work_all(&plan);
}

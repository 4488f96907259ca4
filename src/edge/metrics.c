/*
 * A row of counters for each operation, in the order of the table, so counting takes no lock. Everything else
 * is asked of its owner when the page is written.
 */
#include "edge/metrics.h"

#include "edge/internal.h"
#include "edge/stream.h"
#include "edge/wait.h"
#include "ops/ask_errors.h"
#include "ops/refusals.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const int statuses[] = {
    200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503
};
static const int64_t bounds_us[] = { 250,   500,    1000,   2500,    5000,    10000,
                                     25000, 100000, 250000, 1000000, 5000000, 60000000 };

#define STATUSES (sizeof(statuses) / sizeof(statuses[0]))
#define BOUNDS   (sizeof(bounds_us) / sizeof(bounds_us[0]))

struct metric_counters {
    const struct op *op; /* NULL: requests that named no operation */
    _Atomic uint64_t by_status[STATUSES + 1];
    _Atomic uint64_t by_time[BOUNDS + 1];
    _Atomic uint64_t took_us;
};

struct metrics {
    size_t count;
    struct metric_counters *rows; /* as op_all(), with one behind the last for what is in no table */
};

struct metrics *metrics_new(void)
{
    struct metrics *metrics = calloc(1, sizeof(*metrics));
    const struct op *const *ops = op_all();
    size_t count = 1;

    while (ops[count - 1])
        count++;
    if (!metrics || !(metrics->rows = calloc(count, sizeof(struct metric_counters))))
        abort();
    metrics->count = count;
    for (size_t i = 0; i < count; i++)
        metrics->rows[i].op = ops[i];
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    free(metrics->rows);
    free(metrics);
}

static void add_one(_Atomic uint64_t *counter, uint64_t amount)
{
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

void metrics_count(struct metrics *metrics, const struct op *op, int status, int64_t took_us)
{
    struct metric_counters *row = &metrics->rows[op ? op_facts(op)->at : metrics->count - 1];
    size_t at = 0, bound = 0;

    while (at < STATUSES && statuses[at] != status)
        at++;
    while (bound < BOUNDS && took_us > bounds_us[bound])
        bound++;
    add_one(&row->by_status[at], 1);
    add_one(&row->by_time[bound], 1);
    add_one(&row->took_us, (uint64_t)took_us);
}

static void head(struct buf *into, const char *name, const char *type, const char *help)
{
    buf_format(into, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void one(struct buf *into, const char *name, const char *type, const char *help, uint64_t value)
{
    head(into, name, type, help);
    buf_format(into, "%s %llu\n", name, (unsigned long long)value);
}

/* A label's value: backslash, quote and line break are escaped. */
static void label(struct buf *into, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' || *text == '"')
            buf_char(into, '\\');
        if (*text == '\n')
            buf_text(into, "\\n");
        else
            buf_char(into, *text);
    }
}

static void open_row(struct buf *into, const char *name, const struct metric_counters *row)
{
    buf_format(into, "%s{operation=\"", name);
    label(into, row->op ? row->op->name : "none");
    buf_text(into, "\"");
}

static void write_requests(const struct metrics *metrics, struct buf *into)
{
    head(into, "witan_requests_total", "counter", "Requests by operation and status.");
    for (size_t i = 0; i < metrics->count; i++) {
        for (size_t at = 0; at <= STATUSES; at++) {
            uint64_t count = atomic_load(&metrics->rows[i].by_status[at]);

            if (count == 0)
                continue;
            open_row(into, "witan_requests_total", &metrics->rows[i]);
            if (at < STATUSES)
                buf_format(into, ",status=\"%d\"} %llu\n", statuses[at], (unsigned long long)count);
            else
                buf_format(into, ",status=\"other\"} %llu\n", (unsigned long long)count);
        }
    }
}

static void write_times(const struct metrics *metrics, struct buf *into)
{
    head(into, "witan_request_seconds", "histogram", "How long requests took, waits included.");
    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric_counters *row = &metrics->rows[i];
        uint64_t sum = 0;

        for (size_t bound = 0; bound <= BOUNDS; bound++)
            sum += atomic_load(&row->by_time[bound]);
        if (sum == 0)
            continue;
        sum = 0;
        for (size_t bound = 0; bound <= BOUNDS; bound++) {
            sum += atomic_load(&row->by_time[bound]);
            open_row(into, "witan_request_seconds_bucket", row);
            if (bound < BOUNDS)
                buf_format(into, ",le=\"%g\"} %llu\n", (double)bounds_us[bound] / 1e6,
                           (unsigned long long)sum);
            else
                buf_format(into, ",le=\"+Inf\"} %llu\n", (unsigned long long)sum);
        }
        open_row(into, "witan_request_seconds_sum", row);
        buf_format(into, "} %.6f\n", (double)atomic_load(&row->took_us) / 1e6);
        open_row(into, "witan_request_seconds_count", row);
        buf_format(into, "} %llu\n", (unsigned long long)sum);
    }
}

static void write_store(struct store *store, struct buf *into)
{
    struct store_stats stats;
    uint64_t sum = 0;
    size_t sizes = sizeof(stats.batch_sizes) / sizeof(stats.batch_sizes[0]);

    store_stats(store, &stats);
    one(into, "witan_write_queue", "gauge", "Writing operations that wait.", stats.write_queue);
    one(into, "witan_read_queue", "gauge", "Reading operations that wait.", stats.read_queue);
    one(into, "witan_refused_total", "counter", "Operations refused because a queue was full.",
        stats.refused);
    one(into, "witan_failed_commits_total", "counter", "Commits that failed.", stats.failed_commits);
    one(into, "witan_store_reconnects_total", "counter", "Database connections that came back.",
        stats.reconnects);
    head(into, "witan_commit_seconds_total", "counter", "Time spent in commits.");
    buf_format(into, "witan_commit_seconds_total %.6f\n", (double)stats.commit_us_total / 1e6);
    head(into, "witan_batch_size", "histogram", "Operations in one commit.");
    for (size_t i = 0; i < sizes; i++) {
        sum += stats.batch_sizes[i];
        if (i + 1 < sizes)
            buf_format(into, "witan_batch_size_bucket{le=\"%d\"} %llu\n", 1 << i, (unsigned long long)sum);
    }
    buf_format(
        into,
        "witan_batch_size_bucket{le=\"+Inf\"} %llu\nwitan_batch_size_sum %llu\nwitan_batch_size_count %llu\n",
        (unsigned long long)sum, (unsigned long long)stats.batched, (unsigned long long)sum);
}

/* The last 24 hours of all workspaces, as of a few seconds ago. */
static void write_questions(const struct analytics_metrics *metrics, struct buf *into)
{
    struct ask_errors_stats asking;

    head(into, "witan_questions_day", "gauge",
         "Questions of the last 24 hours (the newest 10,000) by outcome.");
    for (size_t i = 0; i < metrics->type_count; i++) {
        const struct {
            const char *outcome;
            int64_t count;
        } outcomes[] = { { outcome_source_word(OUTCOME_HUMAN), metrics->types[i].answered },
                         { outcome_source_word(OUTCOME_DEFAULT), metrics->types[i].by_default },
                         { outcome_source_word(OUTCOME_TIMEOUT), metrics->types[i].timed_out },
                         { outcome_source_word(OUTCOME_CANCELLED), metrics->types[i].cancelled },
                         { question_status_word(QUESTION_PENDING), metrics->types[i].pending } };

        for (size_t at = 0; at < sizeof(outcomes) / sizeof(outcomes[0]); at++)
            buf_format(into, "witan_questions_day{type=\"%s\",outcome=\"%s\"} %lld\n",
                       question_type_word(metrics->types[i].type), outcomes[at].outcome,
                       (long long)outcomes[at].count);
    }
    head(into, "witan_question_answer_seconds_day", "gauge", "How long people took for them on average.");
    for (size_t i = 0; i < metrics->type_count; i++)
        if (metrics->types[i].answered > 0)
            buf_format(into, "witan_question_answer_seconds_day{type=\"%s\"} %.3f\n",
                       question_type_word(metrics->types[i].type),
                       (double)metrics->types[i].took_ms / 1000.0 / (double)metrics->types[i].answered);
    head(into, "witan_questions_per_job_day", "gauge", "Questions for each job that asked any of that type.");
    for (size_t i = 0; i < metrics->type_count; i++)
        if (metrics->types[i].jobs > 0)
            buf_format(into, "witan_questions_per_job_day{type=\"%s\"} %.3f\n",
                       question_type_word(metrics->types[i].type),
                       (double)metrics->types[i].asked / (double)metrics->types[i].jobs);
    head(into, "witan_alerts", "gauge", "Alerts that hold, by kind.");
    for (enum alert_kind kind = 1; kind < ALERT_KIND_END; kind++)
        if (metrics->alerts[kind] > 0)
            buf_format(into, "witan_alerts{kind=\"%s\"} %lld\n", alert_kind_word(kind),
                       (long long)metrics->alerts[kind]);
    ask_errors_stats(&asking);
    head(into, "witan_ask_errors_total", "counter", "Requests to ask people that went wrong.");
    buf_format(
        into,
        "witan_ask_errors_total{fault=\"caller\"} %llu\nwitan_ask_errors_total{fault=\"server\"} %llu\n",
        (unsigned long long)asking.refused, (unsigned long long)asking.failed);
}

static void write_refusals(struct buf *into)
{
    struct refusals_stats refusals;

    refusals_stats(&refusals);
    head(into, "witan_refusals_total", "counter", "Failed logins and refused changes of rights.");
    buf_format(into, "witan_refusals_total %llu\n", (unsigned long long)refusals.seen);
    head(into, "witan_refusal_rows_total", "counter", "Audit rows written for them.");
    buf_format(into, "witan_refusal_rows_total %llu\n", (unsigned long long)refusals.rows);
}

static void write_council(const struct council_figures *council, struct buf *into)
{
    one(into, "witan_turns_total", "counter", "Replies of models that were stored as turns.", council->turns);
    one(into, "witan_calls", "gauge", "Calls to models that are out.", council->calls);
    one(into, "witan_turns_waiting", "gauge", "Turns that stand in line for a call.", council->waiting);
    one(into, "witan_discussions_claimed_total", "counter", "Discussions that this node has taken on.",
        council->claimed);
    one(into, "witan_turns_late_total", "counter",
        "Replies that were dropped because the turn was not this node's any more.", council->late);
    one(into, "witan_turn_writes_repeated_total", "counter", "Writes of discussions that were tried again.",
        council->repeated);
    one(into, "witan_turns_given_up_total", "counter",
        "Turns that were passed because of what is stored: they could not be begun, or their reply not be kept.",
        council->given_up);
    one(into, "witan_discussions_given_up_total", "counter",
        "Discussions that have failed because they could not be moved on.", council->failed);
}

static void write_runner(const struct runner_figures *runner, struct buf *into)
{
    one(into, "witan_runs", "gauge", "Runs of agents that this node has in hand; those that wait are not.",
        runner->runs);
    one(into, "witan_run_steps_total", "counter", "Replies of models that were stored as steps of runs.",
        runner->steps);
    one(into, "witan_tool_calls", "gauge", "Calls of tools that are out.", runner->calls);
    head(into, "witan_tool_calls_total", "counter", "Calls of tools that have ended, by how.");
    for (size_t end = 0; end < TOOL_END_COUNT; end++)
        buf_format(into, "witan_tool_calls_total{end=\"%s\"} %llu\n", tool_end_name((enum tool_end)end),
                   (unsigned long long)runner->ends[end]);
    one(into, "witan_runs_claimed_total", "counter", "Runs that this node has taken on.", runner->claimed);
    one(into, "witan_runs_late_total", "counter",
        "Writes of runs that were dropped because the run or the call was not this node's any more.",
        runner->late);
    one(into, "witan_run_writes_repeated_total", "counter", "Writes of runs that were tried again.",
        runner->repeated);
    one(into, "witan_runs_given_up_total", "counter",
        "Runs that have failed because they could not be moved on.", runner->failed);
}

static void write_failures(const struct engine_stats *stats, struct buf *into)
{
    head(into, "witan_call_failures_total", "counter", "Calls that came to nothing, by kind.");
    for (size_t kind = LLM_CANCELLED + 1; kind < LLM_KIND_COUNT; kind++)
        buf_format(into, "witan_call_failures_total{kind=\"%s\"} %llu\n", llm_kind_name((enum llm_kind)kind),
                   (unsigned long long)(stats->council.failures[kind] + stats->runner.failures[kind]));
}

static void write_engine(struct engine *engine, struct buf *into)
{
    struct engine_stats stats;

    engine_stats(engine, &stats);
    one(into, "witan_deadlines_ended_total", "counter", "Rows ended because their time was up.",
        stats.deadlines.ended);
    one(into, "witan_deadline_late_ms", "gauge", "How late the last of them was.",
        (uint64_t)(stats.deadlines.overdue_ms > 0 ? stats.deadlines.overdue_ms : 0));
    one(into, "witan_events_total", "counter", "Events handed to streams and waits.", stats.tailer.events);
    one(into, "witan_event_last", "gauge", "The number of the newest event.", (uint64_t)stats.tailer.last);
    one(into, "witan_events_numbered_total", "counter", "Events numbered by this node (PostgreSQL).",
        stats.sequencer.numbered);
    one(into, "witan_engine_failures_total", "counter", "Rounds of the engine that the store did not answer.",
        stats.tailer.failures + stats.deadlines.failures + stats.sequencer.failures);
    one(into, "witan_engine_reconnects_total", "counter", "Connections of the engine that came back.",
        stats.sequencer.reconnects + stats.listen_reconnects);
    one(into, "witan_swept_total", "counter", "Expired rows removed.", stats.deadlines.swept);
    write_council(&stats.council, into);
    write_runner(&stats.runner, into);
    write_failures(&stats, into);
    write_questions(&stats.deadlines.metrics, into);
    write_refusals(into);
}

static void write_http(struct edge *edge, struct http_server *http, struct buf *into)
{
    struct http_stats stats;

    http_stats(http, &stats);
    one(into, "witan_connections", "gauge", "Open connections.", stats.connections);
    one(into, "witan_connections_total", "counter", "Connections accepted.", stats.accepted);
    one(into, "witan_unread_total", "counter", "Requests refused before they were read.", stats.refused);
    one(into, "witan_vanished_total", "counter", "Clients that went away while they waited.", stats.vanished);
    one(into, "witan_crowded_total", "counter", "Connections that were one too many of their address.",
        stats.crowded);
    one(into, "witan_memory_in_flight_bytes", "gauge",
        "What bodies and replies in flight and the calls in hand take together.", budget_used(&edge->budget));
    one(into, "witan_memory_peak_bytes", "gauge", "The most that they took at once.",
        budget_peak(&edge->budget));
    one(into, "witan_memory_refused_total", "counter",
        "Bodies, replies and calls refused because that was too much.", budget_refused(&edge->budget));
    one(into, "witan_websockets", "gauge", "Open WebSockets.", stats.websockets);
    one(into, "witan_streams", "gauge", "Open event streams, WebSockets included.",
        streams_count(edge->streams));
    one(into, "witan_waits", "gauge", "Requests that wait for something to end.", waits_count(edge->waits));
}

void metrics_write(struct edge *edge, struct http_server *http, struct buf *into)
{
    write_requests(edge->metrics, into);
    write_times(edge->metrics, into);
    write_store(edge->store, into);
    write_engine(edge->engine, into);
    write_http(edge, http, into);
}

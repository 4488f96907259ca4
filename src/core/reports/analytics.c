/*
 * The exact count is tried first with a limit one above what is allowed: if that many rows come back, the
 * figures are used instead. So small ranges are exact to the millisecond and no range costs more than the
 * limit. Of one agent there are no figures: its limit is higher, and what is above it is left out and said
 * so.
 */
#include "core/reports/analytics_figures.h"

#include "base/clock.h"
#include "base/limits.h"

#define DAY_MS INT64_C(86400000)

static int64_t ended(const struct analytics_counts *counts)
{
    return counts->answered + counts->by_default + counts->timed_out;
}

double analytics_timeout_rate(const struct analytics_counts *counts)
{
    int64_t all = ended(counts);

    return all > 0 ? (double)(counts->by_default + counts->timed_out) / (double)all : -1;
}

double analytics_response_rate(const struct analytics_counts *counts)
{
    int64_t all = ended(counts);

    return all > 0 ? (double)counts->answered / (double)all : -1;
}

/* How many questions, and as many jobs, are read at the most. */
static int64_t most_of(const struct analytics_range *range)
{
    return range->agent ? ANALYTICS_AGENT : ANALYTICS_EXACT + 1;
}

#define RANGE_ARGS(tx, range) \
    db_text((range)->workspace_id), db_text(clock_text((tx)->arena, (range)->since_ms)), \
        db_text(clock_text((tx)->arena, (range)->until_ms)), db_text((range)->project_id), \
        db_int(most_of(range)), db_text((range)->agent)

static bool read_counts(const struct db_rows *rows, size_t row, struct analytics_counts *counts,
                        struct err *err)
{
    const char *strange = NULL;

    *counts = (struct analytics_counts){
        .type = db_cell_word(rows, row, COL_ANALYTICS_COUNTS_TYPE, question_types, &strange),
        .asked = db_cell_int(rows, row, COL_ANALYTICS_COUNTS_ASKED),
        .answered = db_cell_int(rows, row, COL_ANALYTICS_COUNTS_ANSWERED),
        .by_default = db_cell_int(rows, row, COL_ANALYTICS_COUNTS_BY_DEFAULT),
        .timed_out = db_cell_int(rows, row, COL_ANALYTICS_COUNTS_TIMED_OUT),
        .cancelled = db_cell_int(rows, row, COL_ANALYTICS_COUNTS_CANCELLED),
        .pending = db_cell_int(rows, row, COL_ANALYTICS_COUNTS_PENDING),
    };
    return db_words_known(strange, err);
}

static bool read_types(const struct tx *tx, struct analytics *report)
{
    struct analytics_counts *all = &report->all;
    struct db_rows rows;

    if (!tx_query(tx, SQL_ANALYTICS_TYPES, DB_ARGS(RANGE_ARGS(tx, &report->range)), &rows))
        return false;
    report->type_count = rows.count;
    report->types = arena_array(tx->arena, struct analytics_counts, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++) {
        struct analytics_counts *one = &report->types[i];

        if (!read_counts(&rows, i, one, tx->err))
            return false;
        all->asked += one->asked;
        all->answered += one->answered;
        all->by_default += one->by_default;
        all->timed_out += one->timed_out;
        all->cancelled += one->cancelled;
        all->pending += one->pending;
    }
    return true;
}

/* 0 is the row of all types. */
static struct analytics_counts *counts_of(struct analytics *report, enum question_type type)
{
    for (size_t i = 0; type && i < report->type_count; i++)
        if (report->types[i].type == type)
            return &report->types[i];
    return type ? NULL : &report->all;
}

static bool read_times(const struct tx *tx, struct analytics *report)
{
    const char *strange = NULL;
    struct db_rows rows;

    if (!tx_query(tx, SQL_ANALYTICS_TIMES, DB_ARGS(RANGE_ARGS(tx, &report->range)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        struct analytics_counts *counts =
            counts_of(report, db_cell_word(&rows, i, COL_ANALYTICS_TIMES_TYPE, question_types, &strange));

        if (counts)
            counts->times = (struct analytics_times){
                .n = db_cell_int(&rows, i, COL_ANALYTICS_TIMES_N),
                .median_ms = db_cell_int(&rows, i, COL_ANALYTICS_TIMES_MEDIAN),
                .p90_ms = db_cell_int(&rows, i, COL_ANALYTICS_TIMES_P90),
            };
    }
    return db_words_known(strange, tx->err);
}

_Static_assert((int)COL_TALLIES_QUESTION_END == (int)COL_ANALYTICS_QUESTION_END,
               "both lists have the same places");

bool analytics_read_questions(const struct tx *tx, enum sql_id sql, size_t argc, const struct db_arg argv[],
                              struct analytics_question **questions, size_t *count)
{
    const char *strange = NULL;
    struct db_rows rows;

    if (!tx_query(tx, sql, argc, argv, &rows))
        return false;
    *count = rows.count;
    *questions = arena_array(tx->arena, struct analytics_question, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++)
        (*questions)[i] = (struct analytics_question){
            .question = db_cell(&rows, i, COL_ANALYTICS_QUESTION_QUESTION),
            .type = db_cell_word(&rows, i, COL_ANALYTICS_QUESTION_TYPE, question_types, &strange),
            .asked = db_cell_int(&rows, i, COL_ANALYTICS_QUESTION_ASKED),
            .answered = db_cell_int(&rows, i, COL_ANALYTICS_QUESTION_ANSWERED),
            .timed_out = db_cell_int(&rows, i, COL_ANALYTICS_QUESTION_TIMED_OUT),
        };
    return db_words_known(strange, tx->err);
}

static bool read_top(const struct tx *tx, struct analytics *report)
{
    struct db_arg args[] = { RANGE_ARGS(tx, &report->range), db_int(ANALYTICS_TOP) };
    const size_t count = sizeof(args) / sizeof(args[0]);

    return analytics_read_questions(tx, SQL_ANALYTICS_COMMON, count, args, &report->common,
                                    &report->common_count) &&
           analytics_read_questions(tx, SQL_ANALYTICS_UNANSWERED, count, args, &report->unanswered,
                                    &report->unanswered_count);
}

void analytics_add_jobs(struct analytics_jobs *jobs, enum job_status status, int64_t count)
{
    jobs->jobs += count;
    if (job_status_is_open(status))
        jobs->open += count;
    else if (status == JOB_COMPLETED)
        jobs->completed += count;
    else if (status == JOB_FAILED)
        jobs->failed += count;
    else
        jobs->cancelled += count;
}

static bool read_jobs(const struct tx *tx, struct analytics *report)
{
    const struct analytics_range *range = &report->range;
    const char *strange = NULL;
    struct db_rows rows;

    if (!tx_query(tx, SQL_ANALYTICS_JOBS,
                  DB_ARGS(db_text(range->workspace_id), db_int(range->since_ms), db_int(range->until_ms),
                          db_text(range->project_id), db_int(most_of(range)), db_text(range->agent)),
                  &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        struct analytics_jobs *jobs =
            db_cell_int(&rows, i, COL_ANALYTICS_JOBS_HAS_ASKED) ? &report->with : &report->without;

        analytics_add_jobs(jobs, db_cell_word(&rows, i, COL_ANALYTICS_JOBS_STATUS, job_statuses, &strange),
                           db_cell_int(&rows, i, COL_ANALYTICS_JOBS_JOBS));
        jobs->questions += db_cell_int(&rows, i, COL_ANALYTICS_JOBS_QUESTIONS);
        if (db_cell_int(&rows, i, COL_ANALYTICS_JOBS_MOST) > jobs->most_questions)
            jobs->most_questions = db_cell_int(&rows, i, COL_ANALYTICS_JOBS_MOST);
    }
    return db_words_known(strange, tx->err);
}

static bool is_too_much(const struct analytics *report)
{
    int64_t most = most_of(&report->range);

    return report->all.asked >= most || report->with.jobs + report->without.jobs >= most;
}

bool analytics_read(const struct tx *tx, const struct analytics_range *range, struct analytics *analytics)
{
    struct analytics report = { .range = *range, .exact = true };

    if (!read_types(tx, &report) || !read_jobs(tx, &report))
        return false;
    report.truncated = range->agent && is_too_much(&report);
    if (is_too_much(&report) && !report.truncated) {
        if (!analytics_from_figures(tx, &report))
            return false;
    } else if (!read_times(tx, &report) || !read_top(tx, &report))
        return false;
    *analytics = report;
    return true;
}

bool analytics_agents(const struct tx *tx, const char *workspace_id, struct db_rows *names)
{
    return tx_query(tx, SQL_ANALYTICS_AGENTS, DB_ARGS(db_text(workspace_id), db_int(ANALYTICS_NAMES)), names);
}

/* Behind the counts of a type. */
enum { METRIC_TOOK = COL_ANALYTICS_COUNTS_END, METRIC_JOBS };

bool analytics_metrics(const struct tx *tx, struct analytics_metrics *metrics)
{
    struct analytics_metrics read = { 0 };
    const char *strange = NULL;
    struct db_rows rows, alerts;

    if (!tx_query(tx, SQL_ANALYTICS_METRICS,
                  DB_ARGS(db_text(clock_text(tx->arena, tx->now_ms - DAY_MS)), db_int(WATCH_ROWS)), &rows) ||
        !tx_query(tx, SQL_ANALYTICS_METRICS_ALERTS, DB_NO_ARGS, &alerts))
        return false;
    /* One row for each word that is known, so there is room for all of them. */
    for (size_t i = 0; i < rows.count && !strange; i++) {
        enum question_type type = db_cell_word(&rows, i, COL_ANALYTICS_COUNTS_TYPE, question_types, &strange);

        if (!strange)
            read.types[read.type_count++] = (struct analytics_metrics_type){
                .type = type,
                .asked = db_cell_int(&rows, i, COL_ANALYTICS_COUNTS_ASKED),
                .answered = db_cell_int(&rows, i, COL_ANALYTICS_COUNTS_ANSWERED),
                .by_default = db_cell_int(&rows, i, COL_ANALYTICS_COUNTS_BY_DEFAULT),
                .timed_out = db_cell_int(&rows, i, COL_ANALYTICS_COUNTS_TIMED_OUT),
                .cancelled = db_cell_int(&rows, i, COL_ANALYTICS_COUNTS_CANCELLED),
                .pending = db_cell_int(&rows, i, COL_ANALYTICS_COUNTS_PENDING),
                .took_ms = db_cell_int(&rows, i, METRIC_TOOK),
                .jobs = db_cell_int(&rows, i, METRIC_JOBS),
            };
    }
    for (size_t i = 0; i < alerts.count && !strange; i++) {
        enum alert_kind kind = db_cell_word(&alerts, i, 0, alert_kinds, &strange);

        if (!strange)
            read.alerts[kind] = db_cell_int(&alerts, i, 1);
    }
    *metrics = read;
    return db_words_known(strange, tx->err);
}

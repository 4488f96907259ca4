/*
 * The range is split into whole days and the hours at its two ends, which are summed by one statement. Times
 * are piles of equal two-digit values: a median is found by walking the piles, and their size does not grow
 * with the number of questions.
 */
#include "core/reports/analytics_figures.h"

#include "base/limits.h"
#include "base/str.h"

#include <stdlib.h>

#define HOUR_MS INT64_C(3600000)
#define DAY_H   24

/* Hours since 1970; the days within them that are whole. */
struct span {
    int64_t since, until;
    int64_t days_from, days_to;
};

static int64_t floor_to(int64_t number, int64_t unit)
{
    int64_t rest = number % unit;

    return number - (rest < 0 ? rest + unit : rest);
}

static int64_t ceil_to(int64_t number, int64_t unit)
{
    return -floor_to(-number, unit);
}

static struct span span_of(struct analytics_range *range)
{
    struct span span;

    range->since_ms = floor_to(range->since_ms, HOUR_MS);
    range->until_ms = ceil_to(range->until_ms, HOUR_MS);
    span.since = range->since_ms / HOUR_MS;
    span.until = range->until_ms / HOUR_MS;
    span.days_from = ceil_to(span.since, DAY_H);
    span.days_to = floor_to(span.until, DAY_H);
    if (span.days_from >= span.days_to)
        span.days_from = span.days_to = span.until;
    return span;
}

static bool read_sums(const struct tx *tx, const struct analytics_range *range, const struct span *span,
                      const char *kind, struct db_rows *rows)
{
    return tx_query(tx, SQL_FIGURES_SUM,
                    DB_ARGS(db_text(range->workspace_id), db_text(kind), db_int(span->since),
                            db_int(span->until), db_int(span->days_from), db_int(span->days_to),
                            db_text(range->project_id)),
                    rows);
}

/* So many took so long, in two digits. */
struct pile {
    int64_t took_ms, n;
};

static int compare_piles(const void *left, const void *right)
{
    const struct pile *a = left, *b = right;

    return (a->took_ms > b->took_ms) - (a->took_ms < b->took_ms);
}

/* The middle of all the times that have these two digits. */
static int64_t middle_of(int64_t took_ms)
{
    int64_t step = 1;

    while (took_ms / step >= 100)
        step *= 10;
    return took_ms + step / 2;
}

static int64_t at_place(const struct pile *piles, size_t count, int64_t place)
{
    for (size_t i = 0; i < count; i++) {
        place -= piles[i].n;
        if (place <= 0)
            return middle_of(piles[i].took_ms);
    }
    return 0;
}

static struct analytics_times times_of(struct pile *piles, size_t count)
{
    struct analytics_times times = { 0 };

    qsort(piles, count, sizeof(*piles), compare_piles);
    for (size_t i = 0; i < count; i++)
        times.n += piles[i].n;
    times.median_ms = at_place(piles, count, (times.n + 1) / 2);
    times.p90_ms = at_place(piles, count, (9 * times.n + 9) / 10);
    return times;
}

/* How it stands: pending, or what ended it. */
static void count_state(struct analytics_counts *counts, const char *state, int64_t n)
{
    counts->asked += n;
    if (words_find(question_statuses, state) == QUESTION_PENDING) {
        counts->pending += n;
        return;
    }
    switch ((enum outcome_source)words_find(outcome_sources, state)) {
    case OUTCOME_HUMAN: counts->answered += n; break;
    case OUTCOME_DEFAULT: counts->by_default += n; break;
    case OUTCOME_TIMEOUT: counts->timed_out += n; break;
    case OUTCOME_CANCELLED: counts->cancelled += n; break;
    case OUTCOME_AGENTS:
    case OUTCOME_POLICY:
    case OUTCOME_FORCED:
    case OUTCOME_END: break;
    }
}

/* Rows come sorted by type. */
static bool count_questions(const struct tx *tx, const struct db_rows *rows, struct analytics *report)
{
    struct pile *piles = arena_array(tx->arena, struct pile, rows->count);
    const char *strange = NULL;
    size_t count = 0, first = 0;

    report->types = arena_array(tx->arena, struct analytics_counts, rows->count + 1);
    for (size_t i = 0; i < rows->count; i++) {
        const char *type = db_cell(rows, i, COL_FIGURE_LABEL), *state = db_cell(rows, i, COL_FIGURE_STATE);
        int64_t n = db_cell_int(rows, i, COL_FIGURE_N);
        bool last = i + 1 == rows->count || !str_equal(db_cell(rows, i + 1, COL_FIGURE_LABEL), type);
        struct analytics_counts *counts = &report->types[report->type_count];

        counts->type = db_cell_word(rows, i, COL_FIGURE_LABEL, question_types, &strange);
        count_state(counts, state, n);
        count_state(&report->all, state, n);
        if (words_find(outcome_sources, state) == OUTCOME_HUMAN)
            piles[count++] = (struct pile){ .took_ms = db_cell_int(rows, i, COL_FIGURE_VALUE), .n = n };
        if (last) {
            counts->times = times_of(&piles[first], count - first);
            report->type_count++;
            first = count;
        }
    }
    report->all.times = times_of(piles, count);
    return db_words_known(strange, tx->err);
}

static bool count_jobs(const struct db_rows *rows, struct analytics *report, struct err *err)
{
    const char *strange = NULL;

    for (size_t i = 0; i < rows->count; i++) {
        int64_t asked = db_cell_int(rows, i, COL_FIGURE_VALUE), n = db_cell_int(rows, i, COL_FIGURE_N);
        struct analytics_jobs *jobs = asked > 0 ? &report->with : &report->without;

        analytics_add_jobs(jobs, db_cell_word(rows, i, COL_FIGURE_LABEL, job_statuses, &strange), n);
        jobs->questions += asked * n;
        if (asked > jobs->most_questions)
            jobs->most_questions = asked;
    }
    return db_words_known(strange, err);
}

/* Days of which nothing is known are not walked through. */
static bool read_tallies(const struct tx *tx, const struct span *span, struct analytics *report)
{
    const struct analytics_range *range = &report->range;
    struct db_rows days;

    if (!tx_query(tx, SQL_TALLIES_DAYS, DB_ARGS(db_text(range->workspace_id)), &days))
        return false;
    if (!db_cell(&days, 0, 0))
        return true;

    int64_t from = floor_to(span->since, DAY_H) / DAY_H, to = ceil_to(span->until, DAY_H) / DAY_H;
    int64_t first = db_cell_int(&days, 0, 0), last = db_cell_int(&days, 0, 1);

    from = from > first ? from : first;
    to = to < last + 1 ? to : last + 1;
    if (from >= to)
        return true;

    int64_t each = TALLIES_READ / (to - from);
    struct db_arg args[] = { db_text(range->workspace_id),
                             db_int(from),
                             db_int(to),
                             db_text(range->project_id),
                             db_int(each < ANALYTICS_TOP ? ANALYTICS_TOP
                                                         : (each < TALLIES_DAY ? each : TALLIES_DAY)),
                             db_int(ANALYTICS_TOP) };

    return analytics_read_questions(tx, SQL_TALLIES_COMMON, 6, args, &report->common,
                                    &report->common_count) &&
           analytics_read_questions(tx, SQL_TALLIES_UNANSWERED, 6, args, &report->unanswered,
                                    &report->unanswered_count);
}

bool analytics_from_figures(const struct tx *tx, struct analytics *report)
{
    struct analytics counted = { .range = report->range };
    struct span span = span_of(&counted.range);
    struct db_rows questions, jobs;

    if (!read_sums(tx, &counted.range, &span, "question", &questions) ||
        !read_sums(tx, &counted.range, &span, "job", &jobs) || !read_tallies(tx, &span, &counted))
        return false;
    if (!count_questions(tx, &questions, &counted) || !count_jobs(&jobs, &counted, tx->err))
        return false;
    *report = counted;
    return true;
}

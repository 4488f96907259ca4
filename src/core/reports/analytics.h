/*
 * analytics.h - how questions and jobs of a workspace went, over a range of time.
 *
 * Up to ANALYTICS_EXACT questions and jobs in the range are read and counted one by one, to the millisecond.
 * Where there are more, prepared figures (figures.h) are added up instead, so that a report costs what there
 * are hours and days in the range, not what was asked in them: counts are exact, of whole hours; times that
 * people took are within five in a hundred; of what is asked again and again the TALLIES_DAY most frequent of
 * each day count.
 *
 * The figures do not know who asked: one agent's report is always counted one by one, the newest
 * ANALYTICS_AGENT questions and jobs of it, and says so when there may have been more.
 */
#ifndef CORE_REPORTS_ANALYTICS_H
#define CORE_REPORTS_ANALYTICS_H

#include "base/json.h"
#include "core/caller/tx.h"
#include "core/inbox/alert.h"
#include "core/questions/question.h"

struct analytics_range {
    const char *workspace_id;
    const char *project_id; /* or NULL */
    const char *agent;      /* who asked or worked, or NULL */
    int64_t since_ms, until_ms;
};

/* How long people took; medians of nothing are 0 with n 0. */
struct analytics_times {
    int64_t n, median_ms, p90_ms;
};

struct analytics_counts {
    enum question_type type; /* 0: all types */
    int64_t asked, answered, by_default, timed_out, cancelled, pending;
    struct analytics_times times;
};

/* Of those that ended and were not cancelled: without a person's answer, and with one. -1: there are none. */
double analytics_timeout_rate(const struct analytics_counts *counts);
double analytics_response_rate(const struct analytics_counts *counts);

struct analytics_question {
    const char *question;
    enum question_type type;
    int64_t asked, answered, timed_out;
};

/* Jobs by how they ended. */
struct analytics_jobs {
    int64_t jobs, completed, failed, cancelled, open;
    int64_t questions, most_questions;
};

struct analytics {
    struct analytics_range range;
    bool exact;     /* counted one by one; else the range is the one that the figures are of */
    bool truncated; /* there may be more of this agent than is counted */
    struct analytics_counts all;
    struct analytics_counts *types;
    size_t type_count;
    struct analytics_question *common, *unanswered;
    size_t common_count, unanswered_count;
    struct analytics_jobs with, without; /* questions */
};

CHECKED bool analytics_read(const struct tx *tx, const struct analytics_range *range,
                            struct analytics *analytics);

/* The names of those who have ever asked, in their order; the first ANALYTICS_NAMES. */
CHECKED bool analytics_agents(const struct tx *tx, const char *workspace_id, struct db_rows *names);

/* All workspaces together, for the operator's metrics: the newest questions of the last 24 hours. */
struct analytics_metrics_type {
    enum question_type type;
    int64_t asked, answered, by_default, timed_out, cancelled, pending, took_ms, jobs;
};

struct analytics_metrics {
    struct analytics_metrics_type types[QUESTION_TYPE_END]; /* those that were asked */
    size_t type_count;
    int64_t alerts[ALERT_KIND_END]; /* how many of each kind hold */
};
CHECKED bool analytics_metrics(const struct tx *tx, struct analytics_metrics *metrics);

#endif

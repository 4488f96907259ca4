#include "core/inbox/alert.h"
#include "core/reports/analytics.h"
#include "gen/nouns/alert_fields.h"
#include "ops/fields.h"
#include "ops/tables.h"

#define TAG    "Analytics"
#define DAY_MS INT64_C(86400000)

static void write_rate(struct json_out *out, const char *key, double rate)
{
    if (rate < 0)
        json_none(out, key);
    else
        json_double(out, key, rate);
}

static void write_times(struct json_out *out, const struct analytics_times *times)
{
    json_map(out, "timeToAnswer");
    json_int(out, "n", times->n);
    if (times->n > 0) {
        json_int(out, "medianMs", times->median_ms);
        json_int(out, "p90Ms", times->p90_ms);
    } else {
        json_none(out, "medianMs");
        json_none(out, "p90Ms");
    }
    json_map_end(out);
}

static void write_counts(struct json_out *out, const char *key, const struct analytics_counts *counts)
{
    json_map(out, key);
    if (counts->type)
        json_text(out, "type", question_type_word(counts->type));
    json_int(out, "asked", counts->asked);
    json_int(out, "answered", counts->answered);
    json_int(out, "byDefault", counts->by_default);
    json_int(out, "timedOut", counts->timed_out);
    json_int(out, "cancelled", counts->cancelled);
    json_int(out, "pending", counts->pending);
    write_rate(out, "timeoutRate", analytics_timeout_rate(counts));
    write_rate(out, "responseRate", analytics_response_rate(counts));
    write_times(out, &counts->times);
    json_map_end(out);
}

static void write_questions(struct json_out *out, const char *key, const struct analytics_question *questions,
                            size_t count)
{
    json_list(out, key);
    for (size_t i = 0; i < count; i++) {
        json_map(out, NULL);
        json_text(out, "question", questions[i].question);
        json_text(out, "type", question_type_word(questions[i].type));
        json_int(out, "asked", questions[i].asked);
        json_int(out, "answered", questions[i].answered);
        json_int(out, "timedOut", questions[i].timed_out);
        json_map_end(out);
    }
    json_list_end(out);
}

static void write_jobs(struct json_out *out, const char *key, const struct analytics_jobs *jobs)
{
    int64_t ended = jobs->completed + jobs->failed + jobs->cancelled;

    json_map(out, key);
    json_int(out, "jobs", jobs->jobs);
    json_int(out, "completed", jobs->completed);
    json_int(out, "failed", jobs->failed);
    json_int(out, "cancelled", jobs->cancelled);
    json_int(out, "open", jobs->open);
    write_rate(out, "completedRate", ended > 0 ? (double)jobs->completed / (double)ended : -1);
    json_map_end(out);
}

static void write_per_job(struct json_out *out, const struct analytics *report)
{
    int64_t jobs = report->with.jobs + report->without.jobs;

    json_map(out, "questionsPerJob");
    json_int(out, "jobs", jobs);
    json_int(out, "questions", report->with.questions);
    write_rate(out, "mean", jobs > 0 ? (double)report->with.questions / (double)jobs : -1);
    json_int(out, "most", report->with.most_questions);
    json_map_end(out);
}

static void write_report(struct json_out *out, const struct analytics *report)
{
    json_time(out, "since", report->range.since_ms);
    json_time(out, "until", report->range.until_ms);
    json_text(out, "projectId", report->range.project_id);
    json_text(out, "agent", report->range.agent);
    json_bool(out, "exact", report->exact);
    json_bool(out, "truncated", report->truncated);
    write_counts(out, "questions", &report->all);
    json_list(out, "byType");
    for (size_t i = 0; i < report->type_count; i++)
        write_counts(out, NULL, &report->types[i]);
    json_list_end(out);
    write_per_job(out, report);
    write_questions(out, "commonQuestions", report->common, report->common_count);
    write_questions(out, "timeoutQuestions", report->unanswered, report->unanswered_count);
    json_map(out, "jobOutcomes");
    write_jobs(out, "withQuestions", &report->with);
    write_jobs(out, "withoutQuestions", &report->without);
    json_map_end(out);
}

/* A token that is bound to a project sees that project's figures, and no other's. */
static bool project_of(struct call *call, const char **project_id)
{
    const char *wanted = arg_text(call, "projectId");

    if (!caller_hears_project(&call->caller, wanted))
        return err_set(&call->err, ERR_NOT_FOUND, "There is no such project.");
    *project_id = wanted ? wanted : call->caller.project_id;
    return true;
}

static bool run_analytics(struct call *call)
{
    struct analytics_range range = {
        .workspace_id = call->caller.workspace_id,
        .agent = arg_text(call, "agent"),
        .until_ms = arg_given(call, "until") ? arg_int(call, "until") : call->tx.now_ms + 1,
    };
    struct analytics report;
    struct db_rows names;
    struct alert *alerts;
    size_t count;

    range.since_ms =
        arg_given(call, "since") ? arg_int(call, "since") : range.until_ms - ANALYTICS_DAYS * DAY_MS;
    if (range.since_ms >= range.until_ms)
        return err_field(&call->err, "since", "since must be before until.");
    if (!project_of(call, &range.project_id) || !analytics_read(&call->tx, &range, &report) ||
        !analytics_agents(&call->tx, range.workspace_id, &names) ||
        !alert_list(&call->tx, range.workspace_id, &alerts, &count))
        return false;
    /* Both are of the whole workspace. */
    if (call->caller.project_id)
        count = names.count = 0;
    json_map(&call->out, NULL);
    write_report(&call->out, &report);
    json_list(&call->out, "agents");
    for (size_t i = 0; i < names.count; i++)
        json_text(&call->out, NULL, db_cell(&names, i, 0));
    json_list_end(&call->out);
    json_list(&call->out, "alerts");
    for (size_t i = 0; i < count; i++)
        alert_write(&alerts[i], NULL, &call->out);
    json_list_end(&call->out);
    json_map_end(&call->out);
    return true;
}

static const struct field times_fields[] = {
    { "n", T_INT, REQUIRED, "How many answers this is taken from." },
    { "medianMs", T_INT, REQUIRED, "Milliseconds within which half of them came.", .flags = F_NULL },
    { "p90Ms", T_INT, REQUIRED, "Milliseconds within which nine of ten came.", .flags = F_NULL },
    { 0 },
};

#define COUNT_FIELDS \
    { "asked", T_INT, REQUIRED, "Questions asked in the range." }, \
        { "answered", T_INT, REQUIRED, "Answered by a person." }, \
        { "byDefault", T_INT, REQUIRED, "Ended by their deadline with the default." }, \
        { "timedOut", T_INT, REQUIRED, "Ended by their deadline without an answer." }, \
        { "cancelled", T_INT, REQUIRED, "Cancelled." }, { "pending", T_INT, REQUIRED, "Still open." }, \
        { "timeoutRate", T_REAL, REQUIRED, \
          "The share that ended by its deadline, of those that ended and were not cancelled.", \
          .flags = F_NULL }, \
        { "responseRate", T_REAL, REQUIRED, "The share of the same that a person answered.", \
          .flags = F_NULL }, \
    { \
        "timeToAnswer", T_OBJECT, REQUIRED, "How long people took.", .fields = times_fields \
    }

static const struct field counts_fields[] = { COUNT_FIELDS, { 0 } };
static const struct field type_fields[] = {
    { "type", T_TEXT, REQUIRED, "The questions' type." },
    COUNT_FIELDS,
    { 0 },
};

static const struct field question_fields[] = {
    { "question", T_TEXT, REQUIRED, "One wording of it." },
    { "type", T_TEXT, REQUIRED, "Its type." },
    { "asked", T_INT, REQUIRED, "How often it was asked." },
    { "answered", T_INT, REQUIRED, "How often a person answered." },
    { "timedOut", T_INT, REQUIRED, "How often its deadline ended it." },
    { 0 },
};

static const struct field per_job_fields[] = {
    { "jobs", T_INT, REQUIRED, "Jobs begun in the range, but for those made for a single question." },
    { "questions", T_INT, REQUIRED, "What they have asked." },
    { "mean", T_REAL, REQUIRED, "Questions for each job.", .flags = F_NULL },
    { "most", T_INT, REQUIRED, "The most that one job has asked." },
    { 0 },
};

static const struct field jobs_fields[] = {
    { "jobs", T_INT, REQUIRED, "How many, but for those made for a single question." },
    { "completed", T_INT, REQUIRED, "Completed." },
    { "failed", T_INT, REQUIRED, "Failed." },
    { "cancelled", T_INT, REQUIRED, "Cancelled." },
    { "open", T_INT, REQUIRED, "Not ended yet." },
    { "completedRate", T_REAL, REQUIRED, "The share of those that ended that were completed.",
      .flags = F_NULL },
    { 0 },
};

static const struct field outcomes_fields[] = {
    { "withQuestions", T_OBJECT, REQUIRED, "Jobs that asked.", .fields = jobs_fields },
    { "withoutQuestions", T_OBJECT, REQUIRED, "Jobs that did not.", .fields = jobs_fields },
    { 0 },
};

static const struct field alert_fields[] = { ALERT_FIELDS, { 0 } };

static const struct field analytics_reply[] = {
    { "since", T_TIME, REQUIRED, "The beginning of the range." },
    { "until", T_TIME, REQUIRED, "Its end, which is not part of it." },
    { "projectId", T_TEXT, REQUIRED, "The project, or null for all.", .flags = F_NULL },
    { "agent", T_TEXT, REQUIRED, "The agent, or null for all.", .flags = F_NULL },
    { "exact", T_BOOL, REQUIRED,
      "Whether all was counted one by one, as it is up to 1,000 questions and jobs in the range, and always of one agent. "
      "Else prepared figures were added up: counts are exact but of whole hours (since and until say which), times are within five in a hundred, and of what is asked often the 200 most frequent of each day count." },
    { "truncated", T_BOOL, REQUIRED,
      "Whether something may have been left out: of one agent the newest 10,000 questions and jobs of the range are counted." },
    { "questions", T_OBJECT, REQUIRED, "All types together.", .fields = counts_fields },
    { "byType", T_LIST, REQUIRED, "Each type that was asked.", .items = T_OBJECT, .fields = type_fields },
    { "questionsPerJob", T_OBJECT, REQUIRED, "How much jobs ask.", .fields = per_job_fields },
    { "commonQuestions", T_LIST, REQUIRED, "What was asked most often.", .items = T_OBJECT,
      .fields = question_fields },
    { "timeoutQuestions", T_LIST, REQUIRED, "What most often found no answer in time.", .items = T_OBJECT,
      .fields = question_fields },
    { "jobOutcomes", T_OBJECT, REQUIRED, "How jobs ended.", .fields = outcomes_fields },
    { "agents", T_LIST, REQUIRED,
      "Who has ever asked in the workspace, the first 200 names; a token that is bound to a project is shown none.",
      .items = T_TEXT },
    { "alerts", T_LIST, REQUIRED,
      "What holds right now in the workspace, whatever the range; a token that is bound to a project is shown none.",
      .items = T_OBJECT, .fields = alert_fields },
    { 0 },
};

const struct op analytics_ops[] = {
    {
        .name = "analytics_get",
        .http = "GET /api/analytics",
        .tag = TAG,
        .help = "Show how questions went over a range of time: how fast people answer, what times out, what is asked again and again, and how jobs end with and without questions. "
                "Above 1,000 questions it is read from prepared figures, not from every question.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .heavy = true,
        .cli = "analytics",
        .run = run_analytics,
        .example = "{\"agent\": \"Builder\"}",
        .reply = analytics_reply,
        .params = {
            { "since", T_TIME, OPTIONAL, "Asked at this time or later. Without it: seven days before until." },
            { "until", T_TIME, OPTIONAL, "Asked before this time. Without it: now." },
            { "projectId", T_ID, OPTIONAL, "Only of this project." },
            { "agent", T_NAME, OPTIONAL, "Only what this agent asked, and the jobs it worked on." },
        },
    },
    { 0 },
};

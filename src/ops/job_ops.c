#include "core/questions/job.h"
#include "core/questions/response.h"
#include "core/runs/run.h"
#include "gen/nouns/job_fields.h"
#include "gen/nouns/job_line_fields.h"
#include "ops/fields.h"
#include "ops/question_fields.h"
#include "ops/tables.h"

#include "base/str.h"

#include <math.h>

/* A list by words waits for the index this often, as a search does. */
#define INDEX_ROUNDS 20

static const char *const first_statuses[] = { "pending", "running", NULL };
static const char *const next_statuses[] = { "running", "completed", "failed", NULL };
static const char *const line_orders[] = { "oldest", "newest", NULL };

const struct field job_progress_fields[] = {
    { "done", T_REAL, REQUIRED, "How much is done.", .flags = F_NULL },
    { "total", T_REAL, REQUIRED, "Of how much.", .flags = F_NULL },
    { "step", T_TEXT, REQUIRED, "What it is doing.", .flags = F_NULL },
    { 0 },
};

static const struct field answer_fields[] = {
    { "questionId", T_UUID, REQUIRED, "The question that was answered too late." },
    { "question", T_TEXT, REQUIRED, "Its words." },
    { "response", T_OBJECT, REQUIRED, "The answer.", .fields = response_fields, .flags = F_OPEN },
    { "by", T_TEXT, REQUIRED, "Whose it is." },
    { "at", T_TIME, REQUIRED, "When it came." },
    { 0 },
};

static const struct field job_fields[] = { JOB_FIELDS, { 0 } };

static const struct field list_reply[] = {
    { "jobs", T_LIST, REQUIRED, "The jobs, in the order that was asked for.", .items = T_OBJECT,
      .fields = job_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field line_fields[] = { JOB_LINE_FIELDS, { 0 } };

static const struct field logs_reply[] = {
    { "logs", T_LIST, REQUIRED, "The lines, in the order that was asked for.", .items = T_OBJECT,
      .fields = line_fields },
    PAGE_REPLY,
    { 0 },
};

static const struct field budget_params[] = {
    { "steps", T_INT, OPTIONAL, "How often the model may be asked.", .min = 1, .max = LIMIT_RUN_STEPS },
    { "tokens", T_INT, OPTIONAL, "How many tokens it may use, read and written.", .min = 1,
      .max = LIMIT_RUN_TOKENS },
    { "seconds", T_INT, OPTIONAL, "How long it may take; waiting for others does not count.", .min = 1,
      .max = LIMIT_RUN_SECONDS },
    { "money", T_REAL, OPTIONAL,
      "What it may cost, in the currency of the models' prices, which its model must have; more than 0.",
      .max = LIMIT_RUN_MONEY },
    { 0 },
};

static bool reply_job(struct call *call, const struct job *job)
{
    job_write(job, NULL, &call->out);
    return true;
}

static const char *json_arg(const struct call *call, const char *name)
{
    return arg_given(call, name) ? json_dump_text(call->tx.arena, arg_json(call, name)) : NULL;
}

/* A run's own parameters, for a job that is none. */
static bool refuse_wish(struct call *call)
{
    static const char *const only[] = { "budget", "recover", "tools" };

    for (size_t i = 0; i < sizeof(only) / sizeof(*only); i++)
        if (arg_given(call, only[i]))
            return err_field(&call->err, only[i], "%s is for jobs that witan runs: those of the kind agent.",
                             only[i]);
    return true;
}

/* The budget's numbers have been held against their limits already. */
static bool read_budget(struct call *call, struct run_wish *wish)
{
    const json_t *budget = arg_json(call, "budget");
    const json_t *money = json_object_get(budget, "money");

    wish->steps = json_integer_value(json_object_get(budget, "steps"));
    wish->tokens = json_integer_value(json_object_get(budget, "tokens"));
    wish->ms = 1000 * json_integer_value(json_object_get(budget, "seconds"));
    if (!json_is_number(money))
        return true;
    wish->money = (int64_t)llround(json_number_value(money) * MONEY_MILLIONTHS);
    return wish->money > 0 || err_field(&call->err, "budget.money", "budget.money must be more than 0.");
}

static bool read_wish(struct call *call, struct run_wish *wish)
{
    const json_t *tools = arg_json(call, "tools"), *name;
    const char **names;
    size_t i;

    *wish = (struct run_wish){ .recover = arg_given(call, "recover") && arg_bool(call, "recover") };
    if (arg_given(call, "tools")) {
        wish->tools = names = arena_array(call->tx.arena, const char *, json_array_size(tools) + 1);
        json_array_foreach(tools, i, name) names[i] = json_string_value(name);
        names[json_array_size(tools)] = NULL;
    }
    return read_budget(call, wish);
}

/* One that witan runs itself: when it begins is not the caller's to say. */
static bool create_run(struct call *call, struct job *job)
{
    struct run_wish wish;

    if (job->status != JOB_PENDING)
        return err_field(&call->err, "status", "A job of the kind agent is pending until witan runs it.");
    return read_wish(call, &wish) && run_create(&call->tx, job, &wish);
}

static bool run_job_create(struct call *call)
{
    struct job job = {
        .kind = arg_text(call, "kind"),
        .agent = arg_text(call, "agent"),
        .project_id = arg_text(call, "projectId"),
        .task_id = arg_text(call, "taskId"),
        .status = arg_word(call, "status", job_statuses),
        .input = json_arg(call, "input"),
    };

    if (str_equal(job.kind, JOB_KIND_AGENT) ? !create_run(call, &job)
                                            : !refuse_wish(call) || !job_create(&call->tx, &job))
        return false;
    call->subject = job.id;
    return reply_job(call, &job);
}

static bool run_job_list(struct call *call)
{
    struct job_filter filter = {
        .status = arg_word(call, "status", job_statuses),
        .agent = arg_text(call, "agent"),
        .kind = arg_text(call, "kind"),
        .project_id = arg_text(call, "projectId"),
        .task_id = arg_text(call, "taskId"),
        .text = arg_text(call, "text"),
        .all = arg_bool(call, "all"),
        .as_it_is = call->due_rounds >= INDEX_ROUNDS,
        .order = arg_word(call, "sort", job_orders),
        .cursor = arg_text(call, "cursor"),
        .limit = (size_t)arg_int(call, "limit"),
    };
    struct job_page page;

    if (!job_list(&call->tx, &filter, &page))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "jobs");
    for (size_t i = 0; i < page.count; i++)
        job_write(&page.jobs[i], NULL, &call->out);
    json_list_end(&call->out);
    json_text(&call->out, "nextCursor", page.next_cursor);
    json_map_end(&call->out);
    return true;
}

static bool run_job_get(struct call *call)
{
    struct job job;

    if (!job_get(&call->tx, arg_text(call, "id"), &job))
        return false;
    call->ended = !job_is_open(&job);
    return reply_job(call, &job);
}

/* What witan runs it drives itself; others can only cancel it. */
static bool is_driven_outside(struct call *call)
{
    struct err why = { 0 };
    struct tx tx = call->tx;
    struct run run;

    tx.err = &why;
    if (run_get(&tx, arg_text(call, "id"), &run)) {
        err_set(&call->err, ERR_CONFLICT, "witan runs this job itself; nobody else says how far it is.");
        return err_hint(&call->err, "It can be cancelled.");
    }
    if (why.code == ERR_NOT_FOUND) /* also of a job that is not there, which is said where it is looked for */
        return true;
    call->err = why;
    return false;
}

static bool run_job_update(struct call *call)
{
    struct job_change change = {
        .status = arg_word(call, "status", job_statuses),
        .result = json_arg(call, "result"),
        .error = arg_text(call, "error"),
    };
    struct job job;

    return is_driven_outside(call) && job_update(&call->tx, arg_text(call, "id"), &change, &job) &&
           reply_job(call, &job);
}

static bool run_job_cancel(struct call *call)
{
    struct job job;

    return job_cancel(&call->tx, arg_text(call, "id"), arg_text(call, "reason"), &job) &&
           reply_job(call, &job);
}

static bool run_job_log(struct call *call)
{
    struct job_line line = {
        .level = arg_word(call, "level", line_levels),
        .message = arg_text(call, "message"),
        .data = response_clean(call->tx.arena, arg_json(call, "data")),
    };

    if (!job_log(&call->tx, arg_text(call, "id"), &line))
        return false;
    job_line_write(&line, NULL, &call->out);
    return true;
}

/* Lines are numbered from 1; a cursor is the number of the last one shown. */
static bool run_job_logs(struct call *call)
{
    const char *cursor = arg_text(call, "cursor");
    size_t limit = (size_t)arg_int(call, "limit"), count, shown;
    struct line_filter filter = {
        .newest = str_equal(arg_text(call, "order"), "newest"),
        .kind = arg_word(call, "kind", line_kinds),
        .limit = limit + 1,
    };
    struct job_line *lines;

    if (cursor && (!str_to_int(cursor, &filter.from) || filter.from <= 0))
        return err_field(&call->err, "cursor", "cursor must be a nextCursor of this list.");
    if (!job_logs(&call->tx, arg_text(call, "id"), &filter, &lines, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "logs");
    for (size_t i = 0; i < shown; i++)
        job_line_write(&lines[i], NULL, &call->out);
    json_list_end(&call->out);
    json_text(&call->out, "nextCursor",
              count > shown ? arena_format(call->tx.arena, "%lld", (long long)lines[shown - 1].seq) : NULL);
    json_map_end(&call->out);
    return true;
}

static bool run_job_progress(struct call *call)
{
    struct job_progress progress = {
        .has_done = arg_given(call, "done"),
        .done = arg(call, "done")->real,
        .has_total = arg_given(call, "total"),
        .total = arg(call, "total")->real,
        .step = arg_text(call, "step"),
    };
    struct job job;

    return is_driven_outside(call) && job_report(&call->tx, arg_text(call, "id"), &progress, &job) &&
           reply_job(call, &job);
}

#define ID_PARAM \
    { \
        "id", T_UUID, REQUIRED, "The job." \
    }

const struct op job_ops[] = {
    {
        .name = "job_create",
        .http = "POST /api/jobs",
        .tag = TAG_JOBS,
        .help = "Make a job that you drive yourself: say when it runs, report on it, ask people, and say how it ended. "
                "One of the kind agent is run by witan: an agent of the workspace works on its input with tools until it is done, and asks people when it must.",
        .needs = ROLES_WRITE,
        .reaches = REACH_JOB,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_job_create,
        .example = "{\"agent\": \"Builder\", \"kind\": \"build\", \"input\": {\"branch\": \"main\"}}",
        .reply = job_fields,
        .params = {
            { "kind", T_NAME, OPTIONAL, "What kind of job it is; agent is one that witan runs.", .fallback = "external" },
            { "agent", T_NAME, OPTIONAL, "Who works on it; of the kind agent: which agent of the workspace, by name." },
            { "projectId", T_ID, OPTIONAL, "The project it belongs to." },
            { "taskId", T_ID, OPTIONAL, "The task it works on." },
            { "status", T_ENUM, OPTIONAL, "running when it starts at once.", .values = first_statuses,
              .fallback = "pending" },
            { "input", T_JSON, OPTIONAL, "What it is given; of the kind agent: what is to be done, as a text or an object.", .max = LIMIT_BODY },
            { "budget", T_OBJECT, OPTIONAL, "Of the kind agent: what it may take at most; the server's settings say the rest.",
              .fields = budget_params },
            { "recover", T_BOOL, OPTIONAL, "Of the kind agent: whether people are asked what to do when a model cannot be asked, or a tool cannot be reached or takes too long. What a tool itself says went wrong is told to the agent." },
            { "tools", T_LIST, OPTIONAL, "Of the kind agent: only these tools beside the built-in ones; without it, all that it may use.",
              .items = T_NAME, .max = LIMIT_RUN_TOOLS },
        },
    },
    {
        .name = "job_list",
        .http = "GET /api/jobs",
        .tag = TAG_JOBS,
        .help = "List jobs. "
                "Those that were made for a single question are left out, unless all or their kind asks for them.",
        .needs = ROLES_READ,
        .reaches = REACH_JOB,
        .kind = OP_READ,
        .run = run_job_list,
        .example = "{\"status\": \"running\", \"agent\": \"Builder\", \"limit\": 20}",
        .reply = list_reply,
        .params = {
            { "status", T_ENUM, OPTIONAL, "Only jobs with this status.", .values = job_statuses },
            { "agent", T_NAME, OPTIONAL, "Only jobs of this agent.", .flags = F_SPEAKER },
            { "kind", T_NAME, OPTIONAL, "Only jobs of this kind." },
            { "projectId", T_ID, OPTIONAL, "Only jobs of this project." },
            { "taskId", T_ID, OPTIONAL, "Only jobs of this task." },
            { "text", T_TEXT, OPTIONAL,
              "Only jobs with all of these words in their kind, agent or input; of one that was made for a single question, in that. "
              "The last may be the beginning of one.",
              .min = 1, .max = LIMIT_SEARCH },
            { "all", T_BOOL, OPTIONAL, "Also jobs that were made for a single question; their kind is question.",
              .fallback = "false" },
            { "sort", T_ENUM, OPTIONAL, "newest or oldest first.", .values = job_orders, .fallback = "newest" },
            PAGE_PARAMS,
        },
    },
    {
        .name = "job_get",
        .http = "GET /api/jobs/{id}",
        .tag = TAG_JOBS,
        .help = "Show a job; with wait, hold the reply until it has ended.",
        .needs = ROLES_READ,
        .reaches = REACH_JOB,
        .kind = OP_READ,
        .quick = true,
        .waits = true,
        .run = run_job_get,
        .reply = job_fields,
        .params = { ID_PARAM },
    },
    {
        .name = "job_update",
        .http = "PATCH /api/jobs/{id}",
        .tag = TAG_JOBS,
        .help = "Say that a job of yours runs, has completed or has failed. "
                "The end cancels its open questions; non-blocking ones stay answerable. "
                "An agent cannot end a job in which others wait for people.",
        .needs = ROLES_WRITE,
        .reaches = REACH_JOB,
        .kind = OP_WRITE,
        .body_max = LIMIT_RESULT_BODY,
        .run = run_job_update,
        .example = "{\"status\": \"completed\", \"result\": {\"files\": 3}}",
        .reply = job_fields,
        .params = {
            ID_PARAM,
            { "status", T_ENUM, OPTIONAL, "The next status.", .values = next_statuses },
            { "result", T_JSON, OPTIONAL, "What came out." },
            { "error", T_TEXT, OPTIONAL, "With failed: why.", .min = 1, .max = LIMIT_MESSAGE },
        },
    },
    {
        .name = "job_cancel",
        .http = "POST /api/jobs/{id}/cancel",
        .tag = TAG_JOBS,
        .help = "Cancel a job and its open questions; non-blocking ones can still be answered. An agent cannot cancel a job in which others wait for people, unless it is a run that it asked for itself.",
        .needs = ROLES_WRITE,
        .reaches = REACH_JOB,
        .kind = OP_WRITE,
        .run = run_job_cancel,
        .example = "{\"reason\": \"It is no longer needed.\"}",
        .reply = job_fields,
        .params = {
            ID_PARAM,
            { "reason", T_TEXT, OPTIONAL, "Why.", .max = LIMIT_TITLE },
        },
    },
    {
        .name = "job_logs",
        .http = "GET /api/jobs/{id}/logs",
        .tag = TAG_JOBS,
        .help = "Read a job's log: its own lines, progress, questions and answers.",
        .needs = ROLES_READ,
        .reaches = REACH_JOB,
        .kind = OP_READ,
        .run = run_job_logs,
        .reply = logs_reply,
        .params = {
            ID_PARAM,
            { "order", T_ENUM, OPTIONAL, "Which lines come first; newest reads a long log from its end.",
              .values = line_orders, .fallback = "oldest" },
            { "kind", T_ENUM, OPTIONAL, "Only lines of this kind.", .values = line_kinds },
            PAGE_PARAMS_UP_TO(LIMIT_LOG_PAGE),
        },
    },
    {
        .name = "job_log",
        .http = "POST /api/jobs/{id}/logs",
        .tag = TAG_JOBS,
        .help = "Add a line to a job's log.",
        .needs = ROLES_WRITE,
        .reaches = REACH_JOB,
        .kind = OP_WRITE,
        .status = 201,
        .no_audit = true,
        .run = run_job_log,
        .example = "{\"message\": \"The tests pass.\", \"level\": \"info\", \"data\": {\"tests\": 412}}",
        .reply = line_fields,
        .params = {
            ID_PARAM,
            { "message", T_TEXT, REQUIRED,
              "What happened. Colours for terminals (ESC [ ... m) are kept, other escapes are not.",
              .max = LIMIT_MESSAGE_CEILING },
            { "level", T_ENUM, OPTIONAL, "How serious it is.", .values = line_levels, .fallback = "info" },
            { "data", T_JSON, OPTIONAL, "The same for machines.", .max = LIMIT_CONTEXT },
        },
    },
    {
        .name = "job_progress",
        .http = "POST /api/jobs/{id}/progress",
        .tag = TAG_JOBS,
        .help = "Report how far a job is. Each report is also a line of its log.",
        .needs = ROLES_WRITE,
        .reaches = REACH_JOB,
        .kind = OP_WRITE,
        .no_audit = true,
        .tool = "report_progress",
        .run = run_job_progress,
        .example = "{\"done\": 3, \"total\": 10, \"step\": \"migrating tables\"}",
        .reply = job_fields,
        .params = {
            ID_PARAM,
            { "done", T_REAL, OPTIONAL, "How much is done." },
            { "total", T_REAL, OPTIONAL, "Of how much." },
            { "step", T_TEXT, OPTIONAL, "What it is doing.", .min = 1, .max = LIMIT_TITLE },
        },
    },
    { 0 },
};

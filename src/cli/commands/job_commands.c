/*
 * A job is followed by its own stream from the first event on, so that `job follow` shows the same whenever
 * it is begun.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/client/interrupt.h"
#include "cli/client/invoke.h"
#include "cli/client/resume.h"
#include "cli/commands/tables.h"
#include "cli/term.h"
#include "core/log/event_type.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RECONNECT_S 1

static bool is_over(const char *status)
{
    return str_equal(status, "completed") || str_equal(status, "failed") || str_equal(status, "cancelled");
}

static int exit_of_job(const char *status)
{
    if (str_equal(status, "failed"))
        return CLI_NO;
    return str_equal(status, "cancelled") ? CLI_CANCELLED : CLI_OK;
}

/* Sends what the command line says; the reply's job, which the caller json_decrefs. */
static bool send_job(struct cli *cli, json_t *params, struct client_reply *reply, json_t **job,
                     struct err *err)
{
    return invoke_collect(cli, params, err) && invoke_json(cli, cli->op, params, 0, reply, job, err);
}

static int run_create(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *job = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!send_job(cli, params, &reply, &job, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    return cli_print_line(cli, member_text(cli->arena, job, "id"));
}

static int run_list(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "id", "ID", false },       { "status", "STATUS", false }, { "kind", "KIND", false },
        { "agent", "AGENT", false }, { "createdAt", "MADE", true }, { "error", "ERROR", false },
    };
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *page = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    struct term term;

    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &page, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    if (json_array_size(json_object_get(page, "jobs")) == 0) {
        cli_note(cli, "There are no such jobs.");
        return CLI_OK;
    }
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    term_table(&term, json_object_get(page, "jobs"), columns, sizeof(columns) / sizeof(columns[0]),
               clock_now_ms());
    return cli_print(text.bytes, text.len);
}

static void write_progress(struct term *term, const json_t *progress)
{
    const json_t *done = json_object_get(progress, "done"), *total = json_object_get(progress, "total");
    const char *step = member_text(term->arena, progress, "step");

    if (json_is_number(done))
        buf_format(term->out, "  %g", json_number_value(done));
    if (json_is_number(done) && json_is_number(total))
        buf_format(term->out, " of %g", json_number_value(total));
    if (step)
        buf_format(term->out, "  %s", term_line(term->arena, step));
}

static void write_job(struct term *term, const json_t *job)
{
    const char *status = term_line(term->arena, member_text(term->arena, job, "status"));
    const char *error = member_text(term->arena, job, "error");
    const json_t *result = json_object_get(job, "result");

    term_paint(term, TERM_BOLD, status);
    buf_format(term->out, "  %s", term_line(term->arena, member_text(term->arena, job, "id")));
    write_progress(term, json_object_get(job, "progress"));
    buf_char(term->out, '\n');
    if (error)
        term_block(term, "  ", error);
    if (json_is_string(result))
        term_block(term, "  ", json_string_value(result));
    else if (result && !json_is_null(result))
        term_block(term, "  ", json_dump_text(term->arena, result));
}

static void write_line(struct term *term, const json_t *line, bool utc)
{
    const char *at = member_text(term->arena, line, "at");
    const char *kind = member_text(term->arena, line, "kind");

    buf_format(term->out, "%s  ", term_time(term->arena, at, clock_now_ms(), utc));
    if (!kind)
        kind = member_text(term->arena, line, "level");
    term_paint(term, TERM_BLUE, arena_format(term->arena, "%-9s", term_line(term->arena, kind)));
    buf_format(term->out, "  %s\n", term_line(term->arena, member_text(term->arena, line, "message")));
}

static bool read_logs(struct cli *cli, const char *id, json_t **lines, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s, s:i}", "id", id, "limit", LIMIT_LOG_PAGE);

    *lines = json_array();
    for (;;) {
        JSON_AUTO *page = NULL;
        struct client_reply reply;
        const char *cursor;

        if (!invoke_json(cli, op_find("job_logs"), params, 0, &reply, &page, err))
            return false;
        json_array_extend(*lines, json_object_get(page, "logs"));
        cursor = json_string_value(json_object_get(page, "nextCursor"));
        if (!cursor)
            return true;
        json_object_set_new(params, "cursor", json_string(cursor));
    }
}

static int run_show(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *job = NULL;
    JSON_AUTO *lines = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    struct term term;
    const json_t *line;
    size_t index;

    if (!send_job(cli, params, &reply, &job, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    if (!read_logs(cli, cli_get(cli, "ID"), &lines, &err))
        return cli_fail(cli, &err);
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    write_job(&term, job);
    json_array_foreach(lines, index, line) write_line(&term, line, cli->utc);
    return cli_print(text.bytes, text.len);
}

/* What changes a job and has nothing to show but that it was done. */
static int change_job(struct cli *cli, json_t *params)
{
    JSON_AUTO *job = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!send_job(cli, params, &reply, &job, &err))
        return cli_fail(cli, &err);
    return cli->json ? invoke_print(cli, &reply, false) : CLI_OK;
}

static int run_change(struct cli *cli)
{
    JSON_AUTO *params = json_object();

    return change_job(cli, params);
}

static int run_cancel(struct cli *cli)
{
    int code = run_change(cli);

    if (code == CLI_OK && !cli->json)
        cli_note(cli, "The job was cancelled.");
    return code;
}

/* A result that is not JSON is text. */
static int run_done(struct cli *cli)
{
    JSON_AUTO *params = json_pack("{s:s}", "status", "completed");
    const char *result = cli_get(cli, "RESULT");
    struct err ignored = { 0 };
    json_t *value = NULL;

    if (result && !json_parse(result, strlen(result), &value, &ignored))
        value = json_string(result);
    if (value)
        json_object_set_new(params, "result", value);
    return change_job(cli, params);
}

static int run_fail(struct cli *cli)
{
    JSON_AUTO *params = json_pack("{s:s}", "status", "failed");

    return change_job(cli, params);
}

/* Following a job: its stream, from the first event on, until it has ended. */
struct follow {
    struct cli *cli;
    char last_id[64];
    char status[32]; /* how it ended, or "" */
    int code;
};

static bool take_event(void *user, const char *id, const char *data)
{
    struct follow *follow = user;
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    JSON_AUTO *event = NULL;
    struct err ignored = { 0 };
    struct term term;
    const char *status;
    enum event_type type;

    snprintf(follow->last_id, sizeof(follow->last_id), "%s", id);
    if (!json_parse(data, strlen(data), &event, &ignored))
        return true;
    type = event_type_of(member_text(&arena, event, "type"));
    buf_init(&text, 0);
    term_init(&term, &arena, &text, follow->cli->colour);
    status = member_text(&arena, event, "status");
    if (follow->cli->json)
        buf_format(&text, "%s\n", data);
    else if (type == EVENT_JOB_LOG)
        write_line(&term, event, follow->cli->utc);
    else if (type == EVENT_JOB_STATUS)
        cli_note(follow->cli, "%s", term_line(&arena, status));
    follow->code = text.len > 0 ? cli_print(text.bytes, text.len) : CLI_OK;
    if (is_over(status) && (type == EVENT_JOB_ENDED || type == EVENT_JOB_STATUS))
        snprintf(follow->status, sizeof(follow->status), "%s", status);
    return follow->code == CLI_OK && (!follow->status[0] || type != EVENT_JOB_ENDED);
}

/* A job that had ended before anybody listened sends no event. */
static bool take_opening(void *user)
{
    struct follow *follow = user;
    struct cli *cli = follow->cli;
    JSON_AUTO *params = json_pack("{s:s}", "id", cli_get(cli, "ID"));
    JSON_AUTO *state = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    const char *status;

    if (!invoke_json(cli, op_find("job_get"), params, 0, &reply, &state, &err)) {
        follow->code = cli_fail(cli, &err);
        return false;
    }
    status = member_text(cli->arena, state, "status");
    if (!is_over(status))
        return true;
    snprintf(follow->status, sizeof(follow->status), "%s", status);
    return false;
}

/* Following a job is only looking on: a signal ends that, not the job. */
static int left_alone(struct cli *cli)
{
    const char *id = term_line(cli->arena, cli_get(cli, "ID"));

    cli_note(cli, "The job goes on; follow it again with:\n  %s",
             resume_command(cli, arena_format(cli->arena, "job follow %s", id)));
    return interrupt_exit();
}

static int run_follow(struct cli *cli)
{
    struct follow follow = { .cli = cli };
    const char *path =
        arena_format(cli->arena, "/api/jobs/%s/stream", str_url_encode(cli->arena, cli_get(cli, "ID")));
    bool ever = false;

    interrupt_catch();
    cli->pulse = interrupt_pulse;
    for (;;) {
        struct err err = { 0 };
        struct client_stream stream = {
            .path = path,
            .last_id = follow.last_id[0] ? follow.last_id : NULL,
            .take = take_event,
            .opened = take_opening,
            .user = &follow,
        };
        bool there = client_follow(cli, &stream, &err);

        if (interrupted())
            return left_alone(cli);
        if (follow.code)
            return follow.code;
        if (follow.status[0]) {
            cli_note(cli, "The job %s.",
                     follow.status[0] == 'c' && follow.status[1] == 'a' ? "was cancelled" : follow.status);
            return exit_of_job(follow.status);
        }
        if (there && stream.refusal.status >= 400 && stream.refusal.status < 500) {
            client_error(cli, &stream.refusal, &err);
            return cli_fail(cli, &err);
        }
        ever |= stream.answered;
        if (!ever)
            return cli_fail(cli, &err);
        if (stream.answered)
            cli_note(cli, "The stream ended; connecting again.");
        sleep(RECONNECT_S);
    }
}

#define JOB_ID \
    { \
        "ID", .param = "id" \
    }

const struct cli_command job_commands[] = {
    {
        .name = "job create",
        .op = "job_create",
        .help = "Begin a job that you drive yourself. Prints its id.",
        .examples = "job=$(witan job create --agent Builder)\n"
                    "witan job create --kind review --input '{\"branch\": \"main\"}'",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            { "kind", "TEXT", .param = "kind" },
            { "agent", "NAME", .param = "agent" },
            { "project", "PROJECT", .param = "projectId" },
            { "task", "ID", .param = "taskId" },
            { "input", "JSON", .param = "input" },
            { "status", "STATUS", .param = "status" },
            { "idempotency-key", "KEY", .help = "Repeating with the same key makes one." },
        },
        .run = run_create,
    },
    {
        .name = "job list",
        .op = "job_list",
        .examples = "witan job list --status waiting_for_input\n"
                    "witan job list --text \"release 2\" --sort oldest\nwitan job list --all",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            { "status", "STATUS", .param = "status" },
            { "agent", "NAME", .param = "agent" },
            { "kind", "TEXT", .param = "kind" },
            { "project", "PROJECT", .param = "projectId" },
            { "text", "TEXT", .param = "text" },
            { "all", NULL, .param = "all" },
            { "sort", "ORDER", .param = "sort" },
            { "limit", "N", .param = "limit" },
        },
        .run = run_list,
    },
    {
        .name = "job show",
        .op = "job_get",
        .help = "Show a job and its log.",
        .examples = "witan job show ID",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { JOB_ID },
        .run = run_show,
    },
    {
        .name = "job log",
        .op = "job_log",
        .help = "Write a line into a job's log.",
        .examples = "witan job log ID \"Compiling.\"\nmake 2>&1 | tail -1 | witan job log ID - --level warn",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { JOB_ID, { "MESSAGE", .param = "message", .flags = CLI_STDIN } },
        .options = { { "level", "LEVEL", .param = "level" } },
        .run = run_change,
    },
    {
        .name = "job progress",
        .op = "job_progress",
        .help = "Say how far a job is.",
        .examples = "witan job progress ID 3 --total 10 --step \"Running the tests\"",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { JOB_ID, { "DONE", .param = "done", .flags = CLI_MAY } },
        .options = { { "total", "N", .param = "total" }, { "step", "TEXT", .param = "step" } },
        .run = run_change,
    },
    {
        .name = "job done",
        .op = "job_update",
        .help = "End a job as completed.",
        .examples = "witan job done ID\nwitan job done ID '{\"tests\": 42}'",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { JOB_ID,
                  { "RESULT", .help = "What came of it: JSON, or text.", .flags = CLI_MAY | CLI_STDIN } },
        .run = run_done,
    },
    {
        .name = "job fail",
        .op = "job_update",
        .help = "End a job as failed.",
        .examples = "witan job fail ID \"The disk is full.\"",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { JOB_ID, { "ERROR", .param = "error", .flags = CLI_MAY | CLI_STDIN } },
        .run = run_fail,
    },
    {
        .name = "job cancel",
        .op = "job_cancel",
        .help = "Cancel a job and its open questions; non-blocking ones can still be answered.",
        .examples = "witan job cancel ID",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { JOB_ID },
        .options = { { "reason", "TEXT", .param = "reason" } },
        .run = run_cancel,
    },
    {
        .name = "job follow",
        .help = "Follow a job until it ends. "
                "Exit code: 0 completed, 3 failed, 6 cancelled; a signal ends the following, not the job.",
        .examples = "witan job follow ID\nwitan job follow ID --json",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "ID", .help = "The job." } },
        .run = run_follow,
    },
    { 0 },
};

#include "base/clock.h"
#include "cli/client/project_scope.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

#include <inttypes.h>

#define MOST_SHOWN 5

/* "850 ms", "42 s", "3m 20s", "1h 05m". */
static const char *duration(struct arena *arena, const json_t *ms)
{
    int64_t value = json_integer_value(ms), seconds = value / 1000;

    if (!json_is_integer(ms))
        return "-";
    if (value < 1000)
        return arena_format(arena, "%" PRId64 " ms", value);
    if (seconds < 60)
        return arena_format(arena, "%" PRId64 " s", seconds);
    if (seconds < 3600)
        return arena_format(arena, "%" PRId64 "m %02" PRId64 "s", seconds / 60, seconds % 60);
    return arena_format(arena, "%" PRId64 "h %02" PRId64 "m", seconds / 3600, seconds / 60 % 60);
}

static const char *percent(struct arena *arena, const json_t *rate)
{
    return json_is_number(rate) ? arena_format(arena, "%.0f %%", json_number_value(rate) * 100) : "-";
}

static const char *number(struct arena *arena, const json_t *of, const char *name)
{
    return arena_format(arena, "%" PRId64, member_int(of, name));
}

static void add_counts(struct term_table *table, struct arena *arena, const char *name, const json_t *counts)
{
    const json_t *times = json_object_get(counts, "timeToAnswer");
    const char *cells[] = {
        name,
        number(arena, counts, "asked"),
        number(arena, counts, "answered"),
        number(arena, counts, "byDefault"),
        number(arena, counts, "timedOut"),
        number(arena, counts, "cancelled"),
        number(arena, counts, "pending"),
        duration(arena, json_object_get(times, "medianMs")),
        duration(arena, json_object_get(times, "p90Ms")),
    };

    term_table_row(table, cells);
}

static void write_types(struct term *term, const json_t *report)
{
    static const char *const heads[] = { "QUESTIONS", "ASKED", "ANSWERED", "BY DEFAULT",    "TIMED OUT",
                                         "CANCELLED", "OPEN",  "MEDIAN",   "9 OF 10 WITHIN" };
    struct term_table table;
    const json_t *counts;
    size_t index;

    term_table_init(&table, term, sizeof(heads) / sizeof(heads[0]), heads);
    json_array_foreach(json_object_get(report, "byType"), index, counts)
        add_counts(&table, term->arena, member_text(term->arena, counts, "type"), counts);
    add_counts(&table, term->arena, "all", json_object_get(report, "questions"));
    term_table_end(&table);
}

static void write_often(struct term *term, const json_t *report, const char *member, const char *head)
{
    const json_t *question;
    size_t index;

    if (json_array_size(json_object_get(report, member)) == 0)
        return;
    buf_format(term->out, "\n%s\n", head);
    json_array_foreach(json_object_get(report, member), index, question)
    {
        if (index == MOST_SHOWN)
            break;
        buf_format(term->out, "  %4" PRId64 "  %s (%" PRId64 " answered, %" PRId64 " timed out)\n",
                   member_int(question, "asked"),
                   term_line(term->arena, member_text(term->arena, question, "question")),
                   member_int(question, "answered"), member_int(question, "timedOut"));
    }
}

static void write_jobs(struct term *term, const json_t *report)
{
    static const char *const kinds[][2] = { { "withQuestions", "that asked" },
                                            { "withoutQuestions", "that did not" } };
    const json_t *outcomes = json_object_get(report, "jobOutcomes");

    buf_text(term->out, "\njobs, but for those made for a single question\n");
    for (size_t i = 0; i < 2; i++) {
        const json_t *jobs = json_object_get(outcomes, kinds[i][0]);

        buf_format(term->out,
                   "  %-12s  %" PRId64 ": %" PRId64 " completed, %" PRId64 " failed, %" PRId64
                   " cancelled, %" PRId64 " open; completed of those that ended: %s\n",
                   kinds[i][1], member_int(jobs, "jobs"), member_int(jobs, "completed"),
                   member_int(jobs, "failed"), member_int(jobs, "cancelled"), member_int(jobs, "open"),
                   percent(term->arena, json_object_get(jobs, "completedRate")));
    }
}

static void write_alerts(struct term *term, const json_t *report, int64_t now_ms)
{
    const json_t *alert;
    size_t index;

    json_array_foreach(json_object_get(report, "alerts"), index, alert)
    {
        term_paint(term, TERM_RED, "alert");
        buf_format(term->out, "  %s, since %s\n",
                   term_line(term->arena, member_text(term->arena, alert, "kind")),
                   term_when(term->arena, member_text(term->arena, alert, "since"), now_ms));
    }
}

static void write_report(struct cli *cli, struct term *term, const json_t *report)
{
    const char *agent = member_text(cli->arena, report, "agent");
    int64_t now_ms = clock_now_ms();

    write_alerts(term, report, now_ms);
    buf_format(term->out, "from %s to %s%s%s%s%s\n\n",
               term_time(cli->arena, member_text(cli->arena, report, "since"), now_ms, cli->utc),
               term_time(cli->arena, member_text(cli->arena, report, "until"), now_ms, cli->utc),
               json_is_true(json_object_get(report, "exact")) ? "" : ", from prepared figures",
               agent ? ", of " : "", agent ? term_line(cli->arena, agent) : "",
               json_is_true(json_object_get(report, "truncated")) ? ", its newest 10,000 only" : "");
    write_types(term, report);
    write_often(term, report, "commonQuestions", "asked most often");
    write_often(term, report, "timeoutQuestions", "most often without an answer in time");
    write_jobs(term, report);
}

static int run_analytics(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *report = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    struct term term;

    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &report, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    write_report(cli, &term, report);
    return cli_print(text.bytes, text.len);
}

const struct cli_command analytics_commands[] = {
    {
        .name = "analytics",
        .op = "analytics_get",
        .examples = "witan analytics\nwitan analytics --project \"Web shop\" --since 2026-11-01T00:00:00Z\n"
                    "witan analytics --agent Scout\nwitan analytics --json | jq .questions",
        .uses = CLI_SERVER | CLI_JSON,
        .options = { { "since", "TIME", .param = "since" },
                     { "until", "TIME", .param = "until" },
                     { "project", "PROJECT", .param = "projectId",
                       .help = "Only of this project, by id or name." },
                     { "agent", "NAME", .param = "agent" } },
        .run = run_analytics,
    },
    { 0 },
};

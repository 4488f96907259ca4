/*
 * Bytes that are no text are replaced and counted, since an agent's questions must not be lost to what a
 * program printed between them.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/client/project_scope.h"
#include "cli/client/question_view.h"
#include "cli/commands/tables.h"
#include "cli/term.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * What an agent printed may hold a byte that is no text, from a program it ran. That is no reason to lose its
 * questions: such bytes are replaced, as terminals do.
 */
static char *as_text(struct arena *arena, const char *bytes, size_t len, size_t *replaced)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    *replaced = 0;
    for (size_t at = 0; at < len;) {
        uint32_t code;
        size_t size = str_decode(bytes + at, len - at, &code);

        if (size == 0 || code == 0) {
            buf_text(&text, "\xef\xbf\xbd");
            (*replaced)++;
            at++;
            continue;
        }
        buf_add(&text, bytes + at, size);
        at += size;
    }
    return arena_copy(arena, text.bytes ? text.bytes : "", text.len);
}

/* FILE, or standard input for "-" and for no FILE at all. */
static bool read_output(struct cli *cli, const char **output, struct err *err)
{
    BUF_AUTO all = { 0 };
    const char *path = cli_get(cli, "FILE");
    bool from_stdin = !path || strcmp(path, "-") == 0;
    FILE *file = from_stdin ? stdin : fopen(path, "r");
    char chunk[16 * KB];
    size_t got, replaced;

    if (!file)
        return err_field(err, "FILE", "Cannot read %s: %s.", path, strerror(errno));
    buf_init(&all, LIMIT_RESULT_OUTPUT);
    while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
        buf_add(&all, chunk, got);
    bool broken = ferror(file) != 0;

    if (!from_stdin)
        fclose(file);
    if (broken)
        return err_field(err, "FILE", "Cannot read %s to its end.", from_stdin ? "standard input" : path);
    if (all.full)
        return err_set(err, ERR_TOO_LARGE, "The output is larger than %d bytes.", LIMIT_RESULT_OUTPUT);
    *output = as_text(cli->arena, all.bytes ? all.bytes : "", all.len, &replaced);
    if (replaced > 0)
        cli_note(cli, "%zu bytes were not text and have been replaced.", replaced);
    return true;
}

/* The project that has the task; where none has it, the option that named it is told. */
static bool find_task(struct cli *cli, const char **project, struct err *err)
{
    struct err why = { 0 };

    if (scope_task(cli, cli_get(cli, "source-id"), project, &why))
        return true;
    *err = why;
    return why.code == ERR_NOT_FOUND && !*why.hint ? err_set(err, why.code, "--source-id: %s", why.text)
                                                   : false;
}

static bool read_result(struct cli *cli, json_t *params, struct err *err)
{
    const char *agent = cli_get(cli, "agent"), *output, *project;
    bool of_task = str_equal(agent, "coder") || str_equal(agent, "reviewer");

    if (!read_output(cli, &output, err))
        return false;
    if (of_task ? !find_task(cli, &project, err) : !scope_project(cli, &project, err))
        return false;
    json_object_set_new(params, "id", json_string(project));
    json_object_set_new(params, "output", json_string(output));
    return true;
}

static const char *answer_to(struct arena *arena, const json_t *responses, const char *id)
{
    const json_t *response;
    size_t index;

    json_array_foreach(responses, index, response)
    {
        if (str_equal(member_text(arena, response, "questionId"), id))
            return member_text(arena, response, "answer");
    }
    return NULL;
}

/* Each with the answer that it has already, if any. */
static void write_questions(struct term *term, const char *indent, const json_t *questions,
                            const json_t *responses)
{
    const json_t *question;
    size_t index;

    json_array_foreach(questions, index, question)
    {
        const char *id = term_line(term->arena, member_text(term->arena, question, "id"));
        const char *answer = answer_to(term->arena, responses, member_text(term->arena, question, "id"));

        buf_text(term->out, indent);
        term_paint(term, TERM_BOLD, id);
        buf_text(term->out, ":\n");
        term_block(term, arena_format(term->arena, "%s  ", indent),
                   member_text(term->arena, question, "text"));
        if (answer)
            buf_format(term->out, "%s  answered: %s\n", indent, term_line(term->arena, answer));
    }
}

static int report_result(struct cli *cli, const json_t *reply)
{
    BUF_AUTO text = { 0 };
    const json_t *questions = json_object_get(reply, "questions"), *problem;
    const char *set = member_text(cli->arena, reply, "notificationId");
    struct term term;
    size_t index;

    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    write_questions(&term, "", questions, NULL);
    json_array_foreach(json_object_get(reply, "problems"), index, problem)
    {
        term_paint(&term, TERM_YELLOW, "problem: ");
        buf_format(&text, "%s\n", term_line(cli->arena, json_string_value(problem)));
    }
    if (set)
        cli_note(cli, "Answer with `witan resolve %s ...`.", term_line(cli->arena, set));
    else if (json_is_true(json_object_get(reply, "accepted")))
        cli_note(cli, "Accepted.");
    else
        cli_note(cli, "Not accepted.");
    return cli_print(text.bytes ? text.bytes : "", text.len);
}

static int run_result(struct cli *cli)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *reply = NULL;
    struct client_reply sent;
    struct err err = { 0 };
    int code;

    if (!invoke_collect(cli, params, &err) || !read_result(cli, params, &err) ||
        !invoke_json(cli, cli->op, params, 0, &sent, &reply, &err))
        return cli_fail(cli, &err);
    code = cli->json ? invoke_print(cli, &sent, false) : report_result(cli, reply);
    if (code)
        return code;
    if (json_is_string(json_object_get(reply, "notificationId")))
        return CLI_NO;
    return json_is_true(json_object_get(reply, "accepted")) ? CLI_OK : CLI_ERROR;
}

static void write_set(struct term *term, const json_t *set)
{
    const char *title = member_text(term->arena, json_object_get(set, "task"), "title");
    const char *from = arena_format(term->arena, "%s/%s", member_text(term->arena, set, "source"),
                                    member_text(term->arena, set, "sourceId"));

    term_paint(term, TERM_BOLD, term_line(term->arena, member_text(term->arena, set, "id")));
    buf_format(term->out, "  %s  %s  %s%s%s\n", term_line(term->arena, member_text(term->arena, set, "kind")),
               term_line(term->arena, from),
               term_when(term->arena, member_text(term->arena, set, "createdAt"), clock_now_ms()),
               title ? "  " : "", title ? view_task(term->arena, title) : "");
    write_questions(term, "  ", json_object_get(set, "questions"), json_object_get(set, "responses"));
}

/* Of one project, behind what was found in others; *next is where it goes on, or null. The caller
 * json_decrefs it. */
static bool add_open(struct cli *cli, const json_t *project, json_t *all, json_t **next, struct err *err)
{
    JSON_AUTO *params = json_object();
    JSON_AUTO *list = NULL;
    json_t *set;
    size_t index;

    if (!invoke_collect(cli, params, err))
        return false;
    json_object_set(params, "id", json_object_get(project, "id"));
    if (!scope_list(cli, cli->op, params, "notifications", &list, err))
        return false;
    json_array_foreach(json_object_get(list, "notifications"), index, set)
    {
        json_array_append(all, set);
    }
    *next = json_incref(json_object_get(list, "nextCursor"));
    return true;
}

/* The sets of one project, below its name where there are several. */
static void write_sets(struct term *term, const json_t *project, bool named, const json_t *all)
{
    const char *id = json_string_value(json_object_get(project, "id"));
    const json_t *set;
    size_t index;

    json_array_foreach(all, index, set)
    {
        if (!str_equal(json_string_value(json_object_get(set, "projectId")), id))
            continue;
        if (named)
            buf_format(term->out, "%s\n", term_line(term->arena, member_text(term->arena, project, "name")));
        named = false;
        write_set(term, set);
    }
}

static int print_open(struct cli *cli, const json_t *projects, const json_t *all, bool more)
{
    BUF_AUTO text = { 0 };
    struct term term;
    const json_t *project;
    size_t index;

    if (json_array_size(all) == 0)
        cli_note(cli, "Nothing is open.");
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    json_array_foreach(projects, index, project)
    {
        write_sets(&term, project, json_array_size(projects) > 1, all);
    }
    if (more)
        cli_note(cli, "There are more; --all shows them.");
    return cli_print(text.bytes ? text.bytes : "", text.len);
}

static int run_open_questions(struct cli *cli)
{
    JSON_AUTO *projects = NULL;
    JSON_AUTO *all = json_array();
    const json_t *project;
    struct err err = { 0 };
    JSON_AUTO *cursor = json_null();
    bool more = false;
    size_t index;

    if (!scope_each(cli, &projects, &err))
        return cli_fail(cli, &err);
    json_array_foreach(projects, index, project)
    {
        json_decref(cursor);
        cursor = NULL;
        if (!add_open(cli, project, all, &cursor, &err))
            return cli_fail(cli, &err);
        more |= json_is_string(cursor);
    }
    /* A place to go on from is one of a single project's. */
    JSON_AUTO *list = json_pack("{s:O, s:O, s:b}", "notifications", all, "nextCursor",
                                json_array_size(projects) == 1 ? cursor : json_null(), "more", more);

    return cli->json ? scope_print(cli, list) : print_open(cli, projects, all, more);
}

const struct cli_command result_commands[] = {
    {
        .name = "result",
        .op = "result_submit",
        .help = "Hand in what an agent printed, as it printed it, and show what was found in it: questions and problems. "
                "Exit code: 0 accepted; 3 it waits for answers that people have been asked for; 1 it cannot be read as a result.",
        .examples = "witan result --agent coder --source-id TASK output.txt\n"
                    "my-agent | witan result --agent coder --source-id TASK\n"
                    "witan result --agent analyst --source-id FEEDBACK --project \"Web shop\" <output.txt",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "FILE", .help = "The output; - or nothing: standard input.", .flags = CLI_MAY } },
        .options = {
            { "project", "PROJECT", .help = "Id or name. Else WITAN_PROJECT, else the one that has the task, or the only one." },
            { "agent", "NAME", .param = "agent", .flags = CLI_MUST },
            { "source", "SOURCE", .param = "source" },
            { "source-id", "ID", .param = "sourceId", .flags = CLI_MUST },
            { "idempotency-key", "KEY", .help = "Repeating with the same key hands it in once." },
        },
        .run = run_result,
    },
    {
        .name = "open-questions",
        .op = "open_question_list",
        .help = "Show what agents have asked in their output and nobody has answered yet, of all projects.",
        .examples = "witan open-questions\nwitan open-questions --project \"Web shop\"\nwitan open-questions --json",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            SCOPE_EACH,
            { "limit", "N", .param = "limit", .help = "How many of each project at most. Default: 50." },
            { "all", .help = "All pages, not only the first." },
        },
        .run = run_open_questions,
    },
    { 0 },
};

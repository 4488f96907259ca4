/*
 * Several answers are shown together, confirmed once and sent in parts of as many as the server takes. The
 * exit code is the worst of the results.
 */
#include "cli/commands/answer_batch.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/client/pending.h"
#include "cli/client/question_ref.h"
#include "cli/client/question_view.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool batch_add(struct answer_batch *batch, const char *name, const char *word, struct err *err)
{
    const char *id;

    if (batch->count == BATCH_MAX)
        return err_set(err, ERR_INVALID, "More than %d questions at once are too many.", BATCH_MAX);
    if (!question_ref_id(batch->cli, name, &id, err))
        return false;
    for (size_t i = 0; i < batch->count; i++)
        if (strcmp(batch->answers[i].id, id) == 0)
            return err_set(err, ERR_INVALID, "%s is named twice.", name);
    batch->answers[batch->count++] = (struct cli_answer){ .id = id, .word = word };
    return true;
}

bool batch_add_lines(struct answer_batch *batch, struct err *err)
{
    char line[LIMIT_MESSAGE];

    while (fgets(line, sizeof(line), stdin)) {
        struct arena *arena = batch->cli->arena;
        const char *text = str_trim(arena, line);
        size_t len = strcspn(text, " \t");
        const char *word = str_trim(arena, text + len);

        if (!strchr(line, '\n') && !feof(stdin))
            return err_set(err, ERR_INVALID, "A line of standard input is longer than %d bytes.",
                           LIMIT_MESSAGE - 2);
        if (*text && !batch_add(batch, arena_copy(arena, text, len), *word ? word : NULL, err))
            return false;
    }
    return true;
}

static bool read_filter(struct cli *cli, struct pending_filter *filter, struct err *err)
{
    for (size_t i = 0; i < cli->value_count; i++) {
        const char *text = cli->values[i].text;

        if (strcmp(cli->values[i].option->name, "filter") != 0)
            continue;
        if (str_starts(text, "type="))
            filter->type = text + 5;
        else if (str_starts(text, "project="))
            filter->project = text + 8;
        else if (str_starts(text, "text=") && text[5])
            filter->text = text + 5;
        else
            return err_field(err, "filter", "--filter takes type=TYPE, project=ID or text=PART, not \"%s\".",
                             text);
    }
    return true;
}

bool batch_add_filtered(struct answer_batch *batch, struct err *err)
{
    struct pending_filter filter = { .limit = BATCH_MAX };
    struct pending pending;
    json_t *question;
    size_t index;

    if (!read_filter(batch->cli, &filter, err) || !pending_read(batch->cli, &filter, &pending, err))
        return false;
    if (pending.more)
        cli_note(batch->cli, "There are more than %d; the rest is left for the next time.", BATCH_MAX);
    json_array_foreach(pending.questions, index, question)
    {
        const char *id = member_text(batch->cli->arena, question, "id");

        if (!batch_add(batch, arena_text(batch->cli->arena, id ? id : ""), NULL, err)) {
            json_decref(pending.questions);
            return false;
        }
        batch->answers[batch->count - 1].question = json_incref(question);
    }
    json_decref(pending.questions);
    return true;
}

/* What a yes would have done stands below the list, all of it. */
static void show_deeds(const struct answer_batch *batch, struct term *term)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct cli_answer *answer = &batch->answers[i];

        if (!json_is_object(json_object_get(answer->question, "action")) ||
            !json_is_true(json_object_get(answer->response, "value")))
            continue;
        term_paint(term, TERM_BOLD, answer->id);
        buf_char(term->out, '\n');
        view_write_action(term, answer->question);
    }
}

static void show_batch(struct answer_batch *batch)
{
    struct arena *arena = batch->cli->arena;
    BUF_AUTO text = { 0 };
    struct term term;
    struct term_table table;

    buf_init(&text, 0);
    term_init(&term, arena, &text, batch->cli->colour && isatty(STDERR_FILENO));
    term_table_init(&table, &term, 4, (const char *[]){ "ID", "TYPE", "ANSWER", "QUESTION" });
    for (size_t i = 0; i < batch->count; i++) {
        const json_t *question = batch->answers[i].question;

        term_table_row(&table, (const char *[]){ batch->answers[i].id, member_text(arena, question, "type"),
                                                 view_answer(arena, batch->answers[i].response),
                                                 term_shown(arena, member_text(arena, question, "question"),
                                                            VISIBLE_PROSE) });
    }
    term_table_end(&table);
    show_deeds(batch, &term);
    cli_print_to(stderr, text.bytes, text.len);
}

static bool confirm(const struct answer_batch *batch, struct err *err)
{
    const char *prompt = arena_format(batch->cli->arena, "Answer %zu question%s like this? [y/N] ",
                                      batch->count, batch->count == 1 ? "" : "s");
    char line[16] = "";
    bool yes = false;

    if (cli_has(batch->cli, "yes"))
        return true;
    if (cli_has(batch->cli, "no-input") || !terminal_name(batch->cli->arena))
        return err_set(err, ERR_INVALID, "Without a terminal, several answers at once need --yes.");
    return (terminal_ask(prompt, line, sizeof(line)) && view_yes_no(line, &yes) && yes) ||
           err_set(err, ERR_DECLINED, "Nothing was answered.");
}

static bool send_part(struct answer_batch *batch, size_t from, size_t count, json_t *results, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:[]}", "answers");
    JSON_AUTO *done = NULL;
    struct client_reply reply;

    for (size_t i = from; i < from + count; i++)
        json_array_append_new(
            json_object_get(params, "answers"),
            json_pack("{s:s, s:O}", "id", batch->answers[i].id, "response", batch->answers[i].response));
    if (!invoke_json(batch->cli, op_find("question_answer_batch"), params, 0, &reply, &done, err))
        return false;
    json_array_extend(results, json_object_get(done, "results"));
    return true;
}

static int exit_of_results(const json_t *results, size_t asked)
{
    const json_t *result;
    size_t index;
    int code = json_array_size(results) == asked ? CLI_OK : CLI_ERROR;

    json_array_foreach(results, index, result)
    {
        const char *status = json_string_value(json_object_get(result, "status"));

        if (str_equal(status, "answered") || str_equal(status, "pending"))
            continue;
        if (!str_equal(status, "conflict") && !str_equal(status, "late"))
            return CLI_ERROR;
        code = CLI_CONFLICT;
    }
    return code;
}

static const char *name_of(const struct answer_batch *batch, const char *id)
{
    for (size_t i = 0; i < batch->count; i++)
        if (str_equal(batch->answers[i].id, id))
            return term_shown(batch->cli->arena,
                              member_text(batch->cli->arena, batch->answers[i].question, "question"),
                              VISIBLE_PROSE);
    return "-";
}

/* For each its id, what became of it, and what was asked. */
static int print_results(const struct answer_batch *batch, const json_t *results)
{
    const struct cli *cli = batch->cli;
    BUF_AUTO text = { 0 };
    const json_t *result;
    size_t index;

    buf_init(&text, 0);
    if (cli->json)
        buf_format(&text, "{\"results\":%s}\n", json_dump_text(cli->arena, results));
    else
        json_array_foreach(results, index, result)
        {
            const char *id = member_text(cli->arena, result, "id");
            const char *why = member_text(cli->arena, result, "error");
            const char *status = member_text(cli->arena, result, "status");

            buf_format(&text, "%s\t%s\t%s\n", term_line(cli->arena, id),
                       term_line(cli->arena, why ? why : status), name_of(batch, id));
        }
    return text.len > 0 ? cli_print(text.bytes, text.len) : CLI_OK;
}

int answer_many(struct answer_batch *batch)
{
    JSON_AUTO *results = json_array();
    struct err err = { 0 };
    int printed, failed = CLI_OK;

    show_batch(batch);
    if (!confirm(batch, &err))
        return cli_fail(batch->cli, &err);
    for (size_t from = 0; from < batch->count && !failed; from += ANSWERS_SENT) {
        size_t left = batch->count - from;

        if (!send_part(batch, from, left < ANSWERS_SENT ? left : ANSWERS_SENT, results, &err))
            failed = cli_fail(batch->cli, &err);
    }
    printed = print_results(batch, results);
    if (failed)
        return failed;
    return printed ? printed : exit_of_results(results, batch->count);
}

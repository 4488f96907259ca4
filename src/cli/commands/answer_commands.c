/*
 * Questions are named by number, short id or filter and all become one batch; whatever can be wrong with it
 * is found before anything is sent.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/client/pending.h"
#include "cli/client/question_ref.h"
#include "cli/client/question_view.h"
#include "cli/commands/answer_batch.h"
#include "cli/commands/tables.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool add(struct batch *batch, const char *name, const char *word, struct err *err)
{
    const char *id;

    if (batch->count == BATCH_MAX)
        return err_set(err, ERR_INVALID, "More than %d questions at once are too many.", BATCH_MAX);
    if (!question_ref_id(batch->cli, name, &id, err))
        return false;
    for (size_t i = 0; i < batch->count; i++)
        if (strcmp(batch->answers[i].id, id) == 0)
            return err_set(err, ERR_INVALID, "%s is named twice.", name);
    batch->answers[batch->count++] = (struct answer){ .id = id, .word = word };
    return true;
}

/* A line is an id or number, and what follows it the answer. */
static bool add_lines(struct batch *batch, struct err *err)
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
        if (*text && !add(batch, arena_copy(arena, text, len), *word ? word : NULL, err))
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

static bool add_filtered(struct batch *batch, struct err *err)
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

        if (!add(batch, arena_text(batch->cli->arena, id ? id : ""), NULL, err)) {
            json_decref(pending.questions);
            return false;
        }
        batch->answers[batch->count - 1].question = json_incref(question);
    }
    json_decref(pending.questions);
    return true;
}

static bool show_question(struct cli *cli, const char *id, json_t **question, int64_t *now_ms,
                          struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", id);
    JSON_AUTO *state = NULL;
    struct client_reply reply;

    if (!params)
        return err_set(err, ERR_INVALID, "The id is not UTF-8 text.");
    if (!invoke_json(cli, op_find("question_get"), params, 0, &reply, &state, err))
        return false;
    *question = json_incref(json_object_get(state, "question"));
    *now_ms = reply.date_ms ? reply.date_ms : clock_now_ms();
    return json_is_object(*question) ||
           err_set(err, ERR_INTERNAL, "The reply of %s holds no question; is it witan?", cli->target.url);
}

/* The note becomes the answer's text; edited arguments go along. */
static bool add_extras(struct cli *cli, json_t *response, struct err *err)
{
    const char *note = cli_get(cli, "note"), *args = cli_get(cli, "args");
    json_t *value = NULL;

    if (note && !str_is_utf8(note, strlen(note)))
        return err_field(err, "note", "--note is not UTF-8 text.");
    if (note)
        json_object_set_new(response, "text", json_string(note));
    if (!args)
        return true;
    if (!json_parse(args, strlen(args), &value, err))
        return err_field(err, "args", "--args must be JSON.");
    json_object_set_new(response, "args", value);
    return true;
}

/* A text is answered with words: "approve" would be stored as one. */
static bool fits_yes_no(struct cli *cli, const json_t *question, struct err *err)
{
    const char *type = member_text(cli->arena, question, "responseType");

    if ((!cli_has(cli, "approve") && !cli_has(cli, "reject")) || str_equal(type, "boolean") ||
        str_equal(type, "approval"))
        return true;
    err_set(err, ERR_INVALID,
            "This question is no question of yes or no: --approve and --reject do not answer it.");
    return err_hint(err, "Give the answer in words; `witan show %s` shows what is asked.",
                    question_ref_short(cli->arena, member_text(cli->arena, question, "id")));
}

/* What one question gets. */
static bool fill(struct batch *batch, struct answer *answer, struct err *err)
{
    const char *word = answer->word ? answer->word : batch->word;
    int64_t now_ms;

    if (!answer->question && !show_question(batch->cli, answer->id, &answer->question, &now_ms, err))
        return false;
    if (!word)
        return err_set(err, ERR_INVALID, "There is no answer for %s: give one, or --approve or --reject.",
                       answer->id);
    if (!fits_yes_no(batch->cli, answer->question, err))
        return false;
    return view_response(batch->cli->arena, answer->question, word, &answer->response, err) &&
           add_extras(batch->cli, answer->response, err);
}

/* Who was first, and with what: "Answered already by Ada: yes". */
static const char *winner_text(struct arena *arena, const json_t *question)
{
    const json_t *outcome = json_object_get(question, "outcome");
    const char *answer = view_answer(arena, json_object_get(question, "response"));
    const char *by = term_line(arena, member_text(arena, outcome, "by"));

    if (!json_is_object(outcome))
        return NULL;
    if (!answer)
        return arena_format(arena, "It ended without an answer (%s, %s).",
                            term_line(arena, member_text(arena, outcome, "source")), by);
    return arena_format(arena, "Answered already by %s: %s", by, term_line(arena, answer));
}

static int lost(struct cli *cli, const char *id, const struct err *err)
{
    struct err ignored = { 0 };
    json_t *question = NULL;
    int code = cli_fail(cli, err);
    int64_t now_ms;

    if (err->code == ERR_CONFLICT && show_question(cli, id, &question, &now_ms, &ignored)) {
        const char *winner = winner_text(cli->arena, question);

        if (winner)
            cli_note(cli, "%s", winner);
    }
    json_decref(question);
    return code;
}

const char *answer_names(struct arena *arena, const struct answer *answer)
{
    const char *text = term_line(arena, member_text(arena, answer->question, "question"));
    size_t len = str_fitting(text, QUESTION_NAME_BYTES);

    return arena_format(arena, "%s \"%.*s%s\"", question_ref_short(arena, answer->id), (int)len, text,
                        text[len] ? "..." : "");
}

/* An approval at a terminal is shown whole before it is given; whoever typed 2 for 1 sees it now. */
static bool confirm_approval(struct batch *batch, const struct answer *answer, struct err *err)
{
    struct cli *cli = batch->cli;
    BUF_AUTO text = { 0 };
    char line[16] = "";
    struct term term;
    bool yes = false;

    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    view_write(&term, answer->question, clock_now_ms());
    buf_format(&text, "Answer: %s. Enter goes on, n leaves it as it is: ",
               view_answer(cli->arena, answer->response));
    if (terminal_ask(text.bytes, line, sizeof(line)) && (!*line || (view_yes_no(line, &yes) && yes)))
        return true;
    return err_set(err, ERR_INVALID, "Nothing was answered.");
}

/* The question is named before its answer is sent. */
static bool name_first(struct batch *batch, const struct answer *answer, struct err *err)
{
    struct cli *cli = batch->cli;
    bool approval = str_equal(member_text(cli->arena, answer->question, "responseType"), "approval");

    if (approval && !batch->typed_here && terminal_can_ask(cli))
        return confirm_approval(batch, answer, err);
    cli_note(cli, "Answering %s: %s", answer_names(cli->arena, answer),
             term_line(cli->arena, view_answer(cli->arena, answer->response)));
    return true;
}

/* A second yes of the same person changes nothing, so it is said whose is missing. */
static void note_progress(const struct cli *cli, const char *name, const json_t *approvals)
{
    long long have = member_int(approvals, "have"), need = member_int(approvals, "need");

    cli_note(cli, "Noted for %s: %lld of %lld approvals.%s", name, have, need,
             have < need ? " It needs the yes of another person; yours counts once." : "");
}

static int answer_one(struct batch *batch)
{
    struct cli *cli = batch->cli;
    struct answer *answer = &batch->answers[0];
    JSON_AUTO *params = json_pack("{s:s, s:O}", "id", answer->id, "response", answer->response);
    JSON_AUTO *done = NULL;
    const char *name = answer_names(cli->arena, answer);
    struct client_reply reply;
    struct err err = { 0 };

    if (!name_first(batch, answer, &err))
        return cli_fail(cli, &err);
    if (!invoke_json(cli, op_find("question_answer"), params, 0, &reply, &done, &err))
        return lost(cli, answer->id, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    if (view_needs_others(json_object_get(done, "approvals")))
        note_progress(cli, name, json_object_get(done, "approvals"));
    else
        cli_note(cli, "Answered %s: %s.%s", name,
                 term_line(cli->arena, view_answer(cli->arena, answer->response)),
                 json_is_true(json_object_get(done, "jobResumed")) ? " The job goes on." : "");
    return CLI_OK;
}

/* Whoever mistyped is told, and asked again. */
static bool is_answer(struct cli *cli, const json_t *question, const char *word)
{
    struct err wrong = { 0 };
    json_t *response;

    if (view_response(cli->arena, question, word, &response, &wrong)) {
        json_decref(response);
        return true;
    }
    (void)cli_fail(cli, &wrong);
    return false;
}

/* Somebody at a terminal who gave no answer is shown the question and asked for one. */
static bool ask_here(struct batch *batch, struct err *err)
{
    BUF_AUTO text = { 0 };
    char line[LIMIT_MESSAGE];
    struct answer *answer = &batch->answers[0];
    struct term term;
    int64_t now_ms;

    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || cli_has(batch->cli, "no-input"))
        return err_set(err, ERR_INVALID, "There is no answer: give one, or --approve or --reject.");
    if (!show_question(batch->cli, answer->id, &answer->question, &now_ms, err))
        return false;
    buf_init(&text, 0);
    term_init(&term, batch->cli->arena, &text, batch->cli->colour);
    view_write(&term, answer->question, now_ms);
    buf_text(&text, "> ");
    batch->typed_here = true;
    for (const char *prompt = text.bytes;; prompt = "> ") {
        if (!terminal_ask(prompt, line, sizeof(line)))
            return err_set(err, ERR_INVALID, "Nothing was answered.");
        batch->word = str_trim(batch->cli->arena, line);
        if (is_answer(batch->cli, answer->question, batch->word))
            return true;
    }
}

static bool read_word(struct cli *cli, struct batch *batch, size_t *ids, struct err *err)
{
    bool approve = cli_has(cli, "approve"), reject = cli_has(cli, "reject");
    const char *value = cli_get(cli, "value");

    if (approve + reject + (value != NULL) > 1)
        return err_set(err, ERR_INVALID, "--approve, --reject and --value exclude each other.");
    batch->word = approve ? "approve" : reject ? "reject" : value;
    *ids = cli->rest_count;
    /* Arguments to do it with say yes. */
    if (!batch->word && cli->rest_count < 2 && cli_get(cli, "args"))
        batch->word = "approve";
    if (batch->word || cli_has(cli, "stdin") || cli_has(cli, "filter") || cli->rest_count < 2)
        return true;
    if (cli->rest_count > 2) {
        err_set(err, ERR_INVALID, "It is not clear which of these words is the answer.");
        return err_hint(err, "An answer of several words needs quotes; for several questions use --value.");
    }
    batch->word = cli->rest[1];
    *ids = 1;
    return strcmp(batch->word, "-") != 0 || cli_read_stdin(cli->arena, &batch->word, err);
}

/* One that cannot be answered does not keep the others from it; alone, it is the failure. */
static bool fill_all(struct batch *batch, struct err *err)
{
    size_t count = batch->count, kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct answer answer = batch->answers[i];

        *err = (struct err){ 0 };
        batch->answers[i] = (struct answer){ 0 };
        if (fill(batch, &answer, err)) {
            batch->answers[kept++] = answer;
            continue;
        }
        json_decref(answer.question);
        json_decref(answer.response);
        if (count > 1)
            (void)cli_fail(batch->cli, err);
        batch->left_out = true;
    }
    batch->count = kept;
    if (kept > 0)
        return true;
    return count == 1 ? false
                      : err_set(err, ERR_INVALID, "None of these questions can be answered like this.");
}

static bool gather(struct cli *cli, struct batch *batch, struct err *err)
{
    size_t ids = 0;

    if (!read_word(cli, batch, &ids, err))
        return false;
    for (size_t i = 0; i < ids; i++)
        if (!add(batch, cli->rest[i], NULL, err))
            return false;
    if ((cli_has(cli, "stdin") && !add_lines(batch, err)) ||
        (cli_has(cli, "filter") && !add_filtered(batch, err)))
        return false;
    if (batch->count == 0 && cli_has(cli, "filter"))
        return err_set(err, ERR_NOT_FOUND, "There is no such open question.");
    if (batch->count == 0) {
        err_set(err, ERR_INVALID, "`witan answer` needs a question.");
        return err_hint(err, "`witan inbox` shows what is open, with numbers.");
    }
    if (batch->count == 1 && !batch->word && !batch->answers[0].word && !ask_here(batch, err))
        return false;
    return fill_all(batch, err);
}

static int run_answer(struct cli *cli)
{
    struct batch *batch = arena_new(cli->arena, struct batch);
    struct err err = { 0 };
    bool single;
    int code;

    *batch = (struct batch){ .cli = cli };
    if (!gather(cli, batch, &err))
        code = cli_fail(cli, &err);
    else {
        single = batch->count == 1 && !cli_has(cli, "filter") && !cli_has(cli, "stdin");
        code = single ? answer_one(batch) : answer_many(batch);
    }
    if (code == CLI_OK && batch->left_out)
        code = CLI_ERROR;
    for (size_t i = 0; i < batch->count; i++) {
        json_decref(batch->answers[i].question);
        json_decref(batch->answers[i].response);
    }
    return code;
}

const struct cli_command answer_commands[] = {
    {
        .name = "answer",
        .op = "question_answer",
        .help = "Answer questions by the number that `witan inbox` has shown in this terminal, or by their id, whole "
                "or short. The question is named before and after; at a terminal an approval waits for Enter, and "
                "several answers for a yes. Exit code 7: somebody else was first.",
        .examples = "witan answer 2 eu\nwitan answer 1 --approve --note \"After the backup.\"\n"
                    "witan answer 3f2a9c1d --approve --yes\n"
                    "witan answer 3 --reject --note \"Not on a Friday.\"\n"
                    "git log -1 --format=%B | witan answer 4 -\n"
                    "witan answer 1 2 5 --approve\n"
                    "witan answer --filter type=approval --filter text=deploy --reject --yes",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "ID", .help = "Numbers of this terminal, or ids; with one of them, the answer may follow, or \"-\" "
                                  "for standard input.",
                    .flags = CLI_MANY } },
        .options = {
            { "approve", .help = "Approve, or say yes." },
            { "reject", .help = "Reject, or say no." },
            { "value", "TEXT", .help = "The answer, for all that are named." },
            { "note", "TEXT", .help = "A reason or remark that goes with the answer." },
            { "args", "JSON", .help = "Approve the proposed action with these arguments instead." },
            { "stdin", .help = "Read ids from standard input, one on a line, each with its answer behind it." },
            { "filter", "KEY=VALUE", .help = "All open ones with this type, project or text." },
            { "yes", .help = "Do not ask on the terminal: answer." },
            { "no-input", .help = "Never ask on the terminal; several answers then need --yes." },
        },
        .run = run_answer,
    },
    { 0 },
};

/*
 * Questions are named by number, short id or filter and all become one batch; whatever can be wrong with it
 * is found before anything is sent.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/client/item_ref.h"
#include "cli/client/item_reply.h"
#include "cli/client/question_ref.h"
#include "cli/client/question_view.h"
#include "cli/commands/answer_batch.h"
#include "cli/commands/answer_item.h"
#include "cli/commands/tables.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    err_set(err, ERR_INVALID, "This is not a yes-or-no question: --approve and --reject do not answer it.");
    return err_hint(err, "Give the answer in words; `witan show %s` shows what is asked.",
                    question_ref_short(cli->arena, member_text(cli->arena, question, "id")));
}

/* Who was first, when, and with what: what has been decided is said before anybody is asked for anything. */
static bool check_open(struct cli *cli, const json_t *question, struct err *err)
{
    const json_t *outcome = json_object_get(question, "outcome");
    const char *by = term_line(cli->arena, member_text(cli->arena, outcome, "by"));
    const char *when = term_when(cli->arena, member_text(cli->arena, outcome, "at"), clock_now_ms());
    const char *answer = view_answer(cli->arena, json_object_get(question, "response"));

    if (view_is_open(question))
        return true;
    if (view_ended_by_deadline(question)) {
        cli_note(cli,
                 "The time of this question was up %s. An answer is kept as a late one, and decides nothing.",
                 when);
        return true;
    }
    if (str_equal(member_text(cli->arena, question, "status"), "cancelled"))
        return err_set(err, ERR_CONFLICT, "This question was cancelled by %.80s, %.40s.", by, when);
    return err_set(err, ERR_CONFLICT, "%.80s has already answered this question, %.40s: %.120s", by, when,
                   answer ? term_line(cli->arena, answer) : "-");
}

/* What one question gets. */
static bool fill(struct answer_batch *batch, struct cli_answer *answer, struct err *err)
{
    const char *word = answer->word ? answer->word : batch->word;
    int64_t now_ms;

    if (!answer->question && !show_question(batch->cli, answer->id, &answer->question, &now_ms, err))
        return item_ref_other(batch->cli, answer->id, NULL, err);
    if (!check_open(batch->cli, answer->question, err)) {
        if (!batch->several)
            return false;
        /* Of several each has its own result, which the server gives. */
        cli_note(batch->cli, "%s: %s", answer_names(batch->cli->arena, answer), err->text);
        *err = (struct err){ 0 };
    }
    if (!word)
        return err_set(err, ERR_INVALID, "There is no answer for %s: give one, or --approve or --reject.",
                       answer->id);
    if (!fits_yes_no(batch->cli, answer->question, err))
        return false;
    return (batch->typed_here ? view_typed : view_response)(batch->cli->arena, answer->question, word,
                                                            &answer->response, err) &&
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

static int lost(struct cli *cli, const char *id, struct err *err)
{
    struct err ignored = { 0 };
    json_t *question = NULL;
    int64_t now_ms;

    /* The server speaks of its own way to do it. */
    if (strstr(err->hint, "/restart "))
        err_hint(err, "Your answer was kept; `witan restart %s` starts a new job with it.", id);
    int code = cli_fail(cli, err);

    if (err->code == ERR_CONFLICT && show_question(cli, id, &question, &now_ms, &ignored)) {
        const char *winner = winner_text(cli->arena, question);

        if (winner)
            cli_note(cli, "%s", winner);
    }
    json_decref(question);
    return code;
}

const char *answer_names(struct arena *arena, const struct cli_answer *answer)
{
    const char *text = term_shown(arena, member_text(arena, answer->question, "question"), VISIBLE_PROSE);
    size_t len = str_fitting(text, QUESTION_NAME_BYTES);

    return arena_format(arena, "%s \"%.*s%s\"", question_ref_short(arena, answer->id), (int)len, text,
                        text[len] ? "..." : "");
}

/* An approval at a terminal is shown whole before it is given; whoever typed 2 for 1 sees it now. */
static bool confirm_approval(struct answer_batch *batch, const struct cli_answer *answer, struct err *err)
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
    return err_set(err, ERR_DECLINED, "Nothing was answered.");
}

/* The question is named before its answer is sent. */
static bool name_first(struct answer_batch *batch, const struct cli_answer *answer, struct err *err)
{
    struct cli *cli = batch->cli;
    bool approval = str_equal(member_text(cli->arena, answer->question, "responseType"), "approval");

    if (approval && !batch->typed_here && terminal_can_ask(cli))
        return confirm_approval(batch, answer, err);
    cli_note(cli, "Answering %s: %s", answer_names(cli->arena, answer),
             term_line(cli->arena, view_answer(cli->arena, answer->response)));
    return true;
}

/* A yes that does not count, or not a second time, changes nothing: that is said, and whose is missing. */
static void note_progress(const struct cli *cli, const char *name, const json_t *approvals)
{
    long long have = member_int(approvals, "have"), need = member_int(approvals, "need");
    const char *why = member_text(cli->arena, approvals, "why");

    if (why)
        cli_note(cli, "Nothing was changed for %s: %lld of %lld approvals. %s", name, have, need,
                 term_line(cli->arena, why));
    else
        cli_note(cli, "Noted for %s: %lld of %lld approvals. Another person has to approve it too.", name,
                 have, need);
}

/* Nobody waits for an answer to what was asked without blocking: how its job has ended meanwhile, or NULL. */
static const char *ended_job(struct cli *cli, const json_t *question)
{
    const char *id = member_text(cli->arena, question, "jobId");
    struct client_reply reply;
    struct err ignored = { 0 };
    JSON_AUTO *params = NULL;
    JSON_AUTO *job = NULL;

    if (!id || !str_equal(member_text(cli->arena, question, "type"), "non_blocking"))
        return NULL;
    params = json_pack("{s:s}", "id", id);
    if (!invoke_json(cli, op_find("job_get"), params, 0, &reply, &job, &ignored) ||
        !member_text(cli->arena, job, "endedAt"))
        return NULL;
    return arena_text(cli->arena, member_text(cli->arena, job, "status"));
}

static int answer_one(struct answer_batch *batch)
{
    struct cli *cli = batch->cli;
    struct cli_answer *answer = &batch->answers[0];
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
    else {
        const char *ended = ended_job(cli, answer->question);

        cli_note(
            cli, "Answered %s: %s.%s", name, term_line(cli->arena, view_answer(cli->arena, answer->response)),
            json_is_true(json_object_get(done, "jobResumed")) ? " Whoever asked goes on."
            : ended ? arena_format(cli->arena, " The job had %s%s by then: nobody has waited for it.",
                                   str_equal(ended, "cancelled") ? "been " : "", term_line(cli->arena, ended))
                    : "");
    }
    return CLI_OK;
}

/* Whoever mistyped is told, and asked again. */
static bool is_answer(struct cli *cli, const json_t *question, const char *word)
{
    struct err wrong = { 0 };
    json_t *response;

    if (view_typed(cli->arena, question, word, &response, &wrong)) {
        json_decref(response);
        return true;
    }
    (void)cli_fail(cli, &wrong);
    return false;
}

/* Somebody at a terminal who gave no answer is shown the question and asked for one. */
static bool ask_here(struct answer_batch *batch, struct err *err)
{
    BUF_AUTO text = { 0 };
    char line[LIMIT_MESSAGE];
    struct cli_answer *answer = &batch->answers[0];
    struct term term;
    int64_t now_ms;

    if (!answer->question && !show_question(batch->cli, answer->id, &answer->question, &now_ms, err))
        return item_ref_other(batch->cli, answer->id, NULL, err);
    if (!check_open(batch->cli, answer->question, err))
        return false;
    if (view_bar(answer->question)) /* before anything is typed for nothing */
        return err_set(err, ERR_FORBIDDEN, "%s", term_line(batch->cli->arena, view_bar(answer->question)));
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || cli_has(batch->cli, "no-input")) {
        err_set(err, ERR_INVALID, "There is no answer: give one.");
        return err_hint(
            err, "For instance: %s.",
            view_how(batch->cli->arena, question_ref_short(batch->cli->arena, answer->id), answer->question));
    }
    buf_init(&text, 0);
    term_init(&term, batch->cli->arena, &text, batch->cli->colour);
    view_write_asked(&term, answer->question, clock_now_ms());
    const char *wanted = view_wanted(answer->question);

    buf_text(&text, wanted);
    batch->typed_here = true;
    for (const char *prompt = text.bytes;; prompt = wanted) {
        if (!terminal_ask(prompt, line, sizeof(line)))
            return err_set(err, ERR_DECLINED, "Nothing was answered.");
        batch->word = str_trim(batch->cli->arena, line);
        if (is_answer(batch->cli, answer->question, batch->word))
            return true;
    }
}

static bool read_word(struct cli *cli, struct answer_batch *batch, size_t *ids, struct err *err)
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
static bool fill_all(struct answer_batch *batch, struct err *err)
{
    size_t count = batch->count, kept = 0;

    batch->several = count > 1 || cli_has(batch->cli, "filter") || cli_has(batch->cli, "stdin");
    for (size_t i = 0; i < count; i++) {
        struct cli_answer answer = batch->answers[i];

        *err = (struct err){ 0 };
        batch->answers[i] = (struct cli_answer){ 0 };
        if (fill(batch, &answer, err)) {
            batch->answers[kept++] = answer;
            continue;
        }
        json_decref(answer.question);
        json_decref(answer.response);
        int code = count > 1 ? cli_fail(batch->cli, err) : err_exit(err->code);

        batch->left_out = batch->left_out && batch->left_out != code ? CLI_ERROR : code;
    }
    batch->count = kept;
    if (kept > 0)
        return true;
    if (count == 1)
        return false;
    return err_set(err, batch->left_out == CLI_CONFLICT ? ERR_CONFLICT : ERR_INVALID,
                   "None of these questions can be answered like this.");
}

/* `first` is the question that the first word was found to name, or NULL: it was not looked at yet. */
static bool gather(struct cli *cli, struct answer_batch *batch, const struct item_ref *first, struct err *err)
{
    size_t ids = 0;

    if (!read_word(cli, batch, &ids, err))
        return false;
    if (first)
        batch->answers[batch->count++] =
            (struct cli_answer){ .id = first->of.id,
                                 .question = json_incref(json_object_get(first->whole.found, "question")) };
    for (size_t i = first ? 1 : 0; i < ids; i++)
        if (!batch_add(batch, cli->rest[i], NULL, err))
            return false;
    if ((cli_has(cli, "stdin") && !batch_add_lines(batch, err)) ||
        (cli_has(cli, "filter") && !batch_add_filtered(batch, err)))
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

static int answer_questions(struct cli *cli, const struct item_ref *first)
{
    struct answer_batch *batch = arena_new(cli->arena, struct answer_batch);
    struct err err = { 0 };
    int code;

    *batch = (struct answer_batch){ .cli = cli };
    if (!gather(cli, batch, first, &err))
        code = cli_fail(cli, &err);
    else
        code = batch->several ? answer_many(batch) : answer_one(batch);
    if (code == CLI_OK && batch->left_out)
        code = batch->left_out;
    for (size_t i = 0; i < batch->count; i++) {
        json_decref(batch->answers[i].question);
        json_decref(batch->answers[i].response);
    }
    return code;
}

/* Whether the command line is about one thing, which then may be of any kind. */
static bool names_one(const struct cli *cli)
{
    bool worded = cli_has(cli, "approve") || cli_has(cli, "reject") || cli_has(cli, "value");

    return cli->rest_count > 0 && !cli_has(cli, "stdin") && !cli_has(cli, "filter") &&
           (!worded || cli->rest_count == 1);
}

/* What stands behind its name, or is given by --value; a lone "-" is what standard input holds. */
static bool words_behind(struct cli *cli, const char **words, size_t *count, struct err *err)
{
    const char *value = cli_get(cli, "value");

    *count = 0;
    for (size_t i = 1; i < cli->rest_count; i++)
        words[(*count)++] = cli->rest[i];
    if (value)
        words[(*count)++] = value;
    return *count != 1 || strcmp(words[0], "-") != 0 || cli_read_stdin(cli->arena, &words[0], err);
}

static int answer_first(struct cli *cli, const struct item_ref *ref)
{
    const char *words[CLI_VALUES + 1];
    struct err err = { 0 };
    size_t count;

    if (item_sort_of(ref->kind) == ITEM_QUESTION)
        return answer_questions(cli, ref);
    if (!words_behind(cli, words, &count, &err))
        return cli_fail(cli, &err);
    return answer_item(cli, ref, words, count);
}

static int run_answer(struct cli *cli)
{
    struct item_ref ref;
    struct err err = { 0 };
    int code;

    if (!names_one(cli))
        return answer_questions(cli, NULL);
    if (!item_ref_find(cli, cli->rest[0], &ref, &err))
        return cli_fail(cli, &err);
    code = answer_first(cli, &ref);
    item_ref_done(&ref);
    return code;
}

const struct cli_command answer_commands[] = {
    {
        .name = "answer",
        .op = "question_answer",
        .help = "Answer what `witan inbox` lists, by the number that it has shown in this terminal, or by its id, whole or short: questions, approvals, sets of open questions, prompts and turns. "
                "`witan show N` says what to type; without an answer it is asked for here. "
                "What is answered is named before and after; at a terminal an approval waits for Enter, and several answers for a yes. "
                "Exit code 6: you did not go on; 7: somebody else was first.",
        .examples = "witan answer 2 eu\nwitan answer 1 --approve --note \"After the backup.\"\n"
                    "witan answer 3f2a9c1d --approve --yes\n"
                    "witan answer 3 --reject --note \"Not on a Friday.\"\n"
                    "witan answer 4 q1=\"Redis\" q2=\"1 GB\"      # a set of open questions\n"
                    "witan answer 5 \"I agree.\"               # a prompt, or your turn in a discussion; or: pass\n"
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

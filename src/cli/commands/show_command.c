/* One thing of the inbox, whole: a question, a set of open questions, a prompt or a turn, whichever
 * it is. */
#include "base/str.h"
#include "cli/client/pending.h"
#include "cli/client/question_ref.h"
#include "cli/client/question_view.h"
#include "cli/commands/tables.h"

#include <string.h>

/* What is asked about, as the list knows it; .item is NULL when it does not wait any more. */
struct subject {
    const char *id;
    const json_t *item;
};

static bool ends_in(const char *text, const char *tail)
{
    size_t len = strlen(text), tail_len = strlen(tail);

    return len >= tail_len && strcmp(text + len - tail_len, tail) == 0;
}

/* A number of this terminal, a whole id, or the end of one that waits. */
static bool find_subject(struct cli *cli, const json_t *items, struct subject *subject, struct err *err)
{
    const char *word = cli_get(cli, "N"), *tail = str_fold(cli->arena, word);
    const json_t *item;
    int64_t number;
    size_t index;

    *subject = (struct subject){ .id = word };
    if (strlen(word) < QUESTION_REF_SHORT && str_to_int(word, &number)) {
        if (!question_ref_id(cli, word, &subject->id, err))
            return false;
        tail = subject->id;
    }
    json_array_foreach(items, index, item)
    {
        const char *id = member_text(cli->arena, item, "id");

        if (!id || strlen(tail) < QUESTION_REF_SHORT || !ends_in(id, tail))
            continue;
        if (subject->item)
            return err_set(err, ERR_INVALID, "Several things that wait have an id that ends in %s.", word);
        *subject = (struct subject){ .id = id, .item = item };
    }
    return true;
}

static void write_heading(struct term *term, const char *type, const json_t *thing, const char *by)
{
    term_paint(term, TERM_BOLD, type);
    if (by && *by)
        buf_format(term->out, "  asked by %s", term_line(term->arena, by));
    buf_format(term->out, "  %s\n", term_line(term->arena, member_text(term->arena, thing, "id")));
}

static const char *answer_to(struct arena *arena, const json_t *set, const char *question)
{
    const json_t *response;
    size_t index;

    json_array_foreach(json_object_get(set, "responses"), index, response)
    {
        if (str_equal(member_text(arena, response, "questionId"), question))
            return member_text(arena, response, "answer");
    }
    return NULL;
}

static void write_set(struct term *term, const json_t *set, int64_t now_ms)
{
    const json_t *question;
    size_t index;

    (void)now_ms;
    write_heading(term, "open_questions", set, member_text(term->arena, set, "agent"));
    json_array_foreach(json_object_get(set, "questions"), index, question)
    {
        const char *id = member_text(term->arena, question, "id");
        const char *answer = answer_to(term->arena, set, id);

        term_block(term, "  ",
                   arena_format(term->arena, "%s  %s", id, member_text(term->arena, question, "text")));
        if (answer)
            term_block(term, "    = ", answer);
    }
    buf_format(term->out, "about: %s %s\nanswer with: witan resolve %s QUESTION=ANSWER\n",
               term_line(term->arena, member_text(term->arena, set, "source")),
               term_line(term->arena, member_text(term->arena, set, "sourceId")),
               term_line(term->arena, member_text(term->arena, set, "id")));
}

static void write_prompt(struct term *term, const json_t *reply, int64_t now_ms)
{
    const json_t *prompt = json_object_get(reply, "prompt"), *entry;
    size_t index;

    (void)now_ms;
    write_heading(term, "prompt", prompt, member_text(term->arena, prompt, "requester_agent"));
    term_block(term, "  ", member_text(term->arena, prompt, "prompt_message"));
    json_array_foreach(json_object_get(reply, "collectedContext"), index, entry)
        term_block(term, "    ",
                   arena_format(term->arena, "%s: %s", member_text(term->arena, entry, "agent"),
                                member_text(term->arena, entry, "message")));
    buf_format(term->out, "answer with: witan prompt answer %s TEXT --agent NAME\n",
               term_line(term->arena, member_text(term->arena, prompt, "id")));
}

static void write_turn(struct term *term, const json_t *reply, int64_t now_ms)
{
    const json_t *discussion = json_object_get(reply, "discussion");
    const char *id = term_line(term->arena, member_text(term->arena, discussion, "id"));

    (void)now_ms;
    write_heading(term, "turn", discussion, NULL);
    term_block(term, "  ", member_text(term->arena, discussion, "topic"));
    buf_format(term->out,
               "read it with: witan call discussion_get id=%s\n"
               "take it with: witan call turn_take id=%s content=TEXT\n"
               "or on the page /discussions/%s\n",
               id, id, id);
}

static void write_question(struct term *term, const json_t *reply, int64_t now_ms)
{
    const json_t *question = json_object_get(reply, "question");

    view_write(term, question, now_ms);
    if (view_is_open(question))
        buf_format(term->out, "answer with: witan answer %s ...\n",
                   question_ref_short(term->arena, member_text(term->arena, question, "id")));
    else
        buf_format(term->out, "%s: %s\n",
                   term_line(term->arena, member_text(term->arena, question, "status")),
                   term_line(term->arena, view_answer(term->arena, json_object_get(question, "response"))));
}

/* How each kind is read and written. */
static const struct kind {
    const char *type; /* NULL: any question */
    const char *op;
    void (*write)(struct term *term, const json_t *reply, int64_t now_ms);
} kinds[] = {
    { "open_questions", "open_question_get", write_set },
    { "prompt", "prompt_get", write_prompt },
    { "turn", "discussion_get", write_turn },
    { NULL, "question_get", write_question },
};

static const struct kind *kind_of(const json_t *item)
{
    const char *type = json_string_value(json_object_get(item, "type"));
    const struct kind *kind = kinds;

    while (kind->type && !str_equal(kind->type, type))
        kind++;
    return kind;
}

static int show(struct cli *cli, const struct subject *subject, const struct kind *kind, int64_t now_ms,
                struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", subject->id);
    JSON_AUTO *found = NULL;
    BUF_AUTO text = { 0 };
    struct client_reply reply;
    struct term term;

    if (kind->write == write_set) {
        json_object_set(params, "nid", json_object_get(params, "id"));
        json_object_set(params, "id", json_object_get(subject->item, "projectId"));
    }
    if (kind->write == write_turn)
        json_object_set(params, "id", json_object_get(subject->item, "discussionId"));
    if (!invoke_json(cli, op_find(kind->op), params, 0, &reply, &found, err))
        return err_exit(err->code);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    kind->write(&term, found, now_ms);
    return cli_print(text.bytes, text.len);
}

/* What has ended is in no list: it may be a question or a prompt. */
static int show_either(struct cli *cli, const struct subject *subject, int64_t now_ms)
{
    struct err err = { 0 }, ignored = { 0 };
    int code = show(cli, subject, kind_of(NULL), now_ms, &err);

    if (err.code != ERR_NOT_FOUND)
        return err.code ? cli_fail(cli, &err) : code;
    code = show(cli, subject, &kinds[1], now_ms, &ignored);
    if (!ignored.code)
        return code;
    err_set(&err, ERR_NOT_FOUND, "Nothing that waits, no question and no prompt has the id %s.", subject->id);
    err_hint(&err, "`witan inbox` shows what waits, with numbers and ids.");
    return cli_fail(cli, &err);
}

static int run_show(struct cli *cli)
{
    struct pending_items pending;
    struct subject subject;
    struct err err = { 0 };
    int code;

    if (!pending_items_read(cli, &(struct pending_filter){ .limit = INBOX_SHOWN_MAX }, &pending, &err))
        return cli_fail(cli, &err);
    if (!find_subject(cli, pending.items, &subject, &err)) {
        code = cli_fail(cli, &err);
    } else if (!subject.item) {
        code = show_either(cli, &subject, pending.now_ms);
    } else {
        code = show(cli, &subject, kind_of(subject.item), pending.now_ms, &err);
        if (err.code)
            code = cli_fail(cli, &err);
    }
    json_decref(pending.items);
    return code;
}

const struct cli_command show_commands[] = {
    {
        .name = "show",
        .help = "Show one thing of the inbox whole: what is asked, by whom, its context, its options, what "
                "is proposed, "
                "and what happens at the deadline. An id may also be that of a question or prompt that has "
                "ended.",
        .examples = "witan show 2\nwitan show 5d3f9a10\nwitan show ID --json",
        .uses = CLI_SERVER | CLI_JSON,
        .args = { { "N", .help = "A number that this terminal has shown, an id, or the end of one." } },
        .run = run_show,
    },
    { 0 },
};

#include "base/str.h"
#include "cli/client/item_view.h"
#include "cli/client/pending.h"
#include "cli/client/question_ref.h"
#include "cli/commands/tables.h"

#include <string.h>

static bool ends_in(const char *text, const char *tail)
{
    size_t len = strlen(text), tail_len = strlen(tail);

    return len >= tail_len && strcmp(text + len - tail_len, tail) == 0;
}

/* A number of this terminal, a whole id, or the end of one that waits. */
static bool find_subject(struct cli *cli, const json_t *items, struct item_subject *subject, struct err *err)
{
    const char *word = cli_get(cli, "N"), *tail = str_fold(cli->arena, word);
    const json_t *item;
    int64_t number;
    size_t index;

    *subject = (struct item_subject){ .id = word };
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
        *subject = (struct item_subject){ .id = id, .item = item };
    }
    return true;
}

static int show(struct cli *cli, const struct item_subject *subject, const struct item_kind *kind,
                int64_t now_ms, struct err *err)
{
    struct item_whole whole = { 0 };
    BUF_AUTO text = { 0 };
    struct term term;

    if (!item_read(cli, subject, kind, &whole, err))
        return err_exit(err->code);
    JSON_AUTO *found = whole.found;

    if (cli->json)
        return invoke_print(cli, &whole.reply, false);
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    kind->write(&term, found, now_ms);
    return cli_print(text.bytes, text.len);
}

/* What has ended is in no list: it may be a question or a prompt. */
static int show_either(struct cli *cli, const struct item_subject *subject, int64_t now_ms)
{
    struct err err = { 0 }, ignored = { 0 };
    int code = show(cli, subject, item_kind_of(NULL), now_ms, &err);

    if (err.code != ERR_NOT_FOUND)
        return err.code ? cli_fail(cli, &err) : code;
    code = show(cli, subject, item_kind_prompt(), now_ms, &ignored);
    if (!ignored.code)
        return code;
    err_set(&err, ERR_NOT_FOUND, "Nothing that waits, no question and no prompt has the id %s.", subject->id);
    err_hint(&err, "`witan inbox` shows what waits, with numbers and ids.");
    return cli_fail(cli, &err);
}

static int run_show(struct cli *cli)
{
    struct pending_items pending;
    struct item_subject subject;
    struct err err = { 0 };
    int code;

    if (!pending_items_read(cli, &(struct pending_filter){ .limit = INBOX_SHOWN_MAX }, &pending, &err))
        return cli_fail(cli, &err);
    if (!find_subject(cli, pending.items, &subject, &err)) {
        code = cli_fail(cli, &err);
    } else if (!subject.item) {
        code = show_either(cli, &subject, pending.now_ms);
    } else {
        code = show(cli, &subject, item_kind_of(subject.item), pending.now_ms, &err);
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

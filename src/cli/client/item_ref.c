/*
 * Most are questions, which one request finds by their id; only what is none is looked for in the inbox, in
 * every project and among the prompts.
 */
#include "cli/client/item_ref.h"

#include "base/limits.h"
#include "base/str.h"
#include "cli/client/pending.h"
#include "cli/client/project_scope.h"
#include "cli/client/question_ref.h"

#include <string.h>

static bool ends_in(const char *text, const char *tail)
{
    size_t len = strlen(text), tail_len = strlen(tail);

    return len >= tail_len && strcmp(text + len - tail_len, tail) == 0;
}

/* What has been found under the end of an id. */
struct item_search {
    const char *tail;
    const char *id; /* or NULL */
    bool several;
};

static void take_id(struct cli *cli, struct item_search *search, const char *id)
{
    if (!id || !ends_in(id, search->tail) || str_equal(id, search->id))
        return;
    search->several |= search->id != NULL;
    search->id = arena_text(cli->arena, id);
}

static void take_ids(struct cli *cli, struct item_search *search, const json_t *list)
{
    const json_t *entry;
    size_t index;

    json_array_foreach(list, index, entry)
    {
        take_id(cli, search, json_string_value(json_object_get(entry, "id")));
    }
}

/* The inbox, of one type or of all; *more: it holds more than it shows. */
static bool search_inbox(struct cli *cli, struct item_search *search, const char *type, bool *more,
                         struct err *err)
{
    struct pending_items pending;

    if (!pending_items_read(cli, &(struct pending_filter){ .type = type, .limit = INBOX_SHOWN_MAX }, &pending,
                            err))
        return false;
    take_ids(cli, search, pending.items);
    json_decref(pending.items);
    *more = pending.more;
    return true;
}

/* Everything that waits. Where the inbox cannot show it all, each kind by itself; questions page by page. */
static bool search_waiting(struct cli *cli, struct item_search *search, struct err *err)
{
    struct pending_filter by_tail = { .tail = search->tail, .limit = 2 };
    struct pending questions;
    bool more, ignored;

    if (!search_inbox(cli, search, NULL, &more, err))
        return false;
    if (!more)
        return true;
    for (const char *const *type = item_other_types; *type; type++)
        if (!search_inbox(cli, search, *type, &ignored, err))
            return false;
    if (!pending_read(cli, &by_tail, &questions, err))
        return false;
    take_ids(cli, search, questions.questions);
    json_decref(questions.questions);
    return true;
}

/* What has ended was shown a moment ago, here or on another screen. */
static bool search_ended(struct cli *cli, struct item_search *search, struct err *err)
{
    static const char *const ends[] = { "answered", "timeout", "cancelled" };

    take_id(cli, search, question_ref_shown(cli, search->tail));
    for (size_t i = 0; !search->id && i < sizeof(ends) / sizeof(*ends); i++) {
        JSON_AUTO *params = json_pack("{s:s, s:i}", "status", ends[i], "limit", LIMIT_PAGE);
        JSON_AUTO *page = NULL;
        struct client_reply reply;

        if (!invoke_json(cli, op_find("question_ended"), params, 0, &reply, &page, err))
            return false;
        take_ids(cli, search, json_object_get(page, "questions"));
    }
    return true;
}

bool item_ref_tail(struct cli *cli, const char *tail, const char **id, struct err *err)
{
    struct item_search search = { .tail = str_fold(cli->arena, tail) };

    if (!search_waiting(cli, &search, err) || (!search.id && !search_ended(cli, &search, err)))
        return false;
    if (search.several) {
        err_set(err, ERR_INVALID, "Several things that wait have an id that ends in %s.", tail);
        return err_hint(err, "Give more of it; `witan inbox --plain` lists whole ids.");
    }
    if (!search.id) {
        err_set(err, ERR_NOT_FOUND, "Nothing that waits has an id that ends in %s.", tail);
        return err_hint(err, "`witan inbox` shows what is open. What ended long ago goes by its whole id.");
    }
    *id = search.id;
    return true;
}

/* As the inbox lists it; NULL: it does not. The caller json_decrefs it. */
static bool listed(struct cli *cli, const char *id, json_t **item, struct err *err)
{
    for (const char *const *type = item_other_types; *type && !*item; type++) {
        struct pending_items pending;
        json_t *entry;
        size_t index;

        if (!pending_items_read(cli, &(struct pending_filter){ .type = *type, .limit = INBOX_SHOWN_MAX },
                                &pending, err))
            return false;
        json_array_foreach(pending.items, index, entry)
        {
            if (!*item && str_equal(json_string_value(json_object_get(entry, "id")), id))
                *item = json_incref(entry);
        }
        json_decref(pending.items);
    }
    return true;
}

static bool holds_set(struct cli *cli, const char *project_id, const char *set_id, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s, s:s}", "id", project_id, "nid", set_id);
    JSON_AUTO *set = NULL;
    struct client_reply reply;

    return invoke_json(cli, op_find("open_question_get"), params, 0, &reply, &set, err);
}

/* A set that does not wait any more stands in no list: each project is asked for it. */
static bool settled_set(struct cli *cli, const char *id, json_t **item, struct err *err)
{
    const char *project;

    if (!scope_find(cli, "open questions", id, holds_set, &project, err))
        return false;
    *item = json_pack("{s:s, s:s, s:s}", "type", "open_questions", "id", id, "projectId", project);
    return true;
}

static bool read_as(struct cli *cli, struct item_ref *ref, const struct item_kind *kind, struct err *err)
{
    *err = (struct err){ 0 };
    ref->kind = kind;
    return item_read(cli, &ref->of, kind, &ref->whole, err);
}

/* What is no question: false with ERR_NOT_FOUND when it is nothing else either. */
static bool read_other(struct cli *cli, struct item_ref *ref, struct err *err)
{
    json_t *item = NULL;

    if (!listed(cli, ref->of.id, &item, err))
        return false;
    if (!item && !settled_set(cli, ref->of.id, &item, err) && err->code != ERR_NOT_FOUND)
        return false;
    ref->of.item = item;
    if (item && read_as(cli, ref, item_kind_of(item), err))
        return true;
    return (!item || err->code == ERR_NOT_FOUND) && read_as(cli, ref, item_kind_prompt(), err);
}

static bool read_whole(struct cli *cli, struct item_ref *ref, struct err *err)
{
    if (read_as(cli, ref, item_kind_of(NULL), err))
        return true;
    return err->code == ERR_NOT_FOUND && read_other(cli, ref, err);
}

bool item_ref_find(struct cli *cli, const char *word, struct item_ref *ref, struct err *err)
{
    *ref = (struct item_ref){ 0 };
    if (!question_ref_id(cli, word, &ref->of.id, err))
        return false;
    if (read_whole(cli, ref, err))
        return true;
    item_ref_done(ref);
    if (err->code != ERR_NOT_FOUND)
        return false;
    /* A number was shown; a turn that was taken meanwhile is in no list. */
    if (!str_equal(word, ref->of.id))
        return err_set(err, ERR_CONFLICT, "What was shown here as %s is not waiting any more.", word);
    err_set(err, ERR_NOT_FOUND, "Nothing that waits, no question and no prompt has the id %s.", word);
    return err_hint(err, "`witan inbox` shows what waits, with numbers and ids.");
}

void item_ref_done(struct item_ref *ref)
{
    json_decref((json_t *)(uintptr_t)ref->of.item);
    json_decref(ref->whole.found);
    ref->of.item = NULL;
    ref->whole.found = NULL;
}

bool item_ref_argument(struct cli *cli, const char *name, struct err *err)
{
    for (size_t i = 0; i < cli->value_count; i++)
        if (strcmp(cli->values[i].option->name, name) == 0 &&
            !question_ref_id(cli, cli->values[i].text, &cli->values[i].text, err))
            return false;
    return true;
}

bool item_ref_other(struct cli *cli, const char *id, const char *wanted, struct err *err)
{
    struct item_ref ref = { .of = { .id = id } };
    struct err ignored = { 0 };

    if (err->code != ERR_NOT_FOUND)
        return false;
    if (read_whole(cli, &ref, &ignored) && !str_equal(ref.kind->type, wanted)) {
        err_set(err, ERR_INVALID, "%s is %s, for which there is no `witan %s`.",
                question_ref_short(cli->arena, id), ref.kind->noun, cli->command->name);
        err_hint(err, "Answer it with: %s.", item_how(cli->arena, &ref.of, ref.kind, ref.whole.found));
    }
    item_ref_done(&ref);
    return false;
}

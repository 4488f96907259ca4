/*
 * An agent's list is two lists behind one cursor, those that mention it and the rest. Each filter has a
 * statement with the index that serves it; which part a page ended in stands in the cursor.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/chat/prompt.h"

#include <string.h>

#define LIST_NAME "prompts"

/* An agent's list has two parts: the prompts that mention it, then the rest. */
enum { GROUP_MENTIONS, GROUP_REST, GROUPS };

/* A day more than that, since other programs have spellings of their own for the hours of a day. */
const char *prompt_open_since(const struct tx *tx)
{
    return clock_text(tx->arena, tx->now_ms - (int64_t)2 * PROMPT_MINUTES_MAX * 60000);
}

struct prompt_listing {
    const struct tx *tx;
    const struct prompt_filter *filter;
    const char *agent_key; /* or NULL */
    bool ended;            /* a status that is not open: mentions call nobody there any more */
    size_t mentions;       /* rows of the first part */
};

static bool query_group(const struct prompt_listing *list, const struct cursor *from, size_t limit,
                        struct db_rows *rows)
{
    const struct prompt_filter *filter = list->filter;
    struct db_arg status = db_text(prompt_status_word(filter->status)), agent = db_text(list->agent_key);
    struct db_arg answered = db_bool(filter->include_answered), task = db_text(filter->task_id);
    struct db_arg bound = db_text(list->tx->caller->project_id);
    struct db_arg args[11] = { db_text(list->tx->caller->workspace_id), db_text(from->created_at),
                               db_text(from->id), db_int((int64_t)limit) };

    if (list->ended && !filter->task_id) {
        memcpy(&args[4], (struct db_arg[]){ status, agent, answered, bound }, 4 * sizeof(*args));
        return tx_query(list->tx, SQL_PROMPT_LIST_ENDED, 8, args, rows);
    }
    memcpy(&args[4], (struct db_arg[]){ db_int(list->tx->now_ms), status, agent, answered, bound, task },
           6 * sizeof(*args));
    if (from->group == GROUP_MENTIONS) {
        args[10] = db_text(prompt_open_since(list->tx));
        return tx_query(list->tx, SQL_PROMPT_LIST_MENTIONS, 11, args, rows);
    }
    if (filter->task_id)
        return tx_query(list->tx, SQL_PROMPT_LIST_TASK, 10, args, rows);
    return tx_query(list->tx, SQL_PROMPT_LIST_OPEN, 9, args, rows);
}

/* One row more than asked for tells whether there is a next page. */
static bool fill(struct prompt_listing *list, struct cursor from, struct prompt_page *page)
{
    size_t most = list->filter->limit + 1;

    page->prompts = arena_array(list->tx->arena, struct prompt, most);
    for (; from.group < GROUPS && page->count < most; cursor_start(from.group + 1, &from)) {
        struct db_rows rows;

        if (!query_group(list, &from, most - page->count, &rows))
            return false;
        for (size_t i = 0; i < rows.count; i++)
            if (!prompt_from_row(&rows, i, &page->prompts[page->count++], list->tx->err))
                return false;
        if (from.group == GROUP_MENTIONS)
            list->mentions = page->count;
    }
    return true;
}

static bool start(const struct prompt_listing *list, struct cursor *from)
{
    bool in_parts = list->agent_key && !list->ended;

    if (!cursor_read(LIST_NAME, list->filter->cursor, from, list->tx->err))
        return false;
    if (!in_parts && !list->filter->cursor)
        cursor_start(GROUP_REST, from);
    if (from->group >= GROUPS || (!in_parts && from->group != GROUP_REST))
        return err_field(list->tx->err, "cursor", "cursor belongs to a list with other filters.");
    return true;
}

bool prompt_list(const struct tx *tx, const struct prompt_filter *filter, struct prompt_page *page)
{
    struct prompt_listing list = {
        .tx = tx,
        .filter = filter,
        .agent_key = filter->agent ? str_fold(tx->arena, filter->agent) : NULL,
        .ended = filter->status && !prompt_status_is_open(filter->status),
    };
    struct prompt_page found = { 0 };
    struct cursor from;

    if (!start(&list, &from) || !fill(&list, from, &found))
        return false;
    if (found.count > filter->limit) {
        const struct prompt *last = &found.prompts[filter->limit - 1];
        int group = filter->limit <= list.mentions ? GROUP_MENTIONS : GROUP_REST;

        found.count = filter->limit;
        found.next_cursor = cursor_after(tx->arena, LIST_NAME, group, last->created_at, last->id);
    }
    *page = found;
    return true;
}

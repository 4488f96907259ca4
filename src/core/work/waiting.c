/*
 * Each source brings one row more than a page can show, all are sorted together and the page is cut: so the
 * most urgent are right whatever their kind, and that there is more is known without counting.
 */
#include "core/work/waiting.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "core/caller/caller.h"
#include "core/chat/prompt.h"

#include <stdlib.h>
#include <string.h>

const char *const waiting_types[] = { "blocking",       "non_blocking", "approval", "error_recovery",
                                      "open_questions", "prompt",       "turn",     NULL };
WORDS_FIT(waiting_types, WAITING_END);

/* One place that things wait in. */
struct source {
    enum waiting_type type; /* the only one it has; 0: the types of questions */
    bool undated; /* comes after the questions before it: only when those leave room, and by deadline */
    bool (*query)(const struct tx *tx, const struct waiting_filter *filter, struct db_rows *rows);
    void (*finish)(struct arena *arena, struct waiting *item); /* or NULL */
};

static int64_t limit_of(const struct waiting_filter *filter)
{
    return (int64_t)filter->limit + 1;
}

static bool query_questions(const struct tx *tx, const struct waiting_filter *filter, struct db_rows *rows)
{
    return tx_query(tx, filter->by_age ? SQL_WAITING_OLDEST : SQL_WAITING_DATED,
                    DB_ARGS(db_text(tx->caller->workspace_id), db_text(filter->project_id),
                            db_int(limit_of(filter)), db_text(clock_text(tx->arena, tx->now_ms)),
                            db_text(waiting_type_word(filter->type))),
                    rows);
}

static bool query_undated(const struct tx *tx, const struct waiting_filter *filter, struct db_rows *rows)
{
    return tx_query(tx, SQL_WAITING_UNDATED,
                    DB_ARGS(db_text(tx->caller->workspace_id), db_text(filter->project_id),
                            db_int(limit_of(filter)), db_text(waiting_type_word(filter->type))),
                    rows);
}

static bool query_sets(const struct tx *tx, const struct waiting_filter *filter, struct db_rows *rows)
{
    return tx_query(
        tx, SQL_WAITING_SETS,
        DB_ARGS(db_text(tx->caller->workspace_id), db_text(filter->project_id), db_int(limit_of(filter))),
        rows);
}

static bool query_prompts(const struct tx *tx, const struct waiting_filter *filter, struct db_rows *rows)
{
    const struct caller *caller = tx->caller;
    const char *name = caller->agent_name ? caller->agent_name : caller->name;

    return tx_query(tx, SQL_WAITING_PROMPTS,
                    DB_ARGS(db_text(caller->workspace_id), db_text(filter->project_id),
                            db_int(limit_of(filter)), db_int(tx->now_ms), db_text(str_fold(tx->arena, name)),
                            db_text(prompt_open_since(tx)), db_bool(filter->by_age)),
                    rows);
}

static bool query_turns(const struct tx *tx, const struct waiting_filter *filter, struct db_rows *rows)
{
    return tx_query(tx, SQL_WAITING_TURNS,
                    DB_ARGS(db_text(tx->caller->workspace_id), db_text(filter->project_id),
                            db_int(limit_of(filter)), db_int(tx->now_ms), db_bool(filter->by_age)),
                    rows);
}

/* A set is shown by its first question. */
static void finish_set(struct arena *arena, struct waiting *item)
{
    JSON_AUTO *list = json_loads(item->text, 0, NULL);
    const char *first = json_string_value(json_object_get(json_array_get(list, 0), "text"));

    item->questions = (int64_t)json_array_size(list);
    item->text = arena_text(arena, first ? first : "");
}

static const struct source sources[] = {
    { 0, false, query_questions, NULL },
    { 0, true, query_undated, NULL },
    { WAITING_SET, false, query_sets, finish_set },
    { WAITING_PROMPT, false, query_prompts, NULL },
    { WAITING_TURN, false, query_turns, NULL },
};

/* Tables hold times as text or as milliseconds. */
static int64_t time_of(const char *text)
{
    int64_t ms;

    if (!text || (!str_to_int(text, &ms) && !clock_parse(text, &ms)))
        return 0;
    return ms;
}

static bool from_row(const struct db_rows *rows, size_t row, struct waiting *item, struct err *err)
{
    const char *agent = db_cell(rows, row, COL_INBOX_ITEM_AGENT), *strange = NULL;

    *item = (struct waiting){
        .type = db_cell_word(rows, row, COL_INBOX_ITEM_TYPE, waiting_types, &strange),
        .id = db_cell(rows, row, COL_INBOX_ITEM_ID),
        .text = db_cell(rows, row, COL_INBOX_ITEM_TEXT),
        .agent = agent && *agent ? agent : NULL,
        .project_id = db_cell(rows, row, COL_INBOX_ITEM_PROJECT_ID),
        .project = db_cell(rows, row, COL_INBOX_ITEM_PROJECT),
        .assigned_to = db_cell(rows, row, COL_INBOX_ITEM_ASSIGNED_TO),
        .assignee = db_cell(rows, row, COL_INBOX_ITEM_ASSIGNEE),
        .due_ms = time_of(db_cell(rows, row, COL_INBOX_ITEM_DUE)),
        .asked_ms = time_of(db_cell(rows, row, COL_INBOX_ITEM_ASKED)),
        .source = db_cell_word(rows, row, COL_INBOX_ITEM_SOURCE, work_sources, &strange),
        .default_response = db_cell(rows, row, COL_INBOX_ITEM_DEFAULT_RESPONSE),
        .discussion_id = db_cell(rows, row, COL_INBOX_ITEM_DISCUSSION_ID),
        .questions = 1,
    };
    return db_words_known(strange, err);
}

static bool is_wanted(const struct source *source, enum waiting_type type)
{
    if (!type)
        return true;
    return source->type ? source->type == type : type < WAITING_SET;
}

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_age(const void *a, const void *b)
{
    const struct waiting *one = a, *other = b;
    int order = by_number(one->asked_ms, other->asked_ms);

    return order ? order : strcmp(one->id, other->id);
}

static int by_urgency(const void *a, const void *b)
{
    const struct waiting *one = a, *other = b;
    int order = by_number(one->due_ms ? one->due_ms : INT64_MAX, other->due_ms ? other->due_ms : INT64_MAX);

    return order ? order : by_age(a, b);
}

bool waiting_list(const struct tx *tx, const struct waiting_filter *filter, struct waiting **items,
                  size_t *count, bool *more)
{
    enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };
    struct waiting *found = arena_array(tx->arena, struct waiting, SOURCES * (filter->limit + 1));
    size_t total = 0;

    for (size_t i = 0; i < SOURCES; i++) {
        struct db_rows rows;

        if (!is_wanted(&sources[i], filter->type) ||
            (sources[i].undated && (filter->by_age || total > filter->limit)))
            continue;
        if (!sources[i].query(tx, filter, &rows))
            return false;
        for (size_t row = 0; row < rows.count; row++) {
            if (!from_row(&rows, row, &found[total], tx->err))
                return false;
            if (sources[i].finish)
                sources[i].finish(tx->arena, &found[total]);
            total++;
        }
    }
    qsort(found, total, sizeof(*found), filter->by_age ? by_age : by_urgency);
    *more = total > filter->limit;
    *count = *more ? filter->limit : total;
    *items = found;
    return true;
}

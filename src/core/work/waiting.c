/*
 * Each source brings one row more than a page can show, all are sorted together and the page is cut: so the
 * most urgent are right whatever their kind, and that there is more is known without counting. What needs the
 * caller is counted in the page where that holds everything, and else by the kinds that rows are of.
 */
#include "core/work/waiting.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/caller/caller.h"
#include "core/chat/prompt.h"

#include <stdlib.h>
#include <string.h>

const char *const waiting_types[] = { QUESTION_TYPES(QUESTION_TYPE_WORD) "open_questions", "prompt", "turn",
                                      NULL };
WORDS_FIT(waiting_types, WAITING_END);

/* One place that things wait in. */
struct waiting_source {
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

static const struct waiting_source sources[] = {
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
        .task = db_cell(rows, row, COL_INBOX_ITEM_TASK),
        .assigned_to = db_cell(rows, row, COL_INBOX_ITEM_ASSIGNED_TO),
        .assignee = db_cell(rows, row, COL_INBOX_ITEM_ASSIGNEE),
        .due_ms = time_of(db_cell(rows, row, COL_INBOX_ITEM_DUE)),
        .asked_ms = time_of(db_cell(rows, row, COL_INBOX_ITEM_ASKED)),
        .source = db_cell_word(rows, row, COL_INBOX_ITEM_SOURCE, work_sources, &strange),
        .default_response = db_cell(rows, row, COL_INBOX_ITEM_DEFAULT_RESPONSE),
        .discussion_id = db_cell(rows, row, COL_INBOX_ITEM_DISCUSSION_ID),
        .required_role = db_cell(rows, row, COL_INBOX_ITEM_REQUIRED_ROLE),
        .questions = 1,
    };
    return db_words_known(strange, err);
}

/* What of a row decides who may answer it. Sets and turns are judged as a question of their project and for
 * their person would be. */
static bool asked_in_row(const struct tx *tx, const struct db_rows *rows, size_t row, struct question *asked)
{
    enum waiting_type type;
    const char *strange = NULL, *approvals = db_cell(rows, row, COL_INBOX_ITEM_APPROVALS);

    type = db_cell_word(rows, row, COL_INBOX_ITEM_TYPE, waiting_types, &strange);
    *asked = (struct question){
        .id = db_cell(rows, row, COL_INBOX_ITEM_ID),
        .workspace_id = tx->caller->workspace_id,
        .project_id = type == WAITING_TURN ? NULL : db_cell(rows, row, COL_INBOX_ITEM_PROJECT_ID),
        .type = type < WAITING_SET ? (enum question_type)type : QUESTION_BLOCKING,
        .status = QUESTION_PENDING,
        .response_type = db_cell_word(rows, row, COL_INBOX_ITEM_RESPONSE_TYPE, response_types, &strange),
        .due_ms = time_of(db_cell(rows, row, COL_INBOX_ITEM_DUE)),
        .assigned_to = db_cell(rows, row, COL_INBOX_ITEM_ASSIGNED_TO),
        .assignee = db_cell(rows, row, COL_INBOX_ITEM_ASSIGNEE),
        .required_role = db_cell(rows, row, COL_INBOX_ITEM_REQUIRED_ROLE),
        .requested_by = db_cell(rows, row, COL_INBOX_ITEM_REQUESTED_BY),
        .asked_by_id = db_cell(rows, row, COL_INBOX_ITEM_ASKED_BY_ID),
        .required_approvals = db_cell_int(rows, row, COL_INBOX_ITEM_REQUIRED_APPROVALS),
        .approvals = approvals ? approvals : "[]",
    };
    return db_words_known(strange, tx->err);
}

/* Whoever is mentioned by a prompt may answer it, person or agent. */
static bool judge(const struct tx *tx, const struct question asked[], struct waiting items[], size_t count,
                  int64_t *needed)
{
    struct standing *standings;

    if (!standing_of(tx, asked, count, &standings))
        return false;
    *needed = 0;
    for (size_t i = 0; i < count; i++) {
        items[i].standing = standings[i];
        if (items[i].type == WAITING_PROMPT)
            items[i].standing =
                (struct standing){ .rights = { .may_answer = true, .yes_counts = true }, .needed = true };
        *needed += items[i].standing.needed;
    }
    return true;
}

static bool is_wanted(const struct waiting_source *source, enum waiting_type type)
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

/* All that the sources have, in no order yet, and how much of it needs the caller. */
static bool read_all(const struct tx *tx, const struct waiting_filter *filter, struct waiting_page *found)
{
    enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };
    struct question *asked = arena_array(tx->arena, struct question, SOURCES * (filter->limit + 1));

    found->items = arena_array(tx->arena, struct waiting, SOURCES * (filter->limit + 1));
    found->count = 0;
    for (size_t i = 0; i < SOURCES; i++) {
        struct db_rows rows;

        if (!is_wanted(&sources[i], filter->type) ||
            (sources[i].undated && (filter->by_age || found->count > filter->limit)))
            continue;
        if (!sources[i].query(tx, filter, &rows))
            return false;
        for (size_t row = 0; row < rows.count; row++, found->count++) {
            struct waiting *item = &found->items[found->count];

            if (!from_row(&rows, row, item, tx->err) || !asked_in_row(tx, &rows, row, &asked[found->count]))
                return false;
            if (sources[i].finish)
                sources[i].finish(tx->arena, item);
        }
    }
    return judge(tx, asked, found->items, found->count, &found->need_you);
}

bool waiting_list(const struct tx *tx, const struct waiting_filter *filter, struct waiting_page *page)
{
    struct waiting_page found = { 0 };

    if (!read_all(tx, filter, &found))
        return false;
    qsort(found.items, found.count, sizeof(*found.items), filter->by_age ? by_age : by_urgency);
    found.more = found.count > filter->limit;
    if (found.more) {
        found.count = filter->limit;
        if (!waiting_count(tx, filter, &found.need_you))
            return false;
    }
    *page = found;
    return true;
}

/* Counting */

/* Counts rows of one statement, each of which stands for several things that are all the same to the caller:
 * how many is the column `n`. */
static bool add_needed(const struct tx *tx, const struct question asked[], const struct db_rows *rows,
                       size_t n, int64_t *count)
{
    struct standing *standings;

    if (!standing_of(tx, asked, rows->count, &standings))
        return false;
    for (size_t i = 0; i < rows->count; i++)
        if (standings[i].needed)
            *count += db_cell_int(rows, i, n);
    return true;
}

static struct question plain(const struct tx *tx)
{
    return (struct question){ .id = "",
                              .workspace_id = tx->caller->workspace_id,
                              .type = QUESTION_BLOCKING,
                              .status = QUESTION_PENDING,
                              .response_type = RESPONSE_TEXT,
                              .required_approvals = 1,
                              .approvals = "[]" };
}

static bool count_questions(const struct tx *tx, const struct waiting_filter *filter, int64_t *count)
{
    const char *strange = NULL;
    struct question *asked;
    struct db_rows rows;

    if (!tx_query(tx, SQL_WAITING_KINDS,
                  DB_ARGS(db_text(tx->caller->workspace_id), db_text(filter->project_id),
                          db_text(clock_text(tx->arena, tx->now_ms)), db_text(tx->caller->id),
                          db_int(tx->now_ms), db_text(clock_text(tx->arena, tx->now_ms + QUESTION_WAKE_MS)),
                          db_text(waiting_type_word(filter->type))),
                  &rows))
        return false;
    asked = arena_array(tx->arena, struct question, rows.count);
    for (size_t i = 0; i < rows.count; i++) {
        asked[i] = plain(tx);
        asked[i].type = db_cell_word(&rows, i, COL_INBOX_KIND_TYPE, question_types, &strange);
        asked[i].response_type =
            db_cell_word(&rows, i, COL_INBOX_KIND_RESPONSE_TYPE, response_types, &strange);
        asked[i].assigned_to = db_cell(&rows, i, COL_INBOX_KIND_ASSIGNED_TO);
        asked[i].required_role = db_cell(&rows, i, COL_INBOX_KIND_REQUIRED_ROLE);
        asked[i].requested_by = db_cell(&rows, i, COL_INBOX_KIND_REQUESTED_BY);
        asked[i].asked_by_id = db_cell(&rows, i, COL_INBOX_KIND_ASKED_BY_ID);
        asked[i].project_id = db_cell(&rows, i, COL_INBOX_KIND_PROJECT_ID);
        asked[i].required_approvals = db_cell_int(&rows, i, COL_INBOX_KIND_REQUIRED_APPROVALS);
        asked[i].approvals = db_cell(&rows, i, COL_INBOX_KIND_APPROVALS);
    }
    return db_words_known(strange, tx->err) && add_needed(tx, asked, &rows, COL_INBOX_KIND_N, count);
}

/* Sets by project, or turns by whose they are: the first column; the second is how many. */
static bool count_kinds(const struct tx *tx, const struct db_rows *rows, bool turns, int64_t *count)
{
    struct question *asked = arena_array(tx->arena, struct question, rows->count);

    for (size_t i = 0; i < rows->count; i++) {
        asked[i] = plain(tx);
        *(turns ? &asked[i].assigned_to : &asked[i].project_id) = db_cell(rows, i, 0);
    }
    return add_needed(tx, asked, rows, 1, count);
}

bool waiting_count(const struct tx *tx, const struct waiting_filter *filter, int64_t *need_you)
{
    const struct db_arg workspace = db_text(tx->caller->workspace_id), project = db_text(filter->project_id),
                        now = db_int(tx->now_ms);
    const struct caller *caller = tx->caller;
    const char *name = str_fold(tx->arena, caller->agent_name ? caller->agent_name : caller->name);
    enum waiting_type type = filter->type;
    struct db_rows rows;
    int64_t count = 0;

    if ((!type || type < WAITING_SET) && !count_questions(tx, filter, &count))
        return false;
    if ((!type || type == WAITING_SET) &&
        (!tx_query(tx, SQL_WAITING_SET_KINDS, DB_ARGS(workspace, project), &rows) ||
         !count_kinds(tx, &rows, false, &count)))
        return false;
    if ((!type || type == WAITING_TURN) &&
        (!tx_query(tx, SQL_WAITING_TURN_KINDS, DB_ARGS(workspace, project, now), &rows) ||
         !count_kinds(tx, &rows, true, &count)))
        return false;
    if (!type || type == WAITING_PROMPT) {
        if (!tx_query(tx, SQL_WAITING_PROMPT_COUNT,
                      DB_ARGS(workspace, project, now, db_text(name), db_text(prompt_open_since(tx))), &rows))
            return false;
        count += db_cell_int(&rows, 0, 0);
    }
    *need_you = count;
    return true;
}

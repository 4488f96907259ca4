/*
 * The two halves of the index. Taking in: the texts that are noted, as words, with two statements for a whole
 * batch. Finding: the longest whole word walks along its entries from the newest, all others are checked
 * thing by thing; a lone beginning of a word has a range of them. Kind and project are words, too ("#job",
 * "@ID"), so that a filter costs no more than a word. The wall of the caller's project does not rest on those
 * but on the things' own rows.
 */
#include "core/search/search.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/caller/caller.h"
#include "core/holding/holding.h"
#include "core/log/cursor.h"
#include "core/search/terms.h"

#include <string.h>

#define LIST_NAME  "search"
#define AFTER_ALL  "\xF4\x8F\xBF\xBF" /* no text has this character */
#define WORD_WIDTH 3

_Static_assert(SEARCH_WORDS_MAX == 6, "as many as the statement takes");

const char *const search_kinds[] = { "question", "job", "discussion", "project", "task", "agent", NULL };
WORDS_FIT(search_kinds, SEARCH_END);

/* Taking in */

/* What a job was given holds texts among other things. */
static void add_input(struct arena *arena, struct terms *terms, const char *input)
{
    JSON_AUTO *values = input && strlen(input) <= LIMIT_CONTEXT ? json_loads(input, 0, NULL) : NULL;
    const char *key;
    json_t *value;

    json_object_foreach(values, key, value) terms_add(arena, terms, json_string_value(value));
}

static struct terms terms_of(struct arena *arena, const struct db_rows *rows, size_t row)
{
    const char *project = db_cell(rows, row, COL_SEARCH_NOTED_PROJECT_ID);
    struct terms terms = { .words = arena_array(arena, const char *, LIMIT_SEARCH_WORDS),
                           .most = LIMIT_SEARCH_WORDS };

    terms_add_word(&terms, arena_format(arena, "#%s", db_cell(rows, row, COL_SEARCH_NOTED_KIND)));
    if (project)
        terms_add_word(&terms, arena_format(arena, "@%s", project));
    terms_add(arena, &terms, db_cell(rows, row, COL_SEARCH_NOTED_TITLE));
    terms_add(arena, &terms, db_cell(rows, row, COL_SEARCH_NOTED_MORE));
    add_input(arena, &terms, db_cell(rows, row, COL_SEARCH_NOTED_INPUT));
    return terms;
}

/* What is gone meanwhile has no workspace, and no words. */
static struct db_arg *gather_words(const struct tx *tx, const struct db_rows *rows, size_t *count)
{
    struct terms *terms = arena_array(tx->arena, struct terms, rows->count);
    struct db_arg *words, *word;

    *count = 0;
    for (size_t row = 0; row < rows->count; row++) {
        if (db_cell(rows, row, COL_SEARCH_NOTED_WORKSPACE_ID))
            terms[row] = terms_of(tx->arena, rows, row);
        *count += terms[row].count;
    }
    words = word = arena_array(tx->arena, struct db_arg, *count * WORD_WIDTH);
    for (size_t row = 0; row < rows->count; row++) {
        for (size_t i = 0; i < terms[row].count; i++) {
            *word++ = db_text(db_cell(rows, row, COL_SEARCH_NOTED_WORKSPACE_ID));
            *word++ = db_text(terms[row].words[i]);
            *word++ = db_text(db_cell(rows, row, COL_SEARCH_NOTED_REF_ID));
        }
    }
    return words;
}

static bool take_in(const struct tx *tx, const struct db_rows *rows)
{
    struct db_arg *ids = arena_array(tx->arena, struct db_arg, rows->count);
    struct db_arg *noted = arena_array(tx->arena, struct db_arg, rows->count);
    size_t count;
    struct db_arg *words = gather_words(tx, rows, &count);

    for (size_t row = 0; row < rows->count; row++) {
        ids[row] = db_text(db_cell(rows, row, COL_SEARCH_NOTED_REF_ID));
        noted[row] = db_int(db_cell_int(rows, row, COL_SEARCH_NOTED_SEQ));
    }
    return db_exec_rows(tx->db, tx->arena, SQL_SEARCH_FORGET, SQL_SEARCH_FORGET_MANY, 1, ids, rows->count,
                        NULL, tx->err) &&
           db_exec_rows(tx->db, tx->arena, SQL_SEARCH_INSERT, SQL_SEARCH_INSERT_MANY, WORD_WIDTH, words,
                        count, NULL, tx->err) &&
           db_exec_rows(tx->db, tx->arena, SQL_SEARCH_UNQUEUE, SQL_SEARCH_UNQUEUE_MANY, 1, noted, rows->count,
                        NULL, tx->err);
}

bool search_sweep(const struct tx *tx, size_t limit, size_t *swept)
{
    struct db_rows rows;
    size_t waiting;
    bool alone;

    if (!search_waiting(tx, &waiting))
        return false;
    *swept = 0;
    if (waiting == 0)
        return true;
    /* Two that read a text before and after it was changed could write the old words last. */
    if (!holding_alone(tx, LOCK_SEARCH, &alone))
        return false;
    if (!alone)
        return true;
    if (!tx_query(tx, SQL_SEARCH_QUEUED, DB_ARGS(db_int((int64_t)limit)), &rows) || !take_in(tx, &rows))
        return false;
    *swept = rows.count;
    return true;
}

bool search_waiting(const struct tx *tx, size_t *waiting)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_SEARCH_WAITING, DB_NO_ARGS, &rows))
        return false;
    *waiting = (size_t)db_cell_int(&rows, 0, 0);
    return true;
}

/* Finding */

/* Long words are rare, so the longest spares most of the work. */
static void put_longest_first(struct search_words *asked)
{
    size_t longest = 0;

    for (size_t i = 1; i < asked->count; i++)
        if (strlen(asked->words[i]) > strlen(asked->words[longest]))
            longest = i;
    const char *word = asked->words[longest];

    asked->words[longest] = asked->words[0];
    asked->words[0] = word;
}

bool search_words_of(struct arena *arena, const char *text, struct search_words *asked)
{
    const char *words[LIMIT_SEARCH_ASKED];
    struct terms terms = { .words = words, .most = LIMIT_SEARCH_ASKED };

    terms_add(arena, &terms, text);
    if (terms.count == 0)
        return false;
    *asked = (struct search_words){ 0 };
    if (str_chars(words[terms.count - 1]) >= SEARCH_PREFIX_CHARS) {
        asked->begun = words[--terms.count];
        asked->behind = arena_format(arena, "%s" AFTER_ALL, asked->begun);
    }
    memcpy(asked->words, words, terms.count * sizeof(*words));
    asked->count = terms.count;
    if (asked->count > 0)
        put_longest_first(asked);
    else
        asked->count = 1; /* the range drives, and what follows are filters */
    return true;
}

static bool ask_for(const struct tx *tx, const struct search_filter *filter, struct search_words *asked)
{
    if (!search_words_of(tx->arena, filter->text, asked))
        return false;
    if (filter->kind)
        asked->words[asked->count++] = arena_format(tx->arena, "#%s", search_kind_word(filter->kind));
    if (filter->project_id)
        asked->words[asked->count++] = arena_format(tx->arena, "@%s", filter->project_id);
    return true;
}

/* Tables hold times as text or as milliseconds. */
static int64_t time_of(const char *text)
{
    int64_t ms;

    return text && (str_to_int(text, &ms) || clock_parse(text, &ms)) ? ms : 0;
}

static bool hit_from_row(const struct db_rows *rows, size_t row, struct search_hit *hit, struct err *err)
{
    const char *strange = NULL;

    *hit = (struct search_hit){
        .kind = db_cell_word(rows, row, COL_SEARCH_HIT_KIND, search_kinds, &strange),
        .ref_id = db_cell(rows, row, COL_SEARCH_HIT_REF_ID),
        .id = db_cell(rows, row, COL_SEARCH_HIT_ID),
        .title = db_cell(rows, row, COL_SEARCH_HIT_TITLE),
        .status = db_cell(rows, row, COL_SEARCH_HIT_STATUS),
        .agent = db_cell(rows, row, COL_SEARCH_HIT_AGENT),
        .project_id = db_cell(rows, row, COL_SEARCH_HIT_PROJECT_ID),
        .project = db_cell(rows, row, COL_SEARCH_HIT_PROJECT),
        .open = db_cell_int(rows, row, COL_SEARCH_HIT_CLOSED) == 0,
        .created_ms = time_of(db_cell(rows, row, COL_SEARCH_HIT_CREATED)),
    };
    if (db_cell_int(rows, row, COL_SEARCH_HIT_OVERDUE))
        return err_set(err, ERR_DUE, "The time of something that was found is up.");
    return db_words_known(strange, err);
}

static bool query(const struct tx *tx, const struct search_filter *filter, const struct search_words *asked,
                  const struct cursor *from, struct db_rows *rows)
{
    const char *const *words = asked->words;

    return tx_query(tx, SQL_SEARCH_FIND,
                    DB_ARGS(db_text(tx->caller->workspace_id), db_text(asked->begun), db_text(asked->behind),
                            db_text(words[0]), db_text(words[1]), db_text(words[2]), db_text(words[3]),
                            db_text(words[4]), db_text(words[5]), db_text(filter->project_id),
                            db_int(from->group), db_text(from->id), db_int(SEARCH_ENTRIES),
                            db_int(SEARCH_THINGS), db_int((int64_t)filter->limit + 1),
                            db_text(clock_text(tx->arena, tx->now_ms))),
                    rows);
}

static bool read_page(const struct tx *tx, const struct search_filter *filter,
                      const struct search_words *asked, struct search_page *page)
{
    struct cursor from;
    struct db_rows rows;

    if (!cursor_read(LIST_NAME, filter->cursor, &from, tx->err) || !query(tx, filter, asked, &from, &rows))
        return false;
    page->count = rows.count < filter->limit ? rows.count : filter->limit;
    page->hits = arena_array(tx->arena, struct search_hit, page->count);
    for (size_t i = 0; i < page->count; i++)
        if (!hit_from_row(&rows, i, &page->hits[i], tx->err))
            return false;
    if (rows.count > page->count) {
        const struct search_hit *last = &page->hits[page->count - 1];

        page->next_cursor = cursor_after(tx->arena, LIST_NAME, last->open ? 0 : 1,
                                         clock_text(tx->arena, last->created_ms), last->ref_id);
    }
    return true;
}

static bool must_be_taken_in(const struct tx *tx)
{
    return err_set(tx->err, ERR_DUE, "Words are waiting to be taken into the index.");
}

bool search_is_ready(const struct tx *tx)
{
    size_t waiting;

    return search_waiting(tx, &waiting) && (waiting == 0 || must_be_taken_in(tx));
}

bool search_find(const struct tx *tx, const struct search_filter *filter, struct search_page *page)
{
    struct search_filter wanted = *filter;
    struct search_page found = { 0 };
    struct search_words asked;
    size_t waiting;

    if (!search_waiting(tx, &waiting))
        return false;
    if (waiting > 0 && !filter->as_it_is)
        return must_be_taken_in(tx);
    if (!wanted.project_id)
        wanted.project_id = tx->caller->project_id;
    found.complete = waiting == 0;
    if (caller_sees_project(tx->caller, wanted.project_id) && ask_for(tx, &wanted, &asked) &&
        !read_page(tx, &wanted, &asked, &found))
        return false;
    *page = found;
    return true;
}

/*
 * All open questions about one source are read once and sorted, and each new one is looked up by its normal
 * text: a result may hold hundreds, and the writer waits for nobody.
 */
#include "core/work/question_set.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/identity/workspace.h"
#include "core/inbox/notification.h"
#include "core/log/event.h"
#include "core/work/question_set_row.h"

#include <stdlib.h>
#include <string.h>

const char *const set_kinds[] = { "open_question", "approval", NULL };
WORDS_FIT(set_kinds, SET_KIND_END);
const char *const set_statuses[] = { "open", "resolved", NULL };
WORDS_FIT(set_statuses, SET_STATUS_END);

bool question_set_is_open(const struct question_set *set)
{
    return set->status == SET_OPEN;
}

bool question_set_get(const struct tx *tx, const struct project *project, const char *id,
                      struct question_set *set)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_QUESTION_SET_GET, DB_ARGS(db_text(id), db_text(project->id)), &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "There is no notification with that id in this project.");
    return question_set_from_row(&rows, 0, set, tx->err);
}

bool question_set_list(const struct tx *tx, const struct project *project, const char *cursor, size_t limit,
                       struct question_set **sets, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(
            tx, SQL_QUESTION_SET_LIST,
            DB_ARGS(db_text(project->id), db_text(cursor ? cursor : ID_ABOVE_ALL), db_int((int64_t)limit)),
            &rows))
        return false;
    *count = rows.count;
    return question_set_from_rows(tx, &rows, rows.count, sets);
}

bool question_set_of_source(const struct tx *tx, const struct project *project,
                            const struct question_set_filter *filter, struct question_set **sets,
                            size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_QUESTION_SET_OF_SOURCE,
                  DB_ARGS(db_text(project->id), db_text(work_source_word(filter->source)),
                          db_text(filter->source_id), db_text(set_status_word(filter->status)),
                          db_int((int64_t)filter->limit)),
                  &rows))
        return false;
    *count = rows.count;
    return question_set_from_rows(tx, &rows, rows.count, sets);
}

bool question_set_newest_open(const struct tx *tx, const struct project *project, enum work_source source,
                              const char *source_id, const char **id)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_QUESTION_SET_NEWEST_OPEN,
                  DB_ARGS(db_text(project->id), db_text(work_source_word(source)), db_text(source_id)),
                  &rows))
        return false;
    *id = rows.count > 0 ? db_cell(&rows, 0, 0) : NULL;
    return true;
}

/* The questions that are open about one source, by their normal text. */
struct set_asked {
    const char *key;
    const struct question_set *set;
};

struct asked_table {
    struct set_asked *items;
    size_t count;
};

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct set_asked *)a)->key, ((const struct set_asked *)b)->key);
}

static bool put_set(struct arena *arena, const struct question_set *set, struct asked_table *table,
                    struct err *err)
{
    JSON_AUTO *list = NULL;

    if (!json_parse(set->questions, strlen(set->questions), &list, err))
        return false;
    for (size_t i = 0; i < json_array_size(list) && i < LIMIT_QUESTIONS; i++) {
        const char *text = json_string_value(json_object_get(json_array_get(list, i), "text"));

        if (text)
            table->items[table->count++] = (struct set_asked){ .key = str_normal(arena, text), .set = set };
    }
    return true;
}

/*
 * Each open set is read once for a result, however many questions that has: the writer waits meanwhile. No
 * set is empty, so those left out by the limit would be beyond it anyway.
 */
static bool load_asked(const struct tx *tx, const struct project *project,
                       const struct question_set_wish *wish, struct asked_table *table)
{
    struct question_set *open;
    size_t count;

    if (!question_set_of_source(tx, project,
                                &(struct question_set_filter){ .source = wish->source,
                                                               .source_id = wish->source_id,
                                                               .status = SET_OPEN,
                                                               .limit = LIMIT_OPEN_QUESTIONS },
                                &open, &count))
        return false;
    *table =
        (struct asked_table){ .items = arena_array(tx->arena, struct set_asked, count * LIMIT_QUESTIONS) };
    for (size_t i = 0; i < count; i++)
        if (!put_set(tx->arena, &open[i], table, tx->err))
            return false;
    qsort(table->items, table->count, sizeof(struct set_asked), by_key);
    return true;
}

/* The questions that nobody is being asked yet, and one of the sets that hold the others. */
static size_t leave_out_asked(struct arena *arena, const struct asked_table *table,
                              const struct question_set_wish *wish, struct output_question *fresh,
                              struct question_set *set)
{
    size_t count = 0;

    for (size_t i = 0; i < wish->count; i++) {
        struct set_asked wanted = { .key = str_normal(arena, wish->questions[i].text) };
        const struct set_asked *found =
            bsearch(&wanted, table->items, table->count, sizeof(struct set_asked), by_key);

        if (found)
            *set = *found->set;
        else
            fresh[count++] = wish->questions[i];
    }
    return count;
}

/* Nobody reads so many; whatever goes on asking without an end is stopped before it fills the store. */
static bool check_room(const struct project *project, size_t open, size_t fresh, struct err *err)
{
    if (open + fresh <= LIMIT_OPEN_QUESTIONS)
        return true;
    err_set(err, ERR_CONFLICT,
            "%zu questions about this are open already and the result asks %zu more; %d may be open at once.",
            open, fresh, LIMIT_OPEN_QUESTIONS);
    err->name = "too_many_questions";
    return err_hint(
        err, "Answer or dismiss some of them, then hand the result in again: /api/projects/%s/notifications.",
        project->id);
}

static char *questions_text(struct arena *arena, const struct output_question *questions, size_t count,
                            int64_t now_ms)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_list(&out, NULL);
    for (size_t i = 0; i < count; i++) {
        json_map(&out, NULL);
        json_text(&out, "id", questions[i].id);
        json_text(&out, "text", questions[i].text);
        json_text(&out, "createdAt",
                  questions[i].created_at ? questions[i].created_at : clock_text(arena, now_ms));
        json_map_end(&out);
    }
    json_list_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

/* Cuts between characters, not inside one. */
static char *shortened(struct arena *arena, const char *text, size_t most)
{
    size_t len = strlen(text);

    if (len <= most)
        return arena_text(arena, text);
    while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--;
    return arena_format(arena, "%.*s...", (int)most, text);
}

static bool add(const struct tx *tx, const struct project *project, const struct question_set_wish *wish,
                const struct output_question *fresh, size_t count, struct question_set *set)
{
    const char *body = shortened(tx->arena, fresh[0].text, SET_BODY_BYTES);
    const char *title = arena_format(tx->arena, "%s asks about %s", wish->agent,
                                     shortened(tx->arena, wish->about, SET_BODY_BYTES));
    struct db_arg row[QUESTION_SET_INSERT_WIDTH];

    *set = (struct question_set){
        .id = uuid_new(tx->arena),
        .workspace_id = project->workspace_id,
        .project_id = project->id,
        .source = wish->source,
        .source_id = wish->source_id,
        .kind = SET_OPEN_QUESTIONS,
        .questions = questions_text(tx->arena, fresh, count, tx->now_ms),
        .responses = "[]",
        .status = SET_OPEN,
        .agent = wish->agent,
        .created_ms = tx->now_ms,
        .asked_by_id = wish->asked_by_id,
    };
    question_set_put_insert(set, row);
    return tx_exec(tx, SQL_QUESTION_SET_INSERT, QUESTION_SET_INSERT_WIDTH, row, NULL) &&
           tx_exec(tx, SQL_QUESTION_SET_INBOX_ADD,
                   DB_ARGS(db_text(set->id), db_text(set->workspace_id), db_text(set->project_id),
                           db_text(set_kind_word(set->kind)), db_text(title), db_text(body),
                           db_int(tx->now_ms)),
                   NULL) &&
           question_set_tell(tx, set, EVENT_NOTIFICATION_ADDED, title, body);
}

bool question_set_ask(const struct tx *tx, const struct project *project,
                      const struct question_set_wish *wish, struct question_set *set)
{
    struct output_question *fresh = arena_array(tx->arena, struct output_question, wish->count);
    struct asked_table asked;
    size_t count;

    if (!load_asked(tx, project, wish, &asked))
        return false;
    count = leave_out_asked(tx->arena, &asked, wish, fresh, set);
    return count == 0 ||
           (check_room(project, asked.count, count, tx->err) && add(tx, project, wish, fresh, count, set));
}

bool question_set_tell(const struct tx *tx, const struct question_set *set, enum event_type type,
                       const char *title, const char *body)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    question_set_write_members(set, &out);
    json_text(&out, "priority", notification_priority_word(PRIORITY_HIGH));
    if (title)
        json_text(&out, "title", title);
    if (body)
        json_text(&out, "body", body);
    json_map(&out, "ref");
    json_text(&out, "type", notification_subject_word(ABOUT_SET));
    json_text(&out, "id", set->id);
    json_map_end(&out);
    json_bool(&out, "resolved", !question_set_is_open(set));
    json_map_end(&out);
    return event_append(tx, &(struct event){ .workspace_id = set->workspace_id,
                                             .type = type,
                                             .project_id = set->project_id,
                                             .subject = set->id,
                                             .data = text.bytes,
                                             .at_ms = tx->now_ms });
}

void question_set_write_approved(const struct question_set *set, const char *key, struct json_out *out)
{
    if (set->has_approved)
        json_bool(out, key, set->approved);
    else
        json_none(out, key);
}

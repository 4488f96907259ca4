/*
 * One pass over the text that skips code and looks back from each '@' whether it stands in an address. A run
 * of backticks is looked for its closing twin only once per length: a text of nothing but backticks would
 * otherwise be searched again from each of them.
 */
#include "core/chat/mention.h"

#include "base/limits.h"
#include "base/str.h"
#include "core/chat/voices.h"
#include "core/inbox/notification.h"

#include <string.h>

#define FENCE_MAX    64 /* longer runs of backticks are taken as they stand */
#define PROMPT_WIDTH 4  /* values of a row of prompt_mentions */

struct mention_scan {
    const char *at, *start, *end;
    bool unclosed[FENCE_MAX + 1]; /* no run of this length follows: looked for once, not for every run */
};

/* Bytes of the letter or digit that stands here; 0 when something else does. */
static size_t letter_at(const char *at, const char *end)
{
    uint32_t code;
    size_t len = at < end ? str_decode(at, (size_t)(end - at), &code) : 0;

    return len > 0 && str_is_letter(code) ? len : 0;
}

static bool letter_before(const char *at, const char *start)
{
    const char *first = at;

    if (at == start)
        return false;
    do
        first--;
    while (first > start && ((unsigned char)*first & 0xC0) == 0x80);
    return letter_at(first, at) > 0;
}

/* An address: letters, perhaps with marks that mailboxes have, directly before the sign. */
static bool in_address(const struct mention_scan *scan, const char *sign)
{
    const char *before = sign;

    while (before > scan->start && strchr("_+-", before[-1]))
        before--;
    return letter_before(before, scan->start);
}

/* The end of the name that starts here; the start itself when there is none. */
static const char *name_end(const char *start, const char *end)
{
    const char *past = start, *at = start;

    while (at < end) {
        size_t len = letter_at(at, end);

        if (len > 0)
            past = at += len;
        else if (past > start && (*at == '-' || *at == '_'))
            at++;
        else
            break;
    }
    return past;
}

static size_t run_of_ticks(const char *at, const char *end)
{
    size_t len = 0;

    while (at + len < end && at[len] == '`')
        len++;
    return len;
}

static const char *closing_run(const char *at, const char *end, size_t ticks)
{
    while (at < end) {
        const char *run = memchr(at, '`', (size_t)(end - at));

        if (!run)
            return NULL;
        size_t len = run_of_ticks(run, end);

        if (len == ticks)
            return run + len;
        at = run + len;
    }
    return NULL;
}

/* Code between backticks is quoted, not said. A fence that is never closed runs to the end. */
static void skip_code(struct mention_scan *scan)
{
    size_t ticks = run_of_ticks(scan->at, scan->end);
    bool fence = ticks >= 3 && (scan->at == scan->start || scan->at[-1] == '\n');
    const char *after = NULL;

    if (ticks <= FENCE_MAX && !scan->unclosed[ticks]) {
        after = closing_run(scan->at + ticks, scan->end, ticks);
        scan->unclosed[ticks] = !after;
    }
    if (after)
        scan->at = after;
    else
        scan->at = fence ? scan->end : scan->at + ticks;
}

static bool next_name(struct mention_scan *scan, struct arena *arena, char **name)
{
    while (scan->at < scan->end) {
        const char *sign = scan->at;

        if (*sign == '`') {
            skip_code(scan);
            continue;
        }
        scan->at++;
        if (*sign != '@' || in_address(scan, sign))
            continue;
        const char *end = name_end(scan->at, scan->end);

        if (end == scan->at || (end < scan->end && *end == '@'))
            continue;
        *name = arena_copy(arena, scan->at, (size_t)(end - scan->at));
        scan->at = end;
        if (str_chars(*name) <= LIMIT_NAME)
            return true;
    }
    return false;
}

static bool is_known(const struct mention *found, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(found[i].key, key) == 0)
            return true;
    return false;
}

size_t mention_find(struct arena *arena, const char *text, struct mention found[static LIMIT_MENTIONS])
{
    struct mention_scan scan = { .at = text, .start = text, .end = text + strlen(text) };
    size_t count = 0;
    char *name;

    if (!strchr(text, '@'))
        return 0;
    while (count < LIMIT_MENTIONS && next_name(&scan, arena, &name)) {
        const char *key = str_fold(arena, name);

        if (!is_known(found, count, key))
            found[count++] = (struct mention){ .name = name, .key = key };
    }
    return count;
}

static struct notification notification_of(struct arena *arena, const struct mention_source *source,
                                           const struct mention *mention)
{
    bool in_prompt = source->in == ABOUT_PROMPT;

    return (struct notification){
        .workspace_id = source->workspace_id,
        .project_id = source->project_id,
        .agent_key = mention->key,
        .kind = NOTIFICATION_MENTION,
        .priority = PRIORITY_NORMAL,
        .title =
            arena_format(arena, in_prompt ? "%s asks for your input" : "%s mentioned you in the squad chat",
                         source->author),
        .body = str_beginning(arena, source->text, NOTIFICATION_CHARS),
        .about = source->in,
        .ref_id = source->ref_id,
    };
}

/* From now on the prompt stands first in their lists. */
static bool put_first(const struct tx *tx, const struct mention_source *source,
                      const struct notification told[], size_t count)
{
    struct db_arg rows[LIMIT_MENTIONS * PROMPT_WIDTH];

    for (size_t i = 0; i < count; i++) {
        struct db_arg *row = &rows[i * PROMPT_WIDTH];

        row[0] = db_text(source->ref_id);
        row[1] = db_text(told[i].agent_key);
        row[2] = db_text(source->workspace_id);
        row[3] = db_text(source->created_at);
    }
    return db_exec_rows(tx->db, tx->arena, SQL_MENTION_INSERT_PROMPT, SQL_MENTION_INSERT_PROMPT_MANY,
                        PROMPT_WIDTH, rows, count, NULL, tx->err);
}

static bool tell_all(const struct tx *tx, const struct mention_source *source, struct notification told[],
                     size_t count)
{
    struct event events[LIMIT_MENTIONS];

    if (source->in == ABOUT_PROMPT && !put_first(tx, source, told, count))
        return false;
    if (!notification_insert(tx, told, count))
        return false;
    for (size_t i = 0; i < count; i++)
        events[i] = notification_added(tx->arena, &told[i]);
    return event_append_many(tx, events, count);
}

/* Talk about a task outlives its project; a notification about it would be nobody's, so nobody is told. */
static bool project_is_gone(const struct tx *tx, const char *project_id, bool *gone)
{
    struct db_rows rows = { 0 };

    if (project_id && !tx_query(tx, SQL_MENTION_PROJECT, DB_ARGS(db_text(project_id)), &rows))
        return false;
    *gone = project_id && rows.count == 0;
    return true;
}

bool mention_tell(const struct tx *tx, const struct mention_source *source)
{
    struct mention found[LIMIT_MENTIONS];
    struct notification told[LIMIT_MENTIONS];
    size_t count = mention_find(tx->arena, source->text, found), others = 0;
    const char *author = str_fold(tx->arena, source->author);

    for (size_t i = 0; i < count; i++)
        if (strcmp(found[i].key, author) != 0)
            told[others++] = notification_of(tx->arena, source, &found[i]);
    bool gone = false;

    if (others > 0 && !project_is_gone(tx, source->project_id, &gone))
        return false;
    return others == 0 || gone || tell_all(tx, source, told, others);
}

/* Rows whose prompt has ended or whose message is gone have no workspace left: nobody is told. */
static bool sweep_row(const struct tx *tx, const struct db_rows *rows, size_t row)
{
    struct mention_source source;

    if (!mention_source_from_row(rows, row, &source, tx->err) ||
        (source.workspace_id && !(voices_fold_message(tx, source.ref_id, source.author, source.prompt_id) &&
                                  mention_tell(tx, &source))))
        return false;
    return tx_exec(tx, SQL_MENTION_UNQUEUE,
                   DB_ARGS(db_text(notification_subject_word(source.in)), db_text(source.ref_id)), NULL);
}

bool mention_sweep(const struct tx *tx, size_t limit, size_t *swept)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_MENTION_QUEUED, DB_ARGS(db_int((int64_t)limit)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!sweep_row(tx, &rows, i))
            return false;
    *swept = rows.count;
    return true;
}

bool mention_waiting(const struct tx *tx, bool *waiting)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_MENTION_WAITING, DB_NO_ARGS, &rows))
        return false;
    *waiting = rows.count > 0;
    return true;
}

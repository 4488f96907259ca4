/*
 * The difference is taken off the count, rather than the voices counted as a whole: whoever was erased has no
 * voice any more, but was counted.
 */
#include "core/chat/voices.h"

#include "base/buf.h"
#include "base/str.h"
#include "core/chat/prompt.h"

#include <string.h>

bool voices_are_folded(struct arena *arena, const char *requester, const char *requester_key,
                       const char *voices)
{
    return str_equal(str_fold(arena, requester), requester_key) && str_equal(str_fold(arena, voices), voices);
}

/* Whether a name of `len` bytes stands in one of the lines of a text that begins and ends with a line's end.
 */
static bool has_line(const char *lines, const char *name, size_t len)
{
    for (const char *at = strchr(lines, '\n'); at; at = strchr(at + 1, '\n'))
        if (strncmp(at + 1, name, len) == 0 && at[1 + len] == '\n')
            return true;
    return false;
}

/* Each line once; says how many of them are not the requester's. */
static const char *distinct(struct arena *arena, const char *voices, const char *requester, int64_t *others)
{
    BUF_AUTO kept = { 0 };

    buf_init(&kept, 0);
    buf_text(&kept, "\n");
    *others = 0;
    for (const char *line = voices + 1; *voices && *line;) {
        size_t len = strcspn(line, "\n");

        if (!has_line(kept.bytes, line, len)) {
            buf_add(&kept, line, len);
            buf_text(&kept, "\n");
            *others += strlen(requester) != len || memcmp(requester, line, len) != 0;
        }
        line += len + (line[len] == '\n');
    }
    return arena_copy(arena, kept.bytes, kept.len);
}

bool voices_fold(const struct tx *tx, const char *prompt_id)
{
    const char *strange = NULL;
    struct db_rows rows;
    int64_t before, after, count;

    if (!tx_query(tx, SQL_VOICES_GET, DB_ARGS(db_text(prompt_id)), &rows))
        return false;
    if (rows.count == 0)
        return true;
    const char *requester = db_cell(&rows, 0, COL_VOICES_REQUESTER_AGENT);
    const char *key = db_cell(&rows, 0, COL_VOICES_REQUESTER_KEY),
               *voices = db_cell(&rows, 0, COL_VOICES_VOICES);
    enum prompt_status status = db_cell_word(&rows, 0, COL_VOICES_STATUS, prompt_statuses, &strange);

    if (!db_words_known(strange, tx->err))
        return false;
    if (voices_are_folded(tx->arena, requester, key, voices))
        return true;
    (void)distinct(tx->arena, voices, key, &before);
    voices = distinct(tx->arena, str_fold(tx->arena, voices), str_fold(tx->arena, requester), &after);
    count = db_cell_int(&rows, 0, COL_VOICES_RESPONSE_COUNT);
    if (prompt_status_is_open(status) && !db_cell_bool(&rows, 0, COL_VOICES_COUNT_ALL))
        count = count > before - after ? count - (before - after) : 0;
    return tx_exec(tx, SQL_VOICES_SET,
                   DB_ARGS(db_text(prompt_id), db_text(str_fold_beyond(tx->arena, requester)),
                           db_text(voices), db_int(count)),
                   NULL);
}

bool voices_fold_message(const struct tx *tx, const char *chat_id, const char *author, const char *prompt_id)
{
    const char *key = str_fold_beyond(tx->arena, author);

    return !key || (tx_exec(tx, SQL_VOICES_SET_AUTHOR, DB_ARGS(db_text(chat_id), db_text(key)), NULL) &&
                    (!prompt_id || voices_fold(tx, prompt_id)));
}

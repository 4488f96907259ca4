/* One statement for all of them: ids are looked up in every table that has such things. */
#include "core/search/naming.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

const char *const named_kinds[] = { "question", "job",  "discussion", "prompt",   "chat",  "project",
                                    "task",     "set",  "decision",   "feedback", "agent", "template",
                                    "token",    "user", "workspace",  NULL };
WORDS_FIT(named_kinds, NAMED_END);

/* What was found under one of the ids that were asked for. */
struct name_found {
    const char *asked;
    struct named named;
};

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct name_found *)a)->asked, ((const struct name_found *)b)->asked);
}

static bool from_row(const struct tx *tx, const struct db_rows *rows, size_t row, struct name_found *found)
{
    const char *strange = NULL;
    const char *name = db_cell(rows, row, COL_NAMED_NAME);

    found->asked = db_cell(rows, row, COL_NAMED_ASKED);
    found->named = (struct named){
        .kind = db_cell_word(rows, row, COL_NAMED_KIND, named_kinds, &strange),
        .id = db_cell(rows, row, COL_NAMED_ID),
        .name = str_beginning(tx->arena, name ? name : "", NOTIFICATION_CHARS),
        .project_id = db_cell(rows, row, COL_NAMED_PROJECT_ID),
    };
    return db_words_known(strange, tx->err);
}

bool naming_find(const struct tx *tx, const char *workspace_id, const char *const ids[], size_t count,
                 struct named **named)
{
    const char **wanted = arena_array(tx->arena, const char *, count);
    struct db_rows rows = { 0 };
    struct name_found *all;
    size_t asked = 0;

    *named = arena_array(tx->arena, struct named, count);
    for (size_t i = 0; i < count; i++)
        if (ids[i])
            wanted[asked++] = ids[i];
    if (asked == 0)
        return true;
    if (!tx_query(tx, SQL_NAMING_FIND,
                  DB_ARGS(db_text(json_texts(tx->arena, wanted, asked)), db_text(workspace_id)), &rows))
        return false;
    all = arena_array(tx->arena, struct name_found, rows.count);
    for (size_t row = 0; row < rows.count; row++)
        if (!from_row(tx, &rows, row, &all[row]))
            return false;
    qsort(all, rows.count, sizeof(*all), by_id);
    for (size_t i = 0; i < count && rows.count > 0; i++) {
        const struct name_found *hit =
            ids[i] ? bsearch(&(struct name_found){ .asked = ids[i] }, all, rows.count, sizeof(*all), by_id)
                   : NULL;

        if (hit)
            (*named)[i] = hit->named;
    }
    return true;
}

/*
 * Only what differs is stored. A row whose name no prompt has any more is passed over, so that a text that a
 * later version does without does no harm.
 */
#include "core/council/own_words.h"

#include "core/caller/caller.h"

static bool look(const struct tx *tx, const char *workspace_id, enum prompt_text prompt,
                 struct own_words *words)
{
    struct db_rows rows;

    *words = (struct own_words){ .text = prompt_texts[prompt].text };
    if (!tx_query(tx, SQL_WORDING_GET, DB_ARGS(db_text(workspace_id), db_text(prompt_texts[prompt].name)),
                  &rows))
        return false;
    if (rows.count > 0)
        *words = (struct own_words){ .text = db_cell(&rows, 0, COL_WORDING_TEXT),
                                     .updated_ms = db_cell_int(&rows, 0, COL_WORDING_UPDATED_AT) };
    return true;
}

bool own_words_get(const struct tx *tx, enum prompt_text prompt, struct own_words *words)
{
    return look(tx, tx->caller->workspace_id, prompt, words);
}

bool own_words_list(const struct tx *tx, struct own_words words[static PROMPT_TEXTS])
{
    struct err unknown = { 0 };
    struct db_rows rows;
    enum prompt_text prompt;

    if (!tx_query(tx, SQL_WORDING_LIST, DB_ARGS(db_text(tx->caller->workspace_id)), &rows))
        return false;
    for (size_t i = 0; i < PROMPT_TEXTS; i++)
        words[i] = (struct own_words){ .text = prompt_texts[i].text };
    for (size_t i = 0; i < rows.count; i++)
        if (wording_find(db_cell(&rows, i, COL_WORDING_NAME), &prompt, &unknown))
            words[prompt] = (struct own_words){ .text = db_cell(&rows, i, COL_WORDING_TEXT),
                                                .updated_ms = db_cell_int(&rows, i, COL_WORDING_UPDATED_AT) };
    return true;
}

bool own_words_put(const struct tx *tx, enum prompt_text prompt, const char *text)
{
    return wording_check(prompt, text, "text", tx->err) &&
           tx_exec(tx, SQL_WORDING_PUT,
                   DB_ARGS(db_text(tx->caller->workspace_id), db_text(prompt_texts[prompt].name),
                           db_text(text), db_int(tx->now_ms)),
                   NULL);
}

bool own_words_drop(const struct tx *tx, enum prompt_text prompt)
{
    return tx_exec(tx, SQL_WORDING_DELETE,
                   DB_ARGS(db_text(tx->caller->workspace_id), db_text(prompt_texts[prompt].name)), NULL);
}

bool own_words_of(const struct tx *tx, const char *workspace_id, enum prompt_text prompt, const char **text)
{
    struct own_words words;

    if (!look(tx, workspace_id, prompt, &words))
        return false;
    *text = words.text;
    return true;
}

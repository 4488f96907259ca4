/*
 * A tab that says the same again moves one time in its row; only a new tab makes a row, and then the oldest
 * beyond the limits go. Rows come ordered by person, so that people are made of them in one pass.
 */
#include "core/identity/presence.h"

#include "base/limits.h"
#include "base/str.h"

const char *const presence_pages[] = { "inbox",       "question",   "approvals", "chat",
                                       "discussions", "discussion", "jobs",      "job",
                                       "projects",    "project",    "other",     NULL };
WORDS_FIT(presence_pages, PRESENCE_PAGE_END);

const char *const presence_states[] = { "here", "away", "gone", NULL };
WORDS_FIT(presence_states, PRESENCE_STATE_END);

static bool shows_one(enum presence_page page)
{
    switch (page) {
    case PRESENCE_QUESTION:
    case PRESENCE_DISCUSSION:
    case PRESENCE_JOB:
    case PRESENCE_PROJECT: return true;
    case PRESENCE_INBOX:
    case PRESENCE_APPROVALS:
    case PRESENCE_CHAT:
    case PRESENCE_DISCUSSIONS:
    case PRESENCE_JOBS:
    case PRESENCE_PROJECTS:
    case PRESENCE_OTHER:
    case PRESENCE_PAGE_END: break;
    }
    return false;
}

static bool check(const struct tx *tx, const struct presence_tab *tab)
{
    if (shows_one(tab->page) && !tab->subject)
        return err_field(tx->err, "subject", "A page of one %s needs its id as subject.",
                         presence_page_word(tab->page));
    if (!shows_one(tab->page) && tab->subject)
        return err_field(tx->err, "subject", "The page %s shows no single thing: leave subject out.",
                         presence_page_word(tab->page));
    return true;
}

bool presence_say(const struct tx *tx, const struct presence_tab *tab)
{
    struct db_arg workspace = db_text(tx->caller->workspace_id), person = db_text(tx->caller->id),
                  id = db_text(tab->id), page = db_text(presence_page_word(tab->page)),
                  subject = db_text(tab->subject), state = db_text(presence_state_word(tab->state)),
                  now = db_int(tx->now_ms);
    size_t known;

    if (!check(tx, tab) ||
        !tx_exec(tx, SQL_PRESENCE_SAY,
                 DB_ARGS(workspace, person, id, page, subject, state, now, db_int(tx->now_ms - PRESENCE_MS)),
                 &known))
        return false;
    if (known > 0 || tab->state == PRESENCE_GONE)
        return true;
    return tx_exec(tx, SQL_PRESENCE_BEGIN, DB_ARGS(workspace, person, id, page, subject, state, now), NULL) &&
           tx_exec(tx, SQL_PRESENCE_FORGET_OLDEST,
                   DB_ARGS(workspace, person, db_int(LIMIT_TABS), db_int(LIMIT_PRESENCE)), NULL);
}

/* What is gone or has run out makes no tab; a person of whom nothing else is left has none. */
static bool people_from_rows(const struct tx *tx, const struct db_rows *rows, struct presence_person **people,
                             size_t *count)
{
    struct presence_tab *tabs = arena_array(tx->arena, struct presence_tab, rows->count);
    struct presence_person *last = NULL;
    const char *strange = NULL;

    *people = arena_array(tx->arena, struct presence_person, rows->count);
    *count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const char *workspace_id = db_cell(rows, i, COL_PRESENCE_WORKSPACE_ID),
                   *id = db_cell(rows, i, COL_PRESENCE_PERSON);
        struct presence_tab *tab = &tabs[i];

        *tab = (struct presence_tab){
            .page = db_cell_word(rows, i, COL_PRESENCE_PAGE, presence_pages, &strange),
            .subject = db_cell(rows, i, COL_PRESENCE_SUBJECT),
            .state = db_cell_word(rows, i, COL_PRESENCE_STATE, presence_states, &strange),
            .since_ms = db_cell_int(rows, i, COL_PRESENCE_CHANGED_AT),
        };
        if (!last || !str_equal(last->id, id) || !str_equal(last->workspace_id, workspace_id)) {
            last = &(*people)[(*count)++];
            *last = (struct presence_person){ .workspace_id = workspace_id,
                                              .id = id,
                                              .name = db_cell(rows, i, COL_PRESENCE_NAME),
                                              .tabs = tab };
        }
        if (tab->state == PRESENCE_GONE ||
            db_cell_int(rows, i, COL_PRESENCE_SEEN_AT) <= tx->now_ms - PRESENCE_MS)
            continue;
        /* Those that do not count are left out between those that do. */
        tabs[(size_t)(last->tabs - tabs) + last->count++] = *tab;
    }
    return db_words_known(strange, tx->err);
}

bool presence_list(const struct tx *tx, const struct presence_filter *filter, struct presence_person **people,
                   size_t *count)
{
    struct db_rows rows;

    return tx_query(tx, SQL_PRESENCE_LIST,
                    DB_ARGS(db_text(tx->caller->workspace_id), db_int(tx->now_ms - PRESENCE_MS),
                            db_text(filter->after ? filter->after : ""), db_int((int64_t)filter->limit),
                            db_text(presence_page_word(filter->page)), db_text(filter->subject)),
                    &rows) &&
           people_from_rows(tx, &rows, people, count);
}

bool presence_changed(const struct tx *tx, int64_t since_ms, struct presence_person **people, size_t *count,
                      bool *whole)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_PRESENCE_CHANGED,
                  DB_ARGS(db_int(since_ms), db_int(since_ms - PRESENCE_MS), db_int(tx->now_ms - PRESENCE_MS),
                          db_int(PRESENCE_ROWS)),
                  &rows) ||
        !people_from_rows(tx, &rows, people, count))
        return false;
    *whole = rows.count < PRESENCE_ROWS;
    /* Of the last of them there may be more. */
    if (!*whole)
        --*count;
    return true;
}

bool presence_agents(const struct tx *tx, struct presence_agent **agents, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_PRESENCE_AGENTS, DB_ARGS(db_text(tx->caller->workspace_id), db_int(LIMIT_PAGE)),
                  &rows))
        return false;
    *agents = arena_array(tx->arena, struct presence_agent, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*agents)[i] = (struct presence_agent){ db_cell(&rows, i, 0), db_cell_int(&rows, i, 1) };
    return true;
}

void presence_write(const struct presence_person *person, struct json_out *out)
{
    enum presence_state state = person->count > 0 ? person->tabs[0].state : PRESENCE_GONE;

    json_map(out, NULL);
    json_text(out, "id", person->id);
    json_text(out, "name", person->name);
    json_text(out, "state", presence_state_word(state));
    json_list(out, "pages");
    for (size_t i = 0; i < person->count; i++) {
        json_map(out, NULL);
        json_text(out, "page", presence_page_word(person->tabs[i].page));
        json_text(out, "subject", person->tabs[i].subject);
        json_text(out, "state", presence_state_word(person->tabs[i].state));
        json_time(out, "since", person->tabs[i].since_ms);
        json_map_end(out);
    }
    json_list_end(out);
    json_map_end(out);
}

bool presence_prune(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned)
{
    return tx_exec(tx, SQL_PRESENCE_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned);
}

/*
 * erase_parts.h - one erasure while it runs: who it is, what is known of them, and the pages of each table.
 *
 * Whose a row is is decided by ids where it has one. Where it has a name only, the audit log decides:
 * it knows by id who did what to which row at which millisecond, and everything that a call writes has the
 * call's time. A name by itself decides only where it can mean nobody else: for messages that are marked as a
 * person's, and, where the audit log has been purged or keeps no row, in workspaces in which no token and no
 * agent has the same name (`erase_is_alone`).
 *
 * A page is first looked at in a reading transaction. Only when something in it has to change, it is read and
 * changed in a writing one; so a running server is kept waiting for no longer than one page takes.
 */
#ifndef CORE_UPKEEP_ERASE_PARTS_H
#define CORE_UPKEEP_ERASE_PARTS_H

#include "base/json.h"
#include "core/upkeep/erase.h"

#define ERASED_NAME "erased"
#define ERASED_TEXT "[erased]"

#define ERASE_KEYS 4 /* columns of the longest primary key */

struct erasing {
    const struct person *person;
    const char *key; /* the folded name */
    struct erase_report *report;
    bool looking;   /* nothing is changed, only counted */
    size_t changes; /* in this page, found or made */
    /* Sets and maps, as JSON objects. */
    json_t *workspaces; /* those that they are or were in: since when the audit log knows what was done */
    json_t *namesakes;  /* workspaces in which a token or an agent has the same name */
    json_t *deeds;      /* "WORKSPACE MS", "WORKSPACE SUBJECT" and "WORKSPACE SUBJECT MS" */
    json_t *claims;     /* tasks that they were the last to take: since when */
    json_t *own;        /* "TYPE ID" of messages, prompts, questions, sets and feedback of theirs */
    json_t *part;       /* the same of what they had a part in */
    json_t *jobs;       /* whose log lines are to be looked at */
    json_t *seats;      /* discussions in which they sit: under which name, which nobody else has there */
};

struct erase_page {
    const char *after[ERASE_KEYS]; /* the key behind which the page begins; then its last row's */
    size_t rows;                   /* in it */
};

/* A table: where its keys begin, and what erases a page of it. */
struct erase_step {
    const char *first;
    bool (*page)(const struct tx *tx, struct erasing *e, struct erase_page *page);
};

/* Who it is. */
bool erase_is_name(const struct erasing *e, struct arena *arena, const char *text);
bool erase_is_in(const struct erasing *e, const char *workspace_id);
bool erase_is_alone(const struct erasing *e, const char *workspace_id);
/* Whether they did anything there at that time; to that subject; to that subject at that time. */
bool erase_did_then(const struct erasing *e, const char *workspace_id, int64_t at_ms);
bool erase_did_to(const struct erasing *e, const char *workspace_id, const char *subject);
bool erase_did(const struct erasing *e, const char *workspace_id, const char *subject, int64_t at_ms);
/* Whether a name in a row of this time is theirs. */
bool erase_is_theirs(const struct erasing *e, struct arena *arena, const char *name, const char *workspace_id,
                     int64_t at_ms);
/* Whether it was erased before: what repeats it goes as well, if that was interrupted. */
bool erase_is_gone(const char *name, const char *text);
int64_t erase_time(const char *text); /* 0 for none */

void erase_note(json_t *set, const char *type, const char *id);
bool erase_noted(const json_t *set, const char *type, const char *id);
void erase_note_seat(struct erasing *e, const char *discussion_id, const char *name);
const char *erase_seat_of(const struct erasing *e, const char *discussion_id); /* NULL: they sit elsewhere */

/* JSON. NULL for what is none; the caller frees it. */
json_t *erase_parse(const char *text);
const char *erase_member(const json_t *map, const char *key);
/* Every text in it, but types, and values if they are to be kept; what is below a member goes with its keys.
 */
void erase_blank(json_t *value, bool keep_value);
/* Whether a text in it is this name; and with another in its place, if there was one. */
bool erase_holds(const json_t *value, const char *name);
bool erase_rename(json_t *value, const char *name);
const char *erase_blank_text(struct arena *arena, const char *text, bool keep_value);
/* Without the name and the id in a list of answerers; says whether there was one. */
bool erase_from_answerers(const struct erasing *e, struct arena *arena, json_t *settings);

/* A change of one row: counted while looking, made otherwise. `count` may be NULL. */
CHECKED bool erase_change(const struct tx *tx, struct erasing *e, enum sql_id sql, size_t argc,
                          const struct db_arg argv[], int64_t *count);

typedef bool erase_row(const struct tx *tx, struct erasing *e, const struct db_rows *rows, size_t i);
/* A page of a table whose key is one column, which comes first; `erase` is given each row. */
CHECKED bool erase_each_row(const struct tx *tx, struct erasing *e, struct erase_page *page, enum sql_id sql,
                            erase_row *erase);

/* The pages of each table. */
CHECKED bool erase_chat_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_prompt_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_question_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_job_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
/* after[0] is the job. */
CHECKED bool erase_line_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_feedback_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_document_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_set_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_task_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_project_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_token_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_reply_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_said_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_discussion_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_seat_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_turn_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_interjection_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
/* after[0] is the discussion. */
CHECKED bool erase_ruling_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_decision_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_agent_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
CHECKED bool erase_event_page(const struct tx *tx, struct erasing *e, struct erase_page *page);
/* A row of the audit log, for audit_keep.h. `context` is the struct erasing. */
bool erase_audit_row(void *context, struct arena *arena, struct audit_entry *row);

#endif

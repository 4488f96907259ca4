#include "core/erase.h"

#include "base/str.h"
#include "core/audit_keep.h"
#include "core/user.h"

#include <string.h>

#define NAME "erased"
#define TEXT "[erased]"

/* One erasure, while it runs. */
struct erasing {
    struct db *db;
    struct arena *arena;
    const struct person *person;
    const char *key;                   /* the folded name */
    const char *quoted;                /* the name as JSON has it, with quotes */
    const char *like_quoted, *like_id; /* patterns that find them anywhere */
    const char *like_start;            /* the name, as the beginning of a pattern */
    struct erase_report *report;
    struct err *err;
};

bool erase_find(struct db *db, struct arena *arena, const char *name_or_id, struct person *person,
                struct err *err)
{
    struct account account;
    struct db_rows rows;
    struct err ignored = { 0 };

    if (!user_account_by_name(db, arena, name_or_id, &account, err))
        return false;
    if (account.id || user_account(db, arena, name_or_id, &account, &ignored)) {
        *person = (struct person){ account.id, account.name, true };
        return true;
    }
    if (!db_query(db, arena, SQL_ERASE_FIND_REMOVED, DB_ARGS(db_text(name_or_id)), &rows, err))
        return false;
    if (rows.count > 0) {
        *person = (struct person){ db_cell(&rows, 0, 0), name_or_id, false };
        return true;
    }
    err_set(err, ERR_NOT_FOUND, "There is no user \"%s\", and the audit log knows of none.", name_or_id);
    return err_hint(err, "Names of removed users must be written as they were.");
}

static bool is_name(const struct erasing *e, const char *text)
{
    return text && (str_equal(text, e->person->name) || str_equal(str_fold(e->arena, text), e->key));
}

static const char *without_name(const struct erasing *e, const char *text)
{
    return is_name(e, text) ? NAME : text;
}

/* What LIKE takes for a sign stands for any character. */
static const char *plain(struct arena *arena, const char *text)
{
    char *like = arena_text(arena, text);

    for (char *at = like; *at; at++)
        if (strchr("%_\\", *at))
            *at = '_';
    return like;
}

static const char *pattern(struct arena *arena, const char *text)
{
    return arena_format(arena, "%%%s%%", plain(arena, text));
}

/* JSON */

static json_t *parse(const char *text)
{
    struct err ignored = { 0 };
    json_t *value = NULL;

    return text && json_parse(text, strlen(text), &value, &ignored) ? value : NULL;
}

static const char *member(const json_t *map, const char *key)
{
    return json_string_value(json_object_get(map, key));
}

/* Every text below `value` but those whose keys say what it is, not what was said. */
static void blank(json_t *value, bool keep_value)
{
    const char *key;
    json_t *item;
    size_t i;

    json_array_foreach(value, i, item)
    {
        if (json_is_string(item))
            json_array_set_new(value, i, json_string(TEXT));
        else
            blank(item, keep_value);
    }
    json_object_foreach(value, key, item)
    {
        if (strcmp(key, "type") == 0 || (keep_value && strcmp(key, "value") == 0))
            continue;
        if (json_is_string(item))
            json_object_set_new(value, key, json_string(TEXT));
        else
            blank(item, keep_value);
    }
}

/* A response without its words; which option was chosen, yes and no stay. */
static const char *blank_response(struct arena *arena, const char *response, bool is_text)
{
    JSON_AUTO *value = parse(response);

    if (!value)
        return response;
    blank(value, !is_text);
    return json_dump_text(arena, value);
}

/* Entries [{id, by, ...}] or [{response, by, respondedBy, ...}]: theirs by id. */
static const char *blank_entries(const struct erasing *e, const char *text)
{
    JSON_AUTO *list = parse(text);
    json_t *entry;
    size_t i;

    if (!list)
        return text;
    json_array_foreach(list, i, entry)
    {
        if (!str_equal(member(entry, "id"), e->person->id) &&
            !str_equal(member(entry, "respondedBy"), e->person->id))
            continue;
        json_object_set_new(entry, "by", json_string(NAME));
        blank(json_object_get(entry, "response"), false);
    }
    return json_dump_text(e->arena, list);
}

/* Statements */

static bool change(struct erasing *e, enum sql_id sql, size_t argc, const struct db_arg argv[],
                   int64_t *count)
{
    size_t changed;

    if (!db_exec(e->db, e->arena, sql, argc, argv, &changed, e->err))
        return false;
    if (count)
        *count += (int64_t)changed;
    return true;
}

static bool erase_chat(struct erasing *e)
{
    struct db_arg name = db_text(e->person->name), key = db_text(e->key);

    return change(e, SQL_ERASE_CHAT_EVENTS, DB_ARGS(name, key), &e->report->events) &&
           change(e, SQL_ERASE_MENTIONS, DB_ARGS(name, key), NULL) &&
           change(e, SQL_ERASE_CHAT, DB_ARGS(name, key), &e->report->messages);
}

/* The replies that a prompt collected, as far as a person of this name gave them. */
static const char *blank_context(const struct erasing *e, const char *text)
{
    JSON_AUTO *list = parse(text);
    json_t *entry;
    size_t i;

    if (!list)
        return text;
    json_array_foreach(list, i, entry)
    {
        if (!json_is_true(json_object_get(entry, "is_human")) || !is_name(e, member(entry, "agent")))
            continue;
        json_object_set_new(entry, "agent", json_string(NAME));
        json_object_set_new(entry, "message", json_string(TEXT));
    }
    return json_dump_text(e->arena, list);
}

/* One name in a line; a line of the same length in characters is not needed, only that it is another one. */
static const char *without_voice(const struct erasing *e, const char *voices)
{
    const char *line = arena_format(e->arena, "\n%s\n", e->key);
    const char *at = strstr(voices, line);

    if (!at)
        return voices;
    return arena_format(e->arena, "%.*s\n" NAME "\n%s", (int)(at - voices), voices, at + strlen(line));
}

static bool erase_prompts(struct erasing *e)
{
    struct db_rows rows;

    if (!db_query(e->db, e->arena, SQL_ERASE_PROMPTS_FIND,
                  DB_ARGS(db_text(e->person->name), db_text(e->key), db_text(e->like_quoted)), &rows, e->err))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        bool asked = is_name(e, db_cell(&rows, i, 1));

        if (!change(e, SQL_ERASE_PROMPT,
                    DB_ARGS(db_text(db_cell(&rows, i, 0)), db_text(without_name(e, db_cell(&rows, i, 1))),
                            db_text(asked ? TEXT : db_cell(&rows, i, 2)),
                            db_text(blank_context(e, db_cell(&rows, i, 3))),
                            db_text(without_voice(e, db_cell(&rows, i, 4))),
                            db_text(without_name(e, db_cell(&rows, i, 5))), db_text(e->person->name)),
                    &e->report->prompts))
            return false;
    }
    return true;
}

static bool erase_answer(struct erasing *e, const struct db_rows *rows, size_t i)
{
    const char *id = db_cell(rows, i, 0), *late = db_cell(rows, i, 6), *restart = db_cell(rows, i, 10);
    bool theirs = str_equal(db_cell(rows, i, 4), e->person->id);
    const char *response = db_cell(rows, i, 2);

    if (theirs)
        response = blank_response(e->arena, response, str_equal(db_cell(rows, i, 3), "text"));
    if (!change(e, SQL_ERASE_QUESTION,
                DB_ARGS(db_text(id), db_text(response), db_text(blank_entries(e, db_cell(rows, i, 5))),
                        db_text(blank_entries(e, late)), db_text(without_name(e, db_cell(rows, i, 7))),
                        db_text(without_name(e, db_cell(rows, i, 8))),
                        db_text(without_name(e, db_cell(rows, i, 9)))),
                &e->report->answers))
        return false;
    if (theirs &&
        !change(e, SQL_ERASE_RESULT, DB_ARGS(db_text(db_cell(rows, i, 1)), db_text(response)), NULL))
        return false;
    return !restart || !strstr(late, e->person->id) ||
           change(e, SQL_ERASE_RESTART, DB_ARGS(db_text(restart)), NULL);
}

static bool erase_questions(struct erasing *e)
{
    struct db_rows rows;

    if (!db_query(e->db, e->arena, SQL_ERASE_QUESTIONS_FIND,
                  DB_ARGS(db_text(e->person->id), db_text(e->person->name), db_text(e->like_id)), &rows,
                  e->err))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!erase_answer(e, &rows, i))
            return false;
    return change(e, SQL_ERASE_LINES, DB_ARGS(db_text(e->like_start), db_text(e->like_quoted)),
                  &e->report->lines) &&
           change(e, SQL_ERASE_JOBS, DB_ARGS(db_text(e->person->id), db_text(e->person->name)), NULL);
}

/* Answers of a set say who gave them; older ones only the set does. */
static const char *blank_answers(const struct erasing *e, const char *text, bool set_is_theirs)
{
    JSON_AUTO *list = parse(text);
    json_t *entry;
    size_t i;

    if (!list)
        return text;
    json_array_foreach(list, i, entry)
    {
        const char *by = member(entry, "by");

        if (by ? !is_name(e, by) : !set_is_theirs)
            continue;
        json_object_set_new(entry, "answer", json_string(TEXT));
        if (by)
            json_object_set_new(entry, "by", json_string(NAME));
    }
    return json_dump_text(e->arena, list);
}

static bool erase_sets(struct erasing *e)
{
    struct db_rows rows;

    if (!db_query(e->db, e->arena, SQL_ERASE_SETS_FIND,
                  DB_ARGS(db_text(e->person->name), db_text(e->like_quoted)), &rows, e->err))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        const char *by = db_cell(&rows, i, 2);

        if (!change(e, SQL_ERASE_SET,
                    DB_ARGS(db_text(db_cell(&rows, i, 0)),
                            db_text(blank_answers(e, db_cell(&rows, i, 1), is_name(e, by))),
                            db_text(without_name(e, by))),
                    &e->report->sets))
            return false;
    }
    return true;
}

static bool erase_rest(struct erasing *e)
{
    struct db_arg id = db_text(e->person->id), name = db_text(e->person->name);
    struct db_arg like_quoted = db_text(e->like_quoted), like_id = db_text(e->like_id);

    return change(e, SQL_ERASE_FEEDBACK, DB_ARGS(name), &e->report->feedback) &&
           change(e, SQL_ERASE_DOCUMENTS, DB_ARGS(name), &e->report->documents) &&
           change(e, SQL_ERASE_ASSIGNEE, DB_ARGS(name), NULL) &&
           change(e, SQL_ERASE_PROJECTS, DB_ARGS(db_text(e->quoted), like_quoted), NULL) &&
           change(e, SQL_ERASE_TOKENS, DB_ARGS(name), NULL) &&
           change(e, SQL_ERASE_LINKS, DB_ARGS(id), NULL) &&
           change(e, SQL_ERASE_REPLIES, DB_ARGS(id, like_quoted, like_id), &e->report->replies) &&
           change(e, SQL_ERASE_EVENTS, DB_ARGS(like_quoted, like_id), &e->report->events) &&
           change(e, SQL_ERASE_NEWEST_EVENT, DB_ARGS(like_quoted, like_id), &e->report->events);
}

/* Out of every workspace; with the last the account goes, and what hangs on it. */
static bool erase_account(struct erasing *e)
{
    struct db_rows rows;

    e->report->account = e->person->has_account;
    if (!e->person->has_account)
        return true;
    if (!db_query(e->db, e->arena, SQL_ERASE_MEMBERSHIPS, DB_ARGS(db_text(e->person->id)), &rows, e->err))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!user_remove(e->db, e->arena, db_cell(&rows, i, 0), e->person->id, e->err))
            return false;
    return change(e, SQL_USER_DELETE_IF_ALONE, DB_ARGS(db_text(e->person->id)), NULL);
}

bool erase_person(struct db *db, struct arena *arena, const struct person *person,
                  const struct audit_entry *by, struct erase_report *report, struct err *err)
{
    struct erase_report found = { 0 };
    struct erasing e = { .db = db, .arena = arena, .person = person, .report = &found, .err = err };
    json_t *name = json_string(person->name);

    e.key = str_fold(arena, person->name);
    e.quoted = json_dump_text(arena, name);
    json_decref(name);
    e.like_quoted = pattern(arena, e.quoted);
    e.like_id = pattern(arena, person->id);
    e.like_start = plain(arena, person->name);
    if (!erase_account(&e) || !erase_chat(&e) || !erase_prompts(&e) || !erase_questions(&e) ||
        !erase_sets(&e) || !erase_rest(&e) ||
        !audit_erase(db, arena, by, person->id, person->name, e.like_quoted, e.like_id, &found.audit, err))
        return false;
    *report = found;
    return true;
}

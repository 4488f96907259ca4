/*
 * Rows are gathered from the nouns' arrays when first asked for, and with them what follows from each alone,
 * so that no call has to look for it in the row's texts. The table is checked before the server starts, with
 * the operation's name in every complaint, so that no caller ever meets a mistake in a row. Arguments are
 * found by name, and a name that the row does not have ends the program, since no input can cause it.
 */
#include "ops/op.h"

#include "base/str.h"
#include "ops/tables.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct op *const nouns[] = {
    job_ops,
    run_ops,
    question_ops,
    answer_ops,
    assign_ops,
    template_ops,
    prompt_ops,
    chat_ops,
    agent_ops,
    model_ops,
    tool_ops,
    discussion_ops,
    discussion_control_ops,
    ruling_ops,
    spent_ops,
    turn_ops,
    vote_ops,
    wording_ops,
    project_ops,
    orchestrator_ops,
    task_ops,
    document_ops,
    result_ops,
    question_set_ops,
    decision_ops,
    waiting_ops,
    notification_ops,
    search_ops,
    session_ops,
    setup_ops,
    user_ops,
    token_ops,
    workspace_ops,
    presence_ops,
    rehearsal_ops,
    audit_ops,
    analytics_ops,
};

#define NOUNS    (sizeof(nouns) / sizeof(nouns[0]))
#define OPS_ROOM 256

#define SLOTS 512 /* 2 to the power of 9 (slot_of), and sparse */

_Static_assert(SLOTS >= 2 * OPS_ROOM, "else looking takes long");

static const struct op *table[OPS_ROOM];
static const struct op *by_name[OPS_ROOM]; /* in the order of names */
static size_t table_count;
static struct op_facts facts_of[SLOTS]; /* by the row's address */
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

/* Its first letters tell the names of a row apart well enough; it is asked for several times in each call. */
static unsigned name_slot(const char *name)
{
    const unsigned char *letters = (const unsigned char *)name;

    return (letters[0] + (letters[0] ? 5u * letters[1] + (letters[1] ? 11u * letters[2] : 0) : 0)) %
           PARAM_SLOTS;
}

static bool is_in_path(const char *path, const char *name)
{
    size_t len = strlen(name);

    for (const char *open = strchr(path, '{'); open; open = strchr(open + 1, '{'))
        if (strncmp(open + 1, name, len) == 0 && open[len + 1] == '}')
            return true;
    return false;
}

static enum param_place place_of(const struct op_facts *facts, const struct field *field)
{
    if (is_in_path(facts->path, field->name))
        return IN_PATH;
    return facts->has_body && !(field->flags & F_QUERY) ? IN_BODY : IN_QUERY;
}

static void add_param(struct op_facts *facts, size_t at, size_t *in_path)
{
    const struct field *field = &facts->op->params[at];
    unsigned slot = name_slot(field->name);

    while (facts->named[slot])
        slot = (slot + 1) % PARAM_SLOTS;
    facts->named[slot] = (unsigned char)(at + 1);
    facts->places[at] = place_of(facts, field);
    if (facts->places[at] != IN_PATH)
        return;
    if (*in_path < PATH_PARAMS)
        facts->path_params[(*in_path)++] = at;
    if (strcmp(field->name, "id") == 0)
        facts->id = at;
}

static void work_out(const struct op *op, struct op_facts *facts)
{
    size_t count = 0, in_path = 0;
    bool by_cursor = false;

    *facts = (struct op_facts){
        .op = op,
        .path = strchr(op->http, ' ') + 1,
        .has_body = !str_starts(op->http, "GET ") && !str_starts(op->http, "DELETE "),
        .repeats = str_starts(op->http, "POST "),
        .id = NO_PARAM,
        .page_limit = NO_PARAM,
    };
    for (; count < LIMIT_PARAMS && op->params[count].type; count++) {
        by_cursor |= op->params[count].type == T_CURSOR;
        add_param(facts, count, &in_path);
    }
    facts->path_params[in_path] = NO_PARAM;
    if (by_cursor && op->kind == OP_READ)
        facts->page_limit = op_param(facts, "limit");
}

static struct op_facts *slot_of(const struct op *op)
{
    size_t slot = ((uintptr_t)op >> 4) * 0x9e3779b97f4a7c15u >> 55;

    while (facts_of[slot].op && facts_of[slot].op != op)
        slot = (slot + 1) % SLOTS;
    return &facts_of[slot];
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const struct op *const *)a)->name, (*(const struct op *const *)b)->name);
}

static void table_fill(void)
{
    for (size_t noun = 0; noun < NOUNS; noun++) {
        for (const struct op *op = nouns[noun]; op->name; op++) {
            if (table_count + 1 == OPS_ROOM)
                abort();
            work_out(op, slot_of(op));
            slot_of(op)->at = table_count;
            table[table_count++] = op;
        }
    }
    memcpy(by_name, table, sizeof(table));
    qsort(by_name, table_count, sizeof(by_name[0]), compare_names);
}

const struct op *const *op_all(void)
{
    pthread_once(&table_once, table_fill);
    return table;
}

const struct op *op_find(const char *name)
{
    const struct op wanted = { .name = name }, *key = &wanted;

    op_all();
    const struct op **found = bsearch(&key, by_name, table_count, sizeof(by_name[0]), compare_names);

    return found ? *found : NULL;
}

const struct op_facts *op_facts(const struct op *op)
{
    static _Thread_local struct op_facts odd;

    op_all();
    const struct op_facts *known = slot_of(op);

    if (known->op)
        return known;
    work_out(op, &odd);
    odd.at = table_count;
    return &odd;
}

size_t op_param(const struct op_facts *facts, const char *name)
{
    for (unsigned slot = name_slot(name); facts->named[slot]; slot = (slot + 1) % PARAM_SLOTS)
        if (strcmp(facts->op->params[facts->named[slot] - 1].name, name) == 0)
            return facts->named[slot] - 1u;
    return NO_PARAM;
}

enum param_place op_param_place(const struct op *op, const struct field *param)
{
    return op_facts(op)->places[param - op->params];
}

const char *op_path(const struct op *op)
{
    return op_facts(op)->path;
}

const char *op_method(const struct op *op, struct arena *arena)
{
    return arena_copy(arena, op->http, strcspn(op->http, " "));
}

/* "{id}" in the path must be a declared, required parameter: nothing else can fill it. */
static bool check_path(const struct op *op, const char *path, struct err *err)
{
    for (const char *open = strchr(path, '{'); open; open = strchr(open + 1, '{')) {
        const char *close = strchr(open, '}');
        const struct field *field = op->params;

        if (!close)
            return err_set(err, ERR_INTERNAL, "%s: unclosed brace in %s", op->name, path);
        for (; field->type; field++)
            if (strlen(field->name) == (size_t)(close - open - 1) &&
                strncmp(field->name, open + 1, strlen(field->name)) == 0)
                break;
        if (!field->type || field->need != REQUIRED)
            return err_set(err, ERR_INTERNAL, "%s: a path parameter of %s is not declared as required",
                           op->name, path);
    }
    return true;
}

static bool check_fields(const struct op *op, const struct field *fields, struct err *err)
{
    for (const struct field *field = fields; field->type; field++) {
        if (!field->name || !field->help || !*field->help)
            return err_set(err, ERR_INTERNAL, "%s: a field lacks its name or its help", op->name);
        if (field->type == T_ENUM && !field->values)
            return err_set(err, ERR_INTERNAL, "%s: %s lacks its values", op->name, field->name);
        if (field->type == T_LIST && !field->items)
            return err_set(err, ERR_INTERNAL, "%s: %s does not say what it lists", op->name, field->name);
        if (field->fields && !check_fields(op, field->fields, err))
            return false;
    }
    return true;
}

static const struct field *format_param(const struct op *op)
{
    const struct field *field = op->params;

    while (field->type && (field->type != T_ENUM || strcmp(field->name, "format") != 0))
        field++;
    return field->type ? field : NULL;
}

static bool check_documents(const struct op *op, struct err *err)
{
    const struct field *format = format_param(op);

    for (const struct reply_document *document = op->documents; document && document->format; document++) {
        const char *const *value = format ? format->values : NULL;

        while (value && *value && strcmp(*value, document->format) != 0)
            value++;
        if (!value || !*value || !document->type || !document->file)
            return err_set(err, ERR_INTERNAL, "%s: no format gives the document %s", op->name,
                           document->format);
    }
    return !op->documents || op->reply || err_set(err, ERR_INTERNAL, "%s: no format gives JSON", op->name);
}

static bool check_row(const struct op *op, struct err *err)
{
    const char *path = op->http ? strchr(op->http, ' ') : NULL;

    if (!path || path[1] != '/')
        return err_set(err, ERR_INTERNAL, "%s: no method and path", op->name);
    if (op->needs == 0)
        return err_set(err, ERR_INTERNAL, "%s: nobody may call it (no role)", op->name);
    if (op->reaches < REACH_WORKSPACE || op->reaches > REACH_OWN)
        return err_set(err, ERR_INTERNAL, "%s: nothing says what it reaches", op->name);
    if (str_starts(path + 1, "/api/projects/{id}") && op->reaches != REACH_PROJECT)
        return err_set(err, ERR_INTERNAL, "%s: its path names a project, so that is what it reaches",
                       op->name);
    if (op->kind != OP_READ && op->kind != OP_WRITE)
        return err_set(err, ERR_INTERNAL, "%s: neither read nor write", op->name);
    if (!op->run || !op->help || !op->tag)
        return err_set(err, ERR_INTERNAL, "%s: no handler, help or tag", op->name);
    if (!op->reply && !op->reply_type && op->status != 204)
        return err_set(err, ERR_INTERNAL, "%s: no reply schema", op->name);
    if (op->kind == OP_WRITE && (op->quick || op->waits))
        return err_set(err, ERR_INTERNAL, "%s: a write can be neither quick nor waited for", op->name);
    if (op->holds && op->kind != OP_WRITE)
        return err_set(err, ERR_INTERNAL, "%s: only the reply of a write is held by itself", op->name);
    if (op->heavy && (op->quick || op->kind != OP_READ))
        return err_set(err, ERR_INTERNAL, "%s: only a read that is not quick can be heavy", op->name);
    if (!check_path(op, path + 1, err) || !check_fields(op, op->params, err) || !check_documents(op, err))
        return false;
    return !op->reply || check_fields(op, op->reply, err);
}

bool op_check_table(const struct op *const *ops, struct err *err)
{
    for (const struct op *const *op = ops; *op; op++) {
        if (!check_row(*op, err))
            return false;
        for (const struct op *const *other = ops; other != op; other++) {
            if (strcmp((*op)->name, (*other)->name) == 0)
                return err_set(err, ERR_INTERNAL, "two operations are called %s", (*op)->name);
            if (strcmp((*op)->http, (*other)->http) == 0)
                return err_set(err, ERR_INTERNAL, "%s and %s share %s", (*op)->name, (*other)->name,
                               (*op)->http);
        }
    }
    return true;
}

const struct arg *arg(const struct call *call, const char *name)
{
    size_t at = op_param(op_facts(call->op), name);

    if (at != NO_PARAM)
        return &call->args[at];
    fprintf(stderr, "%s has no parameter %s\n", call->op->name, name);
    abort();
}

bool arg_given(const struct call *call, const char *name)
{
    return arg(call, name)->given;
}

bool arg_null(const struct call *call, const char *name)
{
    return arg(call, name)->null;
}

const char *arg_text(const struct call *call, const char *name)
{
    return arg(call, name)->text;
}

unsigned arg_word(const struct call *call, const char *name, const char *const words[])
{
    return words_find(words, arg(call, name)->text);
}

int64_t arg_int(const struct call *call, const char *name)
{
    return arg(call, name)->number;
}

bool arg_bool(const struct call *call, const char *name)
{
    return arg(call, name)->number != 0;
}

const json_t *arg_json(const struct call *call, const char *name)
{
    return arg(call, name)->json;
}

const struct reply_document *op_document(const struct call *call)
{
    for (const struct reply_document *document = call->op->documents; document && document->format;
         document++)
        if (str_equal(document->format, arg_text(call, "format")))
            return document;
    return NULL;
}

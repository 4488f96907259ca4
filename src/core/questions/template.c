/*
 * Built-in templates are rows in this file that a workspace's own of the same name takes the place of.
 * Options that come from a workspace's settings are reduced to label, value and description: the settings of
 * integrations hold secrets.
 */
#include "core/questions/template.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/identity/workspace.h"
#include "core/log/event.h"

#include <string.h>

static const struct template built_in[] = {
    {
        .name = "persona",
        .definition = "{\"question\":\"Which persona should this be for?\",\"type\":\"blocking\","
                      "\"responseType\":\"choice\",\"optionsFrom\":\"personas\"}",
    },
    {
        .name = "tickets",
        .definition = "{\"question\":\"Create these tickets?\",\"type\":\"approval\","
                      "\"responseType\":\"boolean\"}",
    },
    {
        .name = "integration",
        .definition = "{\"question\":\"Which integration should be used?\",\"type\":\"blocking\","
                      "\"responseType\":\"choice\",\"optionsFrom\":\"integrations\"}",
    },
};

#define BUILT_IN (sizeof(built_in) / sizeof(built_in[0]))

static bool not_found(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "There is no question template with that id or name.");
}

static struct template built_in_at(size_t i, const char *workspace_id)
{
    struct template template = built_in[i];

    template.id = template.name;
    template.workspace_id = workspace_id;
    template.built_in = true;
    return template;
}

bool template_get(const struct tx *tx, const char *workspace_id, const char *name, struct template *template)
{
    const char *key = str_lower(tx->arena, name);
    struct db_rows rows;

    if (!tx_query(tx, SQL_TEMPLATE_GET, DB_ARGS(db_text(workspace_id), db_text(name), db_text(key)), &rows))
        return false;
    if (rows.count > 0)
        return template_from_row(&rows, 0, template, tx->err);
    for (size_t i = 0; i < BUILT_IN; i++) {
        if (str_equal(built_in[i].name, key)) {
            *template = built_in_at(i, workspace_id);
            return true;
        }
    }
    return not_found(tx->err);
}

bool template_list(const struct tx *tx, const char *workspace_id, const char *cursor, size_t limit,
                   struct template **templates, size_t *count)
{
    struct db_rows rows;
    struct template *found;
    size_t kept = 0;

    if (!tx_query(
            tx, SQL_TEMPLATE_LIST,
            DB_ARGS(db_text(workspace_id), db_text(cursor ? cursor : ID_ABOVE_ALL), db_int((int64_t)limit)),
            &rows))
        return false;
    found = arena_array(tx->arena, struct template, rows.count + BUILT_IN);
    if (!cursor)
        for (; kept < BUILT_IN; kept++)
            found[kept] = built_in_at(kept, workspace_id);
    for (size_t i = 0; i < rows.count; i++)
        if (!template_from_row(&rows, i, &found[kept++], tx->err))
            return false;
    *templates = found;
    *count = kept;
    return true;
}

static bool name_taken(const char *name, struct err *err)
{
    return err_set(err, ERR_CONFLICT, "There is already a question template called %.80s.", name);
}

static bool tell(const struct tx *tx, const char *workspace_id, const char *id)
{
    return event_changed(
        tx, &(struct event){ .workspace_id = workspace_id, .type = EVENT_TEMPLATE_CHANGED, .subject = id },
        "templateId");
}

bool template_create(const struct tx *tx, struct template *template)
{
    struct db_arg row[TEMPLATE_INSERT_WIDTH];
    struct db_rows rows;

    template->id = uuid_new(tx->arena);
    template->name_key = str_lower(tx->arena, template->name);
    template->created_ms = tx->now_ms;
    template_put_insert(template, row);
    if (!tx_query(tx, SQL_TEMPLATE_INSERT, TEMPLATE_INSERT_WIDTH, row, &rows))
        return false;
    if (rows.count == 0)
        return name_taken(template->name, tx->err);
    return tell(tx, template->workspace_id, template->id);
}

static bool get_own(const struct tx *tx, const char *workspace_id, const char *id, struct template *template)
{
    if (!template_get(tx, workspace_id, id, template))
        return false;
    if (!template->built_in)
        return true;
    err_set(tx->err, ERR_CONFLICT, "The template %s is built in.", template->name);
    return err_hint(tx->err, "Create one of the same name: it takes the place of the built-in one.");
}

bool template_update(const struct tx *tx, const char *workspace_id, const char *id, const char *name,
                     const char *definition, struct template *template)
{
    struct db_arg row[TEMPLATE_UPDATE_WIDTH];
    struct template changed;
    size_t count;

    if (!get_own(tx, workspace_id, id, &changed))
        return false;
    if (name)
        changed.name = name;
    if (definition)
        changed.definition = definition;
    changed.name_key = str_lower(tx->arena, changed.name);
    template_put_update(&changed, row);
    if (!tx_exec(tx, SQL_TEMPLATE_UPDATE, TEMPLATE_UPDATE_WIDTH, row, &count))
        return false;
    if (count == 0)
        return name_taken(changed.name, tx->err);
    *template = changed;
    return tell(tx, workspace_id, changed.id);
}

bool template_delete(const struct tx *tx, const char *workspace_id, const char *id)
{
    struct template found;

    return get_own(tx, workspace_id, id, &found) &&
           tx_exec(tx, SQL_TEMPLATE_DELETE, DB_ARGS(db_text(found.id), db_text(workspace_id)), NULL) &&
           tell(tx, workspace_id, found.id);
}

/* Filling in */

static const char *first_text(const json_t *entry, const char *const names[])
{
    for (; *names; names++) {
        const char *text = json_string_value(json_object_get(entry, *names));

        if (text && !str_is_blank(text))
            return text;
    }
    return NULL;
}

/* Nothing but the name and what describes it: integrations hold secrets of other services beside. */
static void add_option(json_t *options, const json_t *entry)
{
    static const char *const labels[] = { "label", "name", "title", "id", "type", NULL };
    static const char *const values[] = { "value", "id", "name", "label", "type", NULL };
    const char *label = json_is_string(entry) ? json_string_value(entry) : first_text(entry, labels);
    const char *value = json_is_string(entry) ? label : first_text(entry, values);
    const char *help = json_string_value(json_object_get(entry, "description"));

    if (!label || !value || str_is_blank(label) || json_is_false(json_object_get(entry, "enabled")))
        return;
    json_t *option = json_pack("{s:s, s:s}", "label", label, "value", value);

    if (help)
        json_object_set_new(option, "description", json_string(help));
    json_array_append_new(options, option);
}

static bool fill_options(const struct tx *tx, const char *workspace_id, json_t *filled)
{
    const char *from = json_string_value(json_object_get(filled, "optionsFrom"));
    JSON_AUTO *settings = NULL;
    struct workspace workspace;
    json_t *options;

    if (!from)
        return true;
    if (!workspace_get(tx, workspace_id, &workspace) ||
        !json_parse(workspace.settings, strlen(workspace.settings), &settings, tx->err))
        return false;
    const json_t *entries = json_object_get(settings, from);

    options = json_array();
    for (size_t i = 0; i < json_array_size(entries); i++)
        add_option(options, json_array_get(entries, i));
    json_object_set_new(filled, "options", options);
    if (json_array_size(options) > 0)
        return true;
    err_field(tx->err, "template", "The workspace has no %s to choose from.", from);
    return err_hint(tx->err, "Add them to the workspace's settings, or give options with the question.");
}

bool template_fill(const struct tx *tx, const char *workspace_id, const char *name, bool options_given,
                   json_t **filled)
{
    struct template template;
    struct err missing = { 0 };
    struct tx looking = tx_with_err(tx, &missing);
    JSON_AUTO *definition = NULL;

    if (!template_get(&looking, workspace_id, name, &template)) {
        if (missing.code == ERR_NOT_FOUND)
            return err_field(tx->err, "template", "%s", missing.text);
        *tx->err = missing;
        return false;
    }
    if (!json_parse(template.definition, strlen(template.definition), &definition, tx->err) ||
        (!options_given && !fill_options(tx, workspace_id, definition)))
        return false;
    *filled = json_incref(definition);
    return true;
}

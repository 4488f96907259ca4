/*
 * One table of members, each with its two spellings, its form and its bounds, does both the checking and the
 * naming of mistakes. Names that look like secrets are refused with a word about where keys belong, before
 * they can be stored.
 */
#include "core/council/model_config.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/caller/caller.h"
#include "llm/local.h"
#include "llm/model_choice.h"
#include "net/net.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD    "ai_model_config"
#define EXTERNAL "external"

enum form { FORM_TEXT, FORM_REAL, FORM_WHOLE, FORM_STOPS };

static const struct config_member {
    const char *name, *twin;
    enum form form;
    double least, most;
} members[] = {
    { "provider", "provider", FORM_TEXT, 0, 0 },   { "model", "model", FORM_TEXT, 0, 0 },
    { "base_url", "baseUrl", FORM_TEXT, 0, 0 },    { "temperature", "temperature", FORM_REAL, 0, 2 },
    { "top_p", "topP", FORM_REAL, 0, 1 },          { "max_tokens", "maxTokens", FORM_WHOLE, 1, 1000000 },
    { "stop", "stopSequences", FORM_STOPS, 0, 0 },
};

#define MEMBERS (sizeof(members) / sizeof(*members))

static const struct config_member *member_named(const char *name)
{
    for (size_t i = 0; i < MEMBERS; i++)
        if (strcmp(members[i].name, name) == 0 || strcmp(members[i].twin, name) == 0)
            return &members[i];
    return NULL;
}

static bool wrong(struct err *err, const char *name, const char *what)
{
    char field[64];

    snprintf(field, sizeof(field), FIELD ".%.40s", name);
    return err_field(err, field, "%s.%s %s", FIELD, name, what);
}

static bool is_secret(const char *name)
{
    return strncasecmp(name, "api_key", 7) == 0 || strncasecmp(name, "apikey", 6) == 0 ||
           strcasecmp(name, "key") == 0 || strcasecmp(name, "token") == 0 ||
           strcasecmp(name, "secret") == 0 || strcasecmp(name, "password") == 0 ||
           strcasecmp(name, "authorization") == 0;
}

static bool refuse_member(const char *name, struct err *err)
{
    const struct config_member *nearest = &members[0];

    if (is_secret(name)) {
        wrong(err, name, "is not taken: keys are never stored.");
        return err_hint(
            err,
            "Give the server the key in its environment, or name it with api_key_env under models in config.yaml.");
    }
    for (size_t i = 1; i < MEMBERS; i++)
        if (str_distance(name, members[i].name) < str_distance(name, nearest->name))
            nearest = &members[i];
    wrong(err, name, "is not known.");
    return err_hint(err, "Did you mean %s?", nearest->name);
}

static bool take_number(const struct config_member *member, const json_t *value, json_t *into,
                        struct err *err)
{
    double number = json_number_value(value);
    char *end = NULL;

    if (json_is_string(value)) {
        errno = 0;
        number = strtod(json_string_value(value), &end);
        if (errno != 0 || end == json_string_value(value) || *end != '\0')
            return wrong(err, member->name, "must be a number.");
    } else if (!json_is_number(value)) {
        return wrong(err, member->name, "must be a number.");
    }
    if (!(number >= member->least && number <= member->most)) {
        char range[64];

        snprintf(range, sizeof(range), "must be between %g and %g.", member->least, member->most);
        return wrong(err, member->name, range);
    }
    if (member->form == FORM_WHOLE && number != floor(number))
        return wrong(err, member->name, "must be a whole number.");
    json_object_set_new(into, member->name,
                        member->form == FORM_WHOLE ? json_integer((json_int_t)number) : json_real(number));
    return true;
}

static bool take_text(const struct config_member *member, const json_t *value, json_t *into, struct err *err)
{
    const char *text = json_string_value(value);

    if (!text || str_is_blank(text) || strlen(text) > LIMIT_TITLE || !str_is_plain_line(text))
        return wrong(err, member->name, "must be a text of one line.");
    json_object_set_new(into, member->name, json_string(text));
    return true;
}

static bool take_stops(const struct config_member *member, const json_t *value, json_t *into, struct err *err)
{
    JSON_AUTO *list =
        json_is_string(value) ? json_pack("[O]", (json_t *)value) : json_incref((json_t *)value);
    const json_t *stop;
    size_t i;

    if (!json_is_array(list) || json_array_size(list) > LIMIT_STOPS)
        return wrong(err, member->name, "must be a text, or a list of a few texts.");
    json_array_foreach(list, i, stop)
    {
        if (!json_is_string(stop) || json_string_length(stop) > LIMIT_STOP)
            return wrong(err, member->name, "must hold short texts.");
    }
    json_object_set(into, member->name, list);
    return true;
}

static bool take_member(const struct config_member *member, const json_t *value, json_t *into,
                        struct err *err)
{
    if (json_is_null(value))
        return true;
    if (json_object_get(into, member->name))
        return wrong(err, member->name, "is given twice, in two spellings.");
    switch (member->form) {
    case FORM_TEXT: return take_text(member, value, into, err);
    case FORM_STOPS: return take_stops(member, value, into, err);
    default: return take_number(member, value, into, err);
    }
}

/* A name of config.yaml. */
static bool check_name(const char *member, const char *name, struct err *err)
{
    if (model_named(name))
        return true;
    wrong(err, member, "names a model that config.yaml does not have.");
    return err_hint(
        err,
        "`witan model list` names them; one of ollama, openai or anthropic may be spelled out: ollama:llama3.2.");
}

/* Ports that are not among the usual ones can be anybody's, and the sandbox does not let the server through
 * to them: that takes a line in config.yaml, and a start. */
static bool refuse_port(const struct tx *tx, const json_t *config, const char *base_url)
{
    const char *provider = json_string_value(json_object_get(config, "provider"));
    const char *model = json_string_value(json_object_get(config, "model"));

    err_field(
        tx->err, FIELD ".base_url",
        FIELD
        ".base_url names a port of this machine that servers of models do not usually have (they have %s): config.yaml must name it, and the server be started again.",
        local_ports_text(tx->arena, settings()));
    return err_hint(
        tx->err,
        "This writes the entry: witan model add NAME --provider %.20s --base-url %.80s --model %.60s",
        provider ? provider : "openai", base_url, model ? model : "MODEL");
}

/* What an agent's config spells out must be public. The owner of a server in solo mode runs it, too. */
static bool check_reach(const struct tx *tx, const json_t *config, const char *base_url)
{
    enum local_port port = local_judge(settings(), base_url);

    if (port == LOCAL_OWN)
        return wrong(tx->err, "base_url", "is the address of this server itself.");
    if (!net_url_is_inside(base_url) || model_url_is_known(base_url))
        return true;
    if (tx->caller->kind == CALLER_LOCAL && port == LOCAL_USUAL)
        return true;
    if (tx->caller->kind == CALLER_LOCAL && port == LOCAL_UNUSUAL)
        return refuse_port(tx, config, base_url);
    wrong(tx->err, "base_url", "leads into the server's own network.");
    return err_hint(
        tx->err,
        "Models there are named by whoever runs the server, under models in config.yaml (`witan model add`).");
}

static bool check_whole(const struct tx *tx, const json_t *config)
{
    struct err *err = tx->err;
    const char *provider = json_string_value(json_object_get(config, "provider"));
    const char *model = json_string_value(json_object_get(config, "model"));
    const char *base_url = json_string_value(json_object_get(config, "base_url"));
    enum llm_provider known;
    bool spelled_out = provider && model_provider_parse(provider, &known);

    if (base_url && strncmp(base_url, "http://", 7) != 0 && strncmp(base_url, "https://", 8) != 0)
        return wrong(err, "base_url", "must begin with http:// or https://.");
    if (base_url && strchr(base_url, '@'))
        return wrong(err, "base_url", "must not hold a name or a password.");
    if (base_url && !check_reach(tx, config, base_url))
        return false;
    if (provider && strcmp(provider, EXTERNAL) == 0)
        return true;
    if (base_url && !spelled_out)
        return wrong(err, "base_url", "needs a provider that is spelled out.");
    if (spelled_out && known == LLM_SCRIPTED && !model_named(provider))
        return true;
    if (spelled_out)
        return model || model_named(provider) ||
               wrong(err, "model", "is needed with a provider that is spelled out.");
    if (provider)
        return check_name("provider", provider, err);
    return !model || check_name("model", model, err);
}

/* PROVIDER:MODEL in one text is stored as its members; a name of config.yaml comes first. */
static void take_apart(struct arena *arena, json_t *config)
{
    const char *provider = json_string_value(json_object_get(config, "provider"));
    const char *model = json_string_value(json_object_get(config, "model"));
    const char *text = provider ? provider : model;
    struct model_word word;

    if ((provider && model) || !text || model_named(text) || !model_split(arena, text, &word))
        return;
    json_object_set_new(config, "provider", json_string(word.provider));
    json_object_set_new(config, "model", json_string(word.model));
    if (word.base_url && !json_object_get(config, "base_url"))
        json_object_set_new(config, "base_url", json_string(word.base_url));
}

bool model_config_check(const struct tx *tx, const json_t *given, const char **stored)
{
    JSON_AUTO *config = json_object();
    struct err *err = tx->err;
    const char *name;
    json_t *value;

    if (json_is_string(given)) {
        if (!take_text(&members[0], given, config, err))
            return false;
    } else if (given && !json_is_null(given) && !json_is_object(given)) {
        return err_field(err, FIELD, FIELD " must be an object, or the name of a model of config.yaml.");
    }
    json_object_foreach((json_t *)given, name, value)
    {
        const struct config_member *member = member_named(name);

        if (!member)
            return refuse_member(name, err);
        if (!take_member(member, value, config, err))
            return false;
    }
    take_apart(tx->arena, config);
    if (!check_whole(tx, config))
        return false;
    *stored = json_object_size(config) > 0 ? json_dump_text(tx->arena, config) : NULL;
    return true;
}

static void read_stops(struct arena *arena, const json_t *stops, struct model_config *config)
{
    const json_t *stop;
    size_t i;

    if (json_is_string(stops)) {
        config->stops = arena_array(arena, const char *, 1);
        config->stops[config->stop_count++] = arena_text(arena, json_string_value(stops));
        return;
    }
    config->stops = arena_array(arena, const char *, json_array_size(stops));
    json_array_foreach(stops, i, stop)
    {
        if (json_is_string(stop) && config->stop_count < LIMIT_STOPS)
            config->stops[config->stop_count++] = arena_text(arena, json_string_value(stop));
    }
}

void model_config_read(struct arena *arena, const char *stored, struct model_config *config)
{
    struct err ignored = { 0 };
    json_t *parsed = NULL;

    *config = (struct model_config){ 0 };
    if (!stored || !json_parse(stored, strlen(stored), &parsed, &ignored))
        return;
    JSON_AUTO *tree = parsed;
    const char *provider = json_string_value(json_object_get(tree, "provider"));
    const json_t *stops = json_object_get(tree, "stop");

    config->external = provider && strcmp(provider, EXTERNAL) == 0;
    read_stops(arena, stops ? stops : json_object_get(tree, "stopSequences"), config);
}

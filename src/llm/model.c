/*
 * The rows of one table do the parsing, the bounds and the sentences about mistakes. Where a model is and its
 * key are the operator's: a model that an agent spelled out with an address of its own is never given a key.
 */
#include "llm/model.h"

#include "base/limits.h"
#include "base/str.h"
#include "llm/local.h"
#include "llm/provider.h"
#include "net/net.h"

#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW(kind_, member_, key_, fallback_, least_, most_, help_) \
    { .key = key_, \
      .help = help_, \
      .kind = kind_, \
      .fallback = fallback_, \
      .least = least_, \
      .most = most_, \
      .offset = offsetof(struct llm_model, member_) },
#define TEXT(member, key, fallback, help)             ROW(MODEL_TEXT, member, key, fallback, 0, 0, help)
#define INT(member, key, fallback, least, most, help) ROW(MODEL_INT, member, key, fallback, least, most, help)
#define REAL(member, key, fallback, least, most, help) \
    ROW(MODEL_REAL, member, key, fallback, least, most, help)
#define TIME(member, key, fallback, least, most, help) \
    ROW(MODEL_TIME, member##_ms, key, fallback, least, most, help)
const struct model_row model_rows[] = { MODEL_SETTINGS(TEXT, INT, REAL, TIME) };
#undef TEXT
#undef INT
#undef REAL
#undef TIME
const size_t model_row_count = sizeof(model_rows) / sizeof(*model_rows);

static const struct llm_models no_models;
static const struct llm_models *_Atomic chosen = &no_models;

const struct llm_models *models(void)
{
    return atomic_load_explicit(&chosen, memory_order_acquire);
}

void models_use(const struct llm_models *in_force)
{
    atomic_store_explicit(&chosen, in_force ? in_force : &no_models, memory_order_release);
}

const struct llm_model *model_named(const char *name)
{
    const struct llm_models *in_force = models();

    for (size_t i = 0; i < in_force->count; i++)
        if (strcmp(in_force->list[i].name, name) == 0)
            return &in_force->list[i];
    return NULL;
}

bool model_provider_parse(const char *name, enum llm_provider *provider)
{
    for (enum llm_provider i = 0; i < LLM_PROVIDERS; i++) {
        if (strcmp(provider_of(i)->name, name) == 0) {
            *provider = i;
            return true;
        }
    }
    return false;
}

const char *model_provider_name(enum llm_provider provider)
{
    return provider_of(provider)->name;
}

bool model_split(struct arena *arena, const char *text, struct model_word *word)
{
    const char *colon = strchr(text, ':'), *at = strchr(text, '@');
    enum llm_provider known;
    int64_t port = 0;

    if (!colon || str_is_blank(colon + 1))
        return false;
    if (at > colon)
        at = NULL;
    if (at &&
        (!str_to_int(arena_copy(arena, at + 1, (size_t)(colon - at - 1)), &port) || port < 1 || port > 65535))
        return false;
    *word = (struct model_word){ .provider = arena_copy(arena, text, (size_t)((at ? at : colon) - text)),
                                 .model = arena_text(arena, colon + 1) };
    if (!model_provider_parse(word->provider, &known) || known == LLM_SCRIPTED)
        return false;
    if (at)
        word->base_url = local_url(arena, known, (int)port);
    return true;
}

bool model_same_url(const char *a, const char *b)
{
    size_t len_a = strlen(a), len_b = strlen(b);

    while (len_a > 0 && a[len_a - 1] == '/')
        len_a--;
    while (len_b > 0 && b[len_b - 1] == '/')
        len_b--;
    return len_a > 0 && len_a == len_b && strncmp(a, b, len_a) == 0;
}

const char *model_url(const struct llm_model *model)
{
    return *model->base_url ? model->base_url : provider_of(model->provider)->url;
}

bool model_is_priced(const struct llm_model *model)
{
    return model->provider == LLM_SCRIPTED || (model->price_in >= 0 && model->price_out >= 0);
}

const char *model_called(const struct llm_model *model)
{
    return *model->name ? model->name : model->model;
}

/* A decimal number as people write it: no exponents, no words. */
static bool read_real(const char *text, double *number)
{
    char *end;

    if (!*text || text[strspn(text, "0123456789.-")])
        return false;
    *number = strtod(text, &end);
    return *end == '\0';
}

static bool read_number(const struct model_row *row, const char *text, double *number)
{
    int64_t whole;

    if (row->kind == MODEL_REAL)
        return read_real(text, number);
    if (!(row->kind == MODEL_TIME ? str_to_duration_ms(text, &whole) : str_to_int(text, &whole)))
        return false;
    *number = (double)whole;
    return true;
}

static bool bad_number(const struct model_row *row, const char *text, struct err *err)
{
    if (row->kind == MODEL_TIME)
        return err_field(err, row->key,
                         "%s must be a duration such as 500ms, 30s or 5m, from %.0fms to %.0fs, not \"%s\".",
                         row->key, row->least, row->most / 1000, text);
    return err_field(err, row->key, "%s must be a %snumber from %g to %g, not \"%s\".", row->key,
                     row->kind == MODEL_INT ? "whole " : "", row->least, row->most, text);
}

static bool set_number(void *member, const struct model_row *row, const char *text, struct err *err)
{
    double number = MODEL_UNSET;

    if (*text && (!read_number(row, text, &number) || number < row->least || number > row->most))
        return bad_number(row, text, err);
    if (row->kind == MODEL_REAL) {
        memcpy(member, &number, sizeof(number));
    } else {
        int64_t whole = (int64_t)number;

        memcpy(member, &whole, sizeof(whole));
    }
    return true;
}

static bool set_row(struct llm_model *model, const struct model_row *row, const char *text, struct err *err)
{
    void *member = (char *)model + row->offset;

    if (row->kind != MODEL_TEXT)
        return set_number(member, row, text, err);
    memcpy(member, &text, sizeof(text));
    return true;
}

void model_init(struct llm_model *model, const char *name)
{
    struct err ignored = { 0 };

    *model = (struct llm_model){ .name = name };
    for (size_t i = 0; i < model_row_count; i++)
        if (!set_row(model, &model_rows[i], model_rows[i].fallback, &ignored))
            abort(); /* a default that its own row refuses */
}

bool model_set(struct llm_model *model, struct arena *arena, const char *key, const char *text,
               struct err *err)
{
    const char *nearest = NULL;
    size_t best = 4; /* further away than this is no help */

    for (size_t i = 0; i < model_row_count; i++) {
        size_t distance = str_distance(key, model_rows[i].key);

        if (distance == 0)
            return set_row(model, &model_rows[i], arena_text(arena, text), err);
        if (distance < best) {
            best = distance;
            nearest = model_rows[i].key;
        }
    }
    err_field(err, key, "A model has no setting %s.", key);
    return nearest ? err_hint(err, "Did you mean %s?", nearest) : false;
}

/* "http://host/v1/" and "http://host/v1" are the same. */
static const char *without_slash(struct arena *arena, const char *url)
{
    size_t len = strlen(url);

    while (len > 0 && url[len - 1] == '/')
        len--;
    return arena_copy(arena, url, len);
}

static bool check_url(struct llm_model *model, struct arena *arena, struct err *err)
{
    struct err why = { 0 };

    if (!*model->base_url)
        return true;
    if (!net_url_check(model->base_url, &why))
        return err_field(err, "base_url", "base_url: %s", why.text);
    if (strchr(model->base_url, '?'))
        return err_field(err, "base_url", "base_url must not have a query.");
    model->base_url = without_slash(arena, model->base_url);
    size_t len = strlen(model->base_url);
    bool has_version = len >= 3 && strcmp(model->base_url + len - 3, "/v1") == 0;

    if (model->provider == LLM_OPENAI && !has_version) {
        err_field(err, "base_url", "base_url of an openai model must end in /v1.");
        return err_hint(err, "Is it %s/v1?", model->base_url);
    }
    if (model->provider != LLM_OPENAI && has_version)
        return err_field(err, "base_url", "base_url of an %s model does not end in /v1: that is added to it.",
                         model->provider_name);
    return true;
}

bool model_check(struct llm_model *model, struct arena *arena, struct err *err)
{
    if (!*model->provider_name)
        return err_field(err, "provider", "provider must be there: ollama, openai, anthropic or scripted.");
    if (!model_provider_parse(model->provider_name, &model->provider))
        return err_field(err, "provider",
                         "provider must be ollama, openai, anthropic or scripted, not \"%s\".",
                         model->provider_name);
    if (!*model->model)
        model->model = arena_text(arena, model->name);
    if (!*model->model && model->provider != LLM_SCRIPTED)
        return err_field(err, "model", "model must be there.");
    if (!str_is_plain_line(model->model) || strlen(model->model) > LIMIT_REF)
        return err_field(err, "model", "model must be a name of one line, of at most %d bytes.", LIMIT_REF);
    if (*model->api_key_env && *model->api_key_file)
        return err_field(err, "api_key_file", "There can be api_key_env or api_key_file, not both.");
    if (model->provider == LLM_SCRIPTED && !*model->script && !model->script_text)
        return err_field(err, "script", "script must name the file with the lines.");
    return check_url(model, arena, err);
}

/* A key is one word: a line end in it would be a header of its own. */
static bool is_key(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isgraph((unsigned char)*c))
            return false;
    return *text != '\0';
}

/* Whoever starts a discussion sees what is wrong; where keys are kept is the operator's business. */
static bool key_from_file(const char *path, struct arena *arena, const char **key, struct err *err)
{
    char text[LIMIT_API_KEY + 2];
    FILE *file = fopen(path, "re");

    if (!file) {
        err_field(err, "api_key_file", "The file with the model's key cannot be read: %s.", strerror(errno));
        return err_hint(err, "config.yaml names it: api_key_file.");
    }
    size_t len = fread(text, 1, sizeof(text) - 1, file);

    fclose(file);
    text[len] = '\0';
    const char *trimmed = str_trim(arena, text);

    explicit_bzero(text, sizeof(text));
    if (len > LIMIT_API_KEY || !is_key(trimmed)) {
        err_field(err, "api_key_file",
                  "The file with the model's key does not hold one: one line, without spaces.");
        return err_hint(err, "config.yaml names it: api_key_file.");
    }
    *key = trimmed;
    return true;
}

static bool key_from_env(const struct llm_model *model, struct arena *arena, const char **key,
                         struct err *err)
{
    const struct provider *provider = provider_of(model->provider);
    const char *name = *model->api_key_env ? model->api_key_env : provider->key_env;
    const char *value = name ? getenv(name) : NULL;

    if (value && *value) {
        const char *trimmed = str_trim(arena, value);

        if (strlen(trimmed) > LIMIT_API_KEY || !is_key(trimmed))
            return err_field(err, "api_key_env", "The variable %s does not hold a key: one word.", name);
        *key = trimmed;
        return true;
    }
    if (*model->api_key_env || (name && !*model->base_url)) {
        err_field(err, "api_key_env", "The variable %s, which should hold the key, is not set.", name);
        return err_hint(err, "Set it, or name another with api_key_env, or a file with api_key_file.");
    }
    *key = NULL;
    return true;
}

bool model_key(const struct llm_model *model, struct arena *arena, const char **key, struct err *err)
{
    if (model->spelled_out && *model->base_url) {
        *key = NULL;
        return true;
    }
    return *model->api_key_file ? key_from_file(model->api_key_file, arena, key, err)
                                : key_from_env(model, arena, key, err);
}

/*
 * `witan model add`: a model in config.yaml, without an editor. Nothing is asked of the model, nor of a
 * server.
 */
#include "base/str.h"
#include "cli/commands/tables.h"
#include "cli/store/meant.h"
#include "cli/term.h"
#include "net/net.h"
#include "server/config_edit.h"
#include "server/files.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OLLAMA_PORT 11434

static const char *const given_as[][2] = {
    { "provider", "provider" },       { "base_url", "base-url" },         { "model", "model" },
    { "api_key_env", "api-key-env" }, { "api_key_file", "api-key-file" }, { "script", "script" },
};

#define GIVEN (sizeof(given_as) / sizeof(*given_as))

static const char *option_of(const char *key)
{
    for (size_t i = 0; i < GIVEN; i++)
        if (strcmp(given_as[i][0], key) == 0)
            return given_as[i][1];
    return NULL;
}

/* Who answers, as far as the address tells: an Ollama is on its own port, and others end in /v1. */
static const char *guess_provider(const char *base_url)
{
    size_t len = base_url ? strlen(base_url) : 0;
    int port = 0;

    while (len > 0 && base_url[len - 1] == '/')
        len--;
    if (len > 3 && strncmp(base_url + len - 3, "/v1", 3) == 0)
        return "openai";
    return base_url && net_url_is_here(base_url, &port) && port == OLLAMA_PORT ? "ollama" : NULL;
}

static bool take_entry(const struct cli *cli, struct model_entry *entry, struct err *err)
{
    const char *base_url = cli_get(cli, "base-url");
    struct err why = { 0 };

    if (base_url && !net_url_check(base_url, &why))
        return err_field(err, "base_url", "--base-url: %s", why.text);

    entry->name = cli_get(cli, "NAME");
    entry->values = arena_array(cli->arena, const char *, model_row_count);
    for (size_t row = 0; row < model_row_count; row++) {
        const char *option = option_of(model_rows[row].key);

        entry->values[row] = option ? cli_get(cli, option) : NULL;
        if (strcmp(model_rows[row].key, "provider") == 0 && !entry->values[row])
            entry->values[row] = guess_provider(base_url);
        if (strcmp(model_rows[row].key, "provider") == 0 && !entry->values[row]) {
            err_field(err, "provider",
                      "--provider must say who answers: ollama, openai, anthropic or scripted.");
            return err_hint(
                err,
                "LM Studio, vLLM and llama-server speak as openai does, at a --base-url that ends in /v1.");
        }
    }
    return true;
}

/* In the words that were typed: --base-url, not base_url. */
static bool by_option(const char *key, struct err *err)
{
    const char *option = option_of(key);
    struct err inner = *err;

    if (!option || !str_starts(inner.text, key))
        return false;
    err_field(err, key, "--%s%s", option, inner.text + strlen(key));
    return *inner.hint ? err_hint(err, "%s", inner.hint) : false;
}

static bool file_is_there(const char *option, const char *path, struct err *err)
{
    return !path || access(path, F_OK) == 0 ||
           err_set(err, ERR_NOT_FOUND, "--%s: there is no file %s.", option, path);
}

static bool check_entry(const struct cli *cli, const struct settings *settings,
                        const struct model_entry *entry, struct err *err)
{
    struct llm_model model;

    model_init(&model, entry->name);
    for (size_t row = 0; row < model_row_count; row++)
        if (entry->values[row] &&
            !model_set(&model, cli->arena, model_rows[row].key, entry->values[row], err))
            return by_option(err->field, err);
    if (!model_check(&model, cli->arena, err))
        return by_option(err->field, err);
    if (local_judge(settings, model.base_url) == LOCAL_OWN)
        return err_field(err, "base_url", "--base-url is the address of witan itself (server.listen).");
    return file_is_there("api-key-file", cli_get(cli, "api-key-file"), err) &&
           file_is_there("script", cli_get(cli, "script"), err);
}

static bool is_new(const char *name, struct err *err)
{
    if (!*name || !str_is_plain_line(name) || str_is_blank(name) || str_chars(name) > LIMIT_NAME)
        return err_field(err, "NAME", "NAME is one line of at most %d characters.", LIMIT_NAME);
    if (!model_named(name))
        return true;
    err_set(err, ERR_CONFLICT, "config.yaml has a model %s already; nothing was written.", name);
    return err_hint(err, "`witan config` shows where it stands. Change it there, or choose another name.");
}

/* The settings of the service of this machine, if there is one and nobody has named others; else the caller's
 * own. */
static bool find_settings(struct cli *cli, struct meant *meant, struct err *err)
{
    if (!meant_find(meant, cli, err)) {
        if (err->code == ERR_FORBIDDEN)
            err_hint(err, "Put sudo before it: `sudo witan model add ...`. "
                          "For a server of your own name its settings: --config FILE");
        return false;
    }
    if (meant->file)
        return true;
    err_set(err, ERR_INVALID, "HOME is not set, so there is no usual place for the settings.");
    return err_hint(err, "Set HOME or XDG_CONFIG_HOME, or name a file with --config.");
}

/* A service's settings must be readable for its user, who is not root. */
static bool share(const struct meant *meant, const char *new_folder, struct err *err)
{
    return files_give(meant->file, (uid_t)-1, meant->owner.gid, 0640, err) &&
           (!new_folder || files_give(new_folder, (uid_t)-1, (gid_t)-1, 0755, err));
}

static bool write_entry(const struct cli *cli, const struct meant *meant, const struct model_entry *entry,
                        struct err *err)
{
    const char *folder = dirname(arena_text(cli->arena, meant->file));
    bool new_file = access(meant->file, F_OK) != 0, new_folder = access(folder, F_OK) != 0;

    if (!config_add_model(meant->file, entry, err))
        return false;
    return !new_file || !meant->unit || !meant->owner.other || share(meant, new_folder ? folder : NULL, err);
}

static void say_what_now(const struct cli *cli, const struct model_entry *entry, bool first)
{
    BUF_AUTO lines = { 0 };

    buf_init(&lines, 0);
    buf_text(&lines, "models:\n");
    config_entry_print(entry, 2, &lines);
    for (char *line = lines.bytes, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        cli_note(cli, "%s", term_line(cli->arena, line));
    }
    cli_note(cli, "A server reads it when it starts: start yours again. `witan model test` asks it at once.");
    if (first)
        cli_note(
            cli,
            "It is the first model there: from the next start on agents that name none speak with it, and no others are looked for on this machine.");
}

static int run_add(struct cli *cli)
{
    struct meant meant = { 0 };
    struct model_entry entry = { 0 };
    struct err err = { 0 };
    bool good = find_settings(cli, &meant, &err) && take_entry(cli, &entry, &err) &&
                is_new(entry.name, &err) && check_entry(cli, &meant.config.settings, &entry, &err) &&
                write_entry(cli, &meant, &entry, &err);
    bool first = good && models()->count == 0;

    meant_done(&meant);
    if (!good)
        return cli_fail(cli, &err);
    say_what_now(cli, &entry, first);
    return cli_print_line(cli, meant.file);
}

static const char *provider_at(size_t at)
{
    return at < LLM_PROVIDERS ? model_provider_name((enum llm_provider)at) : NULL;
}

const struct cli_command model_add_commands[] = {
    {
        .name = "model add",
        .help = "Write a model into config.yaml, where agents can then name it. "
                "The rest of the file stays as it is; a server reads it when it starts.",
        .examples = "witan model add local --base-url http://127.0.0.1:1234/v1 --model qwen2.5-7b-instruct\n"
                    "witan model add small --provider ollama --model llama3.2\n"
                    "witan model add claude --provider anthropic --model claude-sonnet-4-5 --api-key-env MY_KEY",
        .uses = CLI_CONFIG | CLI_MAKES,
        .args = { { "NAME", .help = "What agents call it." } },
        .options = {
            { "base-url", "URL", .help = "Where it is; else the provider's own. One that speaks as OpenAI does ends in /v1." },
            { "provider", "PROVIDER", .help = "Who answers; else as --base-url tells.", .word_at = provider_at },
            { "model", "MODEL", .help = "The model's name there; else NAME." },
            { "api-key-env", "NAME", .help = "The variable with its key; else OPENAI_API_KEY or ANTHROPIC_API_KEY." },
            { "api-key-file", "FILE", .help = "A file that holds the key, instead of a variable." },
            { "script", "FILE", .help = "The lines of a scripted one." },
        },
        .run = run_add,
    },
    { 0 },
};

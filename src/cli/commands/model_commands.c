/*
 * `witan model`: which models there are, and whether they answer. Both ask the models themselves; no server
 * of witan is needed.
 */
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/cli_config.h"
#include "cli/commands/tables.h"
#include "cli/term.h"
#include "llm/catalog.h"
#include "llm/llm.h"
#include "llm/model_choice.h"

#include <string.h>

#define TEST_PROMPT     "Reply with the word OK."
#define TEST_TIMEOUT_MS 60000

/* What both need: the settings, the loop, and what servers of models on this machine have, if there are any.
 */
struct bench {
    struct cli *cli;
    struct config config;
    struct net *net;
    struct llm *llm;
    struct llm_model *models;
    size_t count;
    bool has_ollama;     /* an Ollama answers, with models or without */
    const char *speaker; /* who speaks for agents that name none; NULL: nobody */
};

static void add_spelled_out(struct bench *bench, const struct model_word *word)
{
    struct llm_model *model = &bench->models[bench->count++];
    struct err ignored = { 0 };

    model_init(model, "");
    model->provider_name = word->provider;
    model->model = word->model;
    if (word->base_url) {
        model->base_url = word->base_url;
        model->spelled_out = true;
    }
    if (!model_check(model, bench->cli->arena, &ignored))
        bench->count--;
}

static const char *name_of(struct arena *arena, const struct llm_model *model)
{
    return *model->name ? model->name : local_word(arena, model);
}

/* As the server chooses: config.yaml's, and only without any what was found first. */
static void choose_speaker(struct bench *bench, const struct llm_model *found)
{
    struct arena *arena = bench->cli->arena;
    struct llm_model model;
    struct err ignored = { 0 };

    if (models()->count > 0 && model_of_config(arena, NULL, &model, &ignored))
        bench->speaker = name_of(arena, &model);
    else if (found)
        bench->speaker = name_of(arena, found);
}

/* Those of config.yaml first, then what servers on this machine have besides. */
static void find_models(struct bench *bench)
{
    struct arena *arena = bench->cli->arena;
    size_t places = bench->config.place_count, most = models()->count;
    struct catalog *catalogs = arena_array(arena, struct catalog, places + 1);
    struct llm_model *found = NULL;
    struct err ignored = { 0 };

    for (size_t i = 0; i < places; i++) {
        bool there = catalog_read(bench->net, &bench->config.places[i], arena, &catalogs[i], &ignored);

        bench->has_ollama |= there && catalogs[i].provider == LLM_OLLAMA;
        most += catalogs[i].count;
    }
    bench->models = arena_array(arena, struct llm_model, most + 1);
    for (size_t i = 0; i < models()->count; i++)
        bench->models[bench->count++] = models()->list[i];
    for (size_t i = 0; i < places; i++) {
        for (size_t name = 0; name < catalogs[i].count; name++) {
            struct llm_model *model = &bench->models[bench->count++];

            catalog_model(&catalogs[i], arena, catalogs[i].names[name], model);
            if (!found && catalogs[i].names[name] == catalogs[i].speaker)
                found = model;
        }
    }
    choose_speaker(bench, found);
}

static bool bench_open(struct bench *bench, struct cli *cli, struct err *err)
{
    *bench = (struct bench){ .cli = cli };
    if (!cli_config(cli, &bench->config, err) || !net_open(&bench->net, err))
        return false;
    bench->llm = llm_open(bench->net);
    return true;
}

static void bench_close(struct bench *bench)
{
    llm_close(bench->llm);
    net_close(bench->net);
    config_done(&bench->config);
}

static const char *key_of(struct arena *arena, const struct llm_model *model)
{
    const char *key = NULL;
    struct err ignored = { 0 };

    if (!model_key(model, arena, &key, &ignored))
        return "missing";
    return key ? "there" : "none";
}

static void write_model(struct json_out *out, struct arena *arena, const struct llm_model *model)
{
    json_text(out, "name", name_of(arena, model));
    json_text(out, "provider", model_provider_name(model->provider));
    json_text(out, "model", model->model);
    json_text(out, "url", model_url(model));
    json_text(out, "from", *model->name ? "config" : "found");
}

/* model list */

static void list_json(const struct bench *bench, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_list(&out, "models");
    for (size_t i = 0; i < bench->count; i++) {
        json_map(&out, NULL);
        write_model(&out, bench->cli->arena, &bench->models[i]);
        json_text(&out, "key", key_of(bench->cli->arena, &bench->models[i]));
        json_map_end(&out);
    }
    json_list_end(&out);
    json_bool(&out, "localOllama", bench->has_ollama);
    json_text(&out, "default", bench->speaker);
    json_map_end(&out);
    buf_char(into, '\n');
}

static void list_table(const struct bench *bench, struct buf *into)
{
    static const char *const heads[] = { "NAME", "PROVIDER", "MODEL", "KEY", "WHERE" };
    struct arena *arena = bench->cli->arena;
    struct term term;
    struct term_table table;

    term_init(&term, arena, into, bench->cli->colour);
    term_table_init(&table, &term, 5, heads);
    for (size_t i = 0; i < bench->count; i++) {
        const struct llm_model *model = &bench->models[i];
        const char *where = *model_url(model) ? model_url(model) : model->script;
        const char *const cells[] = { term_line(arena, name_of(arena, model)),
                                      model_provider_name(model->provider), term_line(arena, model->model),
                                      key_of(arena, model), term_line(arena, where) };

        term_table_row(&table, cells);
    }
    term_table_end(&table);
}

static void how_to_get_one(const struct bench *bench)
{
    cli_note(
        bench->cli,
        bench->has_ollama
            ? "The local Ollama has no models: `ollama pull llama3.2` fetches one."
            : "There is no model. "
              "Start Ollama, LM Studio, vLLM or llama-server on this machine, or name one in config.yaml: `witan model add --help`.");
}

static int run_list(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    struct bench bench;
    struct err err = { 0 };
    bool good = bench_open(&bench, cli, &err);

    buf_init(&text, 0);
    if (good) {
        find_models(&bench);
        if (cli->json)
            list_json(&bench, &text);
        else if (bench.count > 0)
            list_table(&bench, &text);
        if (bench.count == 0)
            how_to_get_one(&bench);
        else if (bench.speaker)
            cli_note(cli, "Agents that name no model speak with %s.", term_line(cli->arena, bench.speaker));
    }
    bench_close(&bench);
    return good ? cli_print(text.bytes, text.len) : cli_fail(cli, &err);
}

/* model test */

/* A name of config.yaml, or PROVIDER:MODEL. */
static bool choose(struct bench *bench, const char *wanted, struct err *err)
{
    const struct llm_model *named = model_named(wanted);
    struct model_word word;

    bench->models = arena_new(bench->cli->arena, struct llm_model);
    if (named) {
        bench->models[bench->count++] = *named;
        return true;
    }
    if (model_split(bench->cli->arena, wanted, &word))
        add_spelled_out(bench, &word);
    if (bench->count > 0)
        return true;
    err_set(err, ERR_NOT_FOUND, "There is no model %s in config.yaml.", wanted);
    return err_hint(
        err,
        "`witan model list` shows the names; one that is not there is PROVIDER:MODEL, such as ollama:llama3.2, or PROVIDER@PORT:MODEL.");
}

static void write_usage(struct json_out *out, const char *key, int64_t count)
{
    if (count == LLM_NOT_REPORTED)
        json_none(out, key);
    else
        json_int(out, key, count);
}

static void write_calls(struct json_out *out, const struct llm_result *result)
{
    json_list(out, "toolCalls");
    for (size_t i = 0; i < result->tool_call_count; i++) {
        json_map(out, NULL);
        json_text(out, "id", result->tool_calls[i].id);
        json_text(out, "name", result->tool_calls[i].name);
        json_text(out, "arguments", result->tool_calls[i].arguments);
        json_map_end(out);
    }
    json_list_end(out);
}

static void write_result(struct json_out *out, const struct llm_result *result)
{
    json_text(out, "kind", llm_kind_name(result->kind));
    json_text(out, "error", result->kind == LLM_FINE ? NULL : result->words);
    json_text(out, "text", result->text);
    json_text(out, "finish", llm_finish_name(result->finish));
    json_map(out, "usage");
    write_usage(out, "inputTokens", result->usage.input);
    write_usage(out, "outputTokens", result->usage.output);
    json_map_end(out);
    write_calls(out, result);
    json_int(out, "attempts", result->attempts);
    json_bool(out, "scripted", result->scripted);
    json_int(out, "ms", result->whole_ms);
}

static const char *count_text(struct arena *arena, int64_t count)
{
    return count == LLM_NOT_REPORTED ? "not reported" : arena_format(arena, "%lld", (long long)count);
}

static void say_result(const struct cli *cli, const struct llm_model *model, const struct llm_result *result,
                       struct buf *into)
{
    struct term term;

    term_init(&term, cli->arena, into, cli->colour);
    term_paint(&term, result->kind == LLM_FINE ? TERM_GREEN : TERM_RED,
               result->kind == LLM_FINE ? "ok" : "no");
    buf_format(into, "  %s", term_line(cli->arena, name_of(cli->arena, model)));
    if (result->kind != LLM_FINE) {
        buf_format(into, "\n    %s\n", term_line(cli->arena, result->words));
        if (*model_url(model))
            buf_format(into, "    It is at %s\n", term_line(cli->arena, model_url(model)));
        return;
    }
    buf_format(into, "%s  %lld ms, tokens in %s, out %s\n",
               result->scripted ? " (scripted: no model speaks)" : "", (long long)result->whole_ms,
               count_text(cli->arena, result->usage.input), count_text(cli->arena, result->usage.output));
    for (size_t i = 0; i < result->tool_call_count; i++)
        buf_format(into, "    calls %s\n",
                   term_line(cli->arena, arena_format(cli->arena, "%s %s", result->tool_calls[i].name,
                                                      result->tool_calls[i].arguments)));
    term_block(&term, "    ", result->text);
}

/* What cannot even be asked is a result too. */
static void ask_one(struct bench *bench, struct llm_model *model, int64_t timeout_ms,
                    struct llm_result *result)
{
    struct cli *cli = bench->cli;
    const char *prompt = cli_get(cli, "prompt"), *stop = cli_get(cli, "stop"), *tool = cli_get(cli, "tool");
    const struct llm_message message = { .role = "user", .content = prompt ? prompt : TEST_PROMPT };
    const struct llm_tool offered = { .name = tool, .description = "A tool." };
    const struct llm_request request = { .model = model,
                                         .messages = &message,
                                         .message_count = 1,
                                         .stops = &stop,
                                         .stop_count = stop != NULL,
                                         .tools = &offered,
                                         .tool_count = tool != NULL };
    struct err err = { 0 };

    if (!cli_has(cli, "retry"))
        model->retries = 0;
    if (model->timeout_ms > timeout_ms)
        model->timeout_ms = timeout_ms;
    if (llm_ask(bench->llm, &request, cli->arena, result, &err))
        return;
    *result = (struct llm_result){
        .kind = str_starts(err.field, "api_key") ? LLM_WRONG_KEY : LLM_FAILED,
        .words = str_equal(err.field, "api_key_file")
                     ? arena_format(cli->arena, "%s It is %s.", err.text, model->api_key_file)
                     : arena_format(cli->arena, "%s%s%s", err.text, *err.hint ? " " : "", err.hint),
        .text = "",
        .usage = { LLM_NOT_REPORTED, LLM_NOT_REPORTED },
    };
}

static bool test_all(struct bench *bench, int64_t timeout_ms, struct buf *into)
{
    struct cli *cli = bench->cli;
    struct json_out out;
    bool good = true;

    json_begin(&out, into);
    if (cli->json) {
        json_map(&out, NULL);
        json_list(&out, "models");
    }
    for (size_t i = 0; i < bench->count; i++) {
        struct llm_model *model = &bench->models[i];
        struct llm_result result;

        ask_one(bench, model, timeout_ms, &result);
        good = good && result.kind == LLM_FINE;
        if (!cli->json) {
            say_result(cli, model, &result, into);
            continue;
        }
        json_map(&out, NULL);
        write_model(&out, cli->arena, model);
        write_result(&out, &result);
        json_map_end(&out);
    }
    if (cli->json) {
        json_list_end(&out);
        json_map_end(&out);
        buf_char(into, '\n');
    }
    return good;
}

static bool read_timeout(const struct cli *cli, int64_t *timeout_ms, struct err *err)
{
    const char *given = cli_get(cli, "timeout");

    *timeout_ms = TEST_TIMEOUT_MS;
    if (given && !cli_duration("timeout", given, timeout_ms, err))
        return false;
    return *timeout_ms > 0 || err_field(err, "timeout", "--timeout must be more than zero.");
}

static int run_test(struct cli *cli)
{
    BUF_AUTO text = { 0 };
    struct bench bench;
    struct err err = { 0 };
    const char *wanted = cli_get(cli, "NAME");
    int64_t timeout_ms = 0;
    int code = CLI_NO;
    bool good = bench_open(&bench, cli, &err) && read_timeout(cli, &timeout_ms, &err) &&
                (!wanted || choose(&bench, wanted, &err));

    buf_init(&text, 0);
    if (good && !wanted)
        find_models(&bench);
    if (good && bench.count == 0)
        how_to_get_one(&bench);
    else if (good)
        code = test_all(&bench, timeout_ms, &text) ? CLI_OK : CLI_NO;
    bench_close(&bench);
    if (!good)
        return cli_fail(cli, &err);
    int printed = cli_print(text.bytes, text.len);

    return printed == CLI_OK ? code : printed;
}

const struct cli_command model_commands[] = {
    {
        .name = "model list",
        .help = "List the models of config.yaml and those of servers on this machine (Ollama, LM Studio, vLLM, llama-server), and say which one speaks for agents that name none.",
        .examples = "witan model list\nwitan model list --json",
        .uses = CLI_CONFIG | CLI_JSON,
        .run = run_list,
    },
    {
        .name = "model test",
        .help = "Ask models something short, and say what is wrong with those that do not answer.",
        .examples = "witan model test\nwitan model test local\nwitan model test ollama:llama3.2 --prompt 'Who are you?'",
        .uses = CLI_CONFIG | CLI_JSON,
        .args = { { "NAME", .help = "One of config.yaml, PROVIDER:MODEL, or PROVIDER@PORT:MODEL for a server on this machine; else all of them.", .flags = CLI_MAY } },
        .options = {
            { "prompt", "TEXT", .help = "What to ask." },
            { "stop", "TEXT", .help = "A stop sequence: the reply is cut there." },
            { "tool", "NAME", .help = "Offer a tool of this name, to see whether it is called." },
            { "timeout", "TIME", .help = "How long to wait for each at most; 60s." },
            { "retry", .help = "Try again as often as the model's settings say; else once." },
        },
        .run = run_test,
    },
    { 0 },
};

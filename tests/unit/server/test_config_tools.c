/*
 * Tools and MCP servers of config.yaml: what is read, what is refused by its place and key, and that what is
 * printed can be read again and tells no secrets.
 */
#include "base/limits.h"
#include "server/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char file[128];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/witan-tools-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof(file), "%s/config.yaml", folder);
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_DATA_HOME", "/data", 1);
    unsetenv("WITAN_DB");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(file);
    rmdir(folder);
    return 0;
}

static void write_file(const char *text)
{
    FILE *out = fopen(file, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void load(struct config *config)
{
    struct err err = { 0 };

    if (!config_load(config, &(struct config_sources){ .file = file }, &err))
        fail_msg("%s", err.text);
}

static const char whole[] =
    "tools:\n"
    "  word_count:\n"
    "    description: Counts words.\n"
    "    input_schema: {type: object, properties: {text: {type: string, default: \"5\", maxLength: 5}}, required: [text]}\n"
    "    argv: [/usr/bin/wc, -w, 1.10, true, \"\\u2028\\x7f\"]\n"
    "    timeout: 5s\n"
    "    output: 64k\n"
    "    folder: /srv/work\n"
    "    reads:\n    - /srv/docs\n    - /srv/more\n"
    "    environment: {LANG: C, TOKEN: hidden-word}\n"
    "    environment_from: [HOME]\n"
    "    network: true\n"
    "    memory: 512M\n"
    "    needs_approval: true\n"
    "    category: dependencyModifications\n"
    "    idempotent: true\n"
    "    alone: true\n"
    "    projects: [demo]\n"
    "    roles: [owner, admin]\n"
    "  other:\n"
    "    description: |\n      Two\n      lines.\n"
    "    input_schema:\n      type: object\n"
    "    argv: date\n"
    "mcp:\n"
    "  files:\n"
    "    tools:\n"
    "      write_file: {needs_approval: false}\n"
    "      move_file: {enabled: false}\n"
    "    command: [npx, -y, something]\n"
    "    needs_approval: true\n"
    "    roles: owner\n"
    "    restarts: 0\n"
    "    cpu: 1500ms\n"
    "    file_size: 1M\n"
    "  web:\n"
    "    url: https://example.com/mcp\n"
    "    headers: {X-Secret: hidden-too}\n"
    "    headers_from: {X-Other: OTHER_VARIABLE}\n"
    "    api_key_env: WEB_KEY\n"
    "models: {}\n";

static void check_whole(const struct toolbox_setup *setup)
{
    const struct tool_command *first = &setup->commands[0], *second = &setup->commands[1];
    const struct mcp_setup *files = &setup->servers[0], *web = &setup->servers[1];

    assert_int_equal(setup->command_count, 2);
    assert_string_equal(first->tool.name, "word_count");
    assert_string_equal(first->tool.description, "Counts words.");
    assert_string_equal(
        first->tool.schema,
        "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\",\"default\":\"5\",\"maxLength\":5}},"
        "\"required\":[\"text\"]}");
    assert_string_equal(first->program.argv[1], "-w");
    assert_string_equal(first->program.argv[2], "1.10"); /* a text, whatever it looks like */
    assert_string_equal(first->program.argv[3], "true");
    assert_string_equal(first->program.argv[4], "\xe2\x80\xa8\x7f");
    assert_null(first->program.argv[5]);
    assert_int_equal(first->program.time_ms, 5000);
    assert_int_equal(first->program.output_most, 64 * KB);
    assert_int_equal(first->program.memory_most, 512 * MB);
    assert_string_equal(first->program.folder, "/srv/work");
    assert_string_equal(first->program.reads[1], "/srv/more");
    assert_true(first->program.network && first->tool.needs_approval && first->tool.idempotent);
    assert_true(first->tool.alone);
    assert_string_equal(first->tool.category, "dependencyModifications");
    assert_string_equal(first->tool.projects[0], "demo");
    assert_string_equal(first->tool.roles[1], "admin");
    assert_null(first->tool.roles[2]);

    assert_string_equal(second->tool.description, "Two\nlines.\n");
    assert_string_equal(second->program.argv[0], "date");
    assert_int_equal(second->program.time_ms, 30000);
    assert_false(second->program.network || second->tool.needs_approval || second->tool.idempotent);
    assert_null(second->tool.roles);
    assert_null(second->program.folder);

    assert_int_equal(setup->server_count, 2);
    assert_string_equal(files->command[2], "something");
    assert_null(files->url);
    assert_int_equal(files->timeout_ms, 60000);
    assert_int_equal(files->restarts, 0);
    assert_int_equal(files->cpu_seconds, 2);
    assert_int_equal(files->file_most, 1 * MB);
    assert_int_equal(first->program.cpu_seconds, 6);
    assert_true(files->all.needs_approval && !files->all.off);
    assert_int_equal(files->rule_count, 2);
    assert_string_equal(files->rules[0].name, "write_file");
    assert_false(files->rules[0].needs_approval);
    assert_string_equal(files->rules[0].roles[0], "owner"); /* as the server's entry says */
    assert_true(files->rules[1].off && files->rules[1].needs_approval);
    assert_string_equal(web->url, "https://example.com/mcp");
    assert_null(web->command);
    assert_int_equal(web->restarts, 5);
}

static void all_settings_are_read(void **state)
{
    struct config config;

    (void)state;
    write_file(whole);
    load(&config);
    check_whole(&config.tools.setup);
    config_done(&config);
}

static void what_is_printed_can_be_read(void **state)
{
    BUF_AUTO printed = { 0 };
    struct config config;

    (void)state;
    write_file(whole);
    load(&config);
    buf_init(&printed, 0);
    config_print_yaml(&config, &printed);
    config_done(&config);
    assert_null(strstr(printed.bytes, "hidden"));
    assert_non_null(strstr(printed.bytes, "\"TOKEN\":\"***\""));
    assert_non_null(strstr(printed.bytes, "config.yaml:2\n  \"word_count\""));
    write_file(printed.bytes);
    load(&config);
    check_whole(&config.tools.setup);
    config_done(&config);
}

static void json_has_them(void **state)
{
    BUF_AUTO printed = { 0 };
    struct config config;
    json_error_t error;

    (void)state;
    write_file(whole);
    load(&config);
    buf_init(&printed, 0);
    config_print_json(&config, &printed);
    config_done(&config);
    assert_null(strstr(printed.bytes, "hidden"));
    JSON_AUTO *all = json_loads(printed.bytes, 0, &error);
    json_t *tool = json_object_get(json_object_get(all, "tools"), "word_count");

    assert_string_equal(json_string_value(json_object_get(tool, "timeout")), "5s");
    assert_int_equal(json_array_size(json_object_get(tool, "argv")), 5);
    assert_non_null(json_object_get(
        json_object_get(json_object_get(json_object_get(all, "mcp"), "files"), "tools"), "move_file"));
}

static void the_template_names_every_setting(void **state)
{
    static const char *const keys[] = {
        "#tools:",   "argv: ",  "input_schema: ",     "#mcp:",         "command: ", "url: ", "restarts: ",
        "enabled: ", "roles: ", "environment_from: ", "headers_from: "
    };
    BUF_AUTO text = { 0 };

    (void)state;
    buf_init(&text, 0);
    config_print_template(&text);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (!strstr(text.bytes, keys[i]))
            fail_msg("no %s", keys[i]);
    write_file(text.bytes);
    struct config config;

    load(&config);
    assert_int_equal(config.tools.setup.command_count, 0);
    config_done(&config);
}

#define TOOL "tools:\n  a:\n    description: x\n    input_schema: {type: object}\n    argv: [/bin/true]\n"

static const struct {
    const char *text, *field, *words;
} wrong[] = {
    { "tools: x\n", "tools", "config.yaml:1: tools is a map of names" },
    { "tools: [a]\n", "tools", "a map of names" },
    { "tools:\n  a: x\n", "tools.a", "config.yaml:2: tools.a: it takes settings" },
    { "tools:\n  a b:\n    argv: x\n", "tools.a b", "letters, digits" },
    { "tools:\n  finish:\n    argv: x\n", "tools.finish", "witan's own" },
    { "tools:\n  ask_question: {}\n", "tools.ask_question", "witan's own" },
    { TOOL "  a:\n    argv: x\n", "", "config.yaml:6: a stands there twice" },
    { TOOL "    argv: [x]\n", "", "config.yaml:6: argv stands there twice" },
    { TOOL "tools:\n  b: {}\n", "tools", "config.yaml:7: tools stands there twice" },
    { TOOL "    timout: 3s\n", "tools.a.timout", "config.yaml:6: tools.a.timout: there is no such setting" },
    { TOOL "    url: http://x\n", "tools.a.url", "there is no such setting" },
    { TOOL "    timeout: 0s\n", "tools.a.timeout", "more than 0" },
    { TOOL "    timeout: 0\n", "tools.a.timeout", "more than 0" },
    { TOOL "    timeout: 5\n", "tools.a.timeout",
      "config.yaml:6: tools.a.timeout: 5 has no unit; it must be a duration" },
    { "mcp: {s: {command: x, start_timeout: 5}}\n", "mcp.s.start_timeout", "5 has no unit" },
    { "coder: {argv: [x], timeout: 60}\n", "coder.timeout", "60 has no unit" },
    { TOOL "    reads: [\"/a\\0b\"]\n", "", "config.yaml:6: there is a zero byte" },
    { TOOL "    environment: {\"A\\0B\": b}\n", "", "config.yaml:6: there is a zero byte" },
    { "server: {listen: \"a\\0b\"}\n", "", "config.yaml:1: there is a zero byte" },
    { TOOL "    projects: [a, b, a]\n", "tools.a.projects", "a stands there twice" },
    { TOOL "    environment: {A: x}\n    environment_from: [A]\n", "tools.a.environment_from",
      "a value for A" },
    { "coder: {argv: [x], environment: {A: x}, environment_from: A}\n", "coder.environment_from",
      "for A already" },
    { "tools: {a: {input_schema: {type: object, properties: {b: {items: {enum: []}}}}}}\n",
      "tools.a.input_schema", "enum has no values" },
    { "tools: {a: {input_schema: {type: object, anyOf: [{required: [a, b, a]}]}}}\n", "tools.a.input_schema",
      "required names a twice" },
    { TOOL "    timeout: soon\n", "tools.a.timeout", "a duration" },
    { TOOL "    timeout: [1s]\n", "tools.a.timeout", "a duration" },
    { TOOL "    output: 0\n", "tools.a.output", "from 1 to 262144 bytes" },
    { TOOL "    output: 1GB\n", "tools.a.output", "from 1 to 262144 bytes" },
    { TOOL "    memory: lots\n", "tools.a.memory", "a size" },
    { TOOL "    folder: work\n", "tools.a.folder",
      "config.yaml:6: tools.a.folder: it must be an absolute path, or task for" },
    { TOOL "    folder: tasks\n", "tools.a.folder", "or task for" },
    { TOOL "    folder: [task]\n", "tools.a.folder", "or task for" },
    { "mcp:\n  a: {command: b, folder: task}\n", "mcp.a.folder", "it must be an absolute path." },
    { TOOL "    environment: {WITAN_TASK_ID: x}\n", "tools.a.environment", "WITAN_TASK_ID is for witan" },
    { TOOL "    environment_from: [WITAN_JOB_ID]\n", "tools.a.environment_from", "WITAN_JOB_ID is for" },
    { "coder: {argv: [x], environment: {WITAN_PROJECT_ID: x}}\n", "coder.environment",
      "WITAN_PROJECT_ID is for witan to give" },
    { TOOL "    reads: [/a, b]\n", "tools.a.reads", "absolute paths" },
    { TOOL "    environment: [A]\n", "tools.a.environment", "a map" },
    { TOOL "    environment: {A: [b]}\n", "tools.a.environment", "A must be a text" },
    { TOOL "    environment: {\"A=B\": c}\n", "tools.a.environment", "A=B must be" },
    { TOOL "    network: perhaps\n", "tools.a.network", "true or false" },
    { TOOL "    category: cooking\n", "tools.a.category", "dependencyModifications" },
    { TOOL "    roles: [owner, king]\n", "tools.a.roles", "king is no role" },
    { TOOL "    projects: {a: b}\n", "tools.a.projects", "a list of texts" },
    { TOOL "    projects: [\"\"]\n", "tools.a.projects", "a list of texts" },
    { "tools:\n  a:\n    input_schema: {type: object}\n    argv: x\n", "tools.a.description", "missing" },
    { "tools:\n  a:\n    description: x\n    argv: x\n", "tools.a.input_schema", "missing" },
    { "tools:\n  a:\n    description: x\n    input_schema: {type: object}\n", "tools.a.argv", "missing" },
    { "tools:\n  a:\n    description: x\n    input_schema: {type: object}\n    argv: []\n", "tools.a.argv",
      "config.yaml:5: tools.a.argv: it names no program" },
    { "tools:\n  a:\n    description: \"\"\n", "tools.a.description", "not empty" },
    { "tools:\n  a:\n    input_schema: object\n", "tools.a.input_schema", "a JSON Schema" },
    { "tools:\n  a:\n    input_schema: {type: text}\n", "tools.a.input_schema", "/type must be one of" },
    { "tools:\n  a:\n    input_schema: {type: object, properties: {b: {minimum: x}}}\n",
      "tools.a.input_schema", "/properties/b/minimum must be a number" },
    { "tools:\n  a:\n    input_schema: {type: string}\n", "tools.a.input_schema", "type: object" },
    { "tools:\n  a: *b\n", "", "aliases" },
    { "tools:\n  ? [a]\n  : b\n", "", "a setting's name is a word" },
    { "mcp:\n  a: {}\n", "mcp.a", "a command or a url" },
    { "mcp:\n  a__b: {url: \"http://x\"}\n", "mcp.a__b", "single" },
    { "mcp:\n  a_: {url: \"http://x\"}\n", "mcp.a_", "single" },
    { "mcp:\n  a: {url: \"http://x\", command: [b]}\n", "mcp.a.url", "not both" },
    { "mcp:\n  a: {url: \"ftp://x\"}\n", "mcp.a.url", "config.yaml:2: mcp.a.url: " },
    { "mcp:\n  a: {command: []}\n", "mcp.a.command", "a command or a url" },
    { "mcp:\n  a: {command: b, argv: c}\n", "mcp.a.argv", "no such setting of a server" },
    { "mcp:\n  a: {command: b, headers: {X: y}}\n", "mcp.a.headers", "a command has none" },
    { "mcp:\n  a: {url: \"http://x\", folder: /tmp}\n", "mcp.a.folder", "by a URL has none" },
    { "mcp:\n  a: {url: \"http://x\", headers: {\"A: b\": y}}\n", "mcp.a.headers", "must be a text" },
    { "mcp:\n  a: {url: \"http://x\", headers: {A: \"y\\r\\nB: c\"}}\n", "mcp.a.headers", "of one line" },
    { "mcp:\n  a: {url: \"http://x\", api_key_env: A, api_key_file: /b}\n", "mcp.a.api_key_file",
      "not both" },
    { "mcp:\n  a: {command: b, cpu: 0s}\n", "mcp.a.cpu", "a duration" },
    { "mcp:\n  a: {url: \"http://b\", cpu: 1s}\n", "mcp.a.cpu", "has none" },
    { TOOL "    cpu: 1s\n", "tools.a.cpu", "no such setting" },
    { "mcp:\n  a: {command: b, restarts: -1}\n", "mcp.a.restarts", "0 to 1000" },
    { "mcp:\n  a: {command: b, tools: [c]}\n", "mcp.a.tools", "a map of the server's tools" },
    { "mcp:\n  a: {command: b, tools: {c: off}}\n", "mcp.a.tools.c", "it takes settings" },
    { "mcp:\n  a:\n    command: b\n    tools:\n      c: {timeout: 1s}\n", "mcp.a.tools.c.timeout",
      "config.yaml:5: mcp.a.tools.c.timeout: there is no such setting of a server's tool" },
    { "mcp:\n  a:\n    command: b\n    tools:\n      c: {roles: [king]}\n", "mcp.a.tools.c.roles",
      "king is no role" },
    { "mcp:\n  a: {command: b}\n" TOOL
      "  a__c:\n    description: x\n    input_schema: {type: object}\n    argv: x\n",
      "tools.a__c", "another one" },
};

static void what_is_wrong_is_refused_by_its_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct config config;
        struct err err = { 0 };

        write_file(wrong[i].text);
        if (config_load(&config, &(struct config_sources){ .file = file }, &err))
            fail_msg("taken: %s", wrong[i].text);
        if (err.code != ERR_INVALID || strcmp(err.field, wrong[i].field) != 0 ||
            !strstr(err.text, wrong[i].words) || !strstr(err.text, "config.yaml:"))
            fail_msg("%s: %s: %s", wrong[i].text, err.field, err.text);
        config_done(&config);
    }
}

static void a_slip_of_the_pen_is_told(void **state)
{
    struct config config;
    struct err err = { 0 };

    (void)state;
    write_file(TOOL "    idempotnt: true\n");
    assert_false(config_load(&config, &(struct config_sources){ .file = file }, &err));
    assert_string_equal(err.hint, "Did you mean idempotent?");
    config_done(&config);
    /* What is near to nothing is no slip. */
    err = (struct err){ 0 };
    write_file(TOOL "    bogus: true\n");
    assert_false(config_load(&config, &(struct config_sources){ .file = file }, &err));
    assert_string_equal(err.hint, "");
    config_done(&config);
}

static void tools_of_tasks_are_placed(void **state)
{
    struct config config;
    struct err err = { 0 };

    (void)state;
    write_file(TOOL "    folder: task\n  b:\n    description: x\n    input_schema: {type: object}\n"
                    "    argv: /bin/true\n    environment: {WITAN_URL: x}\n");
    load(&config);
    const struct tool_command *of_task = &config.tools.setup.commands[0], *other = of_task + 1;

    assert_true(of_task->tool.in_task_folder && !other->tool.in_task_folder);
    assert_true(config_tools_want_tasks(&config.tools));
    assert_false(config_tools_place(&config.tools, &config.arena, NULL, &err));
    assert_string_equal(err.field, "tools.a.folder");
    assert_non_null(strstr(err.text, "config.yaml:6: tools.a.folder: there is no place"));
    assert_string_equal(err.hint, "orchestrator.folder names one.");
    assert_true(config_tools_place(&config.tools, &config.arena, "/srv/tasks", &err));
    assert_null(of_task->program.folder);
    assert_string_equal(of_task->program.within, "/srv/tasks");
    assert_null(other->program.within);
    config_done(&config);
    write_file(TOOL);
    load(&config);
    assert_false(config_tools_want_tasks(&config.tools));
    assert_true(config_tools_place(&config.tools, &config.arena, NULL, &err));
    config_done(&config);
    write_file("coder: {argv: [x]}\n");
    load(&config);
    assert_true(config_tools_want_tasks(&config.tools));
    config_done(&config);
}

static void too_deep_and_too_many_are_refused(void **state)
{
    BUF_AUTO text = { 0 };
    struct config config;
    struct err err = { 0 };

    (void)state;
    buf_init(&text, 0);
    buf_text(&text, "tools: {a: {input_schema: ");
    for (int i = 0; i < 100; i++)
        buf_text(&text, "{not: ");
    write_file(text.bytes);
    assert_false(config_load(&config, &(struct config_sources){ .file = file }, &err));
    assert_non_null(strstr(err.text, "nested too deeply"));
    config_done(&config);

    buf_clear(&text);
    buf_text(&text, "tools:\n");
    for (int i = 0; i <= LIMIT_TOOLS; i++)
        buf_format(&text, "  t%d: {}\n", i);
    write_file(text.bytes);
    assert_false(config_load(&config, &(struct config_sources){ .file = file }, &err));
    assert_non_null(strstr(err.text, "more than 128 entries"));
    config_done(&config);
}

/* Two tools, of which the first writes "work", and what is said of the second. */
static void assert_apart(const char *second, const char *said)
{
    static const char one[] = "description: x, input_schema: {type: object}, argv: [/bin/cat";
    char text[2048], store[128], tasks[128];
    struct config config;
    struct err err = { 0 };

    snprintf(text, sizeof(text), "tools:\n  a: {%s], folder: F/work}\n  b: {%s%s}\n", one, one, second);
    BUF_AUTO whole_paths = { 0 };

    buf_init(&whole_paths, 0);
    for (const char *at = text; *at; at++)
        if (strncmp(at, "F/", 2) == 0)
            buf_text(&whole_paths, folder);
        else
            buf_char(&whole_paths, *at);
    write_file(whole_paths.bytes);
    load(&config);
    snprintf(store, sizeof(store), "%s/w.db", folder);
    snprintf(tasks, sizeof(tasks), "%s/tasks", folder);
    struct config_own own = { store, folder, file, tasks };
    bool apart = config_tools_apart(&config.tools, &config.arena, &own, &err);

    if (apart != !said || (said && !strstr(err.text, said)))
        fail_msg("%s: %s", second, err.text);
    if (said)
        assert_int_equal(strncmp(err.field, "tools.b.", 8), 0);
    config_done(&config);
}

static void in_folder(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
}

static void programs_are_kept_apart(void **state)
{
    static const char *const folders[] = { "work", "work/inner", "tasks", "else" };
    static const char *const links[][2] = { { "/etc", "work/out" },
                                            { "inner", "work/in" },
                                            { "/usr/bin/env", "work/run" },
                                            { "work/inner", "way" },
                                            { "../work/../else", "work/far" },
                                            { "else", "also" } };
    char path[128];

    (void)state;
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        in_folder(path, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
        in_folder(path, links[i][1]);
        assert_int_equal(symlink(links[i][0], path), 0);
    }
    in_folder(path, "w.db");
    fclose(fopen(path, "w"));
    assert_apart("]", NULL);
    assert_apart("], folder: F/work", NULL); /* one for two */
    assert_apart("], folder: F/work/", NULL);
    assert_apart("], folder: F/else/../work", NULL);
    assert_apart("], folder: F/also", NULL);
    assert_apart("], folder: F/work/inner", "leads through the folder of tools.a");
    assert_apart("], folder: F/way", "leads through the folder of tools.a");
    assert_apart("], folder: F/work/far", "leads through the folder of tools.a");
    assert_apart("], folder: F/work/../work/inner", "leads through the folder of tools.a");
    assert_apart("], folder: F/work/../else", NULL);
    assert_apart("], reads: [F/work/inner, F/work/in, F/work/run]", NULL);
    assert_apart("], reads: [F/else, F/work/out]", "leads out of the folder of tools.a");
    assert_apart(", F/work/out/passwd]", "leads out of the folder of tools.a");
    assert_apart(", F/work/out, /, F/]", NULL); /* of argv no folders are opened */
    assert_apart(", F/w.db]", "is the store's");
    assert_apart("], reads: [F/w.db]", "is the store's");
    assert_apart("], reads: [F/]", "holds the folder of the store");
    assert_apart("], reads: [/tmp]", "holds the folder of the store");
    assert_apart("], folder: /usr", "the system's files");
    for (size_t i = sizeof(links) / sizeof(*links); i-- > 0;) {
        in_folder(path, links[i][1]);
        unlink(path);
    }
    for (size_t i = sizeof(folders) / sizeof(*folders); i-- > 0;) {
        in_folder(path, folders[i]);
        rmdir(path);
    }
    in_folder(path, "w.db");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_settings_are_read),
        cmocka_unit_test(what_is_printed_can_be_read),
        cmocka_unit_test(json_has_them),
        cmocka_unit_test(the_template_names_every_setting),
        cmocka_unit_test(what_is_wrong_is_refused_by_its_key),
        cmocka_unit_test(a_slip_of_the_pen_is_told),
        cmocka_unit_test(tools_of_tasks_are_placed),
        cmocka_unit_test(too_deep_and_too_many_are_refused),
        cmocka_unit_test(programs_are_kept_apart),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

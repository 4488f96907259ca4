#include "cli/commands/commands.h"
#include "cli/complete.h"

#include "cli/client/target.h"
#include "server/serve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 32

static const struct field *param(const struct cli_command *command, const char *name)
{
    const struct op *op = command->op ? op_find(command->op) : NULL;

    for (const struct field *field = op ? op->params : NULL; field && field->type; field++)
        if (strcmp(field->name, name) == 0)
            return field;
    return NULL;
}

static void check_option(const struct cli_command *command, const struct cli_option *option)
{
    if (option->param && !param(command, option->param))
        fail_msg("%s: %s fills %s, which %s does not have", command->name, option->name, option->param,
                 command->op ? command->op : "no operation");
    if (!option->help && !option->param)
        fail_msg("%s: %s has no help", command->name, option->name);
}

static void every_command_is_whole(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (const struct cli_command *const *at = commands_all(&arena); *at; at++) {
        const struct cli_command *command = *at;

        if (!command->run)
            fail_msg("%s does nothing", command->name);
        if (command->op && !op_find(command->op))
            fail_msg("%s: there is no operation %s", command->name, command->op);
        if (!command->op && !command->help)
            fail_msg("%s has no help", command->name);
        for (const struct cli_option *arg = command->args; arg->name; arg++)
            check_option(command, arg);
        for (const struct cli_option *option = command->options; option->name; option++)
            check_option(command, option);
    }
}

static void every_operation_with_a_command_has_it(void **state)
{
    ARENA_AUTO arena = { 0 };
    const struct cli_command *const *all = commands_all(&arena);

    (void)state;
    for (const struct op *const *op = op_all(); *op; op++) {
        const struct cli_command *found = NULL;

        for (const struct cli_command *const *at = all; (*op)->cli && *at; at++)
            if (strcmp((*at)->name, (*op)->cli) == 0)
                found = *at;
        if ((*op)->cli && (!found || !found->op || strcmp(found->op, (*op)->name) != 0))
            fail_msg("%s is not offered as `witan %s`", (*op)->name, (*op)->cli);
    }
}

/* The words of an example after "witan", as a shell would split them, up to a pipe or the like. */
static int split(char *line, char *words[static WORDS_MAX])
{
    char *at = line, *to = line;
    int count = 0;

    while (*at && !strchr("|&;<>)", *at)) {
        words[count++] = to;
        for (char quote = '\0'; *at && (quote || !strchr(" |&;<>)", *at)); at++) {
            if (quote ? *at == quote : strchr("\"'", *at) != NULL)
                quote = quote ? '\0' : *at;
            else
                *to++ = *at;
        }
        char stop = *at;

        at += strspn(at, " ");
        *to++ = '\0';
        if (stop && stop != ' ')
            break;
    }
    return count;
}

static void check_example(const struct cli_command *const *all, const struct cli_command *command,
                          const char *line, size_t len)
{
    ARENA_AUTO arena = { 0 };
    struct cli cli = { .commands = all, .arena = &arena };
    struct err err = { 0 };
    char *copy = arena_copy(&arena, line, len);
    char *start = strstr(copy, "witan ");
    char *words[WORDS_MAX];
    int count;

    char *remark = strstr(copy, "  # ");

    if (!start)
        fail_msg("%s: an example does not call witan", command->name);
    /* As a shell has it: what follows is for people. */
    if (remark)
        *remark = '\0';
    count = split(start + strlen("witan "), words);
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "-") == 0)
            words[i] = "text";
    if (!cli_parse(&cli, count, words, &err))
        fail_msg("%s: %.*s: %s", command->name, (int)len, line, err.text);
    if (cli.command != command)
        fail_msg("%s: an example is of another command", command->name);
}

static void every_example_parses(void **state)
{
    ARENA_AUTO arena = { 0 };
    const struct cli_command *const *all = commands_all(&arena);
    size_t examples = 0;

    (void)state;
    for (const struct cli_command *const *at = all; *at; at++) {
        for (const char *line = (*at)->examples; line && *line; examples++) {
            size_t len = strcspn(line, "\n");

            check_example(all, *at, line, len);
            line += len + (line[len] == '\n');
        }
    }
    assert_true(examples >= 30);
}

static void every_shell_has_a_script(void **state)
{
    static const char *const shells[] = { "bash", "zsh", "fish" };
    BUF_AUTO text = { 0 };

    (void)state;
    buf_init(&text, 0);
    for (size_t i = 0; i < 3; i++) {
        buf_clear(&text);
        cli_completion(shells[i], &text);
        assert_non_null(strstr(text.bytes, " __complete "));
    }
    buf_clear(&text);
    cli_completion("cmd.exe", &text);
    assert_int_equal(text.len, 0);
}

/* What help calls a value that is one of a few words, or a list of such. */
static bool has_few_words(const char *value)
{
    static const char *const few[] = { "TYPE", "KIND",  "KINDS",  "STATUS",  "MODE",   "RULE",
                                       "WHEN", "WORD",  "ORDER",  "LEVEL",   "FORMAT", "SOURCE",
                                       "WHAT", "SHELL", "CLIENT", "PROVIDER" };

    for (size_t i = 0; value && i < sizeof(few) / sizeof(few[0]); i++)
        if (strcmp(few[i], value) == 0)
            return true;
    return false;
}

static void check_words(const struct cli_command *command, const struct cli_option *option, const char *value,
                        size_t *checked)
{
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    const char *word;

    if (has_few_words(value) && (!cli_word(command, option, 0) || !cli_word(command, option, 1)))
        fail_msg("%s: nobody knows what %s may be", command->name, option->name);
    for (size_t i = 0; (word = cli_word(command, option, i)); i++, (*checked)++)
        if (!cli_check_words(&arena, option, word, &err))
            fail_msg("%s: %s is offered, and refused: %s", command->name, word, err.text);
    if ((option->words || option->word_at) && !(option->flags & CLI_OTHER))
        assert_false(cli_check_words(&arena, option, "no-such-word", &err));
}

static void every_value_of_a_few_words_says_which(void **state)
{
    ARENA_AUTO arena = { 0 };
    size_t checked = 0;

    (void)state;
    for (const struct cli_command *const *at = commands_all(&arena); *at; at++) {
        for (const struct cli_option *arg = (*at)->args; arg->name; arg++)
            check_words(*at, arg, strcmp((*at)->name, "search") == 0 ? NULL : arg->name, &checked);
        for (const struct cli_option *option = (*at)->options; option->name; option++)
            check_words(*at, option, option->value, &checked);
    }
    assert_true(checked > 100);
}

/* The words that may follow, each behind a space. */
static const char *offered(struct arena *arena, const struct cli *cli, const char *const words[],
                           size_t count)
{
    BUF_AUTO text = { 0 };
    const char *all = "";

    buf_init(&text, 0);
    complete(cli, words, count, &text);
    for (const char *line = text.bytes; line && *line; line = strchr(line, '\n') + 1)
        all = arena_format(arena, "%s %.*s", all, (int)strcspn(line, "\t"), line);
    return all;
}

#define OFFERED(...) \
    offered(&arena, &cli, (const char *const[]){ __VA_ARGS__ }, \
            sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static void what_may_follow_is_offered(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct cli cli = { .commands = commands_all(&arena), .arena = &arena };

    (void)state;
    for (const struct cli_command *const *at = cli.commands; *at; at++) {
        const char *space = strchr((*at)->name, ' ');
        const char *first =
            space ? arena_copy(&arena, (*at)->name, (size_t)(space - (*at)->name)) : (*at)->name;

        assert_non_null(strstr(OFFERED(""), arena_format(&arena, " %s", first)));
        if (space)
            assert_non_null(strstr(OFFERED(first, ""), space));
    }
    assert_string_equal(OFFERED("discuss", "re"), " resume replay");
    assert_string_equal(OFFERED("discuss", "--rou"), " --rounds");
    assert_string_equal(OFFERED("discuss", "fork", "--a"), " --at");
    assert_string_equal(OFFERED("inbox", "--type", "appr"), " approval");
    assert_string_equal(OFFERED("inbox", "--type=appr"), " approval");
    assert_string_equal(OFFERED("inbox", "--type", "=", "appr"), " approval");
    assert_string_equal(OFFERED("inbox", "--type", "approval", "--sor"), " --sort");
    assert_string_equal(OFFERED("call", "prompt_list", "stat"), " status=");
    assert_string_equal(OFFERED("nothing", "of", "the", "kind", "x"), "");
    assert_string_equal(OFFERED("help", "docto"), " doctor");
    assert_string_equal(OFFERED("help", "al"), " all");
    assert_string_equal(OFFERED("purge", "--kind", "events,lo"), " events,logs");
    assert_string_equal(OFFERED("purge", "--kind=events,lo"), " events,logs");
    assert_string_equal(OFFERED("whoami", "--color", ""), " auto always never");
}

static void loopback_is_told_from_the_rest(void **state)
{
    static const char *const near[] = { "127.0.0.1:7117", "127.9.9.9:1", "[::1]:80", "localhost:80" };
    static const char *const far[] = {
        "0.0.0.0:80", "[::]:80", "10.0.0.1:80", "127.example.org:80", ":80", ""
    };

    (void)state;
    for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++)
        if (!serve_is_loopback(near[i]))
            fail_msg("%s is loopback", near[i]);
    for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
        if (serve_is_loopback(far[i]))
            fail_msg("%s is not loopback", far[i]);
}

/* The server is found by option, then variable, then settings. */
static void the_server_is_found(void **state)
{
    static const struct {
        const char *option, *variable, *listen, *public_url, *found;
    } cases[] = {
        { NULL, NULL, NULL, NULL, "http://127.0.0.1:7117" },
        { NULL, NULL, "0.0.0.0:80", NULL, "http://127.0.0.1:80" },
        { NULL, NULL, "[::]:80", NULL, "http://[::1]:80" },
        { NULL, NULL, "[::1]:80", "https://witan.example/", "https://witan.example" },
        { NULL, "http://b:1/", "c:1", NULL, "http://b:1" },
        { "http://a:1//", "http://b:1", "c:1", NULL, "http://a:1" },
        { "a:1", NULL, NULL, NULL, NULL },
    };

    (void)state;
    setenv("XDG_CONFIG_HOME", "/nowhere", 1);
    unsetenv("WITAN_TOKEN");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ARENA_AUTO arena = { 0 };
        struct cli cli = { .commands = commands_all(&arena), .arena = &arena };
        char *words[] = { "prompt", "list", "--url", (char *)cases[i].option };
        struct err err = { 0 };

        unsetenv("WITAN_URL");
        unsetenv("WITAN_SERVER_LISTEN");
        unsetenv("WITAN_SERVER_PUBLIC_URL");
        if (cases[i].variable)
            setenv("WITAN_URL", cases[i].variable, 1);
        if (cases[i].listen)
            setenv("WITAN_SERVER_LISTEN", cases[i].listen, 1);
        if (cases[i].public_url)
            setenv("WITAN_SERVER_PUBLIC_URL", cases[i].public_url, 1);
        assert_true(cli_parse(&cli, cases[i].option ? 4 : 2, words, &err));
        assert_int_equal(target_find(&cli, &err), cases[i].found != NULL);
        if (cases[i].found)
            assert_string_equal(cli.target.url, cases[i].found);
        assert_null(cli.target.token);
    }
}

static void a_token_that_would_break_a_header_is_refused(void **state)
{
    static const char *const bad[] = { "two words", "line\nbreak", "gr\xc3\xbcn" };

    (void)state;
    setenv("WITAN_URL", "http://127.0.0.1:1", 1);
    for (size_t i = 0; i < 3; i++) {
        ARENA_AUTO arena = { 0 };
        struct cli cli = { .commands = commands_all(&arena), .arena = &arena };
        char *words[] = { "prompt", "list" };
        struct err err = { 0 };

        setenv("WITAN_TOKEN", bad[i], 1);
        assert_true(cli_parse(&cli, 2, words, &err));
        assert_false(target_find(&cli, &err));
    }
    unsetenv("WITAN_TOKEN");
    unsetenv("WITAN_URL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_is_whole),
        cmocka_unit_test(every_operation_with_a_command_has_it),
        cmocka_unit_test(every_example_parses),
        cmocka_unit_test(every_shell_has_a_script),
        cmocka_unit_test(every_value_of_a_few_words_says_which),
        cmocka_unit_test(what_may_follow_is_offered),
        cmocka_unit_test(loopback_is_told_from_the_rest),
        cmocka_unit_test(the_server_is_found),
        cmocka_unit_test(a_token_that_would_break_a_header_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

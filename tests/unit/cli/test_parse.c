#include "cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_command ask = {
    .name = "prompt ask",
    .help = "Ask. And more.",
    .examples = "witan prompt ask x",
    .uses = CLI_SERVER | CLI_JSON,
    .args = { { "TEXT", .help = "The text.", .flags = CLI_STDIN } },
    .options = {
        { "agent", "NAME", .help = "Who.", .flags = CLI_MUST },
        { "timeout", "TIME", .help = "How long.", .flags = CLI_MINUTES },
        { "wait", .help = "Wait." },
    },
};
static const struct cli_command list = {
    .name = "prompt list",
    .help = "List.",
    .uses = CLI_SERVER,
    .args = { { "STATUS", .help = "Which.", .flags = CLI_MAY } },
};
static const struct cli_command call = {
    .name = "call",
    .help = "Call.",
    .args = { { "OP", .help = "What." }, { "KEY=VALUE", .help = "With.", .flags = CLI_MANY } },
};
static const struct cli_command bare = { .name = "bare", .help = "Nothing more to say." };
static const struct cli_command *const commands[] = { &ask, &list, &call, &bare, NULL };

struct run {
    struct arena arena;
    struct cli cli;
    struct err err;
    bool good;
};

/* Words are separated by '|', so that they can hold spaces. */
static void parse(struct run *run, const char *line)
{
    char *words[32];
    int count = 0;
    char *rest;

    *run = (struct run){ .cli = { .commands = commands } };
    run->cli.arena = &run->arena;
    rest = arena_text(&run->arena, line);
    for (char *word; *line && (word = strsep(&rest, "|")) != NULL;)
        words[count++] = word;
    run->good = cli_parse(&run->cli, count, words, &run->err);
}

static void done(struct run *run)
{
    arena_done(&run->arena);
}

static void words_become_values(void **state)
{
    struct run run;

    (void)state;
    parse(&run, "prompt|ask|--agent|Dev|What now?|--wait|--timeout=2h|--json|--quiet");
    assert_true(run.good);
    assert_ptr_equal(run.cli.command, &ask);
    assert_string_equal(cli_get(&run.cli, "agent"), "Dev");
    assert_string_equal(cli_get(&run.cli, "TEXT"), "What now?");
    assert_string_equal(cli_get(&run.cli, "timeout"), "120");
    assert_true(cli_has(&run.cli, "wait"));
    assert_true(run.cli.json);
    assert_true(run.cli.quiet);
    assert_null(cli_get(&run.cli, "url"));
    done(&run);
}

static void minutes_are_whole(void **state)
{
    static const char *const cases[][2] = {
        { "60s", "1" }, { "120s", "2" }, { "30m", "30" }, { "1.5h", "90" }, { "1d", "1440" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[64];
        struct run run;

        snprintf(line, sizeof(line), "prompt|ask|x|--agent|a|--timeout|%s", cases[i][0]);
        parse(&run, line);
        assert_true(run.good);
        assert_string_equal(cli_get(&run.cli, "timeout"), cases[i][1]);
        done(&run);
    }
}

static void the_last_of_two_values_counts(void **state)
{
    struct run run;

    (void)state;
    parse(&run, "prompt|ask|x|--agent|a|--agent|b");
    assert_string_equal(cli_get(&run.cli, "agent"), "b");
    done(&run);
}

static void two_dashes_end_the_options(void **state)
{
    struct run run;

    (void)state;
    parse(&run, "prompt|ask|--agent|a|--|--wait");
    assert_true(run.good);
    assert_string_equal(cli_get(&run.cli, "TEXT"), "--wait");
    assert_false(cli_has(&run.cli, "wait"));
    done(&run);
}

static void an_argument_may_take_many(void **state)
{
    struct run run;

    (void)state;
    parse(&run, "call|op|a=1|b:=2|c=");
    assert_true(run.good);
    assert_int_equal(run.cli.rest_count, 3);
    assert_string_equal(run.cli.rest[1], "b:=2");
    done(&run);
}

/* Each of these is refused as wrong usage, with these words. */
static void wrong_words_are_refused(void **state)
{
    static const struct {
        const char *line, *sentence, *hint;
    } cases[] = {
        { "prmpt|ask", "no command `witan prmpt`", "Did you mean `witan prompt ask`?" },
        { "calls", "no command `witan calls`", "Did you mean `witan call`?" },
        { "--url|x|inbx", "There is no command `witan inbx`", "" },
        { "prompt|aks|x", "no command `witan prompt aks`", "Did you mean `witan prompt ask`?" },
        { "prompt|ask|x|--agnet|a", "has no option --agnet", "Did you mean --agent?" },
        { "prompt|ask|x|--wiat", "has no option --wiat", "Did you mean --wait?" },
        { "prompt|ask|x|--jsn", "has no option --jsn", "Did you mean --json?" },
        { "prompt|list|--json", "has no option --json", "" },
        { "prompt|ask|x|-a|b", "has no option -a", "" },
        { "prompt|ask|x|--token|secret", "has no option --token", "WITAN_TOKEN" },
        { "prompt|ask|x|--agent", "--agent needs a value", "" },
        { "prompt|ask|x|--agent|a|--wait=yes", "--wait takes no value", "" },
        { "prompt|ask|x", "needs --agent NAME", "" },
        { "prompt|ask|--agent|a", "needs TEXT", "" },
        { "prompt|ask|x|y|--agent|a", "takes no further argument: \"y\"", "quotes" },
        { "bare|x y", "takes no further argument: \"x y\"", "`witan bare --help` shows how." },
        { "prompt|ask|x|--agent|a|--timeout|soon", "takes a duration", "" },
        { "prompt|ask|x|--agent|a|--timeout|-5m", "takes a duration", "" },
        { "prompt|ask|x|--agent|a|--timeout|61s", "minutes", "" },
        { "prompt|ask|x|--agent|a|--color|pink", "auto, always or never", "" },
        { "call", "needs OP", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct run run;

        parse(&run, cases[i].line);
        if (run.good)
            fail_msg("taken: %s", cases[i].line);
        assert_int_equal(err_exit(run.err.code), CLI_USAGE);
        if (!strstr(run.err.text, cases[i].sentence) || !strstr(run.err.hint, cases[i].hint))
            fail_msg("for %s: %s %s", cases[i].line, run.err.text, run.err.hint);
        done(&run);
    }
}

static void help_needs_nothing_else(void **state)
{
    static const char *const lines[] = { "",       "--help",        "-h",
                                         "prompt", "prompt|ask|-h", "prompt|ask|--help",
                                         "call|-h" };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct run run;

        parse(&run, lines[i]);
        assert_true(run.good);
        assert_true(run.cli.help);
        done(&run);
    }
}

static void a_dash_reads_standard_input(void **state)
{
    int ends[2], before = dup(STDIN_FILENO);
    struct run run;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "two\nlines\n\n", 11), 11);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    parse(&run, "prompt|ask|-|--agent|a");
    dup2(before, STDIN_FILENO);
    close(ends[0]);
    close(before);
    assert_true(run.good);
    assert_string_equal(cli_get(&run.cli, "TEXT"), "two\nlines");
    done(&run);
}

static void colour_follows_the_flag_and_the_variable(void **state)
{
    struct run run;

    (void)state;
    setenv("NO_COLOR", "1", 1);
    parse(&run, "prompt|list|--color|always");
    assert_true(run.cli.colour);
    done(&run);
    parse(&run, "prompt|list");
    assert_false(run.cli.colour);
    done(&run);
    unsetenv("NO_COLOR");
    parse(&run, "prompt|list|--color|never");
    assert_false(run.cli.colour);
    done(&run);
}

static void help_shows_examples_before_usage(void **state)
{
    BUF_AUTO text = { 0 };
    struct run run;

    (void)state;
    buf_init(&text, 0);
    parse(&run, "prompt|ask|-h");
    cli_help(&run.cli, NULL, &text);
    assert_non_null(strstr(text.bytes, "examples:\n  witan prompt ask x\n"));
    assert_true(strstr(text.bytes, "examples:") <
                strstr(text.bytes, "usage: witan prompt ask TEXT --agent NAME"));
    assert_non_null(strstr(text.bytes, "--token-file FILE"));
    done(&run);

    buf_clear(&text);
    parse(&run, "prompt");
    cli_help(&run.cli, "prompt", &text);
    assert_non_null(strstr(text.bytes, "prompt ask"));
    assert_null(strstr(text.bytes, "witan call"));
    done(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_values),
        cmocka_unit_test(minutes_are_whole),
        cmocka_unit_test(the_last_of_two_values_counts),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(an_argument_may_take_many),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(help_needs_nothing_else),
        cmocka_unit_test(a_dash_reads_standard_input),
        cmocka_unit_test(colour_follows_the_flag_and_the_variable),
        cmocka_unit_test(help_shows_examples_before_usage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The same rows as for parsing and help: a command by its longest name, an option by its name, a value by the
 * parameter that it fills. bash hands over "--type", "=", "approval" as three words, and so may others; they
 * mean one.
 */
#include "cli/complete.h"

#include "base/str.h"
#include "cli/term.h"

#include <string.h>

struct typing {
    const struct cli *cli;
    const struct cli_command *command; /* or NULL: not known yet */
    const struct cli_option *option;   /* whose value is being typed; or NULL */
    size_t arguments;                  /* how many stand before */
    const char *first;                 /* the first of them, or NULL */
    const char *group;                 /* the first word of a name that has a second; or NULL */
    bool help;                         /* `witan help` is being asked about something */
    const char *word;                  /* what is being typed */
    struct buf *into;
};

void complete_add(const char *typed, const char *word, const char *help, struct buf *into)
{
    ARENA_AUTO arena = { 0 };

    if (!str_starts(word, typed))
        return;
    buf_format(into, "%s\t%s\n", word, help ? str_beginning(&arena, term_line(&arena, help), 72) : "");
}

/* Calls `each` for every option of a command, the common ones included, until it says true. */
static const struct cli_option *each_option(const struct cli_command *command, struct typing *typing,
                                            bool (*each)(struct typing *typing,
                                                         const struct cli_option *option))
{
    const struct cli_option *lists[6] = { command->options, cli_common_options(CLI_USE_ALL) };
    size_t count = 2;

    for (unsigned use = CLI_SERVER; use <= CLI_JSON; use <<= 1)
        if (command->uses & use)
            lists[count++] = cli_common_options(use);
    for (size_t i = 0; i < count; i++)
        for (const struct cli_option *option = lists[i]; option->name; option++)
            if (each(typing, option))
                return option;
    return NULL;
}

static bool is_named(struct typing *typing, const struct cli_option *option)
{
    return str_starts(typing->word, "--") && str_equal(typing->word + 2, option->name);
}

static bool offer_option(struct typing *typing, const struct cli_option *option)
{
    ARENA_AUTO arena = { 0 };
    const struct field *field = cli_param(typing->command, option);

    complete_add(typing->word, arena_format(&arena, "--%s", option->name),
                 option->help ? option->help
                 : field      ? field->help
                              : NULL,
                 typing->into);
    return false;
}

/* Of a list with commas the last one is being typed; those before it stay in front. */
static void offer_words(struct typing *typing, const struct cli_option *option)
{
    ARENA_AUTO arena = { 0 };
    const char *comma = option->flags & CLI_LIST ? strrchr(typing->word, ',') : NULL;
    int before = comma ? (int)(comma + 1 - typing->word) : 0;
    const char *word;

    for (size_t i = 0; (word = cli_word(typing->command, option, i)); i++)
        complete_add(typing->word, arena_format(&arena, "%.*s%s", before, typing->word, word), NULL,
                     typing->into);
}

static enum complete_also offer_value(struct typing *typing, const struct cli_option *option)
{
    if (str_equal(option->name, "project") || str_equal(option->name, "PROJECT"))
        return COMPLETE_PROJECTS;
    if (str_equal(option->name, "AGENT"))
        return COMPLETE_AGENTS;
    offer_words(typing, option);
    return COMPLETE_NOTHING;
}

static void offer_ops(struct typing *typing)
{
    for (const struct op *const *op = op_all(); *op; op++)
        complete_add(typing->word, (*op)->name, (*op)->help, typing->into);
}

static void offer_params(struct typing *typing)
{
    ARENA_AUTO arena = { 0 };
    const struct op *op = op_find(typing->first);

    for (const struct field *field = op ? op->params : NULL; field && field->type; field++)
        complete_add(typing->word, arena_format(&arena, "%s=", field->name), field->help, typing->into);
}

/* What kind of thing an argument names by an id. */
static enum complete_also ids_of(const struct cli_command *command, const struct cli_option *arg)
{
    static const struct {
        const char *command;
        enum complete_also also;
    } known[] = {
        { "show", COMPLETE_WAITING },        { "answer", COMPLETE_WAITING },
        { "wait", COMPLETE_QUESTIONS },      { "cancel", COMPLETE_QUESTIONS },
        { "extend", COMPLETE_QUESTIONS },    { "link", COMPLETE_QUESTIONS },
        { "resolve", COMPLETE_SETS },        { "prompt answer", COMPLETE_PROMPTS },
        { "prompt show", COMPLETE_PROMPTS }, { "assign", COMPLETE_QUESTIONS },
        { "unassign", COMPLETE_QUESTIONS },  { "snooze", COMPLETE_QUESTIONS },
        { "wake", COMPLETE_QUESTIONS },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (str_equal(known[i].command, command->name) && arg == &command->args[0])
            return known[i].also;
    return COMPLETE_NOTHING;
}

static enum complete_also offer_argument(struct typing *typing)
{
    const struct cli_command *command = typing->command;
    const struct cli_option *arg = command->args;

    for (size_t i = 0; i < typing->arguments && arg->name && !(arg->flags & CLI_MANY); i++)
        arg++;
    if (!arg->name)
        return COMPLETE_NOTHING;
    if (str_equal(command->name, "call"))
        typing->arguments == 0 ? offer_ops(typing) : offer_params(typing);
    else if (ids_of(command, arg))
        return ids_of(command, arg);
    return offer_value(typing, arg);
}

/* The first or second words of names; each once. */
static void offer_commands(struct typing *typing)
{
    ARENA_AUTO arena = { 0 };
    const char *last = "";

    if (!typing->group && !typing->help)
        complete_add(typing->word, "help", "Help about a command.", typing->into);
    if (!typing->group && typing->help) {
        complete_add(typing->word, "all", "Every command with a line of its own.", typing->into);
        complete_add(typing->word, "exit-codes", "What the exit codes mean.", typing->into);
    }
    for (const struct cli_command *const *at = typing->cli->commands; *at; at++) {
        const char *name = (*at)->name, *second = strchr(name, ' ');
        const char *first = second ? arena_copy(&arena, name, (size_t)(second - name)) : name;

        if (typing->group && second && str_equal(first, typing->group))
            complete_add(typing->word, second + 1, (*at)->help, typing->into);
        if (!typing->group && !str_equal(first, last))
            complete_add(typing->word, first, second ? NULL : (*at)->help, typing->into);
        last = first;
    }
}

static const struct cli_command *command_named(const struct cli *cli, const char *name)
{
    for (const struct cli_command *const *at = cli->commands; *at; at++)
        if (str_equal((*at)->name, name))
            return *at;
    return NULL;
}

/* A word of the command's name, or an argument of it. */
static void take_plain(struct typing *typing, struct arena *arena, const char *word)
{
    const struct cli_command *longer =
        typing->group && typing->arguments == 0
            ? command_named(typing->cli, arena_format(arena, "%s %s", typing->group, word))
            : NULL;

    if (longer) {
        typing->command = longer;
        typing->group = NULL;
    } else if (!typing->command && !typing->group) {
        typing->help |= str_equal(word, "help");
        if (str_equal(word, "help"))
            return;
        typing->command = command_named(typing->cli, word);
        typing->group = cli_is_group(typing->cli, word) ? word : NULL;
    } else {
        typing->group = NULL;
        if (typing->arguments++ == 0)
            typing->first = word;
    }
}

static void take_word(struct typing *typing, struct arena *arena, const char *word)
{
    const struct cli_option *option;

    if (typing->option) {
        typing->option = NULL;
        return;
    }
    if (!str_starts(word, "--")) {
        take_plain(typing, arena, word);
        return;
    }
    if (!typing->command)
        return;
    typing->word = word;
    option = each_option(typing->command, typing, is_named);
    typing->option = option && option->value ? option : NULL;
}

/* "--type=app" is an option and the beginning of its value. */
static void split_option(struct typing *typing, struct arena *arena)
{
    const char *equals = strchr(typing->word, '=');

    if (typing->option || !equals || !str_starts(typing->word, "--"))
        return;
    take_word(typing, arena, arena_copy(arena, typing->word, (size_t)(equals - typing->word)));
    typing->word = equals + 1;
}

enum complete_also complete(const struct cli *cli, const char *const words[], size_t count, struct buf *into)
{
    ARENA_AUTO arena = { 0 };
    struct typing typing = { .cli = cli, .into = into };
    const char *last = count > 0 ? words[count - 1] : "";

    for (size_t i = 0; i + 1 < count; i++)
        if (!str_equal(words[i], "="))
            take_word(&typing, &arena, words[i]);
    typing.word = str_equal(last, "=") ? "" : last;
    split_option(&typing, &arena);
    if (typing.option)
        return offer_value(&typing, typing.option);
    if (typing.group || !typing.command)
        offer_commands(&typing);
    if (!typing.command)
        return COMPLETE_NOTHING;
    if (str_starts(typing.word, "-")) {
        each_option(typing.command, &typing, offer_option);
        return COMPLETE_NOTHING;
    }
    return typing.group && typing.arguments > 0 ? COMPLETE_NOTHING : offer_argument(&typing);
}

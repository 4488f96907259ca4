/*
 * What a value may be: said once, by the row of an option or by the parameter that it fills. Help, completion
 * and the parser ask here.
 */
#include "base/buf.h"
#include "base/str.h"
#include "cli/cli.h"

#include <string.h>

const struct field *cli_param(const struct cli_command *command, const struct cli_option *option)
{
    const struct op *op = command->op && option->param ? op_find(command->op) : NULL;

    for (const struct field *field = op ? op->params : NULL; field && field->type; field++)
        if (str_equal(field->name, option->param))
            return field;
    return NULL;
}

static const char *own_word(const struct cli_option *option, size_t at)
{
    if (option->word_at)
        return option->word_at(at);
    for (size_t i = 0; option->words && option->words[i]; i++)
        if (i == at)
            return option->words[i];
    return NULL;
}

const char *cli_word(const struct cli_command *command, const struct cli_option *option, size_t at)
{
    static const char *const yes_no[] = { "true", "false", NULL };
    const struct field *field = cli_param(command, option);
    const char *const *words = field && field->type == T_BOOL && option->value ? yes_no
                               : field                                         ? field->values
                                                                               : NULL;

    if (option->words || option->word_at)
        return own_word(option, at);
    for (size_t i = 0; words && words[i]; i++)
        if (i == at)
            return words[i];
    return NULL;
}

const char *cli_words_text(struct arena *arena, const struct cli_command *command,
                           const struct cli_option *option)
{
    BUF_AUTO text = { 0 };
    const char *word, *next;

    buf_init(&text, 0);
    for (size_t i = 0; (word = cli_word(command, option, i)); i++) {
        next = cli_word(command, option, i + 1);
        buf_format(&text, "%s%s", i == 0 ? "" : next ? ", " : " or ", word);
    }
    return arena_copy(arena, text.bytes ? text.bytes : "", text.len);
}

const char *cli_words_help(struct arena *arena, const struct cli_command *command,
                           const struct cli_option *option)
{
    bool own = option->words || option->word_at;

    if ((option->help && !own) || !cli_word(command, option, 0) || cli_word(command, option, CLI_WORDS_SHOWN))
        return "";
    return arena_format(arena, " %s: %s.", option->flags & CLI_OTHER ? "For instance" : "One of",
                        cli_words_text(arena, command, option));
}

static const char *shown_name(struct arena *arena, const struct cli_option *option)
{
    return option->value ? arena_format(arena, "--%s", option->name) : option->name;
}

static bool check_word(struct arena *arena, const struct cli_option *option, const char *given,
                       struct err *err)
{
    static const struct cli_command none = { .name = "" };
    const char *word, *nearest = NULL;
    size_t i;

    for (i = 0; (word = own_word(option, i)); i++) {
        if (str_equal(word, given))
            return true;
        if (!nearest && str_is_near(given, word))
            nearest = word;
    }
    if (i > CLI_WORDS_SHOWN)
        err_field(err, option->name, "%s: there is no \"%s\".", shown_name(arena, option), given);
    else
        err_field(err, option->name, "%s takes %s, not \"%s\".", shown_name(arena, option),
                  cli_words_text(arena, &none, option), given);
    return nearest ? err_hint(err, "Did you mean %s?", nearest) : false;
}

bool cli_check_words(struct arena *arena, const struct cli_option *option, const char *given, struct err *err)
{
    if ((!option->words && !option->word_at) || option->flags & CLI_OTHER)
        return true;
    if (!(option->flags & CLI_LIST))
        return check_word(arena, option, given, err);
    while (*given) {
        size_t len = strcspn(given, ",");

        if (!check_word(arena, option, str_trim(arena, arena_copy(arena, given, len)), err))
            return false;
        given += len + (given[len] == ',');
    }
    return true;
}

#include "oplog.h"

#include "util.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more at each power of two. */
static void *grow(void *list, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return list;
    list = realloc(list, size * (count ? count * 2 : 1));
    if (!list)
        die("out of memory for the record");
    return list;
}

static long take_number(char **at)
{
    char *end;
    long value = strtol(*at, &end, 10);

    if (end == *at)
        die("the record is broken near '%.40s'", *at);
    *at = end;
    return value;
}

/* A counted string that starts on the next line; it is ended with a NUL where its newline stood. */
static char *take_text(char **at, size_t len)
{
    char *line = strchr(*at, '\n'), *text = line + 1;

    if (!line || text[len] != '\n')
        die("the record is broken near '%.40s'", *at);
    text[len] = '\0';
    *at = text + len + 1;
    return text;
}

static void take_statement(struct oplog *log, char **at)
{
    struct oplog_statement statement = { 0 };
    size_t len = (size_t)take_number(at);
    char *line_end;

    statement.type_count = (size_t)take_number(at);
    statement.types = *at;
    line_end = strchr(*at, '\n');
    statement.text = take_text(at, len);
    *line_end = '\0';
    log->statements = grow(log->statements, log->statement_count, sizeof(statement));
    log->statements[log->statement_count++] = statement;
}

static void take_arg(struct oplog_arg *arg, char **at)
{
    arg->kind = *(*at)++;
    switch (arg->kind) {
    case 'n': break;
    case 'i': arg->number = take_number(at); break;
    case 'd': arg->real = strtod(*at, at); break;
    case 't':
        arg->len = (size_t)take_number(at);
        arg->text = take_text(at, arg->len);
        return;
    default: die("the record is broken near '%.40s'", *at - 1);
    }
    if (*(*at)++ != '\n')
        die("the record is broken near '%.40s'", *at - 1);
}

static void take_run(struct oplog *log, char **at)
{
    struct oplog_run run = { 0 };
    struct oplog_arg *args;

    run.connection = (unsigned)take_number(at);
    run.statement = (size_t)take_number(at);
    run.argc = (size_t)take_number(at);
    if (run.statement >= log->statement_count || *(*at)++ != '\n')
        die("the record is broken near '%.40s'", *at);
    args = need_memory(run.argc * sizeof(*args));
    for (size_t i = 0; i < run.argc; i++)
        take_arg(&args[i], at);
    run.argv = args;
    log->runs = grow(log->runs, log->run_count, sizeof(run));
    log->runs[log->run_count++] = run;
}

void oplog_read(struct oplog *log, const char *path)
{
    char *at = read_whole(path, NULL);

    *log = (struct oplog){ 0 };
    while (*at) {
        char kind = *at++;

        if (kind == 'S')
            take_statement(log, &at);
        else if (kind == 'X')
            take_run(log, &at);
        else
            die("the record is broken near '%.40s'", at - 1);
    }
    if (log->run_count == 0)
        die("%s records nothing: is the database library linked dynamically?", path);
}

bool oplog_is(const struct oplog *log, const struct oplog_run *run, const char *word)
{
    const char *text = log->statements[run->statement].text;
    size_t len = strlen(word);

    text += strspn(text, " \t\r\n");
    return strncasecmp(text, word, len) == 0 && !isalnum((unsigned char)text[len]);
}

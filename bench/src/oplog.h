/*
 * oplog.h - the statements a server ran, as record.so wrote them down.
 *
 * The bare loops do not hold a copy of the server's SQL, which would grow old: they replay what the server
 * itself ran, with the same values. The file is text with counted strings:
 *
 *   S <length> <types> <oid>...\n<text>\n      a statement; they are numbered from 0 in order
 *   X <connection> <statement> <arguments>\n   one execution, followed by one line for each argument:
 *   n\n  |  i <number>\n  |  d <number>\n  |  t <length>\n<bytes>\n
 *
 * Owner: oplog_read allocates everything, and the program keeps it until it ends. Thread: any.
 */
#ifndef BENCH_OPLOG_H
#define BENCH_OPLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oplog_arg {
    char kind; /* n, i, d or t */
    int64_t number;
    double real;
    const char *text; /* NUL-terminated */
    size_t len;
};

struct oplog_statement {
    const char *text;
    size_t type_count;
    const char *types; /* the oids, separated by spaces */
};

struct oplog_run {
    unsigned connection;
    size_t statement;
    size_t argc;
    const struct oplog_arg *argv;
};

struct oplog {
    size_t statement_count, run_count;
    struct oplog_statement *statements;
    struct oplog_run *runs;
};

void oplog_read(struct oplog *log, const char *path);

/* Whether a statement starts with this word, whatever its case. */
bool oplog_is(const struct oplog *log, const struct oplog_run *run, const char *word);

#endif

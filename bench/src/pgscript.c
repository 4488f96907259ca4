/*
 * pgscript.c - turns a recorded response to a prompt into a pgbench script.
 *
 *   pgscript --pg URL --record FILE --mark bench-agent- --prompts FILE --per-prompt 8
 *
 * The record holds responses that the server ran on PostgreSQL, one after another, each by an agent whose
 * name is the mark and a number, each to another prompt of the file. The last two are compared: what both
 * have in common stays as it is; ids that only the newer one has are made anew for each transaction, in time
 * order as the server's are; the prompt is taken from those that pgbench's own clients answer (bench/run puts
 * them there); the agent's number is the transaction's. Parameters are cast to the types that PostgreSQL
 * itself infers for the statement. pgbench runs the result with -M prepared, and -D n=0.
 */
#include "oplog.h"
#include "util.h"

#include <ctype.h>
#include <getopt.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UUID_LEN   36
#define FRESH_MAX  64
#define TYPE_COUNT 64

struct script {
    PGconn *pg;
    struct oplog log;
    const char *mark;
    const char *prompts; /* the ids, one on each line */
    long per_prompt;
    size_t newer, older; /* runs at which the two transactions begin */
    char fresh[FRESH_MAX][UUID_LEN + 1];
    size_t fresh_count;
};

static bool is_uuid(const char *text)
{
    for (int i = 0; i < UUID_LEN; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
            return false;
    }
    return true;
}

static bool ends(const struct script *script, size_t run)
{
    return oplog_is(&script->log, &script->log.runs[run], "COMMIT") ||
           oplog_is(&script->log, &script->log.runs[run], "END");
}

/* The next run of the same connection: others may stand between, since workers run side by side. */
static size_t next_of(const struct script *script, size_t run)
{
    unsigned connection = script->log.runs[run].connection;

    do
        run++;
    while (run < script->log.run_count && script->log.runs[run].connection != connection);
    return run;
}

static bool has_text(const struct oplog_run *run, const char *wanted)
{
    for (size_t i = 0; i < run->argc; i++) {
        if (run->argv[i].text && strstr(run->argv[i].text, wanted))
            return true;
    }
    return false;
}

/* Whether the transaction that begins here is committed and holds this text in one of its values. */
static bool transaction_has(const struct script *script, size_t begin, const char *wanted)
{
    bool found = false;
    size_t run = begin;

    for (; run < script->log.run_count && !ends(script, run); run = next_of(script, run))
        found = found || has_text(&script->log.runs[run], wanted);
    return found && run < script->log.run_count;
}

static void find_transactions(struct script *script)
{
    size_t found = 0;

    for (size_t i = 0; i < script->log.run_count; i++) {
        if (!oplog_is(&script->log, &script->log.runs[i], "BEGIN") ||
            !transaction_has(script, i, script->mark))
            continue;
        script->older = script->newer;
        script->newer = i;
        found++;
    }
    if (found < 2)
        die("the record holds %zu responses; two are needed", found);
}

static size_t fresh_number(struct script *script, const char *uuid)
{
    size_t i;

    for (i = 0; i < script->fresh_count; i++) {
        if (strncmp(script->fresh[i], uuid, UUID_LEN) == 0)
            return i;
    }
    if (i == FRESH_MAX)
        die("more than %d new ids in one response", FRESH_MAX);
    memcpy(script->fresh[i], uuid, UUID_LEN);
    return script->fresh_count++;
}

static void print_literal(const char *text, size_t len)
{
    putchar('\'');
    for (size_t i = 0; i < len; i++) {
        /* A colon before a letter would be a variable to pgbench, even within quotes. */
        if (text[i] == ':' && i + 1 < len && (isalnum((unsigned char)text[i + 1]) || text[i + 1] == '_'))
            fputs(":' || '", stdout);
        else if (text[i] == '\'')
            fputs("''", stdout);
        else
            putchar(text[i]);
    }
    putchar('\'');
}

enum part { PLAIN, MARK, PROMPT, FRESH };

/* What begins at this place of a value, and how long it is: most of it is plain. */
static enum part part_at(const struct script *script, const char *at, size_t *len)
{
    char uuid[UUID_LEN + 1];
    size_t mark = strlen(script->mark);

    *len = UUID_LEN;
    if (strncmp(at, script->mark, mark) == 0 && isdigit((unsigned char)at[mark])) {
        *len = mark + strspn(at + mark, "0123456789");
        return MARK;
    }
    if (!is_uuid(at))
        return PLAIN;
    snprintf(uuid, sizeof(uuid), "%.36s", at);
    if (strstr(script->prompts, uuid))
        return PROMPT;
    return transaction_has(script, script->older, uuid) ? PLAIN : FRESH;
}

static void print_part(struct script *script, enum part part, const char *at)
{
    const char *client = "lpad(to_hex(:client_id::bigint), 4, '0')";

    if (part == MARK)
        printf("'%s' || (:client_id::bigint * 100000000 + :n::bigint)::text", script->mark);
    else if (part == PROMPT)
        printf("lpad(to_hex(:n::bigint / %ld), 8, '0') || '-' || %s || '-7000-9000-000000000000'",
               script->per_prompt, client);
    else
        printf("lpad(to_hex(:n::bigint), 8, '0') || '-' || %s || '-7000-8000-%012zx'", client,
               fresh_number(script, at));
}

static void print_value(struct script *script, const struct oplog_arg *arg, const char *type)
{
    const char *at = arg->text, *plain = at, *glue = "";
    enum part part;
    size_t len;

    if (arg->kind == 'n') {
        printf("CAST(NULL AS %s)", type);
        return;
    }
    printf("CAST(");
    while (*at) {
        part = part_at(script, at, &len);
        if (part == PLAIN) {
            at++;
            continue;
        }
        if (at > plain) {
            fputs(glue, stdout);
            print_literal(plain, (size_t)(at - plain));
            glue = " || ";
        }
        fputs(glue, stdout);
        print_part(script, part, at);
        glue = " || ";
        at += len;
        plain = at;
    }
    if (!*glue || at > plain) {
        fputs(glue, stdout);
        print_literal(plain, (size_t)(at - plain));
    }
    printf(" AS %s)", type);
}

static PGresult *need_result(struct script *script, PGresult *result, const char *what)
{
    ExecStatusType status = PQresultStatus(result);

    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        die("%s: %s", what, PQerrorMessage(script->pg));
    return result;
}

static void parameter_types(struct script *script, const struct oplog_statement *statement, size_t count,
                            char types[TYPE_COUNT][64])
{
    Oid given[TYPE_COUNT] = { 0 };
    char *at = (char *)statement->types, oid[16];
    PGresult *described;

    for (size_t i = 0; i < statement->type_count && i < TYPE_COUNT; i++)
        given[i] = (Oid)strtoul(at, &at, 10);
    PQclear(need_result(script, PQprepare(script->pg, "", statement->text, (int)statement->type_count, given),
                        statement->text));
    described = need_result(script, PQdescribePrepared(script->pg, ""), statement->text);
    if (count > TYPE_COUNT || (size_t)PQnparams(described) != count)
        die("%zu values for %d parameters: %s", count, PQnparams(described), statement->text);
    for (size_t i = 0; i < count; i++) {
        const char *value = oid;
        PGresult *name;

        snprintf(oid, sizeof(oid), "%u", PQparamtype(described, (int)i));
        name = need_result(
            script,
            PQexecParams(script->pg, "SELECT format_type($1::oid, NULL)", 1, NULL, &value, NULL, NULL, 0),
            "format_type");
        snprintf(types[i], 64, "%s", PQgetvalue(name, 0, 0));
        PQclear(name);
    }
    PQclear(described);
}

/* Prints a statement on one line, its $n replaced by values. */
static void print_run(struct script *script, const struct oplog_run *run)
{
    const struct oplog_statement *statement = &script->log.statements[run->statement];
    char types[TYPE_COUNT][64];
    const char *at = statement->text;

    if (run->argc > 0)
        parameter_types(script, statement, run->argc, types);
    while (*at) {
        if (at[0] == '-' && at[1] == '-') {
            at += strcspn(at, "\n");
        } else if (*at == '$' && isdigit((unsigned char)at[1])) {
            size_t number = strtoul(at + 1, (char **)&at, 10);

            if (number < 1 || number > run->argc)
                die("$%zu has no value: %s", number, statement->text);
            print_value(script, &run->argv[number - 1], types[number - 1]);
        } else if (*at == ';') {
            at++;
        } else {
            putchar(*at == '\n' ? ' ' : *at);
            at++;
        }
    }
    printf(";\n");
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = {
        { "pg", required_argument, NULL, 'g' },         { "record", required_argument, NULL, 'r' },
        { "mark", required_argument, NULL, 'm' },       { "prompts", required_argument, NULL, 'p' },
        { "per-prompt", required_argument, NULL, 'n' }, { NULL, 0, NULL, 0 },
    };
    struct script script = { .per_prompt = 8, .prompts = "" };
    const char *url = "", *record = "";
    int letter;
    size_t run;

    while ((letter = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
        switch (letter) {
        case 'g': url = optarg; break;
        case 'r': record = optarg; break;
        case 'm': script.mark = optarg; break;
        case 'p': script.prompts = read_whole(optarg, NULL); break;
        case 'n': script.per_prompt = parse_count(optarg); break;
        default: die("see the head of bench/src/pgscript.c for how to call it");
        }
    }
    if (!script.mark)
        die("see the head of bench/src/pgscript.c for how to call it");
    oplog_read(&script.log, record);
    script.pg = PQconnectdb(url);
    if (PQstatus(script.pg) != CONNECTION_OK)
        die("%s", PQerrorMessage(script.pg));
    find_transactions(&script);
    printf("\\set n :n + 1\n");
    for (run = script.newer; !ends(&script, run); run = next_of(&script, run))
        print_run(&script, &script.log.runs[run]);
    print_run(&script, &script.log.runs[run]);
    PQfinish(script.pg);
    return 0;
}

#include "base/json.h"
#include "base/limits.h"
#include "server/local.h"

#include <inttypes.h>

static void write_verdict(const struct audit_verdict *verdict, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_bool(&out, "whole", verdict->whole);
    json_int(&out, "rows", verdict->rows);
    json_int(&out, "unsealed", verdict->unsealed);
    if (!verdict->whole) {
        json_int(&out, "brokenAt", verdict->broken_at);
        json_text(&out, "workspaceId", verdict->broken_in);
    }
    json_map_end(&out);
    buf_char(into, '\n');
}

static int say_verdict(const struct cli *cli, const struct audit_verdict *verdict)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    if (cli->json)
        write_verdict(verdict, &text);
    else if (verdict->whole)
        buf_format(&text, "The audit log is whole: %" PRId64 " rows, %" PRId64 " not sealed yet.\n",
                   verdict->rows, verdict->unsealed);
    else if (verdict->broken_in)
        buf_format(&text, "The audit log is broken at row %" PRId64 " of workspace %s.\n", verdict->broken_at,
                   verdict->broken_in);
    else
        buf_format(&text, "The audit log is broken: row %" PRId64 " is missing.\n", verdict->broken_at);
    int printed = cli_print(text.bytes, text.len);

    return verdict->whole ? printed : CLI_NO;
}

static int run_verify(struct cli *cli)
{
    struct err err = { 0 };
    struct local local = { .cli = cli };
    struct audit_verdict verdict = { 0 };
    bool good = local_open(&local, cli, false, &err) && audit_verify(local.db, cli->arena, &verdict, &err);
    int code = local_end(&local, good, &err);

    return code ? code : say_verdict(cli, &verdict);
}

/* The detail stays the text it is: its bytes are what the hash covers. */
static void write_entry(const struct audit_entry *entry, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_int(&out, "seq", entry->seq);
    json_time(&out, "at", entry->at_ms);
    json_text(&out, "workspaceId", entry->workspace_id);
    json_text(&out, "actorKind", entry->actor_kind);
    json_text(&out, "actorId", entry->actor_id);
    json_text(&out, "actor", entry->actor);
    json_text(&out, "operation", entry->operation);
    json_text(&out, "subject", entry->subject);
    json_text(&out, "door", entry->door);
    json_text(&out, "remote", entry->remote);
    json_text(&out, "requestId", entry->request_id);
    json_text(&out, "detail", entry->detail);
    json_text(&out, "hash", entry->hash);
    json_map_end(&out);
    buf_char(into, '\n');
}

/* One page at a time, in memory of its own: a log may be larger than the machine's. */
static bool export_page(const struct local *local, int64_t *after, bool *more, int *printed, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    struct audit_entry *entries;
    size_t count;

    if (!audit_read(local->db, &arena, local->workspace_id, *after, AUDIT_VERIFY_PAGE, &entries, &count, err))
        return false;
    buf_init(&text, 0);
    for (size_t i = 0; i < count; i++) {
        write_entry(&entries[i], &text);
        *after = entries[i].seq;
    }
    if (text.full)
        return err_set(err, ERR_TOO_LARGE, "A page of the log is larger than %d bytes.", LIMIT_REPLY);
    *printed = cli_print(text.bytes ? text.bytes : "", text.len);
    *more = count == AUDIT_VERIFY_PAGE;
    return true;
}

static int run_export(struct cli *cli)
{
    struct err err = { 0 };
    struct local local = { .cli = cli };
    int64_t after = 0;
    bool more = true;
    int printed = CLI_OK;
    bool good = local_open(&local, cli, false, &err);

    while (good && more && printed == CLI_OK)
        good = export_page(&local, &after, &more, &printed, &err);
    int code = local_end(&local, good, &err);

    return code ? code : printed;
}

const struct cli_command audit_commands[] = {
    {
        .name = "audit verify",
        .help = "Check that no row of the audit log was changed or taken out. Exit code 3 if one was.",
        .examples = "witan audit verify\nwitan audit verify --json",
        .uses = CLI_STORE | CLI_JSON,
        .run = run_verify,
    },
    {
        .name = "audit export",
        .help = "Print the audit log of a workspace as JSON lines, oldest first.",
        .examples = "witan audit export >audit.jsonl",
        .uses = CLI_STORE,
        .options = { LOCAL_WORKSPACE },
        .run = run_export,
    },
    { 0 },
};

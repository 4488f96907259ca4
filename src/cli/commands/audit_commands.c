/*
 * The list comes from a server, which names what was acted on. Verifying and exporting work on the store
 * without a server, page by page, in memory that does not grow with the log.
 */
#include "base/json.h"
#include "base/limits.h"
#include "cli/client/invoke.h"
#include "cli/commands/tables.h"
#include "cli/store/anchor_key.h"
#include "cli/store/local.h"
#include "cli/term.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What an anchor added to the verdict; `given` is false when there was none. */
struct against {
    bool given;
    struct audit_anchor anchor;
    struct anchor_verdict verdict;
};

static const char *const finding_names[] = {
    [ANCHOR_HOLDS] = "holds",
    [ANCHOR_CUT] = "cut",
    [ANCHOR_REPLACED] = "replaced",
    [ANCHOR_PURGED] = "purged",
};

static void write_verdict(const struct audit_verdict *verdict, const struct against *against,
                          struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_bool(&out, "whole", verdict->whole);
    json_int(&out, "rows", verdict->rows);
    json_int(&out, "unsealed", verdict->unsealed);
    json_int(&out, "purged", verdict->purged);
    json_int(&out, "erased", verdict->erased);
    if (!verdict->whole) {
        json_int(&out, "brokenAt", verdict->broken_at);
        json_text(&out, "workspaceId", verdict->broken_in);
    }
    if (against->given) {
        json_map(&out, "anchor");
        json_text(&out, "at", against->anchor.at);
        json_text(&out, "publicKey", against->anchor.public_key);
        json_text(&out, "finding", finding_names[against->verdict.finding]);
        if (against->verdict.finding != ANCHOR_HOLDS) {
            json_int(&out, "seq", against->verdict.seq);
            json_text(&out, "workspaceId", against->verdict.workspace_id);
        }
        json_map_end(&out);
    }
    json_map_end(&out);
    buf_char(into, '\n');
}

static void say_chain(const struct audit_verdict *verdict, struct buf *text)
{
    if (verdict->whole)
        buf_format(text, "The audit log is whole: %" PRId64 " rows, %" PRId64 " not sealed yet.\n",
                   verdict->rows, verdict->unsealed);
    else if (verdict->broken_in)
        buf_format(text, "The audit log is broken at row %" PRId64 " of workspace %s.\n", verdict->broken_at,
                   verdict->broken_in);
    else if (verdict->broken_at <= verdict->purged)
        buf_format(text, "The audit log is broken: row %" PRId64 " stands where no row can be.\n",
                   verdict->broken_at);
    else
        buf_format(text, "The audit log is broken: row %" PRId64 " is missing.\n", verdict->broken_at);
    if (verdict->purged > 0)
        buf_format(text, "The %" PRId64 " rows before it were purged, with a sealed checkpoint.\n",
                   verdict->purged);
    if (verdict->whole && verdict->erased > 0)
        buf_format(text, "%" PRId64 " rows have lost their person, with a sealed record.\n", verdict->erased);
}

static void say_against(const struct against *against, struct buf *text)
{
    const struct anchor_verdict *verdict = &against->verdict;

    switch (verdict->finding) {
    case ANCHOR_HOLDS:
        buf_format(text, "It holds every row that the anchor of %s names (key %.16s...).\n",
                   against->anchor.at, against->anchor.public_key);
        break;
    case ANCHOR_CUT:
        buf_format(text,
                   "Its end was cut off: row %" PRId64
                   " of workspace %s, which the anchor of %s names, is gone.\n",
                   verdict->seq, verdict->workspace_id, against->anchor.at);
        break;
    case ANCHOR_REPLACED:
        buf_format(text,
                   "It was replaced: row %" PRId64
                   " of workspace %s is not the one that the anchor of %s names.\n",
                   verdict->seq, verdict->workspace_id, against->anchor.at);
        break;
    case ANCHOR_PURGED:
        buf_format(
            text,
            "The anchor of %s is too old to say anything: row %" PRId64
            " of workspace %s was purged since. Make anchors more often than audit.keep lets go of rows.\n",
            against->anchor.at, verdict->seq, verdict->workspace_id);
        break;
    }
}

static int say_verdict(const struct cli *cli, const struct audit_verdict *verdict,
                       const struct against *against)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    if (cli->json) {
        write_verdict(verdict, against, &text);
    } else {
        say_chain(verdict, &text);
        if (against->given)
            say_against(against, &text);
    }
    int printed = cli_print(text.bytes, text.len);

    return verdict->whole && (!against->given || against->verdict.finding == ANCHOR_HOLDS) ? printed : CLI_NO;
}

/* The anchor itself, the name of its file, or "-" for standard input. */
static bool read_text(struct cli *cli, const char *given, const char **text, struct err *err)
{
    FILE *file;
    BUF_AUTO bytes = { 0 };
    char part[4096];
    size_t got;

    *text = given;
    if (given[0] == '{')
        return true;
    if (strcmp(given, "-") == 0)
        return cli_read_stdin(cli->arena, text, err);
    file = fopen(given, "re");
    if (!file)
        return err_set(err, ERR_NOT_FOUND, "Cannot read the anchor %s: %s.", given, strerror(errno));
    buf_init(&bytes, LIMIT_ANCHOR);
    while ((got = fread(part, 1, sizeof(part), file)) > 0)
        buf_add(&bytes, part, got);
    fclose(file);
    *text = arena_copy(cli->arena, bytes.bytes ? bytes.bytes : "", bytes.len);
    return !bytes.full || err_set(err, ERR_TOO_LARGE, "%s is too large to be an anchor.", given);
}

/* By which key it must be signed: the one that was named, else our own, if there is one. */
static bool check_key(struct cli *cli, const struct audit_anchor *anchor, struct err *err)
{
    const char *wanted = cli_get(cli, "key");
    const char *path = anchor_key_path(cli->arena, settings());
    unsigned char seed[crypto_sign_SEEDBYTES];
    char own[ANCHOR_KEY_HEX];
    bool made;

    if (!wanted && anchor_key_exists(path)) {
        if (!anchor_key_load(path, seed, &made, err))
            return false;
        audit_anchor_public_key(seed, own);
        sodium_memzero(seed, sizeof(seed));
        wanted = own;
    }
    if (!wanted) {
        cli_note(cli, "There is no key here to compare: the anchor is signed by %s.", anchor->public_key);
        return true;
    }
    if (strcasecmp(wanted, anchor->public_key) == 0)
        return true;
    err_set(err, ERR_INVALID, "The anchor is signed by another key: %s.", anchor->public_key);
    return err_hint(err, "If you know that key, say so: --key KEY.");
}

/* Anchor and key are files of the caller's. */
static bool read_against(struct local_store *local, struct against *against, struct err *err)
{
    struct cli *cli = local->cli;
    const char *given = cli_get(cli, "against"), *text;

    against->given = given != NULL;
    return !given || (local_as_caller(local) && read_text(cli, given, &text, err) &&
                      audit_anchor_read(cli->arena, text, strlen(text), &against->anchor, err) &&
                      check_key(cli, &against->anchor, err) && local_as_owner(local));
}

static int run_verify(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    struct audit_verdict verdict = { 0 };
    struct against against = { 0 };
    bool good = local_open(&local, cli, false, &err) && read_against(&local, &against, &err) &&
                audit_verify(&local.tx, &verdict) &&
                (!against.given || audit_anchor_check(&local.tx, &against.anchor, &against.verdict));
    int code = local_end(&local, good, &err);

    return code ? code : say_verdict(cli, &verdict, &against);
}

/* An anchor of a broken log would vouch for what is wrong. */
static bool make_anchor(struct local_store *local, struct buf *text, struct err *err)
{
    struct audit_verdict verdict;
    const char *path = anchor_key_path(local->tx.arena, settings());
    unsigned char seed[crypto_sign_SEEDBYTES];
    bool made;

    if (!audit_verify(&local->tx, &verdict))
        return false;
    if (!verdict.whole) {
        err_set(err, ERR_CONFLICT, "The audit log is broken, so no anchor was made.");
        return err_hint(err, "`witan audit verify` says where.");
    }
    if (!local_as_caller(local) || !anchor_key_load(path, seed, &made, err) || !local_as_owner(local))
        return false;
    bool good = audit_anchor_make(&local->tx, seed, text);

    sodium_memzero(seed, sizeof(seed));
    if (good && made)
        cli_note(local->cli, "Made the key %s. Keep it, and keep it away from the store's backups.", path);
    return good;
}

static int run_anchor(struct cli *cli)
{
    struct err err = { 0 };
    struct local_store local = { .cli = cli };
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    bool good = local_open(&local, cli, false, &err) && make_anchor(&local, &text, &err);
    int code = local_end(&local, good, &err);

    return code ? code : cli_print(text.bytes, text.len);
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
static bool export_page(const struct local_store *local, int64_t *after, bool *more, int *printed,
                        struct err *err)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO text = { 0 };
    struct tx own = tx_with_arena(&local->tx, &arena);
    struct audit_entry *entries;
    size_t count;

    if (!audit_read(&own, local->workspace_id, *after, AUDIT_VERIFY_PAGE, &entries, &count))
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
    struct local_store local = { .cli = cli };
    int64_t after = 0;
    bool more = true;
    int printed = CLI_OK;
    bool good = local_open(&local, cli, false, &err);

    while (good && more && printed == CLI_OK)
        good = export_page(&local, &after, &more, &printed, &err);
    int code = local_end(&local, good, &err);

    return code ? code : printed;
}

static int run_list(struct cli *cli)
{
    static const struct term_column columns[] = {
        { "seq", "ROW", false },       { "at", "WHEN", true },        { "actor", "WHO", false },
        { "operation", "DID", false }, { "about.kind", "TO", false }, { "about.name", "NAME", false },
    };
    BUF_AUTO text = { 0 };
    JSON_AUTO *params = json_object();
    JSON_AUTO *page = NULL;
    struct client_reply reply;
    struct err err = { 0 };
    struct term term;

    if (!invoke_collect(cli, params, &err) || !invoke_json(cli, cli->op, params, 0, &reply, &page, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return invoke_print(cli, &reply, false);
    const json_t *rows = json_object_get(page, "entries");

    if (json_array_size(rows) == 0) {
        cli_note(cli, "There are no such rows.");
        return CLI_OK;
    }
    buf_init(&text, 0);
    term_init(&term, cli->arena, &text, cli->colour);
    term_table(&term, rows, columns, sizeof(columns) / sizeof(*columns), reply.date_ms);
    return cli_print(text.bytes, text.len);
}

const struct cli_command audit_commands[] = {
    {
        .name = "audit list",
        .op = "audit_list",
        .help = "Show who did what to which row when; newest first.",
        .examples = "witan audit list\nwitan audit list --actor maya --operation question_answer",
        .uses = CLI_SERVER | CLI_JSON,
        .options = {
            { "actor", "NAME", .param = "actor" },
            { "operation", "NAME", .param = "operation" },
            { "subject", "TEXT", .param = "subject" },
            { "after", "TIME", .param = "after" },
            { "before", "TIME", .param = "before" },
            { "limit", "N", .param = "limit" },
            { "cursor", "TEXT", .param = "cursor" },
        },
        .run = run_list,
    },
    {
        .name = "audit verify",
        .help = "Check that no row of the audit log was changed or taken out. Exit code 3 if one was.",
        .examples = "witan audit verify\nwitan audit verify --json\nwitan audit verify --against anchor.json",
        .uses = CLI_STORE | CLI_OWN | CLI_JSON,
        .options = {
            { "against", "FILE", .help = "An anchor, or a file with one, or -: also find an end that was cut off, and a log that was replaced." },
            { "key", "KEY", .help = "The public key that the anchor must be signed by. Default: this machine's own." },
        },
        .run = run_verify,
    },
    {
        .name = "audit anchor",
        .help = "Print a signed note of where the audit log ends now. "
                "Keep it where nobody who can write the store can change it: `audit verify --against` then finds an end that was cut off.",
        .examples = "witan audit anchor >anchor-$(date +%F).json\n"
                    "witan audit anchor | ssh elsewhere 'cat >>anchors.jsonl'",
        .uses = CLI_STORE | CLI_OWN,
        .run = run_anchor,
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

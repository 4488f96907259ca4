/*
 * A dry run unless --yes is said. Each batch is a transaction of its own, so that a running server goes on in
 * between.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/commands/tables.h"
#include "cli/store/local.h"
#include "cli/term.h"
#include "core/upkeep/purge.h"

#include <inttypes.h>
#include <string.h>

/* What one run is about. */
struct purge {
    struct local_store local;
    struct {
        bool wanted;
        int64_t before_ms, count, gone;
    } kinds[PURGE_KINDS];
};

static bool want_all(struct purge *purge)
{
    for (size_t i = 0; i < PURGE_KINDS; i++)
        purge->kinds[i].wanted = true;
    return true;
}

/* --kind events,logs; all when it is left out. */
static bool choose_kinds(struct purge *purge, struct cli *cli, struct err *err)
{
    const char *given = cli_get(cli, "kind");
    char *words = arena_text(cli->arena, given), *rest = NULL;
    enum purge_kind kind;

    if (!given)
        return want_all(purge);
    for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (!purge_parse(str_trim(cli->arena, word), &kind))
            return err_field(err, "kind", "There is no kind \"%s\".", word);
        purge->kinds[kind].wanted = true;
    }
    return true;
}

/* --older-than for every kind, or what the settings say for each. */
static bool choose_ages(struct purge *purge, struct cli *cli, struct err *err)
{
    const char *given = cli_get(cli, "older-than");
    int64_t age_ms = 0;

    if (given && !cli_duration("older-than", given, &age_ms, err))
        return false;
    for (size_t i = 0; i < PURGE_KINDS; i++) {
        int64_t keep_ms = given ? age_ms : purge_keep_ms((enum purge_kind)i);

        if (!given && keep_ms == 0)
            purge->kinds[i].wanted = false; /* kept for ever */
        purge->kinds[i].before_ms = purge->local.tx.now_ms - keep_ms;
    }
    return true;
}

static bool count_kinds(struct purge *purge)
{
    for (size_t i = 0; i < PURGE_KINDS; i++)
        if (purge->kinds[i].wanted && !purge_count(&purge->local.tx, (enum purge_kind)i,
                                                   purge->kinds[i].before_ms, &purge->kinds[i].count))
            return false;
    return true;
}

/* Each batch is a transaction of its own, so that a running server goes on between them. */
static bool purge_kind(struct purge *purge, enum purge_kind kind, struct err *err)
{
    struct local_store *local = &purge->local;
    struct audit_entry by = { .actor_kind = caller_kind_name(CALLER_LOCAL),
                              .actor_id = "local",
                              .actor = "local",
                              .door = "store",
                              .at_ms = local->tx.now_ms };
    size_t batch = kind == PURGE_AUDIT ? PURGE_AUDIT_BATCH : PURGE_BATCH, purged;

    do {
        ARENA_AUTO arena = { 0 };
        struct tx own = tx_with_arena(&local->tx, &arena);

        if (!purge_batch(&own, kind, &by, purge->kinds[kind].before_ms, batch, &purged) ||
            !local_commit(local) || !db_begin(local->tx.db, true, err))
            return false;
        purge->kinds[kind].gone += (int64_t)purged;
    } while (purged > 0);
    return true;
}

static const char *detail(struct arena *arena, const struct purge *purge)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    json_map(&out, NULL);
    for (size_t i = 0; i < PURGE_KINDS; i++)
        if (purge->kinds[i].wanted)
            json_int(&out, purge_name((enum purge_kind)i), purge->kinds[i].gone);
    json_map_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

static bool purge_kinds(struct purge *purge, struct err *err)
{
    for (size_t i = 0; i < PURGE_KINDS; i++)
        if (purge->kinds[i].wanted && purge->kinds[i].count > 0 &&
            !purge_kind(purge, (enum purge_kind)i, err))
            return false;
    return local_audit(&purge->local, "store_purge", NULL, detail(purge->local.tx.arena, purge)) &&
           local_commit(&purge->local);
}

static void write_json(const struct purge *purge, bool done, struct buf *text)
{
    struct json_out out;

    json_begin(&out, text);
    json_map(&out, NULL);
    json_bool(&out, "purged", done);
    json_list(&out, "kinds");
    for (size_t i = 0; i < PURGE_KINDS; i++) {
        if (!purge->kinds[i].wanted)
            continue;
        json_map(&out, NULL);
        json_text(&out, "kind", purge_name((enum purge_kind)i));
        json_time(&out, "before", purge->kinds[i].before_ms);
        json_int(&out, "rows", done ? purge->kinds[i].gone : purge->kinds[i].count);
        json_map_end(&out);
    }
    json_list_end(&out);
    json_map_end(&out);
    buf_char(text, '\n');
}

static void write_lines(const struct cli *cli, const struct purge *purge, bool done, struct buf *text)
{
    for (size_t i = 0; i < PURGE_KINDS; i++)
        if (purge->kinds[i].wanted)
            buf_format(text, "%-13s  %s before %s: %" PRId64 " %s\n", purge_name((enum purge_kind)i),
                       done ? "purged" : "would purge",
                       term_time(cli->arena, clock_text(cli->arena, purge->kinds[i].before_ms),
                                 clock_now_ms(), cli->utc),
                       done ? purge->kinds[i].gone : purge->kinds[i].count, purge_what((enum purge_kind)i));
    if (text->len == 0)
        buf_text(text, "Nothing: the settings keep everything for ever. --older-than says otherwise.\n");
}

static int say(const struct cli *cli, const struct purge *purge, bool done)
{
    BUF_AUTO text = { 0 };

    buf_init(&text, 0);
    if (cli->json)
        write_json(purge, done, &text);
    else
        write_lines(cli, purge, done, &text);
    return cli_print(text.bytes, text.len);
}

static int run_purge(struct cli *cli)
{
    struct err err = { 0 };
    struct purge purge = { .local = { .cli = cli } };
    bool act = cli_has(cli, "yes") && !cli_has(cli, "dry-run");
    bool good = choose_kinds(&purge, cli, &err) && local_open(&purge.local, cli, act, &err) &&
                local_take_time(&purge.local) && choose_ages(&purge, cli, &err) && count_kinds(&purge) &&
                (!act || purge_kinds(&purge, &err));
    int code = local_end(&purge.local, good, &err);

    if (code)
        return code;
    code = say(cli, &purge, act);
    if (act || cli_has(cli, "dry-run") || code)
        return code;
    err_set(&err, ERR_INVALID, "Nothing was purged yet: what goes cannot be brought back.");
    err_hint(&err, "Add --yes if that is what you want; --dry-run only looks.");
    return cli_fail(cli, &err);
}

static const char *kind_at(size_t at)
{
    return at < PURGE_KINDS ? purge_name((enum purge_kind)at) : NULL;
}

const struct cli_command purge_commands[] = {
    {
        .name = "purge",
        .help = "Let go of what has been kept for long enough, beside a running server. "
                "The settings events.keep, logs.keep, notifications.keep, discussions.keep, idempotency.lifetime and audit.keep say how long; the server applies them by itself.",
        .examples = "witan purge --dry-run\nwitan purge --older-than 90d --kind events,logs --yes\n"
                    "witan purge --older-than 730d --kind audit --yes",
        .uses = CLI_STORE | CLI_JSON,
        .options = {
            { "older-than", "TIME", .help = "Such as 90d, instead of what the settings say." },
            { "kind", "KINDS", .help = "Which kinds, with commas between; all of them without it.", .flags = CLI_LIST,
              .word_at = kind_at },
            { "dry-run", .help = "Only say what would go." },
            { "yes", .help = "Do it. Without it this only looks, and ends with exit code 2." },
        },
        .run = run_purge,
    },
    { 0 },
};

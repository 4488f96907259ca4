/*
 * A curl handle with the server's address, who calls, and the limits that hold for everything the command
 * line sends.
 */
#include "cli/client/transfer.h"

#include "base/limits.h"
#include "base/str.h"
#include "core/identity/cookie.h"
#include "gen/version.h"

#include <stdlib.h>
#include <string.h>

void transfer_add(struct cli *cli, struct transfer *transfer, const char *name, const char *value)
{
    struct curl_slist *longer;

    if (!value)
        return;
    longer = curl_slist_append(transfer->headers, arena_format(cli->arena, "%s: %s", name, value));
    if (!longer)
        abort();
    transfer->headers = longer;
}

/* A name with a line end in it would be a header of its own. */
const char *transfer_safe(struct arena *arena, const char *value)
{
    char *text = value ? arena_text(arena, value) : NULL;

    for (char *c = text; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    return text;
}

size_t transfer_take(char *bytes, size_t size, size_t count, void *user)
{
    struct buf *body = user;

    buf_add(body, bytes, size * count);
    return body->full ? 0 : size * count;
}

/* Whatever proxy the environment names, it has no way to this machine's own loopback. */
static bool is_loopback(const char *url)
{
    return str_starts(url, "http://127.") || str_starts(url, "http://localhost:") ||
           str_starts(url, "http://[::1]");
}

static int beat(void *user, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
    struct cli *cli = user;

    (void)down_all, (void)down, (void)up_all, (void)up;
    return cli->pulse(cli) ? 0 : 1;
}

/* What comes with a login must say where it comes from (edge/gate.c): from the server's own address. */
static void add_login(struct cli *cli, struct transfer *transfer)
{
    const char *url = cli->target.url, *host = strstr(url, "://");

    if (!cli->target.session || !host)
        return;
    transfer_add(cli, transfer, "Cookie",
                 arena_format(cli->arena, COOKIE_SESSION "=%s", cli->target.session));
    transfer_add(cli, transfer, "Origin",
                 arena_copy(cli->arena, url, (size_t)(host - url) + 3 + strcspn(host + 3, "/")));
}

void transfer_open(struct cli *cli, struct transfer *transfer, const char *path)
{
    const char *bearer = cli->target.token ? arena_format(cli->arena, "Bearer %s", cli->target.token) : NULL;

    *transfer = (struct transfer){ .curl = curl_easy_init() };
    if (!transfer->curl)
        abort();
    buf_init(&transfer->body, LIMIT_REPLY);
    curl_easy_setopt(transfer->curl, CURLOPT_URL, arena_format(cli->arena, "%s%s", cli->target.url, path));
    curl_easy_setopt(transfer->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(transfer->curl, CURLOPT_NOSIGNAL, 1L);
    if (is_loopback(cli->target.url))
        curl_easy_setopt(transfer->curl, CURLOPT_PROXY, "");
    curl_easy_setopt(transfer->curl, CURLOPT_CONNECTTIMEOUT, CLIENT_CONNECT_S);
    curl_easy_setopt(transfer->curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(transfer->curl, CURLOPT_USERAGENT, "witan/" WITAN_VERSION);
    curl_easy_setopt(transfer->curl, CURLOPT_WRITEFUNCTION, transfer_take);
    curl_easy_setopt(transfer->curl, CURLOPT_WRITEDATA, &transfer->body);
    if (cli->pulse) {
        curl_easy_setopt(transfer->curl, CURLOPT_NOPROGRESS, 0L);
        curl_easy_setopt(transfer->curl, CURLOPT_XFERINFOFUNCTION, beat);
        curl_easy_setopt(transfer->curl, CURLOPT_XFERINFODATA, cli);
    }
    transfer_add(cli, transfer, "Authorization", bearer);
    add_login(cli, transfer);
    transfer_add(cli, transfer, "X-Witan-Workspace", transfer_safe(cli->arena, cli->target.workspace));
    /* libcurl would wait a second for a 100 Continue that buys nothing here. */
    transfer_add(cli, transfer, "Expect", "");
}

void transfer_close(struct transfer *transfer)
{
    curl_slist_free_all(transfer->headers);
    curl_easy_cleanup(transfer->curl);
    buf_done(&transfer->body);
}

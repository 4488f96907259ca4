/*
 * assets.c - the web app, from the program's own bytes.
 *
 * Files whose names carry a hash are kept by browsers for good; the page that names them is asked for anew
 * each time, and mostly answered with 304. The app runs under a policy that lets nothing in but itself: no
 * inline script or style, no foreign host, and no text that becomes markup (Trusted Types) other than what
 * the framework compiled.
 */
#include "edge/assets.h"

#include "base/str.h"
#include "edge/internal.h"

#include <stdio.h>
#include <string.h>

#define POLICY \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html witan"

/* Where the built page takes what is shown without a script. */
static const char fallback[] = "<!--fallback-->";

/* Files that are for the server, not for browsers: the app's page, and a JSON list of the pages that it has.
 */
#define APP_PAGE  "/index.html"
#define PAGE_LIST "/pages.json"

static const struct asset *find(const char *path)
{
    for (const struct asset *asset = assets_built; asset->path; asset++) {
        if (strcmp(asset->path, path) == 0)
            return asset;
    }
    return NULL;
}

static const struct asset *app(void)
{
    return find(APP_PAGE);
}

bool assets_present(void)
{
    return app() != NULL;
}

/* Whether the list has the first part of a path. Elsewhere the app says that there is nothing. */
static bool is_app_page(const char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
    const struct asset *list = find(PAGE_LIST);
    size_t len = strcspn(path + 1, "/");
    char name[64];

    if (!list || strspn(path + 1, letters) != len || len + sizeof("\"\"") > sizeof(name))
        return false;
    (void)snprintf(name, sizeof(name), "\"%.*s\"", (int)len, path + 1);
    return memmem(list->body.bytes, list->body.len, name, strlen(name)) != NULL;
}

static void send_asset(struct http_exchange *exchange, int status, const struct asset *asset)
{
    const char *known = http_header(exchange, "If-None-Match");
    struct http_header_line headers[] = {
        { "ETag", asset->tag },
        { "Cache-Control", asset->lasting ? "public, max-age=31536000, immutable" : "no-cache" },
        { "Content-Security-Policy", POLICY },
        { NULL, NULL },
    };

    if (status == 200 && known && strstr(known, asset->tag))
        http_reply(exchange, 304, NULL, headers, NULL);
    else
        http_reply_fixed(exchange, status, asset->type, headers, &asset->body);
}

/* A browser that goes somewhere says that it can show HTML; programs that ask for JSON get their errors. */
static bool shows_pages(const struct http_exchange *exchange)
{
    const char *accept = http_header(exchange, "Accept");

    return accept && strstr(accept, "text/html");
}

bool assets_handle(struct edge *edge, struct http_exchange *exchange)
{
    ARENA_AUTO arena = { 0 };
    const char *path = http_path(exchange);
    const struct asset *asset;
    struct credentials credentials;
    struct err err = { 0 };

    if (http_method(exchange) != HTTP_GET || str_starts(path, "/api/"))
        return false;
    asset = str_equal(path, APP_PAGE) || str_equal(path, PAGE_LIST) ? NULL : find(path);
    if (!asset && !(app() && shows_pages(exchange)))
        return false;
    if (!gate_check(edge, exchange, GATE_SAFE, &arena, &credentials, &err))
        edge_refuse(exchange, &err);
    else if (asset)
        send_asset(exchange, 200, asset);
    else
        send_asset(exchange, is_app_page(path) ? 200 : 404, app());
    return true;
}

bool assets_front(struct http_exchange *exchange)
{
    if (app())
        send_asset(exchange, 200, app());
    return app() != NULL;
}

void assets_page_begin(struct buf *page)
{
    const struct http_fixed *body = &app()->body;
    const char *mark = memmem(body->bytes, body->len, fallback, strlen(fallback));

    buf_add(page, body->bytes, mark ? (size_t)(mark - body->bytes) : body->len);
    buf_text(page, "<noscript><link rel=\"stylesheet\" href=\"/style.css\">\n<main>\n<header>witan</header>\n"
                   "<div class=\"card\">\n");
}

void assets_page_reply(struct http_exchange *exchange, int status, struct buf *page)
{
    static const struct http_header_line headers[] = {
        { "Content-Security-Policy", POLICY },
        { "X-Robots-Tag", "noindex" },
        { NULL, NULL },
    };
    const struct http_fixed *body = &app()->body;
    const char *mark = memmem(body->bytes, body->len, fallback, strlen(fallback));

    buf_text(page, "</div>\n</main></noscript>\n");
    if (mark) {
        mark += strlen(fallback);
        buf_add(page, mark, body->len - (size_t)(mark - body->bytes));
    }
    http_reply(exchange, status, "text/html; charset=utf-8", headers, page);
}

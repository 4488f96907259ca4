/*
 * Pages are text with html_text at every hole, and no template language: what they allow themselves is short,
 * and the policy in their headers forbids the rest, so that even a mistake here would run no script.
 */
#include "edge/html.h"

#include <string.h>

#define HEADERS 8

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c2330;--soft:#5a6472;--ground:#f4f5f7;--card:#fff;--line:#d5dae1;"
    "--main:#1d5fc4;--no:#a8302b}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e7eaef;--soft:#a3adba;--ground:#14171c;--card:#1e232b;"
    "--line:#38404c;--main:#6ea8ff;--no:#ff8f87}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--ground);color:var(--ink);font:1.0625rem/1.55 system-ui,sans-serif}\n"
    "main{max-width:40rem;margin:0 auto;padding:1.5rem 1rem 4rem}\n"
    "header{color:var(--soft);font-size:.9rem;margin:.5rem 0 1rem;letter-spacing:.02em}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem}\n"
    "h1{font-size:1.35rem;line-height:1.35;margin:0 0 .75rem;overflow-wrap:anywhere;white-space:pre-wrap}\n"
    "h2{font-size:1rem;margin:1.25rem 0 .35rem}\n"
    "p{margin:.5rem 0}\n"
    ".words{white-space:pre-wrap;overflow-wrap:anywhere;margin-top:0}\n"
    ".soft{color:var(--soft);font-size:.9375rem}\n"
    "pre{background:var(--ground);border:1px solid "
    "var(--line);border-radius:.5rem;padding:.75rem;margin:.5rem "
    "0;"
    "overflow-x:auto;font:.875rem/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "form{margin:1.25rem 0 0}\n"
    "fieldset{border:0;margin:0;padding:0}\n"
    "legend{padding:0;font-weight:600}\n"
    "label{display:block;margin:.5rem 0}\n"
    "label.choice{display:flex;gap:.65rem;align-items:flex-start;border:1px solid var(--line);"
    "border-radius:.5rem;padding:.7rem .8rem;overflow-wrap:anywhere}\n"
    "label.choice input{margin:.3rem 0 0;flex:none}\n"
    "textarea,input[type=text]{display:block;width:100%;margin-top:.3rem;padding:.6rem .7rem;font:inherit;"
    "color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:.5rem}\n"
    "textarea{min-height:6rem;resize:vertical}\n"
    "textarea.note{min-height:3.5rem}\n"
    ".row{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1rem}\n"
    "button{flex:1 1 9rem;min-height:3rem;padding:.6rem 1rem;font:inherit;font-weight:600;cursor:pointer;"
    "border-radius:.5rem;border:1px solid var(--main);background:var(--main);color:var(--card)}\n"
    "button.no{background:none;border-color:var(--no);color:var(--no)}\n"
    "a{color:var(--main)}\n"
    ":focus-visible{outline:3px solid var(--main);outline-offset:2px}\n";

void html_text(struct buf *out, const char *text)
{
    for (; text && *text; text++) {
        switch (*text) {
        case '&': buf_text(out, "&amp;"); break;
        case '<': buf_text(out, "&lt;"); break;
        case '>': buf_text(out, "&gt;"); break;
        case '"': buf_text(out, "&quot;"); break;
        case '\'': buf_text(out, "&#39;"); break;
        default: buf_char(out, *text);
        }
    }
}

void html_begin(struct buf *out, const char *title)
{
    buf_text(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"robots\" content=\"noindex\">\n<title>");
    html_text(out, title);
    buf_text(out, "</title>\n<link rel=\"stylesheet\" href=\"/style.css\">\n<main>\n<header>witan</header>\n"
                  "<div class=\"card\">\n");
}

void html_reply(struct http_exchange *exchange, int status, const struct http_header_line *headers,
                struct buf *page)
{
    struct http_header_line all[HEADERS] = {
        { "Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; base-uri "
                                     "'none'; frame-ancestors 'none'" },
        { "X-Robots-Tag", "noindex" },
    };

    for (size_t i = 2; headers && headers->name && i < HEADERS - 1; i++)
        all[i] = *headers++;
    buf_text(page, "</div>\n</main>\n</html>\n");
    http_reply(exchange, status, "text/html; charset=utf-8", all, page);
}

void html_say(struct http_exchange *exchange, int status, const char *title, const char *text,
              const char *hint)
{
    BUF_AUTO page = { 0 };

    buf_init(&page, 0);
    html_begin(&page, title);
    buf_text(&page, "<h1>");
    html_text(&page, title);
    buf_text(&page, "</h1>\n<p>");
    html_text(&page, text);
    buf_text(&page, "</p>\n");
    if (hint && hint[0]) {
        buf_text(&page, "<p class=\"soft\">");
        html_text(&page, hint);
        buf_text(&page, "</p>\n");
    }
    html_reply(exchange, status, NULL, &page);
}

void html_style(struct http_exchange *exchange)
{
    static const struct http_header_line headers[] = { { "Cache-Control", "max-age=3600" }, { NULL, NULL } };
    BUF_AUTO body = { 0 };

    buf_init(&body, 0);
    buf_add(&body, style, strlen(style));
    http_reply(exchange, 200, "text/css; charset=utf-8", headers, &body);
}

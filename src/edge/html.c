/*
 * Pages are text with html_text at every hole, and no template language: what they allow themselves is short,
 * and the policy in their headers forbids the rest, so that even a mistake here would run no script.
 */
#include "edge/html.h"

#include <string.h>

#define HEADERS 8

/* The colours are those of ui/src/styles/tokens.css. Where the app's page carries this one for browsers
   without a script, the app's styles are there, too: what they say of the same names is said here again. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#17181c;--soft:#5c6270;--ground:#f6f7f9;--card:#fff;--well:#f6f7f9;"
    "--line:#e3e5ea;--edge:#868c99;--main:#2457d6;--on:#fff;--no:#b42318;--picked:#edf2fe}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#eceef2;--soft:#a2a9b8;--ground:#191b1f;--card:#111214;"
    "--well:#191b1f;--line:#2a2d34;--edge:#6f7787;--main:#8ab0ff;--on:#0b1530;--no:#ff8a80;--picked:#17213a}}"
    "\n"
    "*{box-sizing:border-box}\n"
    "#app{display:none}\n"
    "body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;"
    "accent-color:var(--main)}\n"
    "main{max-width:36rem;margin:0 auto;padding:1rem 1rem 4rem}\n"
    "header{font-size:1.0625rem;font-weight:650;letter-spacing:-.02em;margin:.5rem .25rem .75rem}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.25rem}\n"
    "h1{font-size:1.25rem;line-height:1.3;letter-spacing:-.012em;margin:0 0 .75rem;overflow-wrap:anywhere}\n"
    "h2{font-size:.8125rem;font-weight:500;color:var(--soft);letter-spacing:0;margin:1.25rem 0 .25rem}\n"
    "p{margin:.5rem 0}\n"
    ".words{white-space:pre-wrap;overflow-wrap:anywhere;margin-top:0}\n"
    ".soft{color:var(--soft);font-size:.875rem}\n"
    "pre{background:var(--well);border:0;border-radius:.375rem;padding:.75rem;margin:.5rem 0;"
    "overflow-x:auto;font:.8125rem/1.6 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".mark{padding:0 .25rem;border-radius:.25rem;border:1px solid var(--no);color:var(--no);"
    "font:.75rem/1.4 ui-monospace,monospace;white-space:nowrap;unicode-bidi:isolate;direction:ltr}\n"
    "h3{font-size:.8125rem;font-weight:500;margin:.75rem 0 .25rem;overflow-wrap:anywhere;"
    "font-family:ui-monospace,monospace}\n"
    "form{margin:1.25rem 0 0}\n"
    "fieldset{border:0;margin:0;padding:0}\n"
    "legend{padding:0;font-weight:600}\n"
    "label{display:block;margin:.75rem 0;font-size:.875rem;font-weight:500}\n"
    "label.choice{display:flex;gap:.75rem;align-items:flex-start;min-height:3.5rem;border:1px solid var(--edge);"
    "border-radius:.375rem;padding:.75rem;margin:.5rem 0;overflow-wrap:anywhere;font-size:1rem;cursor:pointer}\n"
    "label.choice:has(:checked){border-color:var(--main);background:var(--picked)}\n"
    "label.choice input{margin:.2rem 0 0;flex:none;width:1.25rem;height:1.25rem}\n"
    "label.choice>span{font-size:inherit;color:inherit}\n"
    "label.choice .soft{font-weight:400}\n"
    "textarea,input[type=text]{display:block;width:100%;min-height:2.75rem;margin-top:.375rem;padding:.6rem .7rem;"
    "font:inherit;font-size:1rem;font-weight:400;color:inherit;background:var(--card);"
    "border:1px solid var(--edge);border-radius:.375rem}\n"
    "textarea{min-height:6rem;resize:vertical}\n"
    "textarea.note{min-height:3.5rem}\n"
    ".row{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1rem}\n"
    "button{flex:1 1 9rem;min-height:3rem;padding:.6rem 1rem;font:inherit;font-weight:500;cursor:pointer;"
    "border-radius:.375rem;border:1px solid var(--main);background:var(--main);color:var(--on)}\n"
    "button.no{background:none;border-color:var(--edge);color:var(--no)}\n"
    "a{color:var(--main)}\n"
    ":focus-visible{outline:2px solid var(--main);outline-offset:2px}\n";

void html_part(struct buf *out, const char *text, size_t len)
{
    for (const char *end = text + len; text < end; text++) {
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

void html_text(struct buf *out, const char *text)
{
    if (text)
        html_part(out, text, strlen(text));
}

static void write_mark(struct buf *out, const struct visible_part *part)
{
    buf_text(out, "<span class=\"mark\">");
    if (part->is == VISIBLE_LIKE) {
        buf_text(out, "<b>");
        html_part(out, part->text, part->len);
        buf_text(out, "</b> ");
    }
    buf_text(out, part->label);
    buf_text(out, "</span>");
}

void html_shown(struct buf *out, const char *text, size_t len, enum visible_way way)
{
    struct visible visible;
    struct visible_part part;

    visible_begin(&visible, text, len, way);
    while (visible_next(&visible, &part)) {
        switch (part.is) {
        case VISIBLE_TEXT: html_part(out, part.text, part.len); break;
        case VISIBLE_RTL:
            buf_text(out, "<bdi dir=\"rtl\">");
            html_part(out, part.text, part.len);
            buf_text(out, "</bdi>");
            break;
        case VISIBLE_LINES:
            buf_char(out, '\n');
            write_mark(out, &part);
            buf_char(out, '\n');
            break;
        case VISIBLE_HIDDEN:
        case VISIBLE_LIKE:
        case VISIBLE_BLANKS:
        case VISIBLE_MARKS: write_mark(out, &part); break;
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
        { "Content-Security-Policy",
          "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'" },
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

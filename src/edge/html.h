/*
 * html.h - pages for people, written without a script.
 *
 * Whatever comes from outside goes through html_text, html_part or html_shown, which write it so that it is
 * text in any place of a page. A page allows itself one style sheet of this server and forms to this server,
 * and nothing else.
 *
 * Thread: any.
 */
#ifndef EDGE_HTML_H
#define EDGE_HTML_H

#include "base/visible.h"
#include "http/server.h"

void html_text(struct buf *out, const char *text); /* NULL writes nothing */
void html_part(struct buf *out, const char *text, size_t len);
/* The same with a mark at all that cannot be seen in it: for what somebody is about to answer. */
void html_shown(struct buf *out, const char *text, size_t len, enum visible_way way);
void html_begin(struct buf *out, const char *title);
/* Ends the page and replies with it. `headers` as for http_reply, five at most. */
void html_reply(struct http_exchange *exchange, int status, const struct http_header_line *headers,
                struct buf *page);
/* A whole page with one sentence and, if not NULL, what to do. */
void html_say(struct http_exchange *exchange, int status, const char *title, const char *text,
              const char *hint);
/* GET /style.css */
void html_style(struct http_exchange *exchange);

#endif

/*
 * bare_http.c - the server's own HTTP engine with nothing behind it, beside bare_mhd.
 *
 *   bare_http --like FILE
 *
 * FILE is a reply as `load once` printed it; its body is answered with the headers that the engine gives
 * every reply. It prints the port it listens on, and ends when stdin does.
 */
#include "http/server.h"
#include "util.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct like {
    const char *body;
    size_t len;
};

/* The body is copied, as every handler with something to say has to write one. */
static void handle(struct http_exchange *exchange, void *user)
{
    const struct like *like = user;
    struct buf body;

    buf_init(&body, 0);
    buf_add(&body, like->body, like->len);
    http_reply(exchange, 200, "application/json", NULL, &body);
}

int main(int argc, char **argv)
{
    struct err err = { 0 };
    struct like like = { 0 };
    struct http_options options = { .listen = "127.0.0.1:0", .handle = handle, .user = &like };
    size_t len;
    char byte;

    if (argc != 3 || strcmp(argv[1], "--like") != 0)
        die("usage: bare_http --like FILE");
    char *text = read_whole(argv[2], &len), *end = strstr(text, "\r\n\r\n");

    if (!end)
        die("%s is not a reply", argv[2]);
    like = (struct like){ end + 4, len - (size_t)(end + 4 - text) };
    struct http_server *server = http_open(&options, &err);

    if (!server)
        die("%s", err.text);
    printf("%d\n", http_port(server));
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    http_close(server, 1000);
    return 0;
}

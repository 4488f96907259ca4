/*
 * handshake.h - the first bytes of a WebSocket (RFC 6455, section 4.2).
 */
#ifndef HTTP_HANDSHAKE_H
#define HTTP_HANDSHAKE_H

#include "http/server.h"

#define HANDSHAKE_ACCEPT_SIZE 29 /* 20 bytes in base64, and a NUL */

enum handshake { HANDSHAKE_OK, HANDSHAKE_BAD, HANDSHAKE_VERSION };

/* Whether the request asks for a WebSocket properly; `why` is set when it does not. */
enum handshake handshake_check(const struct http_exchange *exchange, const char **why);
/* The answer to a Sec-WebSocket-Key. */
void handshake_accept(const char *key, char accept[static HANDSHAKE_ACCEPT_SIZE]);

#endif

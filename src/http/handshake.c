/*
 * The key is checked for its form, so that copying it into the fixed buffer below is safe; what it says is
 * only hashed.
 */
#include "http/handshake.h"

#include <openssl/evp.h>
#include <string.h>
#include <strings.h>

#define KEY_LEN 24 /* 16 bytes in base64 */

/* Whether a comma-separated header names this token. */
static bool names_token(const char *value, const char *token)
{
    size_t want = strlen(token);

    while (value && *value) {
        value += strspn(value, ", \t");

        size_t len = strcspn(value, ", \t");

        if (len == want && strncasecmp(value, token, len) == 0)
            return true;
        value += len;
    }
    return false;
}

static bool key_is_valid(const char *key)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    return key && strlen(key) == KEY_LEN && strspn(key, digits) == KEY_LEN - 2 &&
           strcmp(key + KEY_LEN - 2, "==") == 0;
}

enum handshake handshake_check(const struct http_exchange *exchange, const char **why)
{
    const char *version = http_header(exchange, "Sec-WebSocket-Version");

    if (strcmp(http_method_text(exchange), "GET") != 0)
        *why = "A WebSocket is opened with GET.";
    else if (!names_token(http_header(exchange, "Upgrade"), "websocket") ||
             !names_token(http_header(exchange, "Connection"), "upgrade"))
        *why = "This address speaks WebSocket only.";
    else if (!version || strcmp(version, "13") != 0)
        *why = "Only version 13 of the WebSocket protocol is known.";
    else if (!key_is_valid(http_header(exchange, "Sec-WebSocket-Key")))
        *why = "Sec-WebSocket-Key is not a valid key.";
    else
        return HANDSHAKE_OK;
    return !version || strcmp(version, "13") != 0 ? HANDSHAKE_VERSION : HANDSHAKE_BAD;
}

void handshake_accept(const char *key, char accept[static HANDSHAKE_ACCEPT_SIZE])
{
    static const char suffix[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char text[KEY_LEN + sizeof suffix];
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    memcpy(text, key, KEY_LEN);
    memcpy(text + KEY_LEN, suffix, sizeof suffix);
    EVP_Digest(text, KEY_LEN + sizeof suffix - 1, digest, &len, EVP_sha1(), NULL);
    EVP_EncodeBlock((unsigned char *)accept, digest, (int)len);
}

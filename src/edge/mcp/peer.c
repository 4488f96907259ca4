/*
 * The session id is the introduction itself in base64: version, abilities, a nonce and the name. It is not
 * signed, since it gives no rights: a client that changes it only changes what it says of itself.
 */
#include "edge/mcp/peer.h"

#include "base/limits.h"
#include "base/str.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define VARIANT   sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define ID_MOST   1024 /* of a session id */
#define NOBODY    "mcp-client"
#define NONCE_HEX 32

const char *const mcp_versions[] = { "2026-07-28", "2025-11-25", "2025-06-18", NULL };

const char *mcp_version_known(const char *version)
{
    for (const char *const *known = mcp_versions; version && *known; known++)
        if (strcmp(*known, version) == 0)
            return *known;
    return NULL;
}

/* What is no name for an agent is shown as one all the same: a client need not know our rules for names. */
static const char *name_of(struct arena *arena, const char *given)
{
    const char *name = given ? str_trim(arena, str_plain_line(arena, given)) : "";

    if (!*name)
        return NOBODY;
    return str_chars(name) > LIMIT_NAME ? arena_copy(arena, name, str_fitting(name, LIMIT_NAME)) : name;
}

void peer_read(struct arena *arena, const json_t *info, const json_t *capabilities, struct peer *client)
{
    const json_t *extensions = json_object_get(capabilities, "extensions");

    client->name = name_of(arena, json_string_value(json_object_get(info, "name")));
    client->can =
        (json_is_object(json_object_get(capabilities, "elicitation")) ? CAN_ELICIT : 0) |
        (json_is_object(json_object_get(capabilities, "sampling")) ? CAN_SAMPLE : 0) |
        (json_is_object(json_object_get(capabilities, "roots")) ? CAN_ROOTS : 0) |
        (json_is_object(json_object_get(extensions, "io.modelcontextprotocol/tasks")) ? CAN_TASKS : 0);
}

const char *peer_new_session(struct arena *arena, const struct peer *client)
{
    unsigned char nonce[NONCE_HEX / 2];
    char hex[NONCE_HEX + 1];

    randombytes_buf(nonce, sizeof(nonce));
    sodium_bin2hex(hex, sizeof(hex), nonce, sizeof(nonce));

    const char *plain = arena_format(arena, "%s %u %s %s", client->version, client->can, hex, client->name);
    size_t size = sodium_base64_ENCODED_LEN(strlen(plain), VARIANT);
    char *id = arena_alloc(arena, size, 1);

    sodium_bin2base64(id, size, (const unsigned char *)plain, strlen(plain), VARIANT);
    return id;
}

static bool was_ended(struct ended_sessions *ended, uint64_t session)
{
    bool found = false;

    pthread_mutex_lock(&ended->lock);
    for (size_t i = 0; i < SESSIONS_ENDED && !found; i++)
        found = ended->ids[i] == session;
    pthread_mutex_unlock(&ended->lock);
    return found;
}

bool peer_of_session(struct ended_sessions *ended, struct arena *arena, const char *id, struct peer *client)
{
    size_t len = strlen(id), plain_len;
    char *plain = arena_alloc(arena, len + 1, 1), version[16], nonce[NONCE_HEX + 1];
    int name_at = 0;

    if (len > ID_MOST ||
        sodium_base642bin((unsigned char *)plain, len, id, len, NULL, &plain_len, NULL, VARIANT) != 0)
        return false;
    plain[plain_len] = '\0';
    if (!str_is_utf8(plain, plain_len) ||
        sscanf(plain, "%15s %u %32s %n", version, &client->can, nonce, &name_at) != 3 || name_at == 0)
        return false;
    client->version = mcp_version_known(version);
    client->name = name_of(arena, plain + name_at);
    client->session = str_hash(id);
    return client->version && !was_ended(ended, client->session);
}

void peer_end_session(struct ended_sessions *ended, const struct peer *client)
{
    pthread_mutex_lock(&ended->lock);
    ended->ids[ended->next++ % SESSIONS_ENDED] = client->session;
    pthread_mutex_unlock(&ended->lock);
}

/*
 * The session id is the introduction itself in base64: version, abilities, a nonce with the mark of who began
 * it, and the name. Only the mark is signed, since the rest gives no rights: a client that changes it only
 * changes what it says of itself. Ids of versions before there was a mark are nobody's own.
 */
#include "edge/mcp/peer.h"

#include "base/limits.h"
#include "base/str.h"
#include "edge/callerkey.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define VARIANT   sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define ID_MOST   1024 /* of a session id */
#define NOBODY    "mcp-client"
#define NONCE_HEX 32
#define MARK_HEX  32

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

/* The same for every node and after every restart, and nobody else can make it. */
static void make_mark(const struct seal_key *key, const char *nonce, const struct caller *caller,
                      char mark[static MARK_HEX + 1])
{
    ARENA_AUTO arena = { 0 };
    const char *who = caller->kind == CALLER_LINK ? caller->credential : caller->id;
    const char *all = arena_format(&arena, "session %.*s %s %s", NONCE_HEX, nonce,
                                   caller_kind_name(caller->kind), who ? who : "");
    unsigned char mac[crypto_auth_BYTES];

    crypto_auth(mac, (const unsigned char *)all, strlen(all), key->bytes);
    sodium_bin2hex(mark, MARK_HEX + 1, mac, MARK_HEX / 2);
}

const char *peer_new_session(const struct seal_key *key, struct arena *arena, const struct peer *client,
                             const struct caller *caller)
{
    unsigned char nonce[NONCE_HEX / 2];
    char hex[NONCE_HEX + 1], mark[MARK_HEX + 1];

    randombytes_buf(nonce, sizeof(nonce));
    sodium_bin2hex(hex, sizeof(hex), nonce, sizeof(nonce));
    make_mark(key, hex, caller, mark);

    const char *plain =
        arena_format(arena, "%s %u %s%s %s", client->version, client->can, hex, mark, client->name);
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
    char *plain = arena_alloc(arena, len + 1, 1), version[16], nonce[NONCE_HEX + MARK_HEX + 1];
    int name_at = 0;

    if (len > ID_MOST ||
        sodium_base642bin((unsigned char *)plain, len, id, len, NULL, &plain_len, NULL, VARIANT) != 0)
        return false;
    plain[plain_len] = '\0';
    if (!str_is_utf8(plain, plain_len) ||
        sscanf(plain, "%15s %u %64s %n", version, &client->can, nonce, &name_at) != 3 || name_at == 0)
        return false;
    client->version = mcp_version_known(version);
    client->name = name_of(arena, plain + name_at);
    client->session = callerkey(id, len);
    client->nonce = arena_text(arena, nonce);
    return client->version && !was_ended(ended, client->session);
}

bool peer_owns_session(const struct seal_key *key, const struct peer *client, const struct caller *caller)
{
    char mark[MARK_HEX + 1];

    if (!client->nonce || strlen(client->nonce) != NONCE_HEX + MARK_HEX)
        return false;
    make_mark(key, client->nonce, caller, mark);
    return sodium_memcmp(client->nonce + NONCE_HEX, mark, MARK_HEX) == 0;
}

void peer_end_session(struct ended_sessions *ended, const struct peer *client)
{
    pthread_mutex_lock(&ended->lock);
    ended->ids[ended->next++ % SESSIONS_ENDED] = client->session;
    pthread_mutex_unlock(&ended->lock);
}

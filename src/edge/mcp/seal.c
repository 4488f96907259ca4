/*
 * The authenticated bytes begin with the length of the scope, so that nothing can move from who called into
 * what was said. The key is a fact that all nodes share; whoever can read it in the store can read all that
 * it protects there.
 */
#include "edge/mcp/seal.h"

#include "base/str.h"
#include "gen/sql.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

void seal_make_key(struct seal_key *key)
{
    randombytes_buf(key->bytes, sizeof(key->bytes));
}

#define KEY_FACT "mcp_seal_key"

struct key_work {
    struct work work;
    struct arena arena;
    struct seal_key *key;
    bool found;
};

static bool read_key(struct db *db, struct work *work)
{
    struct key_work *of = (struct key_work *)work;
    struct db_rows rows;
    const char *hex;
    size_t len = 0;

    if (!db_query(db, &of->arena, SQL_FACT_GET, DB_ARGS(db_text(KEY_FACT)), &rows, &work->err))
        return false;
    hex = rows.count > 0 ? db_cell(&rows, 0, 0) : "";
    of->found = sodium_hex2bin(of->key->bytes, SEAL_KEY_BYTES, hex, strlen(hex), NULL, &len, NULL) == 0 &&
                len == SEAL_KEY_BYTES;
    return true;
}

static bool keep_key(struct db *db, struct work *work)
{
    struct key_work *of = (struct key_work *)work;
    char hex[2 * SEAL_KEY_BYTES + 1];

    seal_make_key(of->key);
    sodium_bin2hex(hex, sizeof(hex), of->key->bytes, SEAL_KEY_BYTES);
    return db_exec(db, &of->arena, SQL_FACT_KEEP, DB_ARGS(db_text(KEY_FACT), db_text(hex)), NULL,
                   &work->err) &&
           read_key(db, work);
}

bool seal_load_key(struct store *store, struct seal_key *key, struct err *err)
{
    struct key_work of = { .work = { .run = read_key }, .key = key };
    bool good = store_read_wait(store, &of.work);

    if (good && !of.found) {
        of.work = (struct work){ .run = keep_key };
        good = store_write_wait(store, &of.work);
    }
    if (!good)
        *err = of.work.err;
    arena_done(&of.arena);
    return good && (of.found || err_set(err, ERR_INTERNAL, "The key that is kept is not a key."));
}

static const char *encode(struct arena *arena, const void *bytes, size_t len)
{
    size_t size = sodium_base64_ENCODED_LEN(len, VARIANT);
    char *text = arena_alloc(arena, size, 1);

    sodium_bin2base64(text, size, bytes, len, VARIANT);
    return text;
}

/* The length of the scope stands before it, so that nothing can move from it into the content. */
static const char *sign(const struct seal_key *key, struct arena *arena, const char *scope, const char *body)
{
    const char *all = arena_format(arena, "%zu:%s:%s", strlen(scope), scope, body);
    unsigned char mac[crypto_auth_BYTES];

    crypto_auth(mac, (const unsigned char *)all, strlen(all), key->bytes);
    return encode(arena, mac, sizeof(mac));
}

const char *seal_close(const struct seal_key *key, struct arena *arena, const char *scope, int64_t now_ms,
                       const char *content)
{
    const char *plain = arena_format(arena, "%lld.%s", (long long)now_ms, content);
    const char *body = encode(arena, plain, strlen(plain));

    return arena_format(arena, "%s.%s", body, sign(key, arena, scope, body));
}

static const char *read_body(struct arena *arena, const char *body, int64_t now_ms)
{
    size_t size = strlen(body) + 1, len;
    char *plain = arena_alloc(arena, size, 1), *dot;
    int64_t made_ms;

    if (sodium_base642bin((unsigned char *)plain, size - 1, body, strlen(body), NULL, &len, NULL, VARIANT) !=
        0)
        return NULL;
    plain[len] = '\0';
    dot = strchr(plain, '.');
    if (!dot)
        return NULL;
    *dot = '\0';
    if (!str_to_int(plain, &made_ms) || now_ms - made_ms > SEAL_LIFETIME_MS)
        return NULL;
    return dot + 1;
}

const char *seal_open(const struct seal_key *key, struct arena *arena, const char *scope, int64_t now_ms,
                      const char *text)
{
    const char *dot = strchr(text, '.'), *body, *mac;

    if (!dot)
        return NULL;
    body = arena_copy(arena, text, (size_t)(dot - text));
    mac = sign(key, arena, scope, body);
    if (strlen(dot + 1) != strlen(mac) || sodium_memcmp(dot + 1, mac, strlen(mac)) != 0)
        return NULL;
    return read_body(arena, body, now_ms);
}

/*
 * The signature is over values with their lengths, not over the JSON, so that the file may be laid out anew
 * without breaking it. A chain that was purged beyond the anchor is told apart from one that was cut: the
 * checkpoint says how far purging went.
 */
#include "core/log/audit_anchor.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "core/log/audit_row.h"

#include <string.h>

#define KIND "witan audit anchor 1"

static void put_number(struct arena *arena, struct buf *bytes, int64_t number)
{
    audit_put_value(bytes, arena_format(arena, "%lld", (long long)number));
}

static void put_signed(struct arena *arena, const struct audit_anchor *anchor, struct buf *bytes)
{
    audit_put_value(bytes, KIND);
    audit_put_value(bytes, anchor->at);
    put_number(arena, bytes, anchor->rows);
    for (size_t i = 0; i < anchor->count; i++) {
        audit_put_value(bytes, anchor->chains[i].workspace_id);
        put_number(arena, bytes, anchor->chains[i].seq);
        audit_put_value(bytes, anchor->chains[i].hash);
    }
}

static void write_text(const struct audit_anchor *anchor, const char *signature, struct buf *text)
{
    struct json_out out;

    json_begin(&out, text);
    json_map(&out, NULL);
    json_text(&out, "kind", KIND);
    json_text(&out, "at", anchor->at);
    json_int(&out, "rows", anchor->rows);
    json_list(&out, "chains");
    for (size_t i = 0; i < anchor->count; i++) {
        json_map(&out, NULL);
        json_text(&out, "workspaceId", anchor->chains[i].workspace_id);
        json_int(&out, "seq", anchor->chains[i].seq);
        json_text(&out, "hash", anchor->chains[i].hash);
        json_map_end(&out);
    }
    json_list_end(&out);
    json_text(&out, "publicKey", anchor->public_key);
    json_text(&out, "signature", signature);
    json_map_end(&out);
    buf_char(text, '\n');
}

void audit_anchor_public_key(const unsigned char seed[static crypto_sign_SEEDBYTES],
                             char hex[static ANCHOR_KEY_HEX])
{
    unsigned char public_key[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];

    crypto_sign_seed_keypair(public_key, secret, seed);
    sodium_memzero(secret, sizeof(secret));
    sodium_bin2hex(hex, ANCHOR_KEY_HEX, public_key, sizeof(public_key));
}

static void sign(struct arena *arena, const struct audit_anchor *anchor, const unsigned char *seed,
                 struct buf *text)
{
    unsigned char public_key[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
    unsigned char signature[crypto_sign_BYTES];
    char hex[crypto_sign_BYTES * 2 + 1];
    BUF_AUTO bytes = { 0 };

    put_signed(arena, anchor, &bytes);
    crypto_sign_seed_keypair(public_key, secret, seed);
    crypto_sign_detached(signature, NULL, (const unsigned char *)bytes.bytes, bytes.len, secret);
    sodium_memzero(secret, sizeof(secret));
    sodium_bin2hex(hex, sizeof(hex), signature, sizeof(signature));
    write_text(anchor, hex, text);
}

bool audit_anchor_make(const struct tx *tx, const unsigned char seed[static crypto_sign_SEEDBYTES],
                       struct buf *text)
{
    char at[CLOCK_TEXT_SIZE], public_key[ANCHOR_KEY_HEX];
    struct audit_anchor anchor = { .at = at, .public_key = public_key };
    struct db_rows rows;

    if (!tx_query(tx, SQL_AUDIT_HEADS, DB_NO_ARGS, &rows))
        return false;
    clock_format(tx->now_ms, at);
    audit_anchor_public_key(seed, public_key);
    anchor.count = rows.count;
    anchor.chains = arena_array(tx->arena, struct anchor_chain, rows.count);
    for (size_t i = 0; i < rows.count; i++) {
        anchor.chains[i] = (struct anchor_chain){ .workspace_id = db_cell(&rows, i, 0),
                                                  .seq = db_cell_int(&rows, i, 1),
                                                  .hash = db_cell(&rows, i, 2) };
        if (anchor.chains[i].seq > anchor.rows)
            anchor.rows = anchor.chains[i].seq;
    }
    sign(tx->arena, &anchor, seed, text);
    return true;
}

static const char *take_text(struct arena *arena, const json_t *map, const char *key)
{
    return arena_text(arena, json_string_value(json_object_get(map, key)));
}

static bool read_members(struct arena *arena, const json_t *map, struct audit_anchor *anchor)
{
    const json_t *chains = json_object_get(map, "chains"), *rows = json_object_get(map, "rows");
    const char *kind = json_string_value(json_object_get(map, "kind"));

    if (!str_equal(kind, KIND) || !json_is_array(chains) || !json_is_integer(rows))
        return false;
    *anchor = (struct audit_anchor){
        .at = take_text(arena, map, "at"),
        .rows = json_integer_value(rows),
        .count = json_array_size(chains),
        .public_key = take_text(arena, map, "publicKey"),
    };
    anchor->chains = arena_array(arena, struct anchor_chain, anchor->count);
    for (size_t i = 0; i < anchor->count; i++) {
        const json_t *chain = json_array_get(chains, i);

        anchor->chains[i] = (struct anchor_chain){
            .workspace_id = take_text(arena, chain, "workspaceId"),
            .seq = json_integer_value(json_object_get(chain, "seq")),
            .hash = take_text(arena, chain, "hash"),
        };
        if (!anchor->chains[i].workspace_id || !anchor->chains[i].hash)
            return false;
    }
    return anchor->at && anchor->public_key;
}

static bool from_hex(const char *hex, unsigned char *into, size_t size)
{
    size_t len = 0;

    return hex && strlen(hex) == size * 2 &&
           sodium_hex2bin(into, size, hex, strlen(hex), NULL, &len, NULL) == 0 && len == size;
}

static bool signature_fits(struct arena *arena, const struct audit_anchor *anchor, const char *signature_hex)
{
    unsigned char public_key[crypto_sign_PUBLICKEYBYTES], signature[crypto_sign_BYTES];
    BUF_AUTO bytes = { 0 };

    if (!from_hex(anchor->public_key, public_key, sizeof(public_key)) ||
        !from_hex(signature_hex, signature, sizeof(signature)))
        return false;
    put_signed(arena, anchor, &bytes);
    return crypto_sign_verify_detached(signature, (const unsigned char *)bytes.bytes, bytes.len,
                                       public_key) == 0;
}

bool audit_anchor_read(struct arena *arena, const char *text, size_t len, struct audit_anchor *anchor,
                       struct err *err)
{
    struct err ignored = { 0 };
    JSON_AUTO *map = NULL;

    if (!json_parse(text, len, &map, &ignored) || !read_members(arena, map, anchor)) {
        err_set(err, ERR_INVALID, "This is not an anchor of an audit log.");
        return err_hint(err, "`witan audit anchor >FILE` makes one.");
    }
    if (signature_fits(arena, anchor, json_string_value(json_object_get(map, "signature"))))
        return true;
    err_set(err, ERR_INVALID, "The anchor's signature does not fit: it was changed since it was made.");
    return err_hint(err, "Use another copy of it, or an anchor made at another time.");
}

static bool read_mark(const struct tx *tx, enum sql_id sql, const char *workspace_id, int64_t *seq,
                      const char **hash)
{
    struct db_rows rows;

    if (!tx_query(tx, sql, DB_ARGS(db_text(workspace_id)), &rows))
        return false;
    *seq = rows.count > 0 ? db_cell_int(&rows, 0, 0) : 0;
    *hash = rows.count > 0 ? db_cell(&rows, 0, 1) : NULL;
    return true;
}

static bool check_chain(const struct tx *tx, const struct anchor_chain *chain, enum anchor_finding *finding)
{
    struct db_rows rows;
    int64_t head, checkpoint;
    const char *head_hash, *checkpoint_hash;

    if (!read_mark(tx, SQL_AUDIT_HEAD, chain->workspace_id, &head, &head_hash) ||
        !read_mark(tx, SQL_AUDIT_CHECKPOINT, chain->workspace_id, &checkpoint, &checkpoint_hash) ||
        !tx_query(tx, SQL_AUDIT_HASH_AT, DB_ARGS(db_text(chain->workspace_id), db_int(chain->seq)), &rows))
        return false;
    const char *there = rows.count > 0 ? db_cell(&rows, 0, 0) : NULL;

    if (checkpoint == chain->seq)
        there = checkpoint_hash;
    if (str_equal(there, chain->hash))
        *finding = ANCHOR_HOLDS;
    else if (head < chain->seq)
        *finding = ANCHOR_CUT;
    else
        *finding = !there && chain->seq < checkpoint ? ANCHOR_PURGED : ANCHOR_REPLACED;
    return true;
}

bool audit_anchor_check(const struct tx *tx, const struct audit_anchor *anchor,
                        struct anchor_verdict *verdict)
{
    *verdict = (struct anchor_verdict){ .finding = ANCHOR_HOLDS };
    for (size_t i = 0; i < anchor->count; i++) {
        const struct anchor_chain *chain = &anchor->chains[i];
        enum anchor_finding finding;

        if (!check_chain(tx, chain, &finding))
            return false;
        if (finding == ANCHOR_HOLDS || (finding == ANCHOR_PURGED && verdict->finding != ANCHOR_HOLDS))
            continue;
        if (verdict->finding == ANCHOR_HOLDS || verdict->finding == ANCHOR_PURGED)
            *verdict = (struct anchor_verdict){ finding, chain->seq, chain->workspace_id };
    }
    return true;
}

/*
 * audit_anchor.h - a signed note of where every chain of the audit log ends, to be kept elsewhere.
 *
 * A chain proves that its rows fit together, not that nobody cut off its end or wrote it anew: whoever may
 * write the store can do both, heads and all. An anchor that is kept out of their reach finds it: each row
 * that it names must still be there with the same hash. The signature (Ed25519) says that the anchor is the
 * one that the holder of the key made, so that it may be kept where others could change it; whoever also has
 * the key can make another. It says nothing about rows that came after it.
 *
 * The text is a JSON object. What is signed are the values "witan audit anchor 1", at, rows, and workspaceId,
 * seq and hash of each chain in order, each written as in a row's hash (audit.h).
 */
#ifndef CORE_LOG_AUDIT_ANCHOR_H
#define CORE_LOG_AUDIT_ANCHOR_H

#include "base/buf.h"
#include "core/caller/tx.h"

#include <sodium.h>

#define ANCHOR_KEY_HEX (crypto_sign_PUBLICKEYBYTES * 2 + 1)

struct anchor_chain {
    const char *workspace_id;
    int64_t seq;
    const char *hash;
};

struct audit_anchor {
    const char *at; /* RFC 3339 */
    int64_t rows;   /* the last number that was sealed */
    struct anchor_chain *chains;
    size_t count;
    const char *public_key; /* hex */
};

/* The anchor's text, signed with the key that comes from `seed`. */
CHECKED bool audit_anchor_make(const struct tx *tx, const unsigned char seed[static crypto_sign_SEEDBYTES],
                               struct buf *text);
void audit_anchor_public_key(const unsigned char seed[static crypto_sign_SEEDBYTES],
                             char hex[static ANCHOR_KEY_HEX]);
/* Reads a text. ERR_INVALID when it is no anchor or its signature does not fit. */
CHECKED bool audit_anchor_read(struct arena *arena, const char *text, size_t len, struct audit_anchor *anchor,
                               struct err *err);

enum anchor_finding {
    ANCHOR_HOLDS,
    ANCHOR_CUT,      /* the log ends before the row that the anchor names */
    ANCHOR_REPLACED, /* there is another row in its place */
    ANCHOR_PURGED,   /* the row was purged in order, so nothing can be said */
};
struct anchor_verdict {
    enum anchor_finding finding;
    int64_t seq; /* of the row that the anchor names */
    const char *workspace_id;
};
/* Compares; the log itself is audit_verify's to check, in the same transaction. The worst finding counts. */
CHECKED bool audit_anchor_check(const struct tx *tx, const struct audit_anchor *anchor,
                                struct anchor_verdict *verdict);

#endif

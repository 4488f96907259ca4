/*
 * ndjson.h - reads JSON lines as they come, in pieces of any size. Blank lines are passed over.
 */
#ifndef NET_NDJSON_H
#define NET_NDJSON_H

#include "net/lines.h"

struct ndjson {
    struct lines lines;
    lines_take *take;
    void *user;
};

void ndjson_init(struct ndjson *ndjson, lines_take *take, void *user);
void ndjson_done(struct ndjson *ndjson);
/* False: `take` said so, or a line is too long (ndjson->lines.too_long). */
bool ndjson_feed(struct ndjson *ndjson, const char *bytes, size_t len);
/* The last line may have no end. */
bool ndjson_flush(struct ndjson *ndjson);

#endif

#include "net/ndjson.h"

void ndjson_init(struct ndjson *ndjson, lines_take *take, void *user)
{
    *ndjson = (struct ndjson){ .take = take, .user = user };
    lines_init(&ndjson->lines, LINES_LF);
}

void ndjson_done(struct ndjson *ndjson)
{
    lines_done(&ndjson->lines);
}

static bool take_line(void *user, const char *line, size_t len)
{
    struct ndjson *ndjson = user;

    for (size_t i = 0; i < len; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return ndjson->take(ndjson->user, line, len);
    return true;
}

bool ndjson_feed(struct ndjson *ndjson, const char *bytes, size_t len)
{
    return lines_feed(&ndjson->lines, bytes, len, take_line, ndjson);
}

bool ndjson_flush(struct ndjson *ndjson)
{
    return lines_flush(&ndjson->lines, take_line, ndjson);
}

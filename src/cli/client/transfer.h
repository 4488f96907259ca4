/*
 * transfer.h - one request of curl to the server, made ready: address, credentials, limits.
 */
#ifndef CLI_CLIENT_TRANSFER_H
#define CLI_CLIENT_TRANSFER_H

#include "base/buf.h"
#include "cli/cli.h"

#include <curl/curl.h>

struct transfer {
    CURL *curl;
    struct curl_slist *headers; /* for CURLOPT_HTTPHEADER, once all are there */
    struct buf body;            /* of the reply, unless the caller takes it otherwise */
};

void transfer_open(struct cli *cli, struct transfer *transfer, const char *path);
void transfer_close(struct transfer *transfer);
/* Another header; NULL as its value: none. */
void transfer_add(struct cli *cli, struct transfer *transfer, const char *name, const char *value);
/* A value without line ends, which would make a header of its own of what follows. */
const char *transfer_safe(struct arena *arena, const char *value);
/* For CURLOPT_WRITEFUNCTION: adds to a buf, within its limit. */
size_t transfer_take(char *bytes, size_t size, size_t count, void *buf);

#endif

/*
 * request.h - the requests of one load run: a method, paths taken in turn, and a body, in which {n} is the
 * number of the request.
 *
 * Owner: the load program's main; filled once, then only read. Thread: any.
 */
#ifndef BENCH_REQUEST_H
#define BENCH_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#define REQUEST_MAX (1 << 17)

struct request {
    const char *method;
    const char *host;
    const char *body; /* NULL: none */
    char headers[2048];
    char **paths;
    size_t path_count;
};

void request_add_header(struct request *request, const char *line);

/* One path, or every line of a file with `prefix` in front. */
void request_add_path(struct request *request, const char *path);
void request_add_paths(struct request *request, const char *prefix, const char *file);

/* Writes request number n into room of REQUEST_MAX bytes and returns its length. */
size_t request_write(const struct request *request, uint64_t n, char *out);

#endif

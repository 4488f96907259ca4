#include "request.h"

#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void request_add_header(struct request *request, const char *line)
{
    size_t used = strlen(request->headers);
    int more = snprintf(request->headers + used, sizeof(request->headers) - used, "%s\r\n", line);

    if (more < 0 || (size_t)more >= sizeof(request->headers) - used)
        die("too many headers");
}

void request_add_path(struct request *request, const char *path)
{
    size_t count = request->path_count;

    /* Grow at each power of two; a path file may have a hundred thousand lines. */
    if ((count & (count - 1)) == 0) {
        request->paths = realloc(request->paths, sizeof(char *) * (count ? count * 2 : 1));
        if (!request->paths)
            die("out of memory for paths");
    }
    request->paths[count] = strdup(path);
    if (!request->paths[count])
        die("out of memory for paths");
    request->path_count++;
}

void request_add_paths(struct request *request, const char *prefix, const char *file)
{
    char *text = read_whole(file, NULL), *save = NULL, *line, path[2048];

    for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if ((size_t)snprintf(path, sizeof(path), "%s%s", prefix, line) >= sizeof(path))
            die("a path in %s is too long", file);
        request_add_path(request, path);
    }
    if (request->path_count == 0)
        die("%s holds no paths", file);
    free(text);
}

/* Copies a template with each {n} replaced; returns its length. */
static size_t fill(const char *template, uint64_t n, char *out, size_t room)
{
    size_t used = 0;
    const char *mark;

    for (; (mark = strstr(template, "{n}")); template = mark + 3) {
        int len = snprintf(out + used, room - used, "%.*s%llu", (int)(mark - template), template,
                           (unsigned long long)n);

        if (len < 0 || (size_t)len >= room - used)
            die("a request is longer than %d bytes", REQUEST_MAX);
        used += (size_t)len;
    }
    if (strlen(template) >= room - used)
        die("a request is longer than %d bytes", REQUEST_MAX);
    memcpy(out + used, template, strlen(template) + 1);
    return used + strlen(template);
}

size_t request_write(const struct request *request, uint64_t n, char *out)
{
    char path[2048];
    size_t body_len = 0, room = REQUEST_MAX / 2;
    char *body = out + room;
    int head;

    fill(request->paths[n % request->path_count], n, path, sizeof(path));
    if (!request->body) {
        head = snprintf(out, room, "%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", request->method, path,
                        request->host, request->headers);
        return (size_t)head;
    }
    /* The body is laid down first, in the upper half, because its length stands in the head. */
    body_len = fill(request->body, n, body, room);
    head = snprintf(out, room, "%s %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %zu\r\n\r\n", request->method,
                    path, request->host, request->headers, body_len);
    memmove(out + head, body, body_len);
    return (size_t)head + body_len;
}

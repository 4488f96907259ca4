/*
 * bare_mhd.c - the most that libmicrohttpd can do here: what the server's figures are measured against.
 *
 *   bare_mhd get     --like FILE   answers every request at once
 *   bare_mhd handoff --like FILE   reads the body, suspends, hands over to a thread, resumes, answers
 *
 * FILE is a reply as `load once` printed it: status, headers and body are answered byte for byte, except
 * the headers that libmicrohttpd writes itself. It prints the port it listens on, and ends when stdin does.
 */
#include "util.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same as in the server: keep them equal, or the ratios mean nothing. */
#define DAEMON_FLAGS      (MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME)
#define CONNECTION_MEMORY ((size_t)16384)
#define IDLE_SECONDS      75U
#define THREADS_MAX       8L /* one for each core, up to this */

#define BODY_MAX 65536

struct call {
    struct MHD_Connection *connection;
    struct call *next;
    bool begun, answered;
    size_t body_len;
    char *body;
};

/* One for the whole program: the thread takes everything that is queued at once, as a writer would. */
struct handoff {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct call *first, **last;
    bool closing;
};

struct bare {
    bool hands_over;
    unsigned status;
    char *headers[64][2];
    size_t header_count;
    char *body;
    size_t body_len;
    struct handoff handoff;
};

/* A response of its own for each request, as every handler with something to say has to make one. */
static enum MHD_Result answer(const struct bare *bare, struct MHD_Connection *connection)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(bare->body_len, bare->body, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result;

    for (size_t i = 0; i < bare->header_count; i++)
        MHD_add_response_header(response, bare->headers[i][0], bare->headers[i][1]);
    result = MHD_queue_response(connection, bare->status, response);
    MHD_destroy_response(response);
    return result;
}

static void hand_over(struct handoff *handoff, struct call *call)
{
    MHD_suspend_connection(call->connection);
    pthread_mutex_lock(&handoff->lock);
    call->next = NULL;
    *handoff->last = call;
    handoff->last = &call->next;
    pthread_cond_signal(&handoff->more);
    pthread_mutex_unlock(&handoff->lock);
}

static void *handoff_thread(void *ctx)
{
    struct handoff *handoff = ctx;
    struct call *batch, *next;

    pthread_mutex_lock(&handoff->lock);
    while (!handoff->closing) {
        if (!handoff->first) {
            pthread_cond_wait(&handoff->more, &handoff->lock);
            continue;
        }
        batch = handoff->first;
        handoff->first = NULL;
        handoff->last = &handoff->first;
        pthread_mutex_unlock(&handoff->lock);
        for (; batch; batch = next) {
            /* Read before resuming: from then on the call belongs to its connection's thread. */
            next = batch->next;
            batch->answered = true;
            MHD_resume_connection(batch->connection);
        }
        pthread_mutex_lock(&handoff->lock);
    }
    pthread_mutex_unlock(&handoff->lock);
    return NULL;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data, size_t *size,
                              void **con_cls)
{
    struct bare *bare = cls;
    struct call *call = *con_cls;

    (void)url;
    (void)method;
    (void)version;
    if (!call) {
        call = need_memory(sizeof(*call));
        call->connection = connection;
        *con_cls = call;
        return MHD_YES;
    }
    if (*size > 0) {
        char *more = realloc(call->body, call->body_len + *size);

        if (!more || call->body_len + *size > BODY_MAX)
            die("a body is larger than %d bytes", BODY_MAX);
        call->body = more;
        memcpy(call->body + call->body_len, data, *size);
        call->body_len += *size;
        *size = 0;
        return MHD_YES;
    }
    if (!bare->hands_over || call->answered)
        return answer(bare, connection);
    if (!call->begun) {
        call->begun = true;
        hand_over(&bare->handoff, call);
    }
    return MHD_YES;
}

static void completed(void *cls, struct MHD_Connection *connection, void **con_cls,
                      enum MHD_RequestTerminationCode why)
{
    struct call *call = *con_cls;

    (void)cls;
    (void)connection;
    (void)why;
    if (call)
        free(call->body);
    free(call);
    *con_cls = NULL;
}

static bool written_by_the_library(const char *name)
{
    return strcasecmp(name, "Date") == 0 || strcasecmp(name, "Content-Length") == 0 ||
           strcasecmp(name, "Connection") == 0 || strcasecmp(name, "Transfer-Encoding") == 0;
}

static void read_like(struct bare *bare, const char *path)
{
    size_t len;
    char *text = read_whole(path, &len), *end = strstr(text, "\r\n\r\n"), *save = NULL, *line;

    if (!end || strncmp(text, "HTTP/1.1 ", 9) != 0)
        die("%s does not hold a reply", path);
    *end = '\0';
    bare->body = end + 4;
    bare->body_len = len - (size_t)(bare->body - text);
    bare->status = (unsigned)atoi(text + 9);
    strtok_r(text, "\r\n", &save);
    while ((line = strtok_r(NULL, "\r\n", &save))) {
        char *colon = strchr(line, ':');

        if (!colon || bare->header_count == 64)
            die("%s: odd header '%s'", path, line);
        *colon = '\0';
        if (written_by_the_library(line))
            continue;
        bare->headers[bare->header_count][0] = line;
        bare->headers[bare->header_count++][1] = colon + 1 + strspn(colon + 1, " ");
    }
}

static void handoff_stop(struct handoff *handoff, pthread_t thread)
{
    pthread_mutex_lock(&handoff->lock);
    handoff->closing = true;
    pthread_cond_signal(&handoff->more);
    pthread_mutex_unlock(&handoff->lock);
    pthread_join(thread, NULL);
}

static unsigned threads(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (cores < 2)
        return 1;
    return (unsigned)(cores > THREADS_MAX ? THREADS_MAX : cores);
}

int main(int argc, char **argv)
{
    static struct bare bare = { .handoff = { .lock = PTHREAD_MUTEX_INITIALIZER,
                                             .more = PTHREAD_COND_INITIALIZER } };
    struct sockaddr_in loopback = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct MHD_Daemon *daemon;
    pthread_t thread;
    char byte;

    if (argc != 4 || strcmp(argv[2], "--like") != 0 ||
        (strcmp(argv[1], "get") != 0 && strcmp(argv[1], "handoff") != 0))
        die("usage: bare_mhd get|handoff --like FILE");
    bare.hands_over = *argv[1] == 'h';
    bare.handoff.last = &bare.handoff.first;
    read_like(&bare, argv[3]);
    if (pthread_create(&thread, NULL, handoff_thread, &bare.handoff) != 0)
        die("cannot start the thread");
    daemon = MHD_start_daemon(DAEMON_FLAGS, 0, NULL, NULL, handle, &bare, MHD_OPTION_NOTIFY_COMPLETED,
                              completed, NULL, MHD_OPTION_THREAD_POOL_SIZE, threads(),
                              MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                              CONNECTION_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SOCK_ADDR,
                              (struct sockaddr *)&loopback, MHD_OPTION_END);
    if (!daemon)
        die("cannot start libmicrohttpd");
    printf("%u\n", (unsigned)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    MHD_stop_daemon(daemon);
    handoff_stop(&bare.handoff, thread);
    return 0;
}

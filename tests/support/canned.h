/*
 * canned.h - a server of canned replies, for what goes out.
 *
 * Each connection is read up to the end of one request, then gets the next reply of the list as it stands,
 * byte for byte (the last one is used again and again), and is closed. Marks in a reply: \x01 waits until the
 * client has gone or the server stops, \x02 sends the rest byte by byte, \x03 repeats what follows without
 * end.
 */
#ifndef TESTS_CANNED_H
#define TESTS_CANNED_H

#include <pthread.h>
#include <stdatomic.h>

#define CANNED_REPLIES 8

struct canned {
    int fd, port;
    char url[64]; /* http://127.0.0.1:PORT */
    const char *replies[CANNED_REPLIES];
    atomic_int connections, requests, open;
    atomic_int asking, most_asking; /* whose reply has not begun */
    atomic_int gone;                /* clients that left while a reply waited */
    atomic_bool stopping;
    pthread_mutex_t lock;
    char *request; /* the last one, whole */
    pthread_t thread;
};

/* `replies` ends with NULL. */
void canned_start(struct canned *canned, const char *const *replies);
void canned_stop(struct canned *canned);

#endif

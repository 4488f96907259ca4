/*
 * notify.h - tells the service manager how it stands.
 *
 * A systemd unit of Type=notify counts as started when its program has said so, not when it was executed, so
 * that what depends on it starts when it can be reached. Without a manager (no NOTIFY_SOCKET) nothing
 * happens.
 *
 * Thread: the main one. The socket is connected before the server locks itself in.
 */
#ifndef SERVER_NOTIFY_H
#define SERVER_NOTIFY_H

struct notify {
    int fd; /* -1: there is nobody to tell */
};

struct notify notify_open(void);
void notify_say(const struct notify *notify, const char *state); /* "READY=1", "STOPPING=1" */
void notify_close(struct notify *notify);

#endif

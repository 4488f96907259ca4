#include "server/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct notify notify_open(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct notify notify = { .fd = -1 };
    size_t len = path ? strlen(path) : 0;

    if (len < 2 || len >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
        return notify;
    memcpy(address.sun_path, path, len);
    /* An abstract name is written with an @ in place of its NUL. */
    if (path[0] == '@')
        address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address,
                           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) != 0) {
        close(fd);
        fd = -1;
    }
    notify.fd = fd;
    return notify;
}

void notify_say(const struct notify *notify, const char *state)
{
    /* A manager that has gone away is no reason to do anything differently. */
    if (notify->fd >= 0 && send(notify->fd, state, strlen(state), MSG_NOSIGNAL) < 0)
        return;
}

void notify_close(struct notify *notify)
{
    if (notify->fd >= 0)
        close(notify->fd);
    notify->fd = -1;
}

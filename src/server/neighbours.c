/*
 * The addresses are those of the interfaces that are up, without the loopback's and those that hold on one
 * link only. A server on 0.0.0.0 hears IPv4 alone, one on [::] IPv6.
 */
#include "server/neighbours.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define LINKS_MAX 4

static const char *address_text(struct arena *arena, const struct sockaddr *address)
{
    const struct sockaddr_in *four = (const void *)address;
    const struct sockaddr_in6 *six = (const void *)address;
    char text[INET6_ADDRSTRLEN];

    if (address->sa_family == AF_INET && inet_ntop(AF_INET, &four->sin_addr, text, sizeof(text)))
        return arena_text(arena, text);
    if (address->sa_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr) &&
        inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof(text)))
        return arena_format(arena, "[%s]", text);
    return NULL;
}

static bool is_for_others(const struct ifaddrs *interface, sa_family_t family)
{
    return interface->ifa_addr && interface->ifa_addr->sa_family == family && interface->ifa_flags & IFF_UP &&
           !(interface->ifa_flags & IFF_LOOPBACK);
}

void neighbours_links(struct arena *arena, const char *listen, int port, struct buf *into)
{
    sa_family_t family = strncmp(listen, "[::]:", 5) == 0 ? AF_INET6 : AF_INET;
    struct ifaddrs *all = NULL;
    size_t count = 0;

    if (family == AF_INET && strncmp(listen, "0.0.0.0:", 8) != 0 && listen[0] != ':')
        return;
    if (getifaddrs(&all) != 0)
        all = NULL;
    for (const struct ifaddrs *at = all; at && count < LINKS_MAX; at = at->ifa_next) {
        const char *text = is_for_others(at, family) ? address_text(arena, at->ifa_addr) : NULL;

        if (!text)
            continue;
        buf_format(into, "from other machines: http://%s:%d\n", text, port);
        count++;
    }
    if (all)
        freeifaddrs(all);
    if (count == 0)
        buf_format(into, "from other machines: http://ADDRESS:%d, with the address of this one\n", port);
}

/*
 * Tables in which the first match decides, so the narrow networks stand before the wide ones. IPv6 addresses
 * that carry an IPv4 address are judged by what they carry, or they would be a way around.
 */
#include "net/reach.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

enum kind { KIND_PUBLIC, KIND_HERE, KIND_OWN, KIND_NEVER };

struct known_network {
    const char *address;
    unsigned bits;
    enum kind kind;
};

/* The first that holds an address decides; what stands in none is public. After IANA's special-purpose
 * registry. */
static const struct known_network networks_v4[] = {
    { "0.0.0.0", 32, KIND_OWN }, /* this machine, when connected to */
    { "0.0.0.0", 8, KIND_NEVER },      { "10.0.0.0", 8, KIND_OWN },       { "100.64.0.0", 10, KIND_OWN },
    { "127.0.0.0", 8, KIND_HERE },     { "169.254.0.0", 16, KIND_NEVER }, { "172.16.0.0", 12, KIND_OWN },
    { "192.0.0.0", 24, KIND_NEVER },   { "192.0.2.0", 24, KIND_NEVER },   { "192.88.99.0", 24, KIND_NEVER },
    { "192.168.0.0", 16, KIND_OWN },   { "198.18.0.0", 15, KIND_OWN },    { "198.51.100.0", 24, KIND_NEVER },
    { "203.0.113.0", 24, KIND_NEVER }, { "224.0.0.0", 3, KIND_NEVER },
};

static const struct known_network networks_v6[] = {
    { "::", 128, KIND_OWN },      { "::1", 128, KIND_HERE },    { "fd00:ec2::254", 128, KIND_NEVER },
    { "fc00::", 7, KIND_OWN },    { "2001::", 23, KIND_NEVER }, { "2001:db8::", 32, KIND_NEVER },
    { "3fff::", 20, KIND_NEVER }, { "2000::", 3, KIND_PUBLIC }, { "::", 0, KIND_NEVER },
};

/* Networks that carry an IPv4 address inside: it is that one which is reached. */
static const struct {
    const char *address;
    unsigned bits, at;
} carriers[] = { { "::ffff:0:0", 96, 12 }, { "64:ff9b::", 96, 12 }, { "2002::", 16, 2 } };

static bool begins_with(const unsigned char *address, const unsigned char *network, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;
    unsigned char mask = (unsigned char)(0xff00u >> rest);

    return memcmp(address, network, whole) == 0 &&
           (rest == 0 || (address[whole] & mask) == (network[whole] & mask));
}

static enum kind kind_in(const struct known_network *networks, size_t count, int family,
                         const unsigned char *address)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char network[sizeof(struct in6_addr)];

        if (inet_pton(family, networks[i].address, network) == 1 &&
            begins_with(address, network, networks[i].bits))
            return networks[i].kind;
    }
    return KIND_PUBLIC;
}

static enum kind kind_of_v4(const unsigned char *address)
{
    return kind_in(networks_v4, sizeof(networks_v4) / sizeof(*networks_v4), AF_INET, address);
}

static enum kind kind_of_v6(const unsigned char *address)
{
    for (size_t i = 0; i < sizeof(carriers) / sizeof(*carriers); i++) {
        unsigned char network[sizeof(struct in6_addr)];

        if (inet_pton(AF_INET6, carriers[i].address, network) == 1 &&
            begins_with(address, network, carriers[i].bits))
            return kind_of_v4(address + carriers[i].at);
    }
    return kind_in(networks_v6, sizeof(networks_v6) / sizeof(*networks_v6), AF_INET6, address);
}

static bool allowed(enum net_reach reach, enum kind kind)
{
    switch (kind) {
    case KIND_PUBLIC: return reach != NET_REACH_HERE;
    case KIND_HERE: return reach != NET_REACH_PUBLIC;
    case KIND_OWN: return reach == NET_REACH_OWN;
    case KIND_NEVER: break;
    }
    return false;
}

bool reach_allows(enum net_reach reach, const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;

        memcpy(&v4, address, sizeof(v4));
        return allowed(reach, kind_of_v4((const unsigned char *)&v4.sin_addr));
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;

        memcpy(&v6, address, sizeof(v6));
        return allowed(reach, kind_of_v6(v6.sin6_addr.s6_addr));
    }
    return false;
}

bool reach_allows_text(enum net_reach reach, const char *address)
{
    unsigned char bytes[sizeof(struct in6_addr)];

    if (inet_pton(AF_INET, address, bytes) == 1)
        return allowed(reach, kind_of_v4(bytes));
    return inet_pton(AF_INET6, address, bytes) == 1 && allowed(reach, kind_of_v6(bytes));
}

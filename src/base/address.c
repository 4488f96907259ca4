#include "base/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

void address_key(const char *address, char key[static ADDRESS_KEY_SIZE])
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr v6;

    if (inet_pton(AF_INET6, address, &v6) != 1) {
        snprintf(key, ADDRESS_KEY_SIZE, "%s", address);
        return;
    }
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
        inet_ntop(AF_INET, &v6.s6_addr[12], text, sizeof(text));
        snprintf(key, ADDRESS_KEY_SIZE, "%s", text);
        return;
    }
    memset(&v6.s6_addr[8], 0, 8);
    inet_ntop(AF_INET6, &v6, text, sizeof(text));
    snprintf(key, ADDRESS_KEY_SIZE, "%s/64", text);
}

bool address_is_loopback(const char *address)
{
    char key[ADDRESS_KEY_SIZE];
    struct in_addr v4;
    struct in6_addr v6;

    address_key(address, key);
    if (inet_pton(AF_INET, key, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, address, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

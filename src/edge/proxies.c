/*
 * IPv4 addresses are kept as IPv6 maps them, so that one comparison of bits serves both. The walk goes from
 * right to left and stops at the first item that is no address: what stands beyond it was written by nobody
 * we trust.
 */
#include "edge/proxies.h"

#include "base/str.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ITEM_SIZE 128

static bool parse_address(const char *text, unsigned char address[static 16], int *bits)
{
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

    if (inet_pton(AF_INET, text, address + 12) == 1) {
        memcpy(address, mapped, sizeof(mapped));
        *bits = 32;
        return true;
    }
    *bits = 128;
    return inet_pton(AF_INET6, text, address) == 1;
}

static bool parse_network(const char *item, struct trusted_network *network, struct err *err)
{
    char text[ITEM_SIZE];
    char *slash;
    int most = 0;
    int64_t bits;

    snprintf(text, sizeof(text), "%s", item);
    slash = strchr(text, '/');
    if (slash)
        *slash = '\0';
    if (!parse_address(text, network->address, &most) ||
        (slash && (!str_to_int(slash + 1, &bits) || bits < 0 || bits > most))) {
        err_set(err, ERR_INVALID, "server.trusted_proxies has \"%.60s\", which is no address or network.",
                item);
        return err_hint(err, "Write them as 10.0.0.7, 192.168.0.0/16 or fd00::/8, with commas between.");
    }
    network->bits = 128 - most + (slash ? (int)bits : most);
    return true;
}

/* The next item of a list with commas, without the space around it; NULL at the end. */
static const char *next_item(const char *at, char item[static ITEM_SIZE])
{
    size_t len = strcspn(at, ","), start = strspn(at, " \t");
    size_t end = len;

    while (end > start && (at[end - 1] == ' ' || at[end - 1] == '\t'))
        end--;
    if (start > end)
        start = end;
    snprintf(item, ITEM_SIZE, "%.*s", (int)(end - start), at + start);
    return at[len] ? at + len + 1 : NULL;
}

bool proxies_parse(const char *list, struct proxies *proxies, struct err *err)
{
    char item[ITEM_SIZE];

    proxies->count = 0;
    for (const char *at = list; at;) {
        at = next_item(at, item);
        if (!*item)
            continue;
        if (proxies->count == PROXIES_MAX)
            return err_set(err, ERR_INVALID, "server.trusted_proxies names too many: %d at most.",
                           PROXIES_MAX);
        if (!parse_network(item, &proxies->networks[proxies->count], err))
            return false;
        proxies->count++;
    }
    return true;
}

static bool within(const struct trusted_network *network, const unsigned char address[static 16])
{
    int whole = network->bits / 8, rest = network->bits % 8;
    unsigned mask = 0xffU << (8 - rest) & 0xffU;

    return memcmp(network->address, address, (size_t)whole) == 0 &&
           (rest == 0 || ((unsigned)(network->address[whole] ^ address[whole]) & mask) == 0);
}

bool proxies_trust(const struct proxies *proxies, const char *address)
{
    unsigned char bytes[16];
    int bits;

    if (proxies->count == 0 || !parse_address(address, bytes, &bits))
        return false;
    for (size_t i = 0; i < proxies->count; i++)
        if (within(&proxies->networks[i], bytes))
            return true;
    return false;
}

/* "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80", with or without quotes, as one way of
 * writing. */
static bool read_address(char *text, char address[static INET6_ADDRSTRLEN])
{
    unsigned char bytes[16];
    int bits;
    size_t len = strlen(text);

    if (len > 1 && text[0] == '"' && text[len - 1] == '"') {
        text[len - 1] = '\0';
        text++;
    }
    if (text[0] == '[') {
        text++;
        text[strcspn(text, "]")] = '\0';
    } else if (strchr(text, ':') && strchr(text, ':') == strrchr(text, ':')) {
        *strchr(text, ':') = '\0';
    }
    if (!parse_address(text, bytes, &bits))
        return false;
    inet_ntop(bits == 32 ? AF_INET : AF_INET6, bits == 32 ? bytes + 12 : bytes, address, INET6_ADDRSTRLEN);
    return true;
}

/* Of "for=192.0.2.1;proto=http" what stands behind for=. */
static bool read_forwarded(char *item, char address[static INET6_ADDRSTRLEN])
{
    char *rest = item, *pair;

    while ((pair = strsep(&rest, ";"))) {
        pair += strspn(pair, " \t");
        if (strncasecmp(pair, "for=", 4) == 0)
            return read_address(pair + 4, address);
    }
    return false;
}

/* Where the last item of the first `len` bytes begins. */
static size_t last_item(const char *list, size_t len)
{
    while (len > 0 && list[len - 1] != ',')
        len--;
    return len;
}

void proxies_client(const struct proxies *proxies, const char *peer, const char *forwarded_for,
                    const char *forwarded, char client[static INET6_ADDRSTRLEN])
{
    const char *list = forwarded_for ? forwarded_for : forwarded ? forwarded : "";
    char item[ITEM_SIZE], address[INET6_ADDRSTRLEN];
    size_t end = strlen(list);

    snprintf(client, INET6_ADDRSTRLEN, "%s", peer);
    while (end > 0 && proxies_trust(proxies, client)) {
        size_t start = last_item(list, end);

        (void)next_item(list + start, item);
        if (*item && !(forwarded_for ? read_address(item, address) : read_forwarded(item, address)))
            return;
        if (*item)
            memcpy(client, address, sizeof(address));
        end = start > 0 ? start - 1 : 0;
    }
}

/*
 * A name is brought to one form (small letters, no brackets, no dot at the end, a port as a number) before
 * anything is compared, and every place that accepts a name uses the same parser: a difference between two of
 * them would be a way in.
 */
#include "edge/hosts.h"

#include "base/str.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool parse_port(const char *text, int *port)
{
    int64_t number;

    if (!str_to_int(text, &number) || number < 0 || number > 65535 || !isdigit((unsigned char)text[0]))
        return false;
    *port = (int)number;
    return true;
}

static bool is_loopback_v6(const struct in6_addr *address)
{
    if (IN6_IS_ADDR_LOOPBACK(address))
        return true;
    return IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127;
}

static void classify(struct authority *authority, bool in_brackets)
{
    struct in_addr v4;
    struct in6_addr v6;
    size_t len = strlen(authority->name);

    if (in_brackets) {
        authority->is_address = inet_pton(AF_INET6, authority->name, &v6) == 1;
        authority->is_loopback = authority->is_address && is_loopback_v6(&v6);
    } else if (inet_pton(AF_INET, authority->name, &v4) == 1) {
        authority->is_address = true;
        authority->is_loopback = ntohl(v4.s_addr) >> 24 == 127;
    } else {
        authority->is_loopback = strcmp(authority->name, "localhost") == 0 ||
                                 (len > strlen(".localhost") &&
                                  strcmp(authority->name + len - strlen(".localhost"), ".localhost") == 0);
    }
}

bool hosts_parse(const char *text, struct authority *authority)
{
    bool in_brackets = text[0] == '[';
    const char *from = in_brackets ? text + 1 : text;
    const char *end = in_brackets ? strchr(from, ']') : from + strcspn(from, ":");

    *authority = (struct authority){ .port = 0 };
    if (!end || end == from || (size_t)(end - from) >= sizeof(authority->name))
        return false;
    for (const char *at = from; at < end; at++) {
        if (!isalnum((unsigned char)*at) && !strchr(in_brackets ? ":." : "-._", *at))
            return false;
        authority->name[at - from] = (char)tolower((unsigned char)*at);
    }
    if (!in_brackets && end - from > 1 && end[-1] == '.')
        authority->name[end - from - 1] = '\0';
    if (in_brackets)
        end++;
    if (*end == ':' && !parse_port(end + 1, &authority->port))
        return false;
    if (*end != ':' && *end != '\0')
        return false;
    classify(authority, in_brackets);
    return !in_brackets || authority->is_address;
}

/* "https://name:port" with nothing behind it but a slash; the port is filled in from the scheme. */
static bool parse_origin(const char *text, struct authority *authority)
{
    int port = strncasecmp(text, "https://", 8) == 0 ? 443 : 80;
    char host[HOST_NAME_SIZE + 16];

    if (strncasecmp(text, "https://", 8) != 0 && strncasecmp(text, "http://", 7) != 0)
        return false;
    text += port == 443 ? 8 : 7;
    if (strlen(text) >= sizeof(host)) /* cut short, it would be another origin */
        return false;
    memcpy(host, text, strlen(text) + 1);

    size_t len = strcspn(host, "/");

    if (host[len] == '/' && host[len + 1] != '\0')
        return false;
    host[len] = '\0';
    if (!hosts_parse(host, authority))
        return false;
    if (authority->port == 0)
        authority->port = port;
    return true;
}

static bool add_allowed(struct hosts *hosts, const char *from, size_t len, struct err *err)
{
    char text[HOST_NAME_SIZE + 16];

    while (len > 0 && isspace((unsigned char)*from))
        from++, len--;
    while (len > 0 && isspace((unsigned char)from[len - 1]))
        len--;
    if (len == 0)
        return true;
    if (len >= sizeof(text) || hosts->count == HOSTS_MAX)
        return err_field(err, "server.allowed_hosts", "server.allowed_hosts is too long: %d names at most.",
                         HOSTS_MAX);
    memcpy(text, from, len);
    text[len] = '\0';
    if (!hosts_parse(text, &hosts->allowed[hosts->count]))
        return err_field(err, "server.allowed_hosts", "\"%s\" is not a host name.", text);
    hosts->count++;
    return true;
}

/* The page may stand below a path; only its host counts here. */
static bool add_public(struct hosts *hosts, const char *url, struct err *err)
{
    char origin[HOST_NAME_SIZE + 32];
    const char *host = strstr(url, "://");
    size_t len = host ? (size_t)(host - url) + 3 + strcspn(host + 3, "/?#") : 0;

    if (len == 0 || len >= sizeof(origin))
        return err_field(err, "server.public_url", "\"%s\" is not a URL.", url);
    memcpy(origin, url, len);
    origin[len] = '\0';
    if (!parse_origin(origin, &hosts->allowed[hosts->count]))
        return err_field(err, "server.public_url", "\"%s\" is not a URL of http or https.", url);
    hosts->count++;
    return true;
}

bool hosts_init(struct hosts *hosts, const char *listen, int port, const char *public_url,
                const char *allowed, struct err *err)
{
    struct authority own;

    memset(hosts, 0, sizeof(*hosts));
    atomic_init(&hosts->port, port);
    hosts->on_loopback = hosts_parse(listen, &own) && own.is_loopback;
    if (public_url[0] && !add_public(hosts, public_url, err))
        return false;
    while (*allowed) {
        size_t len = strcspn(allowed, ",");

        if (!add_allowed(hosts, allowed, len, err))
            return false;
        allowed += len + (allowed[len] == ',');
    }
    return true;
}

static int port_or_default(int port)
{
    return port ? port : 80;
}

static bool is_listed(const struct hosts *hosts, const struct authority *authority)
{
    for (size_t i = 0; i < hosts->count; i++) {
        const struct authority *allowed = &hosts->allowed[i];

        if (strcmp(allowed->name, authority->name) != 0)
            continue;
        /* A proxy that ends TLS passes on a Host without a port. */
        if (allowed->port == 0 || allowed->port == authority->port ||
            (authority->port == 0 && (allowed->port == 80 || allowed->port == 443)))
            return true;
    }
    return false;
}

bool hosts_allow(const struct hosts *hosts, const char *host)
{
    struct authority authority;

    if (!host || !hosts_parse(host, &authority))
        return false;
    if (is_listed(hosts, &authority))
        return true;
    if (hosts->on_loopback)
        return authority.is_loopback && port_or_default(authority.port) == atomic_load(&hosts->port);
    return authority.is_loopback || authority.is_address;
}

bool hosts_allow_origin(const struct hosts *hosts, const char *host, const char *origin)
{
    struct authority own, theirs;

    if (!parse_origin(origin, &theirs))
        return false;
    if (is_listed(hosts, &theirs))
        return true;
    return host && hosts_parse(host, &own) && strcmp(own.name, theirs.name) == 0 &&
           (own.port == 0 ? theirs.port == 80 || theirs.port == 443 : own.port == theirs.port);
}

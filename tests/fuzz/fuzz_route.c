/*
 * What a request says about where it goes: the raw path, Host and Origin.
 *
 * The input's lines are "METHOD PATH", the Host, the Origin, server.public_url and server.allowed_hosts.
 */
#include "base/str.h"
#include "edge/hosts.h"
#include "ops/route.h"
#include "tests/fuzz/fuzz.h"

static bool means(const char *http, const char *method)
{
    size_t len = strlen(method);

    return http && strncmp(http, method, len) == 0 && http[len] == ' ';
}

static bool has_param(const struct op *op, const char *name)
{
    for (const struct field *field = op->params; field->type; field++)
        if (strcmp(field->name, name) == 0)
            return true;
    return false;
}

/* A decoded value, escaped again, decodes to itself. */
static void check_value(struct arena *arena, const char *text)
{
    char *again = str_url_encode(arena, text);

    DEMAND(str_url_decode(again, true));
    DEMAND(strcmp(again, text) == 0);
    plant(strlen(text), 44);
}

static void check_route(struct arena *arena, const char *method, const char *path)
{
    static struct routes *routes;
    struct route_match match;
    struct err err = { 0 };

    if (!routes)
        routes = routes_new(op_all());
    if (!route_find(routes, arena, method, path, &match, &err)) {
        DEMAND(err.code == ERR_NOT_FOUND && err.text[0]);
        return;
    }
    DEMAND(!match.op || match.allow);
    for (size_t i = 0; i < match.path_count && match.op; i++) {
        DEMAND(match.path[i].text[0]);
        DEMAND(has_param(match.op, match.path[i].name));
        check_value(arena, match.path[i].text);
    }
    if (match.op) {
        DEMAND(means(match.op->http, method) || means(match.op->http_also, method));
        DEMAND(strstr(match.allow, method));
    }
}

static void check_decode(struct arena *arena, const char *raw)
{
    for (int plus = 0; plus < 2; plus++) {
        char *text = arena_text(arena, raw);

        if (str_url_decode(text, plus))
            check_value(arena, text);
    }
}

static void check_authority(const char *text)
{
    struct authority authority;

    if (!hosts_parse(text, &authority))
        return;
    DEMAND(authority.name[0] && strlen(authority.name) < HOST_NAME_SIZE);
    DEMAND(authority.port >= 0 && authority.port <= 65535);
    DEMAND(!strpbrk(authority.name, "/@[] \t\r\nABCDEFGHIJKLMNOPQRSTUVWXYZ"));
}

/* Whether an origin names this host, by a reading of its own. */
static bool origin_names(const char *origin, const char *name)
{
    const char *host = strstr(origin, "://");
    struct authority authority;
    char *text = host ? strdup(host + 3) : NULL;

    if (!text)
        return false;
    text[strcspn(text, "/")] = '\0';
    bool found = hosts_parse(text, &authority) && strcmp(authority.name, name) == 0;

    free(text);
    return found;
}

/* A server on loopback that lists one name is known by that name and by loopback's, whatever is sent. */
static void check_wall(const char *host, const char *origin)
{
    struct hosts hosts;
    struct authority authority;
    struct err err = { 0 };

    DEMAND(hosts_init(&hosts, "127.0.0.1:7117", 7117, "https://witan.example", "", &err));
    if (hosts_allow(&hosts, host)) {
        DEMAND(hosts_parse(host, &authority));
        DEMAND(authority.is_loopback || strcmp(authority.name, "witan.example") == 0);
    }
    if (hosts_allow_origin(&hosts, "127.0.0.1:7117", origin))
        DEMAND(origin_names(origin, "127.0.0.1") || origin_names(origin, "witan.example"));
}

static void check_hosts(const char *host, const char *origin, const char *public_url, const char *allowed)
{
    struct hosts hosts;
    struct err err = { 0 };

    check_authority(host);
    check_wall(host, origin);
    if (!hosts_init(&hosts, "0.0.0.0:7117", 7117, public_url, allowed, &err)) {
        DEMAND(err.code == ERR_INVALID && err.field[0]);
        return;
    }
    DEMAND(hosts.count <= HOSTS_MAX);
    (void)hosts_allow(&hosts, host);
    (void)hosts_allow_origin(&hosts, host, origin);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    ARENA_AUTO arena = { 0 };
    char *lines[5];

    for (size_t i = 0; i < 5; i++)
        lines[i] = fuzz_line(&bytes, &len);
    char *space = strchr(lines[0], ' ');

    if (space) {
        *space = '\0';
        check_route(&arena, lines[0], space + 1);
        check_decode(&arena, space + 1);
    }
    check_hosts(lines[1], lines[2], lines[3], lines[4]);
    for (size_t i = 0; i < 5; i++)
        free(lines[i]);
    return 0;
}

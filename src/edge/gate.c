/*
 * What can be judged from the head alone, in this order: the Host, the Origin, the rate. Credentials are only
 * read here; whether they are good is decided in the operation's transaction. A request that was asked about
 * before its body passes the rate once, and not again when the body is there.
 */
#include "base/clock.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/identity/cookie.h"
#include "edge/callerkey.h"
#include "edge/internal.h"

#include <string.h>
#include <strings.h>

static bool was_forwarded(const struct http_exchange *exchange)
{
    return http_header(exchange, "Forwarded") || http_header(exchange, "Via") ||
           http_header(exchange, "X-Real-IP") || http_has_header_like(exchange, "X-Forwarded-");
}

/* The value of one cookie, or NULL. */
static const char *find_cookie(struct arena *arena, const char *header, const char *name)
{
    size_t name_len = strlen(name);

    while (header && *header) {
        header += strspn(header, " ;\t");
        size_t len = strcspn(header, ";");

        if (len > name_len && strncmp(header, name, name_len) == 0 && header[name_len] == '=') {
            const char *value = header + name_len + 1;

            len -= name_len + 1;
            while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
                len--;
            return len > 0 ? arena_copy(arena, value, len) : NULL;
        }
        header += len;
    }
    return NULL;
}

/* A scheme that we do not know is a token that nobody has: a credential that is there is always judged. */
static const char *find_bearer(const char *header)
{
    if (!header)
        return NULL;
    if (strncasecmp(header, "Bearer ", 7) != 0)
        return header;
    return header + 7 + strspn(header + 7, " ");
}

static bool check_host(const struct edge *edge, const struct http_exchange *exchange, struct err *err)
{
    const char *host = http_header(exchange, "Host");

    if (hosts_allow(&edge->hosts, host))
        return true;
    err_set(err, ERR_FORBIDDEN, "This server is not known as \"%.100s\".", host ? host : "");
    err->name = "foreign_host";
    return err_hint(err, "Use its address, or add the name to server.allowed_hosts.");
}

static bool refuse_origin(struct err *err)
{
    err_set(err, ERR_FORBIDDEN, "A page of another site may not do this.");
    err->name = "foreign_origin";
    return err_hint(err, "If the page is yours, add its host to server.allowed_hosts.");
}

/* Browsers name the site that a request comes from; "none" is somebody's own doing, such as a bookmark. */
static bool is_foreign(const char *site)
{
    return site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
}

/* Somebody follows a link to one of our pages: from a mail or a chat that is how people come here. */
static bool is_visit(const struct http_exchange *exchange)
{
    const char *mode = http_header(exchange, "Sec-Fetch-Mode"),
               *dest = http_header(exchange, "Sec-Fetch-Dest");

    return !str_starts(http_path(exchange), "/api/") && str_equal(mode, "navigate") &&
           str_equal(dest, "document");
}

static bool has_login(const struct http_exchange *exchange, const struct credentials *credentials)
{
    const char *cookies = http_header(exchange, "Cookie");

    return credentials->session || (cookies && strstr(cookies, COOKIE_VISIT));
}

/*
 * Browsers say where a request comes from, and a foreign page gets nothing: not even a read, whose reply it
 * could not see, but whose cost and timing it could. What changes something with a cookie must say it, since
 * the browser adds the cookie whoever asks.
 */
static bool check_origin(const struct edge *edge, const struct http_exchange *exchange, enum gate_kind kind,
                         const struct credentials *credentials, struct err *err)
{
    const char *origin = http_header(exchange, "Origin"), *site = http_header(exchange, "Sec-Fetch-Site");

    if (kind == GATE_FORM && str_equal(origin, "null"))
        return !is_foreign(site) || refuse_origin(err);
    if (origin)
        return hosts_allow_origin(&edge->hosts, http_header(exchange, "Host"), origin) || refuse_origin(err);
    if (is_foreign(site))
        return (kind == GATE_SAFE && is_visit(exchange)) || refuse_origin(err);
    if (kind == GATE_UNSAFE && has_login(exchange, credentials) && !credentials->bearer && !site) {
        err_set(err, ERR_FORBIDDEN, "A request with the login cookie must say where it comes from.");
        err->name = "origin_required";
        return err_hint(err, "Send Origin with this server's own address, or use a token.");
    }
    return true;
}

/*
 * All secrets of a token are one token, and all logins of a user one user. What is not known yet goes by
 * itself: many who have just come may share an address.
 */
static bool check_rate(struct edge *edge, const struct credentials *credentials, uint64_t owner,
                       struct err *err)
{
    const char *secret = credentials->bearer ? credentials->bearer : credentials->session;
    int retry_after_s;

    if (!secret)
        return true;
    if (owner ? ratelimit_take(edge->tokens, &owner, sizeof(owner), clock_ticks_us(), &retry_after_s)
              : ratelimit_take(edge->tokens, secret, strlen(secret), clock_ticks_us(), &retry_after_s))
        return true;
    err_set(err, ERR_RATE_LIMITED, "Too many requests with these credentials.");
    err->retry_after_s = retry_after_s;
    return false;
}

void gate_remote(const struct edge *edge, struct http_exchange *exchange,
                 char remote[static INET6_ADDRSTRLEN])
{
    ARENA_AUTO arena = { 0 };
    char peer[INET6_ADDRSTRLEN];

    http_peer_text(exchange, peer, sizeof(peer));
    if (!proxies_trust(&edge->proxies, peer))
        memcpy(remote, peer, sizeof(peer));
    else
        proxies_client(&edge->proxies, peer, http_header_lines(exchange, &arena, "X-Forwarded-For"),
                       http_header_lines(exchange, &arena, "Forwarded"), remote);
}

const char *gate_base_url(struct http_exchange *exchange, struct arena *arena)
{
    const char *host = http_header(exchange, "Host");

    if (*settings()->server_public_url)
        return settings()->server_public_url;
    return host && !was_forwarded(exchange) ? arena_format(arena, "http://%s", host) : NULL;
}

void gate_visit(struct http_exchange *exchange, struct arena *arena, const char *question_id,
                struct credentials *credentials)
{
    const char *id = str_lower(arena, question_id);
    const char *name = cookie_name(arena, arena_format(arena, COOKIE_VISIT "%s", id));

    credentials->visit = find_cookie(arena, http_header(exchange, "Cookie"), name);
    credentials->visit_id = id;
}

/* What a caller shows is judged later; until it has been found good once, the address is all that is known.
 */
static uint64_t key_of_address(const struct edge *edge, struct http_exchange *exchange)
{
    char remote[INET6_ADDRSTRLEN];

    gate_remote(edge, exchange, remote);
    return callerkey_at(remote);
}

/* Returns the key of whoever they are known to belong to, or 0. */
static uint64_t read_credentials(const struct edge *edge, struct http_exchange *exchange, struct arena *arena,
                                 struct credentials *credentials)
{
    const char *cookies = http_header(exchange, "Cookie");
    uint64_t owner;

    *credentials = (struct credentials){
        .bearer = find_bearer(http_header(exchange, "Authorization")),
        .session = find_cookie(arena, cookies, cookie_name(arena, COOKIE_SESSION)),
        .device = find_cookie(arena, cookies, cookie_name(arena, COOKIE_DEVICE)),
        .workspace = http_header(exchange, "X-Witan-Workspace"),
        .may_be_solo = !edge->options.require_auth && edge->hosts.on_loopback &&
                       http_peer_is_loopback(exchange) && !was_forwarded(exchange),
    };
    owner = known_owner(edge->known, credentials);
    credentials->key = owner ? owner : key_of_address(edge, exchange);
    return owner;
}

enum gate_kind gate_kind_of(const struct http_exchange *exchange)
{
    if (http_method(exchange) == HTTP_GET)
        return GATE_SAFE;
    return str_starts(http_path(exchange), "/q/") ? GATE_FORM : GATE_UNSAFE;
}

bool gate_enter(struct edge *edge, struct http_exchange *exchange, enum gate_kind kind, struct arena *arena,
                struct credentials *credentials, struct err *err)
{
    uint64_t owner = read_credentials(edge, exchange, arena, credentials);

    return check_host(edge, exchange, err) && check_origin(edge, exchange, kind, credentials, err) &&
           check_rate(edge, credentials, owner, err);
}

bool gate_check(struct edge *edge, struct http_exchange *exchange, enum gate_kind kind, struct arena *arena,
                struct credentials *credentials, struct err *err)
{
    if (!http_body_was_asked(exchange))
        return gate_enter(edge, exchange, kind, arena, credentials, err);
    (void)read_credentials(edge, exchange, arena, credentials);
    return check_host(edge, exchange, err) && check_origin(edge, exchange, kind, credentials, err);
}

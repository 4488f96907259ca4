/*
 * One call: how curl is told what to do, what comes back, and how it ends.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "gen/version.h"
#include "net/internal.h"
#include "net/reach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

void call_end(struct net_call *call, enum net_end end)
{
    struct net *net = call->net;

    if (call->has_ended)
        return;
    call->has_ended = true;
    call->end = end;
    call->next_ended = NULL;
    *net->ended_last = call;
    net->ended_last = &call->next_ended;
}

void net_call_cancel(struct net_call *call)
{
    call_end(call, NET_CANCELLED);
}

static enum net_end end_of(CURLcode code)
{
    switch (code) {
    case CURLE_OK: return NET_WHOLE;
    case CURLE_COULDNT_RESOLVE_HOST: return NET_NO_HOST;
    case CURLE_COULDNT_CONNECT:
    case CURLE_INTERFACE_FAILED: return NET_NO_SERVER;
    case CURLE_OPERATION_TIMEDOUT: return NET_SLOW_CONNECT; /* the other times are watched here */
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return NET_NO_TLS;
    case CURLE_FILESIZE_EXCEEDED: return NET_TOO_LARGE;
    case CURLE_OUT_OF_MEMORY: return NET_NO_MEMORY;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2: return NET_GARBLED;
    default: return NET_BROKE_OFF;
    }
}

static const char is_compressed[] = "the reply is compressed, which was not asked for";

/*
 * A port that the sandbox has given up looks like one that nobody listens on, but for the number. Since
 * version 8 curl refuses a transfer coding that it did not ask for itself, before the header is shown to us.
 */
void call_finished(struct net_call *call, CURLcode code)
{
    long number = 0;

    if (code == CURLE_BAD_CONTENT_ENCODING)
        call->reason = is_compressed;
    if (code == CURLE_COULDNT_CONNECT)
        curl_easy_getinfo(call->curl, CURLINFO_OS_ERRNO, &number);
    call_end(call, number == EACCES || number == EPERM ? NET_NOT_ALLOWED : end_of(code));
}

void call_reap(struct net_call *call)
{
    struct net *net = call->net;

    net_timer_stop(net, &call->timer);
    curl_multi_remove_handle(net->multi, call->curl); /* closes the connection of one that is under way */
    call->done(call->user, call, call->end, call->reason ? call->reason : call->why);
    *call->link = call->next;
    if (call->next)
        call->next->link = call->link;
    curl_easy_cleanup(call->curl);
    curl_slist_free_all(call->headers);
    free(call);
}

int net_call_status(struct net_call *call)
{
    long status = 0;

    curl_easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

const char *net_call_header(struct net_call *call, const char *name)
{
    struct curl_header *header;

    return curl_easy_header(call->curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value
                                                                                         : NULL;
}

/* Time. */

static void watch_time(struct net_call *call)
{
    const struct net_policy *policy = &call->policy;
    int64_t now_ms = clock_ticks_ms(), whole_ms = call->began_ms + policy->whole_ms;
    int64_t next_ms =
        call->received == 0 ? call->began_ms + policy->first_ms : call->last_ms + policy->idle_ms;

    if (now_ms >= whole_ms)
        call_end(call, NET_SLOW_WHOLE);
    else if (now_ms >= next_ms)
        call_end(call, call->received == 0 ? NET_SLOW_START : NET_SLOW_NEXT);
    else
        net_timer_set(call->net, &call->timer, (next_ms < whole_ms ? next_ms : whole_ms) - now_ms);
}

void net_call_hurry(struct net_call *call, int64_t idle_ms)
{
    if (call->has_ended || call->policy.idle_ms <= idle_ms)
        return;
    call->policy.idle_ms = idle_ms;
    watch_time(call);
}

static void time_is_up(void *user)
{
    watch_time(user);
}

/* What comes back. */

struct piece {
    struct net_call *call;
    const char *bytes;
    size_t len;
    bool more;
};

static void hand_on(void *user)
{
    struct piece *piece = user;
    struct net_call *call = piece->call;

    piece->more = call->chunk(call->user, call, piece->bytes, piece->len);
}

/* Returning another number of bytes makes curl end the transfer; why is known by then. */
static size_t refuse(struct net_call *call, enum net_end end)
{
    call_end(call, end);
    return CURL_WRITEFUNC_ERROR;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *user)
{
    struct net_call *call = user;
    struct piece piece = { .call = call, .bytes = bytes, .len = size * count };

    if (call->has_ended)
        return CURL_WRITEFUNC_ERROR;
    bool first = call->received == 0;

    call->received += piece.len;
    call->last_ms = clock_ticks_ms();
    if (call->received > call->policy.body_most)
        return refuse(call, NET_TOO_LARGE);
    if (first)
        watch_time(call);
    if (!call->chunk)
        return piece.len;
    if (!memory_try(hand_on, &piece))
        return refuse(call, NET_NO_MEMORY);
    return piece.more ? piece.len : refuse(call, NET_ENOUGH);
}

/* Whether each coding of a list leaves the bytes as they are, or cuts them into chunks. */
static bool is_plain(const char *list, size_t len, bool chunks)
{
    static const char spaces[] = ", \t\r\n";
    size_t at = 0;

    while (at < len) {
        size_t begin = at;

        while (at < len && !memchr(spaces, list[at], sizeof(spaces) - 1))
            at++;
        size_t word = at - begin;

        if (word > 0 && !(word == 8 && strncasecmp(list + begin, "identity", word) == 0) &&
            !(chunks && word == 7 && strncasecmp(list + begin, "chunked", word) == 0))
            return false;
        at += word == 0;
    }
    return true;
}

/* Nobody asked for a compressed body, and one that unfolds to any size will not be unfolded: neither here nor
 * by curl, which unfolds transfer codings by itself. */
static size_t take_header(char *line, size_t size, size_t count, void *user)
{
    static const struct {
        const char *name;
        bool chunks;
    } codings[] = { { "content-encoding:", false }, { "transfer-encoding:", true } };
    struct net_call *call = user;
    size_t len = size * count;

    for (size_t i = 0; i < sizeof(codings) / sizeof(*codings); i++) {
        size_t name = strlen(codings[i].name);

        if (len < name || strncasecmp(line, codings[i].name, name) != 0 ||
            is_plain(line + name, len - name, codings[i].chunks))
            continue;
        call->reason = is_compressed;
        return refuse(call, NET_GARBLED);
    }
    return len;
}

/* Whom it may reach: asked before a socket is made, and again for a connection that was open already. */

static curl_socket_t open_socket(void *user, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct net_call *call = user;

    if (purpose != CURLSOCKTYPE_IPCXN || !reach_allows(call->policy.reach, &address->addr)) {
        call_end(call, NET_NOT_ALLOWED);
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static int before_request(void *user, char *peer, char *own, int peer_port, int own_port)
{
    struct net_call *call = user;

    (void)own, (void)peer_port, (void)own_port;
    if (reach_allows_text(call->policy.reach, peer))
        return CURL_PREREQFUNC_OK;
    call_end(call, NET_NOT_ALLOWED);
    return CURL_PREREQFUNC_ABORT;
}

/* Starting. */

static bool bad_url(const char *why, struct err *err)
{
    return err_set(err, ERR_INVALID, "A URL must be http:// or https:// with a host; this one %s.", why);
}

static const char *what_is_wrong(CURLU *url)
{
    char *part = NULL;
    const char *wrong = NULL;

    if (curl_url_get(url, CURLUPART_SCHEME, &part, 0) != CURLUE_OK ||
        (strcasecmp(part, "http") != 0 && strcasecmp(part, "https") != 0))
        wrong = "is of another kind";
    curl_free(part);
    part = NULL;
    if (!wrong && (curl_url_get(url, CURLUPART_USER, &part, 0) == CURLUE_OK ||
                   curl_url_get(url, CURLUPART_PASSWORD, &part, 0) == CURLUE_OK))
        wrong = "holds a name or a password, which belong elsewhere";
    curl_free(part);
    part = NULL;
    if (!wrong && curl_url_get(url, CURLUPART_FRAGMENT, &part, 0) == CURLUE_OK)
        wrong = "has a part behind #, which no server sees";
    curl_free(part);
    return wrong;
}

bool net_url_check(const char *text, struct err *err)
{
    CURLU *url = curl_url();

    if (!url)
        return err_set(err, ERR_UNAVAILABLE, "There is not enough memory.");
    /* curl takes "http:///v1" for a host called v1, and a name without a scheme for http. */
    const char *host = strstr(text, "://");
    bool readable = strlen(text) <= LIMIT_URL && host && host[3] != '/' &&
                    curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK;
    const char *wrong = readable ? what_is_wrong(url) : "cannot be read";

    curl_url_cleanup(url);
    return !wrong || bad_url(wrong, err);
}

/* curl writes addresses in one form, however they were spelled; those of IPv6 stand in brackets. */
static bool leads_inside(char *host, bool (*is_inside)(const char *address))
{
    size_t len = strlen(host);

    if (len > 2 && host[0] == '[') {
        host[len - 1] = '\0';
        return is_inside(host + 1);
    }
    if (len > 0 && host[len - 1] == '.')
        host[--len] = '\0';
    if (strcasecmp(host, "localhost") == 0 || (len > 10 && strcasecmp(host + len - 10, ".localhost") == 0))
        return true;
    return host[strspn(host, "0123456789.")] == '\0' && is_inside(host);
}

static bool is_not_public(const char *address)
{
    return !reach_allows_text(NET_REACH_PUBLIC, address);
}

static bool is_here(const char *address)
{
    return reach_allows_text(NET_REACH_HERE, address);
}

static bool url_leads(const char *text, bool (*inside)(const char *address), int *port)
{
    CURLU *url = curl_url();
    char *host = NULL, *number = NULL;
    bool leads = false;

    if (url && curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK)
        leads = leads_inside(host, inside);
    if (leads && port)
        *port =
            curl_url_get(url, CURLUPART_PORT, &number, CURLU_DEFAULT_PORT) == CURLUE_OK ? atoi(number) : 0;
    curl_free(number);
    curl_free(host);
    curl_url_cleanup(url);
    return leads;
}

bool net_url_is_inside(const char *url)
{
    return url_leads(url, is_not_public, NULL);
}

bool net_url_is_here(const char *url, int *port)
{
    return url_leads(url, is_here, port);
}

static bool add_headers(struct net_call *call, const char *const *headers)
{
    /* An empty value takes a header out that curl would add. */
    call->headers = curl_slist_append(NULL, "Expect:");
    for (; call->headers && headers && *headers; headers++) {
        struct curl_slist *longer = curl_slist_append(call->headers, *headers);

        if (!longer)
            return false;
        call->headers = longer;
    }
    return call->headers != NULL;
}

#define SET(option, value) (curl_easy_setopt(call->curl, (option), (value)) == CURLE_OK)

static bool set_manners(struct net_call *call)
{
    return SET(CURLOPT_PROTOCOLS_STR, "http,https") && SET(CURLOPT_FOLLOWLOCATION, 0L) &&
           SET(CURLOPT_PROXY, "") && SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) &&
           SET(CURLOPT_NOSIGNAL, 1L) &&
           SET(CURLOPT_QUICK_EXIT, 1L) && /* a cancelled call does not wait for its name's look-up */
           SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) &&
           SET(CURLOPT_USERAGENT, "witan/" WITAN_VERSION) && SET(CURLOPT_BUFFERSIZE, (long)NET_BUFFER) &&
           SET(CURLOPT_TCP_KEEPALIVE, 1L) && SET(CURLOPT_CONNECTTIMEOUT_MS, (long)call->policy.connect_ms) &&
           SET(CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)call->policy.body_most);
}

static bool set_callbacks(struct net_call *call)
{
    return SET(CURLOPT_PRIVATE, call) && SET(CURLOPT_ERRORBUFFER, call->why) &&
           SET(CURLOPT_WRITEFUNCTION, take_body) && SET(CURLOPT_WRITEDATA, call) &&
           SET(CURLOPT_HEADERFUNCTION, take_header) && SET(CURLOPT_HEADERDATA, call) &&
           SET(CURLOPT_OPENSOCKETFUNCTION, open_socket) && SET(CURLOPT_OPENSOCKETDATA, call) &&
           SET(CURLOPT_PREREQFUNCTION, before_request) && SET(CURLOPT_PREREQDATA, call);
}

static bool set_request(struct net_call *call, const struct net_request *request)
{
    if (!SET(CURLOPT_URL, request->url) || !add_headers(call, request->headers) ||
        !SET(CURLOPT_HTTPHEADER, call->headers) ||
        (request->method && !SET(CURLOPT_CUSTOMREQUEST, request->method)))
        return false;
    return !request->body || (SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_len) &&
                              SET(CURLOPT_POSTFIELDS, request->body));
}

#undef SET

static struct net_call *call_new(struct net *net, const struct net_request *request)
{
    struct net_call *call = memory_take(sizeof(*call));

    *call = (struct net_call){ .net = net,
                               .curl = curl_easy_init(),
                               .began_ms = clock_ticks_ms(),
                               .policy = request->policy,
                               .chunk = request->chunk,
                               .done = request->done,
                               .user = request->user };
    call->timer = (struct timer){ .run = time_is_up, .user = call };
    return call;
}

bool net_call_start(struct net *net, const struct net_request *request, struct net_call **started,
                    struct err *err)
{
    if (net->closing)
        return err_set(err, ERR_UNAVAILABLE, "The server is stopping.");
    if (!net_url_check(request->url, err))
        return false;
    struct net_call *call = call_new(net, request);

    if (!call->curl || !set_manners(call) || !set_callbacks(call) || !set_request(call, request) ||
        curl_multi_add_handle(net->multi, call->curl) != CURLM_OK) {
        curl_easy_cleanup(call->curl);
        curl_slist_free_all(call->headers);
        free(call);
        return err_set(err, ERR_UNAVAILABLE, "The call could not be started: there is not enough memory.");
    }
    call->link = &net->calls;
    call->next = net->calls;
    if (call->next)
        call->next->link = &call->next;
    net->calls = call;
    watch_time(call);
    *started = call;
    return true;
}

/*
 * Bytes are sorted into kinds by one table, and each part of a line is a span of one kind between exact
 * separators. Anything that proxies are known to read differently (two lengths, a tab around one, a length
 * and chunks, a second Host) is refused rather than decided, since a disagreement is how requests are
 * smuggled.
 */
#include "http/head.h"

#include <string.h>
#include <strings.h>

/* One bit for each kind of byte. */
enum { TOKEN = 1, TEXT = 2, TARGET = 4, HOST = 8, HEX = 16 };

static const struct http_fault request_line = { 400, "bad_request", "The request line is malformed." };
static const struct http_fault line_end = { 400, "bad_request", "A line does not end with CR LF." };
static const struct http_fault bad_field = { 400, "bad_request", "A header is malformed." };
static const struct http_fault bad_byte = { 400, "bad_request",
                                            "The address contains a character that must be escaped." };
static const struct http_fault bad_escape = { 400, "bad_request", "The address contains a broken escape." };
static const struct http_fault escaped_nul = { 400, "bad_request", "The address contains an escaped NUL." };
static const struct http_fault no_slash = { 400, "bad_request", "The path must start with a slash." };
static const struct http_fault bad_version = { 505, "http_version",
                                               "Only the versions 1.1 and 1.0 of HTTP are known." };
static const struct http_fault bad_host = { 400, "bad_request", "The Host is malformed." };
static const struct http_fault no_host = { 400, "bad_request", "There is no Host." };
static const struct http_fault repeated = { 400, "bad_request", "A header that may come once is repeated." };
static const struct http_fault unclear = { 400, "bad_request", "The length of the body is not clear." };
static const struct http_fault bad_length = { 400, "bad_request", "Content-Length is not a number." };
static const struct http_fault bad_coding = { 501, "not_implemented",
                                              "Only the transfer encoding chunked is known." };
static const struct http_fault bad_expect = { 417, "expectation_failed",
                                              "Only Expect: 100-continue is known." };
static const struct http_fault long_target = { 414, "uri_too_long", "The address is too long." };
static const struct http_fault long_head = { 431, "headers_too_large", "The headers are too large." };

static enum head_state bad(struct head *head, const struct http_fault *fault)
{
    head->fault = fault;
    return HEAD_BAD;
}

static unsigned char kinds[256];

/* Filled before main, so that every thread only reads it. */
__attribute__((constructor)) static void fill_kinds(void)
{
    for (unsigned c = 0; c < 256; c++) {
        bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        bool text = c == '\t' || (c >= 0x20 && c != 0x7f);

        kinds[c] = (unsigned char)((alnum || (c && strchr("!#$%&'*+-.^_`|~", (int)c)) ? TOKEN : 0) |
                                   (text ? TEXT : 0) | (c > 0x20 && c < 0x7f ? TARGET : 0) |
                                   (alnum || (c && strchr("-._~%!$&'()*+,;=:[]", (int)c)) ? HOST : 0) |
                                   (hex ? HEX : 0));
    }
}

bool head_is_token(unsigned char c)
{
    return kinds[c] & TOKEN;
}

bool head_is_text(unsigned char c)
{
    return kinds[c] & TEXT;
}

/* How many bytes from the start are of this kind. */
static size_t span(const char *bytes, size_t len, unsigned char kind)
{
    size_t at = 0;

    while (at < len && kinds[(unsigned char)bytes[at]] & kind)
        at++;
    return at;
}

/* Nothing is decoded: "%00" would end a path too early. */
static const struct http_fault *target_fault(const char *target, size_t len)
{
    if (span(target, len, TARGET) < len)
        return &bad_byte;
    for (const char *c = target; (c = memchr(c, '%', len - (size_t)(c - target))); c += 3) {
        if ((size_t)(c - target) + 3 > len || span(c + 1, 2, HEX) < 2)
            return &bad_escape;
        if (c[1] == '0' && c[2] == '0')
            return &escaped_nul;
    }
    return NULL;
}

/* A host with an optional port; which hosts are served, others decide. */
static bool host_is_clean(const char *host, size_t len)
{
    return span(host, len, HOST) == len;
}

/*
 * The absolute form, as proxies send it: its host is the one that is meant, whatever the Host field says (RFC
 * 9112, 3.2.2). The host is moved one to the left, so that both it and the path can be texts.
 */
static const struct http_fault *split_absolute(struct head *head, char *bytes, char **target, size_t *len)
{
    char *host = *target + 7;
    char *path = memchr(host, '/', *len - 7);
    size_t host_len = path ? (size_t)(path - host) : 0;

    if (host_len == 0)
        return &no_slash;
    if (!host_is_clean(host, host_len))
        return &bad_host;
    memmove(host - 1, host, host_len);
    host[host_len - 1] = '\0';
    head->authority = (uint16_t)(host - 1 - bytes);
    *len -= (size_t)(path - *target);
    *target = path;
    return NULL;
}

static enum head_state read_target(struct head *head, char *bytes, char *target, size_t len)
{
    const struct http_fault *fault = target_fault(target, len);

    if (len > LIMIT_URL)
        return bad(head, &long_target);
    if (!fault && len > 7 && strncasecmp(target, "http://", 7) == 0)
        fault = split_absolute(head, bytes, &target, &len);
    if (fault)
        return bad(head, fault);
    if (*target != '/' && !(len == 1 && *target == '*' && strcmp(bytes + head->method, "OPTIONS") == 0))
        return bad(head, &no_slash);

    char *mark = memchr(target, '?', len);

    target[len] = '\0';
    if (mark) {
        *mark = '\0';
        head->query = (uint16_t)(mark + 1 - bytes);
    }
    head->path = (uint16_t)(target - bytes);
    return HEAD_MORE;
}

/* METHOD SP TARGET SP HTTP/1.x, with exactly these spaces. */
static enum head_state read_request_line(struct head *head, char *bytes, char *line, size_t len)
{
    size_t method_len = span(line, len, TOKEN);
    char *target = line + method_len + 1;
    char *end = method_len + 1 < len ? memchr(target, ' ', len - method_len - 1) : NULL;

    if (method_len == 0 || !end || line[method_len] != ' ' || end == target)
        return bad(head, &request_line);

    const char *version = end + 1;
    size_t version_len = len - (size_t)(version - line);

    if (version_len != 8 || memcmp(version, "HTTP/", 5) != 0 || version[6] != '.' || version[5] < '0' ||
        version[5] > '9' || version[7] < '0' || version[7] > '9')
        return bad(head, &request_line);
    if (version[5] != '1' || version[7] > '1')
        return bad(head, &bad_version);
    line[method_len] = '\0';
    head->method = (uint16_t)(line - bytes);
    head->minor = (uint8_t)(version[7] - '0');
    head->begun = true;
    return read_target(head, bytes, target, (size_t)(end - target));
}

/* Whether an Accept-Encoding lets us gzip: named, or covered by "*", and not with a weight of 0. */
static bool accepts_gzip(const char *value)
{
    bool any = false;

    while (*value) {
        size_t len = strcspn(value, ",");
        size_t start = strspn(value, " \t");
        size_t name = start + strcspn(value + start, ";, \t");
        const char *weight = memmem(value, len, "q=", 2);
        bool wanted = !weight || strspn(weight + 2, "0.") < strcspn(weight + 2, ", \t;");

        if (name > len)
            name = len;
        if (name - start == 4 && strncasecmp(value + start, "gzip", 4) == 0)
            return wanted;
        if (name - start == 1 && value[start] == '*')
            any = wanted;
        value += len + (value[len] == ',');
    }
    return any;
}

static const struct http_fault *take_length(struct head *head, const char *value, size_t len)
{
    uint64_t length = 0;

    if (head->has_length)
        return &unclear;
    if (len == 0 || strspn(value, "0123456789") != len)
        return &bad_length;
    /* One that does not fit is larger than any limit. */
    for (size_t i = 0; i < len; i++)
        length = length > UINT64_MAX / 10 - 1 ? UINT64_MAX / 10 : length * 10 + (uint64_t)(value[i] - '0');
    head->length = length;
    head->has_length = true;
    return NULL;
}

/* Without chunked as the last coding nobody can know where the body ends (RFC 9112, 6.3). */
static const struct http_fault *take_coding(struct head *head, const char *value, size_t len)
{
    if (head->chunked)
        return &unclear;
    head->chunked = true;
    if (len == 7 && strcasecmp(value, "chunked") == 0)
        return NULL;
    return len > 7 && strcasecmp(value + len - 7, "chunked") == 0 ? &bad_coding : &unclear;
}

static void take_connection(struct head *head, const char *value)
{
    while (*value) {
        value += strspn(value, ", \t");

        size_t len = strcspn(value, ", \t");

        if (len == 5 && strncasecmp(value, "close", 5) == 0)
            head->close = true;
        else if (len == 10 && strncasecmp(value, "keep-alive", 10) == 0)
            head->keep = true;
        value += len;
    }
}

/* Fields that a proxy may have read the other of when there are two. */
static bool comes_once(const char *name, size_t len)
{
    static const char *const once[] = { "host", "origin", "expect", "content-type", "authorization" };

    for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
        if (strlen(once[i]) == len && strcasecmp(name, once[i]) == 0)
            return true;
    }
    return false;
}

/* What this layer itself must know of a field. */
static const struct http_fault *take_field(struct head *head, const char *bytes,
                                           const struct head_field *field)
{
    const char *name = bytes + field->name, *value = bytes + field->value;
    uint16_t number = (uint16_t)(head->count + 1);

    if (comes_once(name, field->name_len) && head_value(head, bytes, name))
        return &repeated;
    if (field->name_len == 4 && strcasecmp(name, "host") == 0) {
        head->host = number;
        return host_is_clean(value, field->value_len) ? NULL : &bad_host;
    }
    if (field->name_len == 14 && strcasecmp(name, "content-length") == 0)
        return take_length(head, value, field->value_len);
    if (field->name_len == 17 && strcasecmp(name, "transfer-encoding") == 0)
        return take_coding(head, value, field->value_len);
    if (field->name_len == 10 && strcasecmp(name, "connection") == 0)
        take_connection(head, value);
    else if (field->name_len == 6 && strcasecmp(name, "expect") == 0)
        head->expect = strcasecmp(value, "100-continue") == 0 ? EXPECT_CONTINUE : EXPECT_UNKNOWN;
    else if (field->name_len == 15 && strcasecmp(name, "accept-encoding") == 0)
        head->gzip = accepts_gzip(value);
    else if (field->name_len == 12 && strcasecmp(name, "x-request-id") == 0)
        head->id = number;
    return NULL;
}

/* NAME ":" OWS VALUE OWS. A line that begins with a space would be a folded one: its name is empty. */
static enum head_state read_field(struct head *head, char *bytes, char *line, size_t len)
{
    size_t name_len = span(line, len, TOKEN);
    char *value = line + name_len + 1, *end = line + len;

    if (name_len == 0 || name_len == len || line[name_len] != ':' ||
        span(value, (size_t)(end - value), TEXT) < (size_t)(end - value))
        return bad(head, &bad_field);
    if (head->count == HTTP_FIELDS)
        return bad(head, &long_head);
    bool tabbed = memchr(value, '\t', (size_t)(end - value)), framed = head->has_length || head->chunked;

    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    line[name_len] = '\0';
    *end = '\0';

    struct head_field field = { (uint16_t)(line - bytes), (uint16_t)name_len, (uint16_t)(value - bytes),
                                (uint16_t)(end - value) };
    const struct http_fault *fault = take_field(head, bytes, &field);

    /* A tab around a value is white space, but not every reader of lengths and codings agrees. */
    if (!fault && tabbed && (head->has_length || head->chunked) != framed)
        fault = &unclear;
    if (fault)
        return bad(head, fault);
    head->fields[head->count++] = field;
    return HEAD_MORE;
}

/* The empty line has come: does it all go together? */
static enum head_state finish(struct head *head, const char *bytes)
{
    if (head->chunked && (head->has_length || head->minor == 0))
        return bad(head, &unclear);
    if (!head->host && head->minor > 0)
        return bad(head, &no_host);
    if (head->expect == EXPECT_UNKNOWN && head->minor > 0)
        return bad(head, &bad_expect);
    if (head->minor == 0) {
        head->expect = EXPECT_NOTHING;
        head->close = head->close || !head->keep;
    }
    if (head->authority && head->host) {
        struct head_field *host = &head->fields[head->host - 1];

        host->value = head->authority;
        host->value_len = (uint16_t)strlen(bytes + head->authority);
    }
    return HEAD_DONE;
}

static enum head_state read_line(struct head *head, char *bytes, char *line, size_t len)
{
    if (len > 0)
        return head->begun ? read_field(head, bytes, line, len) : read_request_line(head, bytes, line, len);
    if (head->begun)
        return finish(head, bytes);
    /* One empty line before the request line is passed over (RFC 9112, 2.2). */
    if (head->blank)
        return bad(head, &request_line);
    head->blank = true;
    return HEAD_MORE;
}

enum head_state head_read(struct head *head, char *bytes, size_t len)
{
    enum head_state state = HEAD_MORE;
    size_t room = len < HTTP_HEAD_BYTES ? len : HTTP_HEAD_BYTES;

    while (state == HEAD_MORE) {
        char *line = bytes + head->at;
        char *end = memchr(bytes + head->scanned, '\n', room - head->scanned);

        if (!end) {
            head->scanned = (uint16_t)room;
            /* What cannot become a request line is not waited for. */
            if (!head->begun && room > head->at && !(kinds[(unsigned char)*line] & TOKEN) && *line != '\r')
                return bad(head, &request_line);
            if (len < HTTP_HEAD_BYTES)
                return HEAD_MORE;
            return bad(head, head->begun ? &long_head : &long_target);
        }
        if (end == line || end[-1] != '\r')
            return bad(head, &line_end);
        head->at = head->scanned = (uint16_t)(end + 1 - bytes);
        state = read_line(head, bytes, line, (size_t)(end - 1 - line));
    }
    return state;
}

const char *head_value(const struct head *head, const char *bytes, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < head->count; i++) {
        const struct head_field *field = &head->fields[i];

        if (field->name_len == len && strcasecmp(bytes + field->name, name) == 0)
            return bytes + field->value;
    }
    return NULL;
}

bool head_has_like(const struct head *head, const char *bytes, const char *prefix)
{
    size_t len = strlen(prefix);

    for (size_t i = 0; i < head->count; i++) {
        if (strncasecmp(bytes + head->fields[i].name, prefix, len) == 0)
            return true;
    }
    return false;
}

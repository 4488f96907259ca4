/*
 * Nothing more is read while a whole line waits, so that a client that writes faster than it is served fills
 * its own pipe, and not our memory. What is taken stays where it is until the next read, which moves the rest
 * down.
 */
#include "cli/client/mcp_input.h"

#include "base/json.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define READ_MOST 65536

void mcp_input_init(struct mcp_input *input)
{
    *input = (struct mcp_input){ 0 };
    buf_init(&input->bytes, MCP_LINE_MOST + READ_MOST);
}

void mcp_input_done(struct mcp_input *input)
{
    buf_done(&input->bytes);
}

static void search_text(struct mcp_id_search *at, char c)
{
    if (at->escaped) {
        at->escaped = false;
    } else if (c == '\\') {
        at->escaped = true;
    } else if (c == '"') {
        at->in_text = false;
        at->is_id = at->in_key && at->key_len == 2 && memcmp(at->key, "id", 2) == 0;
        at->in_key = false;
        return;
    }
    if (at->in_key && at->key_len < sizeof(at->key))
        at->key[at->key_len++] = c;
}

static void search_between(struct mcp_id_search *at, char c)
{
    bool outermost = at->depth == 1;

    if (c == '"') {
        at->in_text = true;
        at->in_key = outermost && at->key_next;
        at->key_len = 0;
        at->key_next = false;
    } else if (c == '{' || c == '[') {
        at->depth++;
        at->key_next = c == '{' && at->depth == 1;
    } else if ((c == '}' || c == ']') && at->depth > 0) {
        at->depth--;
        at->taking = at->taking && !outermost;
    } else if (c == ',' && outermost) {
        at->key_next = true;
        at->taking = at->is_id = false;
    } else if (c == ':' && at->is_id) {
        at->is_id = false;
        at->taking = true;
        at->id_len = 0;
        return;
    }
}

/* The value of the member "id" of the outermost object, as it is written there. */
static void search_id(struct mcp_id_search *at, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool took = at->taking;

        if (at->in_text)
            search_text(at, bytes[i]);
        else
            search_between(at, bytes[i]);
        if (took && at->taking && at->id_len <= MCP_ID_MOST)
            at->id[at->id_len++] = bytes[i];
    }
}

/* What a request may have as its id; everything else is answered without one. */
static const char *id_found(struct mcp_id_search *at)
{
    struct err ignored = { 0 };
    JSON_AUTO *id = NULL;

    if (at->id_len == 0 || at->id_len > MCP_ID_MOST)
        return "null";
    at->id[at->id_len] = '\0';
    if (!json_parse(at->id, at->id_len, &id, &ignored) || (!json_is_string(id) && !json_is_integer(id)))
        return "null";
    return at->id;
}

static void forget_taken(struct mcp_input *input)
{
    struct buf *bytes = &input->bytes;

    if (input->taken == 0)
        return;
    bytes->len -= input->taken;
    memmove(bytes->bytes, bytes->bytes + input->taken, bytes->len);
    input->searched -= input->taken;
    input->taken = 0;
}

/* What is kept of a line that is too long is where in it we are. */
static void pass_over(struct mcp_input *input, const char *bytes, size_t len)
{
    if (!input->passing)
        input->search = (struct mcp_id_search){ 0 };
    input->passing = true;
    search_id(&input->search, input->bytes.bytes, input->bytes.len);
    search_id(&input->search, bytes, len);
    buf_clear(&input->bytes);
    input->searched = 0;
}

void mcp_input_add(struct mcp_input *input, const char *bytes, size_t len)
{
    const char *end = memchr(bytes, '\n', len);
    size_t rest = end ? (size_t)(end - bytes) : len;

    forget_taken(input);
    if (len == 0) {
        input->ended = true;
        buf_char(&input->bytes, '\n');
        return;
    }
    if (input->passing || input->bytes.len + rest > MCP_LINE_MOST) {
        pass_over(input, bytes, rest);
        bytes += rest;
        len -= rest;
    }
    buf_add(&input->bytes, bytes, len);
}

void mcp_input_read(struct mcp_input *input)
{
    char bytes[READ_MOST];
    ssize_t len = read(STDIN_FILENO, bytes, sizeof(bytes));

    if (len < 0 && errno == EINTR)
        return;
    mcp_input_add(input, bytes, len > 0 ? (size_t)len : 0);
}

/* Where the first line that was not taken ends; NULL: it has not yet. */
static const char *line_end(struct mcp_input *input)
{
    const struct buf *bytes = &input->bytes;
    const char *end = bytes->len > input->searched
                          ? memchr(bytes->bytes + input->searched, '\n', bytes->len - input->searched)
                          : NULL;

    input->searched = end ? (size_t)(end - bytes->bytes) : bytes->len;
    return end;
}

bool mcp_input_next(struct mcp_input *input, struct mcp_line *line)
{
    const char *end;

    while ((end = line_end(input))) {
        const char *begin = input->bytes.bytes + input->taken;

        *line = (struct mcp_line){ .text = begin, .len = (size_t)(end - begin) };
        input->taken = input->searched = (size_t)(end - input->bytes.bytes) + 1;
        if (input->passing)
            *line = (struct mcp_line){ .id = id_found(&input->search) };
        if (input->passing || line->len > 0) {
            input->passing = false;
            return true;
        }
    }
    return false;
}

bool mcp_input_wants(struct mcp_input *input)
{
    return !input->ended && !line_end(input);
}

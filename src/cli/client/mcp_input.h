/*
 * mcp_input.h - what a client writes to standard input: one message on each line.
 *
 * A line that is longer than any message may be is read to its end and not kept. Only the id in it is, so
 * that whoever waits for an answer to it can be told.
 */
#ifndef CLI_CLIENT_MCP_INPUT_H
#define CLI_CLIENT_MCP_INPUT_H

#include "base/buf.h"
#include "base/limits.h"

#define MCP_LINE_MOST LIMIT_REPLY
#define MCP_ID_MOST   256

/* Where in a JSON text we are, as far as that is needed to find the id of the object that it is. */
struct mcp_id_search {
    unsigned depth;
    bool in_text, escaped;
    bool key_next; /* what follows in the object is the name of a member */
    bool in_key, is_id, taking;
    char key[4];
    size_t key_len;
    char id[MCP_ID_MOST + 1]; /* as JSON */
    size_t id_len;            /* more than MCP_ID_MOST: it is none */
};

struct mcp_input {
    struct buf bytes;
    size_t taken;    /* of them; the next read moves the others down */
    size_t searched; /* of them, for the end of a line */
    bool ended;
    bool passing; /* within a line that is too long */
    struct mcp_id_search search;
};

struct mcp_line {
    const char *text; /* good until the next read; NULL: it was too long */
    size_t len;
    const char *id; /* of one that was too long, as JSON; "null": there is none */
};

void mcp_input_init(struct mcp_input *input);
void mcp_input_done(struct mcp_input *input);
/* Waits until there is something to read, or the end. */
void mcp_input_read(struct mcp_input *input);
/* For mcp_input_read, and for tests: what was read. No bytes: it has ended, and what is there is the last
 * line. */
void mcp_input_add(struct mcp_input *input, const char *bytes, size_t len);
/* Takes the next whole line that is there. Empty ones are passed over. */
bool mcp_input_next(struct mcp_input *input, struct mcp_line *line);
/* Whether more is to be read: not at the end, and not while a whole line waits to be taken. */
bool mcp_input_wants(struct mcp_input *input);

#endif

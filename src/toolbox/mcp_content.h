/*
 * mcp_content.h - what servers say, in the words of ours: lists of tools, results of calls.
 *
 * Whatever comes is somebody else's: texts are made fit to be shown, bounded, and what does not hold is left
 * out with a line for the log instead of being guessed.
 *
 * Thread: any; nothing is kept.
 */
#ifndef TOOLBOX_MCP_CONTENT_H
#define TOOLBOX_MCP_CONTENT_H

#include "toolbox/mcp_servers.h"

/* A list of tools while its pages come in; all of it is in the arena. */
struct mcp_listing {
    struct arena arena;
    struct tool *tools; /* LIMIT_MCP_TOOLS of them */
    size_t count, left_out;
    bool over_http; /* there headers repeat some arguments, and a tool that asks for it wrongly is left out */
};

void mcp_listing_init(struct mcp_listing *listing);
void mcp_listing_done(struct mcp_listing *listing);
/*
 * Takes one page (the result of tools/list). `cursor`: of the next one, in the listing's arena; NULL: there
 * is none. False: it is no such result.
 */
CHECKED bool mcp_listing_page(struct mcp_listing *listing, const struct mcp_setup *setup,
                              const json_t *result, const char **cursor);
/* The name by which a model calls a tool: SERVER__TOOL, of characters that every provider takes. */
const char *mcp_tool_name(struct arena *arena, const char *server, const char *tool);
/* What the rules say of a tool by that name, which the server has not listed. False: it is not one of this
 * server's, or is switched off. */
CHECKED bool mcp_tool_awaited(const struct mcp_setup *setup, const char *name, struct tool *tool);
/* Whether a model that is told of one need not be told of the other. */
bool mcp_listing_same(const struct mcp_listing *one, const struct mcp_listing *other);

/* The result of tools/call; what it points to is in the arena. `most` bytes of text. */
void mcp_result_read(struct arena *arena, const json_t *result, size_t most, struct tool_result *into);
/* A text of a server's for people and models: without control characters, at most so many bytes. */
const char *mcp_fit_text(struct arena *arena, const char *text, size_t most);

/*
 * Arguments that headers repeat over HTTP (x-mcp-header of the schema, 2026-07-28). Checks the schema: false
 * says why in `why`.
 */
CHECKED bool mcp_headers_check(const json_t *schema, const char **why);
/* The headers of a call, "Mcp-Param-Name: value", ends with NULL; NULL: none. */
const char *const *mcp_headers_of(struct arena *arena, const json_t *schema, const json_t *arguments);

#endif

/*
 * mcp_bridge.h - MCP over standard input and output, carried to a server's /mcp.
 *
 * A client that starts programs writes one message on each line and reads one from each. The bridge
 * understands nothing of them but what the headers repeat: it sends each as a request of its own, so that one
 * that waits keeps no other, and writes what comes back, as a reply or on a stream, as lines. A server that
 * is away for a moment is tried again. A line that is too long is answered with an error, and the next one is
 * read. When the input ends, what is on its way is waited for, and what is held is let go: nobody is there to
 * hear the answer.
 */
#ifndef CLI_CLIENT_MCP_BRIDGE_H
#define CLI_CLIENT_MCP_BRIDGE_H

#include "cli/cli.h"

/* Until standard input has ended. Returns the exit code. */
int mcp_bridge_run(struct cli *cli);

#endif

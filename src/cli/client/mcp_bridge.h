/*
 * mcp_bridge.h - MCP over standard input and output, carried to a server's /mcp.
 *
 * A client that starts programs writes one message on each line and reads one from each. The bridge
 * understands nothing of them but what the headers repeat: it sends each as a request of its own, so that one
 * that waits keeps no other, and writes what comes back, as a reply or on a stream, as lines. A server that
 * is away for a moment is tried again.
 */
#ifndef CLI_CLIENT_MCP_BRIDGE_H
#define CLI_CLIENT_MCP_BRIDGE_H

#include "cli/cli.h"

/* Until standard input ends and all is answered. Returns the exit code. */
int mcp_bridge_run(struct cli *cli);

#endif

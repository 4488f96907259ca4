// An MCP server that listens and never says anything.
process.stdin.resume();

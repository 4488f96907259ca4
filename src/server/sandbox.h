/*
 * sandbox.h - the server locks itself in.
 *
 * A fault in a parser must not become a way into the machine. Before its first thread and its first byte from
 * outside, the server gives up what it does not need, as far as the kernel can hold it to that: it reads the
 * system's folders and what its store names, writes the folder of its store and that of tasks, listens on its
 * port and connects to its database and to the ports of models and of MCP servers; it starts no programs and
 * no processes, changes nobody's rights to files, and uses the machine's own sockets only where its database,
 * or who looks up names, is reached by one. What it may reach follows from the settings. Programs that
 * config.yaml names are started by a helper that was forked before (programs/programs.h).
 *
 * A kernel without Landlock or without filters of system calls is no error; what is in force is said in the
 * log. `server.sandbox: false` switches it off.
 *
 * Thread: the main one, before others are started.
 */
#ifndef SERVER_SANDBOX_H
#define SERVER_SANDBOX_H

#include "base/settings.h"

#include "base/err.h"
#include "toolbox/setup.h"

struct sandbox {
    bool on;
    int landlock;     /* the version in force; 0: none */
    bool calls;       /* whether system calls are filtered */
    bool sockets;     /* whether it may use the machine's own sockets */
    char folder[256]; /* the one that may be written */
};

/* `tools` may be NULL: the ports of MCP servers are among those that may be connected to. `tasks`: another
 * folder than the store's that may be written, or NULL. */
CHECKED bool sandbox_enter(const struct settings *settings, const struct toolbox_setup *tools,
                           const char *tasks, struct sandbox *sandbox, struct err *err);
/* Says in the log what is in force. */
void sandbox_say(const struct sandbox *sandbox);

#endif

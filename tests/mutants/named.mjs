// Faults that once lived through all tests. Each has a test by now and must die: `tools/mutate --named` plants them, and
// `./dev test --full` does so every time. `from` stands once in its file; `tests` are those that must notice.
export default [
    {
        name: 'the epoch of a claim is ignored',
        file: 'src/core/holding/holding.c',
        from: 'str_equal(row->node, as->node) && row->epoch == as->epoch',
        to: 'str_equal(row->node, as->node)',
        tests: [{ kind: 'contract', name: 'test_discussion_fence.c' }],
    },
    {
        name: 'a node whose lease has lapsed goes on calling',
        file: 'src/engine/holder.c',
        from: 'log_line(LOG_WARN, holder->calls->lapse, NULL);\n    holder->calls->drop(holder);',
        to: 'log_line(LOG_WARN, holder->calls->lapse, NULL);',
        tests: [{ kind: 'unit', name: 'engine/council', server: true }],
    },
    {
        name: 'discussion.resumed is never told',
        file: 'src/core/council/control.c',
        from: '!tell_resumed(tx, d)',
        to: 'false',
        tests: [{ kind: 'contract', name: 'test_discussion_fence.c' }],
    },
    {
        name: 'log lines go by the setting of events',
        file: 'src/core/upkeep/purge.c',
        from: 'case PURGE_LOGS: return settings()->logs_keep_ms;',
        to: 'case PURGE_LOGS: return settings()->events_keep_ms;',
        tests: [{ kind: 'unit', name: 'core/upkeep/purge' }],
    },
    {
        name: "a viewer marks an agent's notification as read",
        file: 'src/core/inbox/notification.c',
        from: 'return ((unsigned)caller->role & ROLES_WRITE) &&',
        to: 'return',
        tests: [{ kind: 'contract', name: 'test_inbox.c' }],
    },
    {
        name: 'a following tab takes an event twice',
        file: 'ui/src/core/live.ts',
        from: 'if (seq <= this.#seq) return;',
        to: 'if (seq < this.#seq) return;',
        tests: [{ kind: 'ui', name: 'live' }],
    },
    {
        name: 'Mcp-Name may differ from the message',
        file: 'src/edge/mcp/headers.c',
        from: 'if (name && !str_equal(decoded(&call->arena, http_header(exchange, "Mcp-Name")), name))',
        to: 'if (0)',
        tests: [{ kind: 'e2e', name: 'mcp', cases: 'a header that names something else' }],
    },
    {
        name: "a hold is not given back when the workspace's limit refuses",
        file: 'src/edge/holds.c',
        from: 'give(holds, wanted.address);\n        give(holds, wanted.caller);',
        to: ';',
        tests: [{ kind: 'unit', name: 'edge/holds' }],
    },
];

// What CONTRIBUTING.md and the READMEs beside it tell to do, done. `most` is how many files it may take; what `make docs` writes anew is
// not counted. `told` is where the recipe stands: it must name each file that was there before, but for those of `wherever`.

// A word more for a column with a CHECK. `last` is how the list ends in SQLite's text of the table.
const oneMore = (table, column, known, word, last) => ({
    sqlite: `PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '${last.replaceAll("'", "''")}', '${last.replace(/'[^']*'/, (old) => `${old}${last.startsWith('OR') ? ` OR ${column} = ` : ', '}'${word}'`).replaceAll("'", "''")}')
 WHERE type = 'table' AND name = '${table}';
PRAGMA writable_schema = RESET;
`,
    postgres: `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check;
ALTER TABLE ${table} ADD CONSTRAINT ${table}_${column}_check
    CHECK (${column} IN (${[...known, word].map((one) => `'${one}'`).join(', ')}));
`,
});
const together = (...changes) => ({ sqlite: changes.map(({ sqlite }) => sqlite).join(''), postgres: changes.map(({ postgres }) => postgres).join('') });

const column = {
    name: 'a column of a job',
    most: 3,
    told: 'CONTRIBUTING.md',
    change(tree) {
        const since = tree.migrate('branch', 'ALTER TABLE jobs ADD COLUMN branch TEXT;\n');
        tree.before('src/core/questions/job.noun', 'project_id ', `branch | text null | branch | ${since} | insert | The branch it works on.\n`, '\nagent ');
        tree.after('src/ops/job_ops.c', '.agent = arg_text(call, "agent"),\n', '        .branch = arg_text(call, "branch"),\n');
        tree.after('src/ops/job_ops.c', '.params = {\n', '            { "branch", T_NAME, OPTIONAL, "The branch it works on." },\n', '.name = "job_create"');
    },
};

const questionType = {
    name: 'a type of question',
    most: 4,
    told: 'CONTRIBUTING.md',
    change(tree) {
        tree.after(
            'src/core/questions/question_type.h',
            '#define QUESTION_TYPES(TYPE) \\\n',
            '    TYPE(REVIEW, "review", JOB_WAITING_FOR_INPUT, GIVES_ADVICE, 20, NOTIFICATION_QUESTION, PRIORITY_NORMAL, "wants a review", "it waits for a reader") \\\n',
        );
        tree.migrate('review', oneMore('agent_questions', 'type', ['blocking', 'non_blocking', 'approval', 'error_recovery'], 'review', "OR type = 'error_recovery'"));
        tree.after('ui/src/text/kinds.ts', "Record<Question['type'], Kind> = {\n", "    review: { name: 'Review', icon: 'eye' },\n");
    },
};

const role = {
    name: 'a role',
    most: 3,
    told: 'CONTRIBUTING.md',
    change(tree) {
        const known = ['owner', 'admin', 'member', 'agent', 'viewer'];
        tree.after('src/core/caller/role.h', '#define ALL_ROLES(ROLE) \\\n', '    ROLE(REVIEWER, 32, "reviewer", NO, NO, YES, NO, "answers and approves, and writes nothing else") \\\n');
        tree.migrate('reviewer', together(oneMore('members', 'role', known, 'reviewer', "'viewer')"), oneMore('tokens', 'role', known, 'reviewer', "'viewer')")));
    },
};

const page = {
    name: 'a page',
    most: 3,
    told: 'ui/README.md',
    change(tree) {
        tree.add('ui/src/pages/Library.svelte', `<script lang="ts">\n    import { t } from '../text/en.ts';\n    import Shell from '../parts/Shell.svelte';\n</script>\n\n<Shell><div class="page"><h1>{t.nav.library}</h1></div></Shell>\n`);
        tree.after('ui/src/pages/list.ts', 'export const pages: Record<string, Page> = {\n', "    library: { name: t.nav.library, all: 'Library', icon: 'folder', at: 'rail', key: 'b' },\n");
        tree.after('ui/src/text/en.ts', '    nav: {\n', "        library: 'Library',\n");
    },
};

const setting = {
    name: 'a setting',
    most: 1,
    told: 'CONTRIBUTING.md',
    change(tree) {
        tree.after('src/base/settings.h', '#define SETTINGS(TEXT, INT, BOOL, TIME, SIZE, MONEY) \\\n', '    INT(limits_branches, "limits.branches", 7, 1, 50, "Branches that one job may work on.") \\\n');
    },
};

const operation = {
    name: 'an operation',
    most: 5,
    told: 'CONTRIBUTING.md',
    change(tree) {
        const rule = 'bool notification_total(const struct tx *tx, const char *workspace_id, int64_t *count)';
        const ops = 'src/ops/notification_ops.c';
        tree.append('src/db/sql/notification.sql', '\n-- name: notification_total\nSELECT COUNT(*) FROM notifications WHERE workspace_id = $1;\n');
        tree.after('src/core/inbox/notification.h', 'CHECKED bool notification_add(const struct tx *tx, struct notification *notification);\n', `/* How many there are. */\nCHECKED ${rule};\n`);
        tree.append(
            'src/core/inbox/notification.c',
            `\n${rule}\n{\n    struct db_rows rows;\n\n    if (!tx_query(tx, SQL_NOTIFICATION_TOTAL, DB_ARGS(db_text(workspace_id)), &rows))\n        return false;\n    *count = db_cell_int(&rows, 0, 0);\n    return true;\n}\n`,
        );
        tree.after('tests/contract/test_roles.c', 'static const char *const managers[] = {\n', '    "notification_total",\n');
        tree.before(
            ops,
            'const struct op notification_ops[] = {\n',
            'static bool run_notification_total(struct call *call)\n{\n    int64_t count;\n\n    if (!notification_total(&call->tx, call->caller.workspace_id, &count))\n        return false;\n    reply_count(call, count);\n    return true;\n}\n\n',
        );
        tree.after(
            ops,
            'const struct op notification_ops[] = {\n',
            '    {\n        .name = "notification_total",\n        .http = "GET /api/notifications/total",\n        .tag = "Notifications",\n        .help = "Count all notifications of the workspace.",\n        .needs = ROLES_MANAGE,\n        .reaches = REACH_WORKSPACE,\n        .kind = OP_READ,\n        .run = run_notification_total,\n        .reply = count_reply,\n    },\n',
        );
    },
};

const event = {
    name: 'an event',
    most: 3,
    told: 'CONTRIBUTING.md',
    wherever: ['src/core/questions/docket.c'], // the change that it tells of
    change(tree) {
        tree.after('src/core/log/event_type.h', '#define EVENT_TYPES(EVENT) \\\n', '    EVENT(JOB_FILED, "job.filed") \\\n');
        tree.before('src/ops/event_types.c', '    [EVENT_JOB_CREATED] = {', '    [EVENT_JOB_FILED] = { TAG_JOBS, "A job was filed.", ROLES_READ, REACH_JOB, .fields = job_created },\n');
        tree.after('src/core/questions/docket.c', 'EVENT_JOB_CREATED, NULL, &data);\n', '    tell(docket, job, EVENT_JOB_FILED, NULL, &data);\n');
    },
};

const provider = {
    name: 'a provider of models',
    most: 2,
    told: 'src/llm/README.md',
    change(tree) {
        tree.add(
            'src/llm/plain.c',
            `/*
 * A made-up one: the last words go out, and one JSON object comes back.
 */
#include "llm/provider.h"
#include "llm/wire.h"

#include <string.h>

static void write_request(const struct llm_request *request, struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "ask", request->messages[request->message_count - 1].content);
    json_map_end(out);
}

static bool take_event(struct draft *draft, const json_t *event)
{
    const char *text = wire_text(event, "say");

    if (text && !draft_text(draft, text, strlen(text)))
        return false;
    draft_finish(draft, LLM_FINISH_STOP);
    draft->ended = draft->over = true;
    return true;
}

const struct provider provider_plain = {
    .name = "plain",
    .url = "http://127.0.0.1:9",
    .path = "/say",
    .key_header = "Authorization: Bearer %s",
    .accept = "Accept: application/json",
    .write = write_request,
    .take = take_event,
};
`,
        );
        tree.before('src/llm/model.h', '    PROVIDER(OLLAMA, ollama) \\\n', '    PROVIDER(PLAIN, plain) \\\n');
        tree.after('src/llm/model.h', '"provider", "", "', 'plain, ');
    },
};

export const recipes = [column, questionType, role, page, setting, operation, event, provider];

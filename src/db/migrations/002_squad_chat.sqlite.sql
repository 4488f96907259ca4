-- Squad chat and discussion prompts.
--
-- The triggers count, collect, resolve and tell, so that a row written by another program with plain SQL
-- does the same as a call of ours; they use built-in functions only, since such a program has none of
-- ours. No time comes from the clock where a row brings one.
--
-- PostgreSQL has a type for UUIDs, SQLite has these checks: an id in another form would never be found, and a
-- reply that names its prompt in capitals would silently not count. Calls of ours bring ids of our making, so
-- only other programs' rows pay for the look.
--
-- Both tables keep their rowid. Rows may be 64 KB, which an index b-tree (WITHOUT ROWID) stores badly, and
-- a rowid is what the other indexes then point with. Ids are made in time order, so every b-tree but the
-- threads' grows at its end.

CREATE TABLE squad_chat (
    id                    TEXT NOT NULL PRIMARY KEY
                          CONSTRAINT "id is a UUID in lower case"
                          CHECK (via <> 'sql' OR (id GLOB '????????-????-????-????-????????????'
                                                  AND id NOT GLOB '*[^0-9a-f-]*')),
    workspace_id          TEXT NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001',
    agent_name            TEXT NOT NULL,
    message               TEXT NOT NULL,
    is_human              INTEGER NOT NULL DEFAULT FALSE CHECK (is_human IN (0, 1)),
    message_type          TEXT NOT NULL DEFAULT 'message'
                          CHECK (message_type = 'message' OR message_type = 'discussion_response'
                                 OR message_type = 'discussion_prompt' OR message_type = 'system'),
    discussion_prompt_id  TEXT
                          CONSTRAINT "discussion_prompt_id is a UUID in lower case"
                          CHECK (via <> 'sql' OR (discussion_prompt_id GLOB '????????-????-????-????-????????????'
                                                  AND discussion_prompt_id NOT GLOB '*[^0-9a-f-]*')),
    task_ref              TEXT,
    created_at            TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    via                   TEXT NOT NULL DEFAULT 'sql',    -- call, system; sql: another program
    created_ms            INTEGER NOT NULL GENERATED ALWAYS AS (
                              CAST(round((julianday(created_at) - 2440587.5) * 86400000.0) AS INTEGER)) STORED
) STRICT;
CREATE INDEX squad_chat_list ON squad_chat (workspace_id, created_at, id);
CREATE INDEX squad_chat_thread ON squad_chat (discussion_prompt_id, created_at, id)
    WHERE discussion_prompt_id IS NOT NULL;
CREATE INDEX squad_chat_task ON squad_chat (workspace_id, task_ref, created_at, id) WHERE task_ref IS NOT NULL;

CREATE TABLE discussion_prompts (
    id                  TEXT NOT NULL PRIMARY KEY
                        CONSTRAINT "id is a UUID in lower case"
                        CHECK (via <> 'sql' OR (id GLOB '????????-????-????-????-????????????'
                                                AND id NOT GLOB '*[^0-9a-f-]*')),
    workspace_id        TEXT NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001'
                        REFERENCES workspaces(id) ON DELETE CASCADE,
    task_id             TEXT,                   -- whatever the asker's tracker calls it
    linked_task_id      TEXT,                   -- the same, when it is a task of this workspace
    project_id          TEXT,                   -- that task's
    requester_agent     TEXT NOT NULL,
    prompt_message      TEXT NOT NULL,
    required_responses  INTEGER NOT NULL DEFAULT 2 CHECK (required_responses BETWEEN 1 AND 100),
    timeout_minutes     INTEGER NOT NULL DEFAULT 30 CHECK (timeout_minutes BETWEEN 1 AND 1440),
    status              TEXT NOT NULL DEFAULT 'collecting'
                        CHECK (status = 'pending' OR status = 'collecting' OR status = 'resolved'
                               OR status = 'timed_out' OR status = 'cancelled'),
    collected_context   TEXT NOT NULL DEFAULT '[]'      -- a JSON list
                        CHECK (substr(CAST(collected_context AS BLOB), 1, 1) = X'5B'
                               AND substr(CAST(collected_context AS BLOB), -1) = X'5D'),
    voices              TEXT NOT NULL DEFAULT (char(10)),    -- who has replied, by folded name, one in a line
    reply_id            TEXT,                   -- the reply that was collected last
    reply_by            TEXT,
    reply_via           TEXT,
    reply_ms            INTEGER,
    squad_chat_id       TEXT,
    resolved_at         TEXT,
    created_at          TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    count_all           INTEGER NOT NULL DEFAULT FALSE CHECK (count_all IN (0, 1)),
    response_count      INTEGER NOT NULL DEFAULT 0,
    outcome_source      TEXT,
    outcome_by          TEXT,
    via                 TEXT NOT NULL DEFAULT 'sql',    -- who wrote it, as in squad_chat
    ended_via           TEXT,                   -- call: an operation, which has its audit row; timer; sql
    requester_key       TEXT NOT NULL GENERATED ALWAYS AS (lower(requester_agent)) STORED,
    due_at              INTEGER NOT NULL GENERATED ALWAYS AS (
                            CAST(round((julianday(created_at) - 2440587.5) * 86400000.0) AS INTEGER)
                            + timeout_minutes * 60000) STORED
) STRICT;
CREATE INDEX discussion_prompts_open ON discussion_prompts (workspace_id, created_at, id)
    WHERE status IN ('pending', 'collecting');
CREATE INDEX discussion_prompts_status ON discussion_prompts (workspace_id, status, created_at, id);
CREATE INDEX discussion_prompts_task ON discussion_prompts (workspace_id, task_id, created_at, id)
    WHERE task_id IS NOT NULL;
CREATE INDEX discussion_prompts_due ON discussion_prompts (due_at) WHERE status IN ('pending', 'collecting');

-- Who is mentioned in an open prompt: these stand first in that agent's list.
CREATE TABLE prompt_mentions (
    prompt_id     TEXT NOT NULL,
    agent_key     TEXT NOT NULL,
    workspace_id  TEXT NOT NULL,
    created_at    TEXT NOT NULL,                -- the prompt's
    PRIMARY KEY (prompt_id, agent_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX prompt_mentions_list ON prompt_mentions (workspace_id, agent_key, created_at, prompt_id);

-- What other programs wrote that may mention somebody: the server reads it and tells them.
CREATE TABLE mention_queue (
    ref_type  TEXT NOT NULL CHECK (ref_type IN ('prompt', 'chat')),
    ref_id    TEXT NOT NULL,
    PRIMARY KEY (ref_type, ref_id)
) STRICT, WITHOUT ROWID;

-- The server's own messages are left out of these two: whoever writes one tells of it as well, since
-- SQLite does not run a trigger again inside its own chain.
CREATE TRIGGER squad_chat_message AFTER INSERT ON squad_chat
WHEN NEW.message_type IN ('message', 'discussion_prompt')
BEGIN
    INSERT INTO events (workspace_id, type, subject, data, created_at)
    VALUES (COALESCE((SELECT workspace_id FROM discussion_prompts WHERE id = NEW.discussion_prompt_id),
                     NEW.workspace_id),
            'chat.message', NEW.id,
            json_object('id', NEW.id, 'agent_name', NEW.agent_name, 'message', NEW.message,
                        'is_human', json(CASE WHEN NEW.is_human THEN 'true' ELSE 'false' END),
                        'message_type', NEW.message_type, 'discussion_prompt_id', NEW.discussion_prompt_id,
                        'task_ref', NEW.task_ref,
                        'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at)),
            NEW.created_ms);
END;

-- A reply to a prompt that has ended, is overdue or is not there stays in the chat, neither counted nor
-- collected. Only other programs write times in
-- other forms and leave out the prompt's workspace, so only their rows pay for putting that right here.
CREATE TRIGGER squad_chat_response AFTER INSERT ON squad_chat
WHEN NEW.message_type = 'discussion_response'
BEGIN
    INSERT INTO events (workspace_id, type, subject, data, created_at)
    VALUES (CASE NEW.via
                WHEN 'sql' THEN COALESCE((SELECT workspace_id FROM discussion_prompts
                                           WHERE id = NEW.discussion_prompt_id), NEW.workspace_id)
                ELSE NEW.workspace_id END,
            'chat.message', NEW.id,
            json_object('id', NEW.id, 'agent_name', NEW.agent_name, 'message', NEW.message,
                        'is_human', json(CASE WHEN NEW.is_human THEN 'true' ELSE 'false' END),
                        'message_type', NEW.message_type, 'discussion_prompt_id', NEW.discussion_prompt_id,
                        'task_ref', NEW.task_ref,
                        'created_at', CASE NEW.via WHEN 'sql' THEN strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at)
                                           ELSE NEW.created_at END),
            NEW.created_ms);

    -- A list of objects grows at its end without being read: json_insert would parse it for each reply. Bytes
    -- are looked at, since characters would have to be counted.
    UPDATE discussion_prompts
       SET collected_context =
               CASE WHEN substr(CAST(collected_context AS BLOB), -2) = X'7D5D'
                    THEN rtrim(collected_context, ']') || ','
                         || json_object('agent', NEW.agent_name, 'message', NEW.message,
                                        'is_human', json(CASE WHEN NEW.is_human THEN 'true' ELSE 'false' END),
                                        'created_at', CASE NEW.via
                                                          WHEN 'sql' THEN strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at)
                                                          ELSE NEW.created_at END)
                         || ']'
                    ELSE json_insert(collected_context, '$[#]',
                             json_object('agent', NEW.agent_name, 'message', NEW.message,
                                         'is_human', json(CASE WHEN NEW.is_human THEN 'true' ELSE 'false' END),
                                         'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at))) END,
           response_count = response_count
               + (count_all OR (requester_key <> lower(NEW.agent_name)
                                AND instr(voices, char(10) || lower(NEW.agent_name) || char(10)) = 0)),
           voices = CASE WHEN instr(voices, char(10) || lower(NEW.agent_name) || char(10)) > 0 THEN voices
                         ELSE voices || lower(NEW.agent_name) || char(10) END,
           reply_id = NEW.id, reply_by = NEW.agent_name, reply_via = NEW.via, reply_ms = NEW.created_ms
     WHERE id = NEW.discussion_prompt_id
       AND status IN ('pending', 'collecting')
       AND due_at >= NEW.created_ms;
END;

CREATE TRIGGER discussion_prompts_responded AFTER UPDATE OF reply_id ON discussion_prompts
BEGIN
    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    VALUES (NEW.workspace_id, 'prompt.responded', NEW.project_id, NEW.id,
            json_object('promptId', NEW.id, 'chatId', NEW.reply_id, 'agent_name', NEW.reply_by,
                        'counted', json(CASE WHEN NEW.response_count > OLD.response_count THEN 'true' ELSE 'false' END),
                        'status', NEW.status, 'responseCount', NEW.response_count,
                        'requiredResponses', NEW.required_responses),
            NEW.reply_ms);

    UPDATE discussion_prompts
       SET status = 'resolved', outcome_source = 'agents', outcome_by = NEW.reply_by, ended_via = NEW.reply_via,
           resolved_at = strftime('%Y-%m-%dT%H:%M:%fZ', NEW.reply_ms / 1000.0, 'unixepoch')
     WHERE NEW.response_count >= NEW.required_responses AND id = NEW.id;
END;

CREATE TRIGGER discussion_prompts_created AFTER INSERT ON discussion_prompts
BEGIN
    UPDATE discussion_prompts
       SET (linked_task_id, project_id) =
           (SELECT id, project_id FROM tasks WHERE id = NEW.task_id AND workspace_id = NEW.workspace_id)
     WHERE NEW.task_id IS NOT NULL AND id = NEW.id;

    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    SELECT p.workspace_id, 'prompt.created', p.project_id, p.id,
           json_object('promptId', p.id, 'task_id', p.task_id, 'requester_agent', p.requester_agent,
                       'prompt_message', p.prompt_message, 'required_responses', p.required_responses,
                       'timeout_minutes', p.timeout_minutes, 'status', p.status,
                       'count_all', json(CASE WHEN p.count_all THEN 'true' ELSE 'false' END),
                       'squad_chat_id', p.squad_chat_id,
                       'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at)),
           p.due_at - p.timeout_minutes * 60000
      FROM discussion_prompts p
     WHERE p.id = NEW.id;
END;

-- Another program that ends a prompt leaves out what it does not know of.
CREATE TRIGGER discussion_prompts_ended AFTER UPDATE OF status ON discussion_prompts
WHEN OLD.status IN ('pending', 'collecting') AND NEW.status NOT IN ('pending', 'collecting')
BEGIN
    UPDATE discussion_prompts
       SET resolved_at = strftime('%Y-%m-%dT%H:%M:%fZ', COALESCE(NEW.resolved_at, 'now')),
           outcome_source = COALESCE(NEW.outcome_source, CASE NEW.status WHEN 'timed_out' THEN 'timeout'
                                                              WHEN 'cancelled' THEN 'cancelled'
                                                              ELSE 'forced' END),
           outcome_by = COALESCE(NEW.outcome_by, 'sql'), ended_via = 'sql'
     WHERE NEW.ended_via IS NULL AND id = NEW.id;

    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    SELECT p.workspace_id, 'prompt.ended', p.project_id, p.id,
           json_object('promptId', p.id, 'status', p.status,
                       'outcome', json_object('source', p.outcome_source, 'by', p.outcome_by, 'at', p.resolved_at),
                       'responseCount', p.response_count, 'requiredResponses', p.required_responses),
           CAST(round((julianday(p.resolved_at) - 2440587.5) * 86400000.0) AS INTEGER)
      FROM discussion_prompts p
     WHERE p.id = NEW.id;

    -- A millisecond after the end, so that it stands below the reply that caused it.
    INSERT INTO squad_chat (id, workspace_id, agent_name, message, message_type, discussion_prompt_id,
                            created_at, via)
    SELECT substr(p.ms, 1, 8) || '-' || substr(p.ms, 9, 4) || '-7' || substr(p.random, 2, 3) || '-8'
               || substr(p.random, 5, 3) || '-' || substr(p.random, 9, 12),
           p.workspace_id, 'system',
           'Discussion ' || CASE p.status WHEN 'timed_out' THEN 'timed out' ELSE p.status END || ': '
               || p.response_count || ' of ' || p.required_responses
               || CASE p.required_responses WHEN 1 THEN ' reply.' ELSE ' replies.' END,
           'system', p.id, strftime('%Y-%m-%dT%H:%M:%fZ', p.resolved_at, '+0.001 seconds'), 'system'
      FROM (SELECT *, lower(hex(randomblob(10))) AS random,
                   printf('%012x', CAST(round((julianday(resolved_at) - 2440587.5) * 86400000.0) AS INTEGER) + 1) AS ms
              FROM discussion_prompts WHERE id = NEW.id LIMIT 1) p;

    INSERT INTO events (workspace_id, type, subject, data, created_at)
    SELECT c.workspace_id, 'chat.message', c.id,
           json_object('id', c.id, 'agent_name', c.agent_name, 'message', c.message, 'is_human', json('false'),
                       'message_type', c.message_type, 'discussion_prompt_id', c.discussion_prompt_id,
                       'task_ref', c.task_ref, 'created_at', c.created_at),
           c.created_ms
      FROM squad_chat c
     WHERE c.rowid = last_insert_rowid();

    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    SELECT n.workspace_id, 'notification.resolved', n.project_id, n.id,
           json_object('id', n.id, 'kind', n.kind, 'priority', n.priority, 'title', n.title, 'body', n.body,
                       'ref', json_object('type', n.ref_type, 'id', n.ref_id), 'projectId', n.project_id,
                       'read', json(CASE WHEN n.read_at IS NULL THEN 'false' ELSE 'true' END),
                       'resolved', json('true'),
                       'createdAt', strftime('%Y-%m-%dT%H:%M:%fZ', n.created_at / 1000.0, 'unixepoch'),
                       'agent', n.agent_key, 'userId', n.user_id),
           (SELECT CAST(round((julianday(resolved_at) - 2440587.5) * 86400000.0) AS INTEGER)
              FROM discussion_prompts WHERE id = NEW.id)
      FROM notifications n
     WHERE n.ref_type = 'prompt' AND n.ref_id = NEW.id AND n.resolved_at IS NULL;

    UPDATE notifications
       SET resolved_at = (SELECT CAST(round((julianday(resolved_at) - 2440587.5) * 86400000.0) AS INTEGER)
                            FROM discussion_prompts WHERE id = NEW.id)
     WHERE ref_type = 'prompt' AND ref_id = NEW.id AND resolved_at IS NULL;

    DELETE FROM prompt_mentions WHERE prompt_id = NEW.id;

    INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
    SELECT p.workspace_id, CASE p.ended_via WHEN 'timer' THEN 'system' ELSE 'sql' END,
           CASE p.ended_via WHEN 'timer' THEN 'system' ELSE 'sql' END, 'prompt_end', p.id,
           json_object('status', p.status, 'source', p.outcome_source, 'by', p.outcome_by),
           CAST(round((julianday(p.resolved_at) - 2440587.5) * 86400000.0) AS INTEGER)
      FROM discussion_prompts p
     WHERE p.id = NEW.id AND p.ended_via <> 'call';
END;

-- What other programs write is in the audit log too, and whom it mentions is told; calls of ours are
-- recorded by whoever runs them. Such a program may write times in another form that SQLite reads: here all
-- times sort as text. One that names a prompt need not name the workspace: its message belongs where the
-- prompt does. SQLite runs triggers in no given order, so the others do not count on either.
CREATE TRIGGER squad_chat_foreign AFTER INSERT ON squad_chat WHEN NEW.via = 'sql'
BEGIN
    UPDATE squad_chat
       SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at),
           workspace_id = COALESCE((SELECT workspace_id FROM discussion_prompts WHERE id = NEW.discussion_prompt_id),
                                   NEW.workspace_id)
     WHERE id = NEW.id;

    INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
    SELECT c.workspace_id, 'sql', 'sql', 'chat_insert', c.id,
           json_object('agent_name', c.agent_name, 'message_type', c.message_type,
                       'discussion_prompt_id', c.discussion_prompt_id),
           c.created_ms
      FROM squad_chat c
     WHERE c.id = NEW.id;

    INSERT INTO mention_queue (ref_type, ref_id)
    SELECT 'chat', NEW.id
     WHERE NEW.message_type IN ('message', 'discussion_response') AND instr(NEW.message, '@') > 0;
END;

CREATE TRIGGER discussion_prompts_foreign AFTER INSERT ON discussion_prompts WHEN NEW.via = 'sql'
BEGIN
    UPDATE discussion_prompts SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at) WHERE id = NEW.id;

    INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
    VALUES (NEW.workspace_id, 'sql', 'sql', 'prompt_insert', NEW.id,
            json_object('requester_agent', NEW.requester_agent),
            CAST(round((julianday(NEW.created_at) - 2440587.5) * 86400000.0) AS INTEGER));

    INSERT INTO mention_queue (ref_type, ref_id) SELECT 'prompt', NEW.id WHERE instr(NEW.prompt_message, '@') > 0;
END;

-- In place of foreign keys, whose check on every insert the hot tables would pay for.
CREATE TRIGGER discussion_prompts_deleted AFTER DELETE ON discussion_prompts
BEGIN
    DELETE FROM prompt_mentions WHERE prompt_id = OLD.id;
END;

CREATE TRIGGER workspaces_chat_deleted AFTER DELETE ON workspaces
BEGIN
    DELETE FROM squad_chat WHERE workspace_id = OLD.id;
END;

CREATE TRIGGER tasks_prompts_unlinked AFTER DELETE ON tasks
BEGIN
    UPDATE discussion_prompts SET linked_task_id = NULL, project_id = NULL
     WHERE workspace_id = OLD.workspace_id AND task_id = OLD.id;
END;

-- Squad chat and discussion prompts.
--
-- The triggers count, collect, resolve and tell, so that a row written by another program with plain SQL
-- does the same as a call of ours. No time comes from the clock where a row brings one. Functions keep the
-- search path of this migration, so that they find their tables whatever a foreign session has set.

-- Times as clients see them; SQLite stores this very text.
CREATE FUNCTION witan_time(at TIMESTAMPTZ) RETURNS TEXT LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

CREATE FUNCTION witan_ms(at TIMESTAMPTZ) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CAST(floor(extract(epoch FROM at AT TIME ZONE 'UTC') * 1000) AS BIGINT) $$;

-- Whether a name stands among those that are kept one in a line.
CREATE FUNCTION witan_spoke(voices TEXT, agent_key TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT strpos(voices, chr(10) || agent_key || chr(10)) > 0 $$;

CREATE TABLE squad_chat (
    id                    UUID PRIMARY KEY,
    workspace_id          TEXT COLLATE "C" NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001',
    agent_name            TEXT COLLATE "C" NOT NULL,
    message               TEXT COLLATE "C" NOT NULL,
    is_human              BOOLEAN NOT NULL DEFAULT FALSE,
    message_type          TEXT COLLATE "C" NOT NULL DEFAULT 'message'
                          CHECK (message_type IN ('message', 'discussion_prompt', 'discussion_response', 'system')),
    discussion_prompt_id  UUID,
    task_ref              TEXT COLLATE "C",
    created_at            TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    via                   TEXT COLLATE "C" NOT NULL DEFAULT 'sql'    -- call, system; sql: another program
);
CREATE INDEX squad_chat_list ON squad_chat (workspace_id, created_at, id);
CREATE INDEX squad_chat_thread ON squad_chat (discussion_prompt_id, created_at, id)
    WHERE discussion_prompt_id IS NOT NULL;
CREATE INDEX squad_chat_task ON squad_chat (workspace_id, task_ref, created_at, id) WHERE task_ref IS NOT NULL;

CREATE TABLE discussion_prompts (
    id                  UUID PRIMARY KEY,
    workspace_id        TEXT COLLATE "C" NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001'
                        REFERENCES workspaces(id) ON DELETE CASCADE,
    task_id             TEXT COLLATE "C",       -- whatever the asker's tracker calls it
    linked_task_id      TEXT COLLATE "C",       -- the same, when it is a task of this workspace
    project_id          TEXT COLLATE "C",       -- that task's
    requester_agent     TEXT COLLATE "C" NOT NULL,
    prompt_message      TEXT COLLATE "C" NOT NULL,
    required_responses  INTEGER NOT NULL DEFAULT 2 CHECK (required_responses BETWEEN 1 AND 100),
    timeout_minutes     INTEGER NOT NULL DEFAULT 30 CHECK (timeout_minutes BETWEEN 1 AND 1440),
    status              TEXT COLLATE "C" NOT NULL DEFAULT 'collecting'
                        CHECK (status IN ('pending', 'collecting', 'resolved', 'timed_out', 'cancelled')),
    collected_context   JSONB NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(collected_context) = 'array'),
    voices              TEXT COLLATE "C" NOT NULL DEFAULT chr(10),    -- who has replied, by folded name, one in a line
    squad_chat_id       UUID,
    resolved_at         TIMESTAMPTZ(3),
    created_at          TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    count_all           BOOLEAN NOT NULL DEFAULT FALSE,
    response_count      INTEGER NOT NULL DEFAULT 0,
    outcome_source      TEXT COLLATE "C",
    outcome_by          TEXT COLLATE "C",
    via                 TEXT COLLATE "C" NOT NULL DEFAULT 'sql',    -- who wrote it, as in squad_chat
    ended_via           TEXT COLLATE "C",       -- call: an operation, which has its audit row; timer; sql
    requester_key       TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(requester_agent COLLATE "C")) STORED,
    due_at              BIGINT NOT NULL GENERATED ALWAYS AS (
                            CAST(floor(extract(epoch FROM created_at AT TIME ZONE 'UTC') * 1000) AS BIGINT)
                            + timeout_minutes * 60000) STORED
);
CREATE INDEX discussion_prompts_open ON discussion_prompts (workspace_id, created_at, id)
    WHERE status IN ('pending', 'collecting');
CREATE INDEX discussion_prompts_status ON discussion_prompts (workspace_id, status, created_at, id);
CREATE INDEX discussion_prompts_task ON discussion_prompts (workspace_id, task_id, created_at, id)
    WHERE task_id IS NOT NULL;
CREATE INDEX discussion_prompts_due ON discussion_prompts (due_at) WHERE status IN ('pending', 'collecting');

-- Who is mentioned in an open prompt: these stand first in that agent's list.
CREATE TABLE prompt_mentions (
    prompt_id     UUID NOT NULL,
    agent_key     TEXT COLLATE "C" NOT NULL,
    workspace_id  TEXT COLLATE "C" NOT NULL,
    created_at    TIMESTAMPTZ(3) NOT NULL,      -- the prompt's
    PRIMARY KEY (prompt_id, agent_key)
);
CREATE INDEX prompt_mentions_list ON prompt_mentions (workspace_id, agent_key, created_at, prompt_id);

-- What other programs wrote that may mention somebody: the server reads it and tells them.
CREATE TABLE mention_queue (
    ref_type  TEXT COLLATE "C" NOT NULL CHECK (ref_type IN ('prompt', 'chat')),
    ref_id    UUID NOT NULL,
    PRIMARY KEY (ref_type, ref_id)
);

-- Whoever numbers events looks every few milliseconds while nodes of ours work; what another program
-- wrote it would not hear of without this.
CREATE FUNCTION events_wake() RETURNS TRIGGER LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM pg_notify('witan_events', '');
    RETURN NULL;
END
$$;

CREATE TRIGGER events_wake AFTER INSERT ON events FOR EACH STATEMENT
WHEN (current_setting('witan.node', true) IS DISTINCT FROM 'on')
EXECUTE FUNCTION events_wake();

-- Called by the triggers below, within their search path.
CREATE FUNCTION squad_chat_tell(chat squad_chat) RETURNS VOID LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO events (workspace_id, type, subject, data, created_at)
    VALUES (chat.workspace_id, 'chat.message', chat.id,
            json_build_object('id', chat.id, 'agent_name', chat.agent_name, 'message', chat.message,
                              'is_human', chat.is_human, 'message_type', chat.message_type,
                              'discussion_prompt_id', chat.discussion_prompt_id, 'task_ref', chat.task_ref,
                              'created_at', witan_time(chat.created_at)),
            witan_ms(chat.created_at));
END
$$;

-- Another program that names a prompt need not name the workspace: its message belongs where the prompt does.
CREATE FUNCTION squad_chat_adopt() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    NEW.workspace_id := COALESCE((SELECT workspace_id FROM discussion_prompts WHERE id = NEW.discussion_prompt_id),
                                 NEW.workspace_id);
    RETURN NEW;
END
$$;

CREATE TRIGGER squad_chat_adopt BEFORE INSERT ON squad_chat FOR EACH ROW
WHEN (NEW.via = 'sql' AND NEW.discussion_prompt_id IS NOT NULL)
EXECUTE FUNCTION squad_chat_adopt();

-- The server's own messages are left out of these two: whoever writes one tells of it as well.
CREATE FUNCTION squad_chat_message() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM squad_chat_tell(NEW);
    RETURN NULL;
END
$$;

CREATE TRIGGER squad_chat_message AFTER INSERT ON squad_chat FOR EACH ROW
WHEN (NEW.message_type IN ('message', 'discussion_prompt'))
EXECUTE FUNCTION squad_chat_message();

-- A reply to a prompt that has ended, is overdue or is not there stays in the chat, neither counted nor
-- collected.
CREATE FUNCTION squad_chat_response() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
    prompt   discussion_prompts;
    key      TEXT := lower(NEW.agent_name COLLATE "C");
    spoke    BOOLEAN;
    counts   BOOLEAN;
    replies  INTEGER;
    context  JSONB;
BEGIN
    PERFORM squad_chat_tell(NEW);

    -- The lock is a statement of its own: only what is read after it has been granted shows what the
    -- other replies did.
    SELECT * INTO prompt
      FROM discussion_prompts
     WHERE id = NEW.discussion_prompt_id AND workspace_id = NEW.workspace_id
       FOR NO KEY UPDATE;
    IF NOT FOUND OR prompt.status NOT IN ('pending', 'collecting') OR prompt.due_at < witan_ms(NEW.created_at) THEN
        RETURN NULL;
    END IF;

    spoke := witan_spoke(prompt.voices, key);
    counts := prompt.count_all OR (NOT spoke AND key <> prompt.requester_key);
    replies := prompt.response_count + CAST(counts AS INTEGER);
    context := prompt.collected_context || jsonb_build_object('agent', NEW.agent_name, 'message', NEW.message,
                   'is_human', NEW.is_human, 'created_at', witan_time(NEW.created_at));

    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    VALUES (prompt.workspace_id, 'prompt.responded', prompt.project_id, prompt.id,
            json_build_object('promptId', prompt.id, 'chatId', NEW.id, 'agent_name', NEW.agent_name,
                              'counted', counts, 'status', prompt.status, 'responseCount', replies,
                              'requiredResponses', prompt.required_responses),
            witan_ms(NEW.created_at));

    IF NOT spoke THEN
        prompt.voices := prompt.voices || key || chr(10);
    END IF;
    IF replies < prompt.required_responses THEN
        UPDATE discussion_prompts
           SET collected_context = context, response_count = replies, voices = prompt.voices
         WHERE id = prompt.id;
    ELSE
        UPDATE discussion_prompts
           SET collected_context = context, response_count = replies, voices = prompt.voices, status = 'resolved',
               outcome_source = 'agents', outcome_by = NEW.agent_name, ended_via = NEW.via,
               resolved_at = NEW.created_at
         WHERE id = prompt.id;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER squad_chat_response AFTER INSERT ON squad_chat FOR EACH ROW
WHEN (NEW.message_type = 'discussion_response')
EXECUTE FUNCTION squad_chat_response();

CREATE FUNCTION discussion_prompts_link() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    SELECT id, project_id INTO NEW.linked_task_id, NEW.project_id
      FROM tasks
     WHERE id = NEW.task_id AND workspace_id = NEW.workspace_id;
    RETURN NEW;
END
$$;

CREATE TRIGGER discussion_prompts_link BEFORE INSERT ON discussion_prompts FOR EACH ROW
WHEN (NEW.task_id IS NOT NULL)
EXECUTE FUNCTION discussion_prompts_link();

CREATE FUNCTION discussion_prompts_created() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    VALUES (NEW.workspace_id, 'prompt.created', NEW.project_id, NEW.id,
            json_build_object('promptId', NEW.id, 'task_id', NEW.task_id, 'requester_agent', NEW.requester_agent,
                              'prompt_message', NEW.prompt_message, 'required_responses', NEW.required_responses,
                              'timeout_minutes', NEW.timeout_minutes, 'status', NEW.status,
                              'count_all', NEW.count_all, 'squad_chat_id', NEW.squad_chat_id,
                              'created_at', witan_time(NEW.created_at)),
            witan_ms(NEW.created_at));
    RETURN NULL;
END
$$;

CREATE TRIGGER discussion_prompts_created AFTER INSERT ON discussion_prompts FOR EACH ROW
EXECUTE FUNCTION discussion_prompts_created();

-- Another program that ends a prompt leaves out what it does not know of.
CREATE FUNCTION discussion_prompts_ending() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    NEW.resolved_at := COALESCE(NEW.resolved_at, now());
    NEW.outcome_source := COALESCE(NEW.outcome_source, CASE NEW.status WHEN 'timed_out' THEN 'timeout'
                                                            WHEN 'cancelled' THEN 'cancelled' ELSE 'forced' END);
    NEW.outcome_by := COALESCE(NEW.outcome_by, 'sql');
    NEW.ended_via := 'sql';
    RETURN NEW;
END
$$;

CREATE TRIGGER discussion_prompts_ending BEFORE UPDATE OF status ON discussion_prompts FOR EACH ROW
WHEN (OLD.status IN ('pending', 'collecting') AND NEW.status NOT IN ('pending', 'collecting')
      AND NEW.ended_via IS NULL)
EXECUTE FUNCTION discussion_prompts_ending();

CREATE FUNCTION discussion_prompts_ended() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
    ended_ms  BIGINT := witan_ms(NEW.resolved_at);
    actor     TEXT := CASE NEW.ended_via WHEN 'timer' THEN 'system' ELSE 'sql' END;
    chat      squad_chat;
BEGIN
    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    VALUES (NEW.workspace_id, 'prompt.ended', NEW.project_id, NEW.id,
            json_build_object('promptId', NEW.id, 'status', NEW.status,
                              'outcome', json_build_object('source', NEW.outcome_source, 'by', NEW.outcome_by,
                                                           'at', witan_time(NEW.resolved_at)),
                              'responseCount', NEW.response_count, 'requiredResponses', NEW.required_responses),
            ended_ms);

    -- A millisecond after the end, so that it stands below the reply that caused it.
    INSERT INTO squad_chat (id, workspace_id, agent_name, message, message_type, discussion_prompt_id,
                            created_at, via)
    VALUES (CAST(lpad(to_hex(ended_ms + 1), 12, '0') || '7'
                 || substr(replace(CAST(gen_random_uuid() AS TEXT), '-', ''), 14) AS UUID),
            NEW.workspace_id, 'system',
            'Discussion ' || CASE NEW.status WHEN 'timed_out' THEN 'timed out' ELSE NEW.status END || ': '
                || NEW.response_count || ' of ' || NEW.required_responses
                || CASE NEW.required_responses WHEN 1 THEN ' reply.' ELSE ' replies.' END,
            'system', NEW.id, NEW.resolved_at + INTERVAL '1 millisecond', 'system')
    RETURNING * INTO chat;
    PERFORM squad_chat_tell(chat);

    WITH resolved AS (
        UPDATE notifications SET resolved_at = ended_ms
         WHERE ref_type = 'prompt' AND ref_id = CAST(NEW.id AS TEXT) AND resolved_at IS NULL
        RETURNING *)
    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    SELECT workspace_id, 'notification.resolved', project_id, id,
           json_build_object('id', id, 'kind', kind, 'priority', priority, 'title', title, 'body', body,
                             'ref', json_build_object('type', ref_type, 'id', ref_id), 'projectId', project_id,
                             'read', read_at IS NOT NULL, 'resolved', true,
                             'createdAt', witan_time(to_timestamp(created_at / 1000.0)),
                             'agent', agent_key, 'userId', user_id),
           ended_ms
      FROM resolved
     ORDER BY id;

    DELETE FROM prompt_mentions WHERE prompt_id = NEW.id;

    IF NEW.ended_via <> 'call' THEN
        INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
        VALUES (NEW.workspace_id, actor, actor, 'prompt_end', NEW.id,
                json_build_object('status', NEW.status, 'source', NEW.outcome_source, 'by', NEW.outcome_by),
                ended_ms);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER discussion_prompts_ended AFTER UPDATE OF status ON discussion_prompts FOR EACH ROW
WHEN (OLD.status IN ('pending', 'collecting') AND NEW.status NOT IN ('pending', 'collecting'))
EXECUTE FUNCTION discussion_prompts_ended();

-- What other programs write is in the audit log too, and whom it mentions is told; calls of ours are
-- recorded by whoever runs them.
CREATE FUNCTION squad_chat_audit() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
    VALUES (NEW.workspace_id, 'sql', 'sql', 'chat_insert', NEW.id,
            json_build_object('agent_name', NEW.agent_name, 'message_type', NEW.message_type,
                              'discussion_prompt_id', NEW.discussion_prompt_id),
            witan_ms(NEW.created_at));
    IF NEW.message_type IN ('message', 'discussion_response') AND strpos(NEW.message, '@') > 0 THEN
        INSERT INTO mention_queue (ref_type, ref_id) VALUES ('chat', NEW.id);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER squad_chat_audit AFTER INSERT ON squad_chat FOR EACH ROW WHEN (NEW.via = 'sql')
EXECUTE FUNCTION squad_chat_audit();

CREATE FUNCTION discussion_prompts_audit() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
    VALUES (NEW.workspace_id, 'sql', 'sql', 'prompt_insert', NEW.id,
            json_build_object('requester_agent', NEW.requester_agent), witan_ms(NEW.created_at));
    IF strpos(NEW.prompt_message, '@') > 0 THEN
        INSERT INTO mention_queue (ref_type, ref_id) VALUES ('prompt', NEW.id);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER discussion_prompts_audit AFTER INSERT ON discussion_prompts FOR EACH ROW WHEN (NEW.via = 'sql')
EXECUTE FUNCTION discussion_prompts_audit();

-- In place of foreign keys, whose check on every insert the hot tables would pay for.
CREATE FUNCTION discussion_prompts_deleted() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    DELETE FROM prompt_mentions WHERE prompt_id = OLD.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER discussion_prompts_deleted AFTER DELETE ON discussion_prompts FOR EACH ROW
EXECUTE FUNCTION discussion_prompts_deleted();

CREATE FUNCTION workspaces_chat_deleted() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    DELETE FROM squad_chat WHERE workspace_id = OLD.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER workspaces_chat_deleted AFTER DELETE ON workspaces FOR EACH ROW
EXECUTE FUNCTION workspaces_chat_deleted();

CREATE FUNCTION tasks_prompts_unlinked() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE discussion_prompts SET linked_task_id = NULL, project_id = NULL
     WHERE workspace_id = OLD.workspace_id AND task_id = OLD.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER tasks_prompts_unlinked AFTER DELETE ON tasks FOR EACH ROW
EXECUTE FUNCTION tasks_prompts_unlinked();

-- For a scheduler of the operator's own; a running server does this by itself. A prompt exactly at its limit
-- has not timed out yet. Rows are locked in one order, so that two such calls do not block each other.
CREATE FUNCTION public.timeout_stale_discussion_prompts() RETURNS INTEGER LANGUAGE plpgsql
SET search_path FROM CURRENT
AS $$
DECLARE
    at     TIMESTAMPTZ := now() + INTERVAL '1 millisecond'
               * COALESCE((SELECT CAST(value AS BIGINT) FROM facts WHERE name = 'clock_offset_ms'), 0);
    ended  INTEGER;
BEGIN
    UPDATE discussion_prompts
       SET status = 'timed_out', outcome_source = 'timeout', outcome_by = 'system', ended_via = 'sql',
           resolved_at = at
     WHERE id IN (SELECT id FROM discussion_prompts
                   WHERE status IN ('pending', 'collecting') AND due_at < witan_ms(at)
                   ORDER BY id FOR NO KEY UPDATE);
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN ended;
END
$$;

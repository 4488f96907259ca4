-- Whom an event is for, and whose project a message's event is.
--
-- The audience is 'agent:KEY', 'user:ID' or 'roles:SET', each behind 'squad ' when it is talk of the squad
-- (core/log/audience.h); NULL: all who may read. A message's event belongs to the project of the message: a token that is
-- bound to another project hears the squad's talk about no project, and must not take a reply about one for that.

ALTER TABLE events ADD COLUMN audience TEXT;

UPDATE events SET project_id = (SELECT project_id FROM squad_chat WHERE id = events.subject)
 WHERE type = 'chat.message' AND project_id IS NULL
   AND EXISTS (SELECT 1 FROM squad_chat c WHERE c.id = events.subject AND c.project_id IS NOT NULL);

DROP TRIGGER squad_chat_message;
CREATE TRIGGER squad_chat_message AFTER INSERT ON squad_chat
WHEN NEW.message_type IN ('message', 'discussion_prompt')
BEGIN
    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    VALUES (COALESCE((SELECT workspace_id FROM discussion_prompts WHERE id = NEW.discussion_prompt_id),
                     NEW.workspace_id),
            'chat.message',
            CASE NEW.via
                WHEN 'call' THEN NEW.project_id
                ELSE COALESCE((SELECT project_id FROM discussion_prompts WHERE id = NEW.discussion_prompt_id),
                              (SELECT project_id FROM tasks WHERE id = NEW.task_ref)) END,
            NEW.id,
            json_object('id', NEW.id, 'agent_name', NEW.agent_name, 'message', NEW.message,
                        'is_human', json(CASE WHEN NEW.is_human THEN 'true' ELSE 'false' END),
                        'message_type', NEW.message_type, 'discussion_prompt_id', NEW.discussion_prompt_id,
                        'task_ref', NEW.task_ref,
                        'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at)),
            CAST(round((julianday(NEW.created_at) - 2440587.5) * 86400000.0) AS INTEGER));
END;

DROP TRIGGER squad_chat_response;
CREATE TRIGGER squad_chat_response AFTER INSERT ON squad_chat
WHEN NEW.message_type = 'discussion_response'
BEGIN
    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    VALUES (CASE NEW.via
                WHEN 'sql' THEN COALESCE((SELECT workspace_id FROM discussion_prompts
                                           WHERE id = NEW.discussion_prompt_id), NEW.workspace_id)
                ELSE NEW.workspace_id END,
            'chat.message',
            CASE NEW.via
                WHEN 'call' THEN NEW.project_id
                ELSE COALESCE((SELECT project_id FROM discussion_prompts WHERE id = NEW.discussion_prompt_id),
                              (SELECT project_id FROM tasks WHERE id = NEW.task_ref)) END,
            NEW.id,
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

DROP TRIGGER discussion_prompts_ended;
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

    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    SELECT c.workspace_id, 'chat.message', (SELECT project_id FROM discussion_prompts WHERE id = NEW.id), c.id,
           json_object('id', c.id, 'agent_name', c.agent_name, 'message', c.message, 'is_human', json('false'),
                       'message_type', c.message_type, 'discussion_prompt_id', c.discussion_prompt_id,
                       'task_ref', c.task_ref, 'created_at', c.created_at),
           c.created_ms
      FROM squad_chat c
     WHERE c.rowid = last_insert_rowid();

    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at, audience)
    SELECT n.workspace_id, 'notification.resolved', n.project_id, n.id,
           json_object('id', n.id, 'kind', n.kind, 'priority', n.priority, 'title', n.title, 'body', n.body,
                       'ref', json_object('type', n.ref_type, 'id', n.ref_id), 'projectId', n.project_id,
                       'read', json(CASE WHEN n.read_at IS NULL THEN 'false' ELSE 'true' END),
                       'resolved', json('true'),
                       'createdAt', strftime('%Y-%m-%dT%H:%M:%fZ', n.created_at / 1000.0, 'unixepoch'),
                       'agent', n.agent_key, 'userId', n.user_id),
           (SELECT CAST(round((julianday(resolved_at) - 2440587.5) * 86400000.0) AS INTEGER)
              FROM discussion_prompts WHERE id = NEW.id),
           CASE n.kind WHEN 'mention' THEN 'squad ' ELSE '' END
               || CASE n.reader WHEN 'people' THEN 'roles:' || n.roles ELSE n.reader END
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

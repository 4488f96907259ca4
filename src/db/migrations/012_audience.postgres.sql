-- Whom an event is for, and whose project a message's event is.
--
-- The audience is 'agent:KEY', 'user:ID' or 'roles:SET', each behind 'squad ' when it is talk of the squad
-- (core/log/audience.h); NULL: all who may read. A message's event belongs to the project of the message: a token that is
-- bound to another project hears the squad's talk about no project, and must not take a reply about one for that.

ALTER TABLE events ADD COLUMN audience TEXT COLLATE "C";

UPDATE events SET project_id = c.project_id
  FROM squad_chat c
 WHERE events.type = 'chat.message' AND events.project_id IS NULL AND CAST(c.id AS TEXT) = events.subject
   AND c.project_id IS NOT NULL;

CREATE OR REPLACE FUNCTION squad_chat_tell(chat squad_chat) RETURNS VOID LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    VALUES (chat.workspace_id, 'chat.message', chat.project_id, chat.id,
            json_build_object('id', chat.id, 'agent_name', chat.agent_name, 'message', chat.message,
                              'is_human', chat.is_human, 'message_type', chat.message_type,
                              'discussion_prompt_id', chat.discussion_prompt_id, 'task_ref', chat.task_ref,
                              'created_at', witan_time(chat.created_at)),
            witan_ms(chat.created_at));
END
$$;

CREATE OR REPLACE FUNCTION discussion_prompts_ended() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
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
    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at, audience)
    SELECT workspace_id, 'notification.resolved', project_id, id,
           json_build_object('id', id, 'kind', kind, 'priority', priority, 'title', title, 'body', body,
                             'ref', json_build_object('type', ref_type, 'id', ref_id), 'projectId', project_id,
                             'read', read_at IS NOT NULL, 'resolved', true,
                             'createdAt', witan_time(to_timestamp(created_at / 1000.0)),
                             'agent', agent_key, 'userId', user_id),
           ended_ms,
           CASE kind WHEN 'mention' THEN 'squad ' ELSE '' END
               || CASE reader WHEN 'people' THEN 'roles:' || roles ELSE reader END
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

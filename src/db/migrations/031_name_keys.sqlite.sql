-- The names of those who speak are compared by their keys: folded by Unicode (str_fold of base/str.h). A database knows
-- lower() of ASCII, which is the key of an ASCII name; the key of any other is stored beside the name, by calls of ours at
-- once. A row that another program wrote has none: it is counted by lower() until the server has folded it
-- (core/chat/voices.h, core/upkeep/refold.h). A name that is written anew has no key until somebody makes one.
ALTER TABLE squad_chat ADD COLUMN agent_key TEXT;               -- NULL: lower(agent_name)
ALTER TABLE discussion_prompts ADD COLUMN requester_fold TEXT;  -- the same, of requester_agent
ALTER TABLE agent_templates ADD COLUMN name_fold TEXT;          -- the same, of name

-- No row has such a key yet, so what is stored stays right.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '(lower(requester_agent))', '(COALESCE(requester_fold, lower(requester_agent)))')
 WHERE type = 'table' AND name = 'discussion_prompts';
UPDATE sqlite_schema SET sql = replace(sql, '(lower(name))', '(COALESCE(name_fold, lower(name)))')
 WHERE type = 'table' AND name = 'agent_templates';
PRAGMA writable_schema = RESET;

CREATE TRIGGER squad_chat_renamed AFTER UPDATE OF agent_name ON squad_chat
WHEN NEW.agent_key IS NOT NULL AND OLD.agent_name <> NEW.agent_name
BEGIN
    UPDATE squad_chat SET agent_key = NULL WHERE id = NEW.id;
END;

CREATE TRIGGER discussion_prompts_renamed AFTER UPDATE OF requester_agent ON discussion_prompts
WHEN NEW.requester_fold IS NOT NULL AND OLD.requester_agent <> NEW.requester_agent
BEGIN
    UPDATE discussion_prompts SET requester_fold = NULL WHERE id = NEW.id;
END;

CREATE TRIGGER agent_templates_renamed AFTER UPDATE OF name ON agent_templates
WHEN NEW.name_fold IS NOT NULL AND OLD.name <> NEW.name
BEGIN
    UPDATE agent_templates SET name_fold = NULL WHERE id = NEW.id;
END;

-- Agents whose names are to be folded: those that another program wrote.
CREATE INDEX agent_templates_unfolded ON agent_templates (id)
    WHERE name_fold IS NULL AND deleted_at IS NULL AND LENGTH(CAST(name AS BLOB)) <> LENGTH(name);

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
               + (count_all OR (requester_key <> COALESCE(NEW.agent_key, lower(NEW.agent_name))
                                AND instr(voices, char(10) || COALESCE(NEW.agent_key, lower(NEW.agent_name)) || char(10)) = 0)),
           voices = CASE WHEN instr(voices, char(10) || COALESCE(NEW.agent_key, lower(NEW.agent_name)) || char(10)) > 0 THEN voices
                         ELSE voices || COALESCE(NEW.agent_key, lower(NEW.agent_name)) || char(10) END,
           reply_id = NEW.id, reply_by = NEW.agent_name, reply_via = NEW.via, reply_ms = NEW.created_ms
     WHERE id = NEW.discussion_prompt_id
       AND status IN ('pending', 'collecting')
       AND due_at >= NEW.created_ms;
END;

-- The server also reads what has an author whose name it has to fold.
DROP TRIGGER squad_chat_foreign;
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
     WHERE NEW.message_type IN ('message', 'discussion_response')
       AND (instr(NEW.message, '@') > 0 OR LENGTH(CAST(NEW.agent_name AS BLOB)) <> LENGTH(NEW.agent_name));
END;

DROP TRIGGER discussion_prompts_foreign;
CREATE TRIGGER discussion_prompts_foreign AFTER INSERT ON discussion_prompts WHEN NEW.via = 'sql'
BEGIN
    UPDATE discussion_prompts SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at) WHERE id = NEW.id;

    INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
    VALUES (NEW.workspace_id, 'sql', 'sql', 'prompt_insert', NEW.id,
            json_object('requester_agent', NEW.requester_agent),
            CAST(round((julianday(NEW.created_at) - 2440587.5) * 86400000.0) AS INTEGER));

    INSERT INTO mention_queue (ref_type, ref_id)
    SELECT 'prompt', NEW.id
     WHERE instr(NEW.prompt_message, '@') > 0 OR LENGTH(CAST(NEW.requester_agent AS BLOB)) <> LENGTH(NEW.requester_agent);
END;

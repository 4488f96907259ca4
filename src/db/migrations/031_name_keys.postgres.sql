-- The names of those who speak are compared by their keys: folded by Unicode (str_fold of base/str.h). lower() of ASCII is the
-- key of an ASCII name; the key of any other is stored beside the name, by calls of ours at once. A row that another program
-- wrote has none: it is counted by what the database makes of it until the server has folded it (core/chat/voices.h,
-- core/upkeep/refold.h). A name that is written anew has no key until somebody makes one.

-- What the database can do: one form, and small letters by its locale; those of ASCII first, by none.
CREATE FUNCTION witan_fold(name TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
SELECT CASE WHEN octet_length(name) = char_length(name) THEN lower(name COLLATE "C")
            ELSE lower(translate(normalize(name, NFKC), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')
                       COLLATE "default") COLLATE "C" END
$$;

ALTER TABLE squad_chat ADD COLUMN agent_key TEXT COLLATE "C";               -- NULL: witan_fold(agent_name)
ALTER TABLE discussion_prompts ADD COLUMN requester_fold TEXT COLLATE "C",  -- the same, of requester_agent
    DROP COLUMN requester_key;
ALTER TABLE discussion_prompts
    ADD COLUMN requester_key TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (COALESCE(requester_fold, witan_fold(requester_agent))) STORED;
ALTER TABLE agent_templates ADD COLUMN name_fold TEXT COLLATE "C",          -- NULL: lower(name), which keeps names apart that were
    DROP COLUMN name_key;
ALTER TABLE agent_templates
    ADD COLUMN name_key TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (COALESCE(name_fold, lower(name COLLATE "C"))) STORED;
-- Who is gone leaves the name to others.
CREATE UNIQUE INDEX agent_templates_name ON agent_templates (workspace_id, name_key) WHERE deleted_at IS NULL;
-- Agents whose names are to be folded: those that another program wrote.
CREATE INDEX agent_templates_unfolded ON agent_templates (id)
    WHERE name_fold IS NULL AND deleted_at IS NULL AND octet_length(name) <> char_length(name);

CREATE FUNCTION squad_chat_renamed() RETURNS TRIGGER LANGUAGE plpgsql
AS $$
BEGIN
    NEW.agent_key := NULL;
    RETURN NEW;
END
$$;

CREATE TRIGGER squad_chat_renamed BEFORE UPDATE OF agent_name ON squad_chat FOR EACH ROW
WHEN (NEW.agent_key IS NOT NULL AND OLD.agent_name <> NEW.agent_name)
EXECUTE FUNCTION squad_chat_renamed();

CREATE FUNCTION discussion_prompts_renamed() RETURNS TRIGGER LANGUAGE plpgsql
AS $$
BEGIN
    NEW.requester_fold := NULL;
    RETURN NEW;
END
$$;

CREATE TRIGGER discussion_prompts_renamed BEFORE UPDATE OF requester_agent ON discussion_prompts FOR EACH ROW
WHEN (NEW.requester_fold IS NOT NULL AND OLD.requester_agent <> NEW.requester_agent)
EXECUTE FUNCTION discussion_prompts_renamed();

CREATE FUNCTION agent_templates_renamed() RETURNS TRIGGER LANGUAGE plpgsql
AS $$
BEGIN
    NEW.name_fold := NULL;
    RETURN NEW;
END
$$;

CREATE TRIGGER agent_templates_renamed BEFORE UPDATE OF name ON agent_templates FOR EACH ROW
WHEN (NEW.name_fold IS NOT NULL AND OLD.name <> NEW.name)
EXECUTE FUNCTION agent_templates_renamed();

CREATE OR REPLACE FUNCTION squad_chat_response() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
    prompt   discussion_prompts;
    key      TEXT := COALESCE(NEW.agent_key, witan_fold(NEW.agent_name));
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

-- The server also reads what has an author whose name it has to fold.
CREATE OR REPLACE FUNCTION squad_chat_audit() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
    VALUES (NEW.workspace_id, 'sql', 'sql', 'chat_insert', NEW.id,
            json_build_object('agent_name', NEW.agent_name, 'message_type', NEW.message_type,
                              'discussion_prompt_id', NEW.discussion_prompt_id),
            witan_ms(NEW.created_at));
    IF NEW.message_type IN ('message', 'discussion_response')
       AND (strpos(NEW.message, '@') > 0 OR octet_length(NEW.agent_name) <> char_length(NEW.agent_name)) THEN
        INSERT INTO mention_queue (ref_type, ref_id) VALUES ('chat', NEW.id);
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION discussion_prompts_audit() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
    VALUES (NEW.workspace_id, 'sql', 'sql', 'prompt_insert', NEW.id,
            json_build_object('requester_agent', NEW.requester_agent), witan_ms(NEW.created_at));
    IF strpos(NEW.prompt_message, '@') > 0 OR octet_length(NEW.requester_agent) <> char_length(NEW.requester_agent) THEN
        INSERT INTO mention_queue (ref_type, ref_id) VALUES ('prompt', NEW.id);
    END IF;
    RETURN NULL;
END
$$;

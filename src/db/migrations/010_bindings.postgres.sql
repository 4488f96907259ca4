-- What a bound token may hear, and who asked.
--
-- A message belongs to the project of the task that it, or the prompt in whose thread it stands, is about; NULL
-- when that is no project's. Calls of ours bring the project along; what other programs and the server itself
-- write is looked up. The index of a workspace's messages holds it as well, and so do those of the prompts:
-- whoever is bound to one project passes over the others' there, without reading them.

ALTER TABLE squad_chat ADD COLUMN project_id TEXT COLLATE "C";
UPDATE squad_chat
   SET project_id = COALESCE((SELECT project_id FROM discussion_prompts WHERE id = squad_chat.discussion_prompt_id),
                             (SELECT project_id FROM tasks WHERE id = squad_chat.task_ref))
 WHERE discussion_prompt_id IS NOT NULL OR task_ref IS NOT NULL;

DROP INDEX squad_chat_list;
CREATE INDEX squad_chat_list ON squad_chat (workspace_id, created_at, id, project_id);
DROP INDEX discussion_prompts_open;
CREATE INDEX discussion_prompts_open ON discussion_prompts (workspace_id, created_at, id, project_id)
    WHERE status IN ('pending', 'collecting');
DROP INDEX discussion_prompts_status;
CREATE INDEX discussion_prompts_status ON discussion_prompts (workspace_id, status, created_at, id, project_id);

CREATE FUNCTION squad_chat_project() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    NEW.project_id := COALESCE((SELECT project_id FROM discussion_prompts WHERE id = NEW.discussion_prompt_id),
                               (SELECT project_id FROM tasks WHERE id = NEW.task_ref));
    RETURN NEW;
END
$$;

CREATE TRIGGER squad_chat_project BEFORE INSERT ON squad_chat FOR EACH ROW
WHEN (NEW.via <> 'call' AND (NEW.discussion_prompt_id IS NOT NULL OR NEW.task_ref IS NOT NULL))
EXECUTE FUNCTION squad_chat_project();

-- A task that is gone is no longer linked, but what was said about it stays its project's: nobody who is bound
-- to another one shall come to read it by a delete.
CREATE OR REPLACE FUNCTION tasks_prompts_unlinked() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE discussion_prompts SET linked_task_id = NULL
     WHERE workspace_id = OLD.workspace_id AND task_id = OLD.id;
    RETURN NULL;
END
$$;

-- Mentions belong where the message does.
UPDATE notifications
   SET project_id = (SELECT c.project_id FROM squad_chat c JOIN projects p ON p.id = c.project_id
                      WHERE c.id = CAST(notifications.ref_id AS UUID))
 WHERE ref_type = 'chat' AND project_id IS NULL;

-- The id of the user or token that asked, whatever name it asked under: whoever asks for a yes does not give it.
ALTER TABLE agent_questions ADD COLUMN asked_by_id TEXT COLLATE "C";
ALTER TABLE open_questions ADD COLUMN asked_by_id TEXT COLLATE "C";
CREATE OR REPLACE VIEW question_rows AS
SELECT id, job_id, workspace_id, project_id, type, question, CAST(context AS TEXT) AS context, status, response_type,
       CAST(options AS TEXT) AS options, CAST(response AS TEXT) AS response, responded_by,
       witan_time(responded_at) AS responded_at, witan_time(timeout_at) AS timeout_at,
       CAST(default_response AS TEXT) AS default_response, CAST(metadata AS TEXT) AS metadata,
       witan_time(created_at) AS created_at, parent_id, allow_other, allow_default_approve, assigned_to, required_role,
       required_approvals, approvals, action, approved_args, late_answers, draft_by, witan_time(draft_at) AS draft_at,
       draft_moves, asked_by, requested_by, outcome_source, outcome_by, witan_time(ended_at) AS ended_at,
       restart_job_id, template, question_key, created_at AS sort_at, timeout_at AS due_at, asked_by_id
  FROM agent_questions;

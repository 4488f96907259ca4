-- What a bound token may hear, and who asked.
--
-- A message belongs to the project of the task that it, or the prompt in whose thread it stands, is about; NULL
-- when that is no project's. Calls of ours bring the project along; what other programs and the server itself
-- write is looked up. The index of a workspace's messages holds it as well, and so do those of the prompts:
-- whoever is bound to one project passes over the others' there, without reading them.

ALTER TABLE squad_chat ADD COLUMN project_id TEXT;
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

CREATE TRIGGER squad_chat_project AFTER INSERT ON squad_chat
WHEN NEW.via <> 'call' AND (NEW.discussion_prompt_id IS NOT NULL OR NEW.task_ref IS NOT NULL)
BEGIN
    UPDATE squad_chat
       SET project_id = COALESCE((SELECT project_id FROM discussion_prompts WHERE id = NEW.discussion_prompt_id),
                                 (SELECT project_id FROM tasks WHERE id = NEW.task_ref))
     WHERE id = NEW.id;
END;

-- A task that is gone is no longer linked, but what was said about it stays its project's: nobody who is bound
-- to another one shall come to read it by a delete.
DROP TRIGGER tasks_prompts_unlinked;
CREATE TRIGGER tasks_prompts_unlinked AFTER DELETE ON tasks
BEGIN
    UPDATE discussion_prompts SET linked_task_id = NULL
     WHERE workspace_id = OLD.workspace_id AND task_id = OLD.id;
END;

-- Mentions belong where the message does.
UPDATE notifications
   SET project_id = (SELECT c.project_id FROM squad_chat c JOIN projects p ON p.id = c.project_id
                      WHERE c.id = notifications.ref_id)
 WHERE ref_type = 'chat' AND project_id IS NULL;

-- The id of the user or token that asked, whatever name it asked under: whoever asks for a yes does not give it.
ALTER TABLE agent_questions ADD COLUMN asked_by_id TEXT;
ALTER TABLE open_questions ADD COLUMN asked_by_id TEXT;
DROP VIEW question_rows;
CREATE VIEW question_rows AS
SELECT id, job_id, workspace_id, project_id, type, question, context, status, response_type, options, response,
       responded_by, responded_at, timeout_at, default_response, metadata, created_at, parent_id, allow_other,
       allow_default_approve, assigned_to, required_role, required_approvals, approvals, action, approved_args,
       late_answers, draft_by, draft_at, draft_moves, asked_by, requested_by, outcome_source, outcome_by, ended_at,
       restart_job_id, template, question_key, created_at AS sort_at, timeout_at AS due_at, asked_by_id
  FROM agent_questions;

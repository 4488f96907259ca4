-- Who did something is kept by id beside the name as it was then: a user's or a token's id, 'local', or 'system' for the server
-- itself. NULL: not known, as in rows that other programs write. Nobody is shown these columns; erasing a person goes by them.
ALTER TABLE squad_chat ADD COLUMN author_id TEXT COLLATE "C";
ALTER TABLE discussion_prompts ADD COLUMN requester_id TEXT COLLATE "C";
ALTER TABLE discussion_prompts ADD COLUMN outcome_by_id TEXT COLLATE "C";
ALTER TABLE agent_questions ADD COLUMN outcome_by_id TEXT COLLATE "C";
ALTER TABLE agent_questions ADD COLUMN draft_by_id TEXT COLLATE "C";
ALTER TABLE jobs ADD COLUMN outcome_by_id TEXT COLLATE "C";
ALTER TABLE job_logs ADD COLUMN actor_id TEXT COLLATE "C"; -- who did what the line tells of
ALTER TABLE feedback ADD COLUMN author_id TEXT COLLATE "C";
ALTER TABLE documents ADD COLUMN author_id TEXT COLLATE "C";
ALTER TABLE open_questions ADD COLUMN outcome_by_id TEXT COLLATE "C";
ALTER TABLE tasks ADD COLUMN assignee_id TEXT COLLATE "C"; -- of one who took it; NULL too: somebody else has named them
ALTER TABLE decisions ADD COLUMN asked_by_id TEXT COLLATE "C";
ALTER TABLE discussion_state ADD COLUMN outcome_by_id TEXT COLLATE "C";
ALTER TABLE agent_templates ADD COLUMN created_by_id TEXT COLLATE "C";
ALTER TABLE events ADD COLUMN actor_id TEXT COLLATE "C"; -- in whose call it was told; NULL too: by a trigger
-- Of each answer that is given while a set stays open, in their order, each behind a space; '?' is one that is not known.
ALTER TABLE open_questions ADD COLUMN answer_ids TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE open_questions SET answer_ids = repeat(' ?', jsonb_array_length(CAST(responses AS JSONB))) WHERE responses <> '[]';

-- A prompt that its last reply has resolved was ended by whoever wrote that.
CREATE FUNCTION discussion_prompts_ender() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    NEW.outcome_by_id := (SELECT c.author_id FROM squad_chat c
                           WHERE c.discussion_prompt_id = NEW.id AND c.created_at = NEW.resolved_at
                             AND c.agent_name = NEW.outcome_by AND c.message_type = 'discussion_response'
                           ORDER BY c.id DESC LIMIT 1);
    RETURN NEW;
END
$$;

CREATE TRIGGER discussion_prompts_ender BEFORE UPDATE OF status ON discussion_prompts FOR EACH ROW
WHEN (NEW.outcome_source = 'agents' AND NEW.outcome_by_id IS NULL)
EXECUTE FUNCTION discussion_prompts_ender();

CREATE OR REPLACE VIEW question_rows AS
SELECT id, job_id, workspace_id, project_id, type, question, CAST(context AS TEXT) AS context, status, response_type,
       CAST(options AS TEXT) AS options, CAST(response AS TEXT) AS response, responded_by,
       witan_time(responded_at) AS responded_at, witan_time(timeout_at) AS timeout_at,
       CAST(default_response AS TEXT) AS default_response, CAST(metadata AS TEXT) AS metadata,
       witan_time(created_at) AS created_at, parent_id, allow_other, allow_default_approve, assigned_to, required_role,
       required_approvals, approvals, action, approved_args, late_answers, draft_by, witan_time(draft_at) AS draft_at,
       draft_moves, asked_by, requested_by, outcome_source, outcome_by, witan_time(ended_at) AS ended_at,
       restart_job_id, template, question_key, created_at AS sort_at, timeout_at AS due_at, asked_by_id, handover,
       (SELECT u.name FROM users u WHERE u.id = agent_questions.assigned_to) AS assignee,
       (SELECT u.name FROM users u WHERE u.id = agent_questions.requested_by) AS requester,
       outcome_by_id, draft_by_id
  FROM agent_questions;

DROP VIEW tasks_shown;
CREATE VIEW tasks_shown AS
SELECT t.id, t.workspace_id, t.project_id, t.title, t.description, t.status, t.priority, t.assignee,
       t.block_reason, t.session_id, t.result, t.problems, t.open_deps, t.created_at, t.updated_at,
       t.own_block, t.assignee_id,
       (SELECT CAST(COALESCE(json_agg(d.depends_on ORDER BY d.depends_on), '[]') AS TEXT)
          FROM task_deps d WHERE d.task_id = t.id) AS depends_on
  FROM tasks t;

-- Rows from before this. An answer says itself whose it is, and so does a job that was made for one question.
UPDATE agent_questions SET outcome_by_id = responded_by WHERE responded_by IS NOT NULL AND outcome_by IS NOT NULL;
UPDATE jobs SET outcome_by_id = (SELECT MIN(q.outcome_by_id) FROM agent_questions q WHERE q.job_id = jobs.id)
 WHERE lone AND outcome_by IS NOT NULL;

-- Of others the audit log knows: everything that a call wrote has the call's time, and so has its row of the audit log. Where at that
-- time exactly one has done something to the same row, or something under the same name, it was they. Elsewhere NULL stays.
CREATE INDEX audit_then ON audit (workspace_id, created_at);
UPDATE squad_chat SET author_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = squad_chat.workspace_id AND a.created_at = witan_ms(squad_chat.created_at)
       AND (a.subject = CAST(squad_chat.id AS TEXT) OR a.subject = CAST(squad_chat.discussion_prompt_id AS TEXT) OR a.actor = squad_chat.agent_name))
 WHERE message_type <> 'system';
UPDATE discussion_prompts SET requester_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = discussion_prompts.workspace_id AND a.created_at = witan_ms(discussion_prompts.created_at)
       AND (a.subject = CAST(discussion_prompts.id AS TEXT) OR a.actor = discussion_prompts.requester_agent));
UPDATE discussion_prompts SET outcome_by_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = discussion_prompts.workspace_id AND a.created_at = witan_ms(discussion_prompts.resolved_at)
       AND (a.subject = CAST(discussion_prompts.id AS TEXT) OR a.actor = discussion_prompts.outcome_by))
 WHERE outcome_by <> 'system';
UPDATE agent_questions SET outcome_by_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = agent_questions.workspace_id AND a.created_at = witan_ms(agent_questions.ended_at)
       AND (a.subject = agent_questions.id OR a.actor = agent_questions.outcome_by))
 WHERE outcome_by <> 'system' AND outcome_by_id IS NULL;
UPDATE jobs SET outcome_by_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = jobs.workspace_id AND a.created_at = jobs.ended_at
       AND (a.subject = jobs.id OR a.actor = jobs.outcome_by))
 WHERE outcome_by <> 'system' AND outcome_by_id IS NULL;
UPDATE job_logs SET actor_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = (SELECT j.workspace_id FROM jobs j WHERE j.id = job_logs.job_id) AND a.created_at = job_logs.created_at
       AND (a.subject = job_logs.job_id OR strpos(job_logs.message, a.actor || ' ') = 1))
 WHERE kind NOT IN ('log', 'progress', 'question', 'timeout');
UPDATE feedback SET author_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = feedback.workspace_id AND a.created_at = feedback.created_at
       AND (a.subject = feedback.id OR a.actor = feedback.author));
UPDATE documents SET author_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = documents.workspace_id AND a.created_at = documents.created_at
       AND (a.actor = documents.author));
UPDATE open_questions SET outcome_by_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = open_questions.workspace_id AND a.created_at = open_questions.resolved_at
       AND (a.subject = open_questions.id OR a.actor = open_questions.outcome_by))
 WHERE outcome_by IS NOT NULL;
UPDATE decisions SET asked_by_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = decisions.workspace_id AND a.created_at = decisions.created_at
       AND (a.subject = decisions.id OR a.actor = decisions.agent));
UPDATE discussion_state SET outcome_by_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = discussion_state.workspace_id AND a.created_at = discussion_state.ended_at
       AND (a.subject = discussion_state.discussion_id OR a.actor = discussion_state.outcome_by))
 WHERE outcome_by <> 'system';
UPDATE agent_templates SET created_by_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = agent_templates.workspace_id AND a.created_at = agent_templates.created_at
       AND (a.subject = agent_templates.id OR a.actor = agent_templates.created_by))
 WHERE created_by IS NOT NULL;
UPDATE events SET actor_id = (
    SELECT CASE WHEN COUNT(DISTINCT a.actor_id) = 1 THEN MIN(a.actor_id) END FROM audit a
     WHERE a.workspace_id = events.workspace_id AND a.created_at = events.created_at
       AND (a.subject = events.subject OR strpos(events.data, '"' || a.actor || '"') > 0));
DROP INDEX audit_then;

-- Who holds a task is whoever took it last, under their own name.
CREATE INDEX audit_taken ON audit (subject, seq) WHERE operation IN ('task_claim', 'task_update');
UPDATE tasks SET assignee_id = (
    SELECT CASE a.actor WHEN tasks.assignee THEN a.actor_id END FROM audit a
     WHERE a.operation IN ('task_claim', 'task_update') AND a.subject = tasks.id
       AND tasks.assignee IN (CAST(a.detail AS JSONB) ->> 'agent', CAST(a.detail AS JSONB) ->> 'assignee')
     ORDER BY a.seq DESC LIMIT 1)
 WHERE assignee IS NOT NULL;
DROP INDEX audit_taken;

-- Reports of one agent: what it asked and the jobs it worked on, found by its name.
CREATE INDEX agent_questions_asker ON agent_questions (workspace_id, asked_by, created_at);
CREATE INDEX jobs_agent ON jobs (workspace_id, agent, created_at) WHERE NOT lone AND agent IS NOT NULL;

CREATE OR REPLACE VIEW question_facts AS
SELECT id, workspace_id, project_id, job_id, type, status, outcome_source, question, question_key, created_at,
       CASE WHEN outcome_source = 'human'
            THEN GREATEST(0, CAST(ROUND(EXTRACT(EPOCH FROM ended_at - created_at) * 1000) AS BIGINT)) END AS took_ms,
       asked_by
  FROM agent_questions;

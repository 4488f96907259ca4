-- What has ended one way or another, newest first. Rows enter it once, when they end.
CREATE INDEX agent_questions_ended ON agent_questions (workspace_id, status, id) WHERE status <> 'pending';

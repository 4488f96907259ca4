-- An agent's jobs, newest first, among everybody's: the list had to pass over all the others.
CREATE INDEX jobs_of_agent ON jobs (workspace_id, agent, id) WHERE agent IS NOT NULL;

-- The same for jobs that have ended one way; those that are open had this already.
DROP INDEX jobs_open;
CREATE INDEX jobs_status ON jobs (workspace_id, status, id);

-- Jobs that were made for a single question are left out of the lists unless they are asked for. There may be many more
-- of them than of all others, so every list tells them apart by its index and passes over none.
DROP INDEX jobs_list;
CREATE INDEX jobs_list ON jobs (workspace_id, lone, id);
DROP INDEX jobs_status;
CREATE INDEX jobs_status ON jobs (workspace_id, status, lone, id);
DROP INDEX jobs_of_agent;
CREATE INDEX jobs_of_agent ON jobs (workspace_id, agent, lone, id) WHERE agent IS NOT NULL;
DROP INDEX jobs_project;
CREATE INDEX jobs_project ON jobs (project_id, lone, id) WHERE project_id IS NOT NULL;
DROP INDEX jobs_task;
CREATE INDEX jobs_task ON jobs (task_id, lone, id) WHERE task_id IS NOT NULL;

-- Jobs of one kind among all others. Those that are left out are all of the same.
CREATE INDEX jobs_kind ON jobs (workspace_id, kind, id) WHERE NOT lone;

-- The discussion of a turn that somebody was told of: the turn itself is gone when it has been taken. The topic is not
-- kept here, so that it can be taken back where it stands.
ALTER TABLE notifications ADD COLUMN discussion_id TEXT COLLATE "C";

-- The orchestrator of a project: whether it takes tasks by itself, how many at a time, and who works on them.
ALTER TABLE projects ADD COLUMN orchestrator_on BIGINT NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN orchestrator_parallel BIGINT NOT NULL DEFAULT 1;
ALTER TABLE projects ADD COLUMN orchestrator_coder TEXT COLLATE "C" NOT NULL DEFAULT 'runner';
CREATE INDEX projects_orchestrated ON projects (id) WHERE orchestrator_on = 1;

-- Tasks that the orchestrator has out, each as long as it is. A take is queued until the task's folder is there, and
-- coding until the coder has ended; wanted says that a node has something to do about it.
CREATE TABLE coder_takes (
    id           TEXT COLLATE "C" PRIMARY KEY,
    workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id   TEXT COLLATE "C" NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    task_id      TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES tasks(id) ON DELETE CASCADE,
    coder        TEXT COLLATE "C" NOT NULL CHECK (coder IN ('runner', 'command')),
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'coding')),
    job_id       TEXT COLLATE "C" REFERENCES jobs(id) ON DELETE CASCADE,
    wanted       BIGINT NOT NULL DEFAULT 1,
    node         TEXT COLLATE "C",
    epoch        BIGINT NOT NULL DEFAULT 0,
    created_at   BIGINT NOT NULL
);
CREATE INDEX coder_takes_of_project ON coder_takes (project_id, created_at);
CREATE INDEX coder_takes_wanting ON coder_takes (created_at) WHERE wanted = 1 AND node IS NULL;
CREATE INDEX coder_takes_held ON coder_takes (node) WHERE node IS NOT NULL;
CREATE INDEX coder_takes_of_workspace ON coder_takes (workspace_id);
CREATE UNIQUE INDEX coder_takes_of_job ON coder_takes (job_id) WHERE job_id IS NOT NULL;

-- Projects, tasks, where questions come from, open questions, decisions.

ALTER TABLE projects ADD COLUMN description TEXT NOT NULL DEFAULT '';

ALTER TABLE tasks ADD COLUMN problems TEXT NOT NULL DEFAULT '[]';        -- what its last result left unread
ALTER TABLE tasks ADD COLUMN open_deps INTEGER NOT NULL DEFAULT 0;       -- dependencies that are not closed
ALTER TABLE tasks ADD COLUMN updated_at INTEGER;
ALTER TABLE tasks ADD COLUMN own_block TEXT;                            -- the block_reason that a question took the place of

-- What can be worked on next is a walk along this index, however many tasks there are.
CREATE INDEX tasks_ready ON tasks (project_id, priority, created_at, id) WHERE status = 'open' AND open_deps = 0;
CREATE INDEX tasks_status ON tasks (project_id, status, id);
CREATE INDEX tasks_assignee ON tasks (project_id, assignee, id) WHERE assignee IS NOT NULL;
CREATE INDEX tasks_session ON tasks (session_id, created_at) WHERE session_id IS NOT NULL;

-- depends_on has no foreign key: when what it names is deleted, the count has to change first.
CREATE TABLE task_deps (
    task_id     TEXT NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
    depends_on  TEXT NOT NULL,
    PRIMARY KEY (task_id, depends_on),
    CHECK (task_id <> depends_on)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_deps_reverse ON task_deps (depends_on);

-- These keep open_deps true, whoever writes.
CREATE TRIGGER task_deps_added AFTER INSERT ON task_deps
WHEN EXISTS (SELECT 1 FROM tasks WHERE id = NEW.depends_on AND status <> 'closed')
BEGIN
    UPDATE tasks SET open_deps = open_deps + 1 WHERE id = NEW.task_id;
END;

CREATE TRIGGER task_deps_removed AFTER DELETE ON task_deps
WHEN EXISTS (SELECT 1 FROM tasks WHERE id = OLD.depends_on AND status <> 'closed')
BEGIN
    UPDATE tasks SET open_deps = open_deps - 1 WHERE id = OLD.task_id;
END;

CREATE TRIGGER tasks_closed AFTER UPDATE OF status ON tasks
WHEN (OLD.status = 'closed') <> (NEW.status = 'closed')
BEGIN
    UPDATE tasks SET open_deps = open_deps + CASE NEW.status WHEN 'closed' THEN -1 ELSE 1 END
     WHERE id IN (SELECT task_id FROM task_deps WHERE depends_on = NEW.id);
END;

CREATE TRIGGER tasks_deleted AFTER DELETE ON tasks
BEGIN
    UPDATE tasks SET open_deps = open_deps - 1
     WHERE OLD.status <> 'closed' AND id IN (SELECT task_id FROM task_deps WHERE depends_on = OLD.id);
    DELETE FROM task_deps WHERE depends_on = OLD.id;
END;

-- Tasks as clients see them.
CREATE VIEW tasks_shown AS
SELECT t.id, t.workspace_id, t.project_id, t.title, t.description, t.status, t.priority, t.assignee,
       t.block_reason, t.session_id, t.result, t.problems, t.open_deps, t.created_at, t.updated_at,
       t.own_block,
       (SELECT json_group_array(d.depends_on) FROM task_deps d WHERE d.task_id = t.id) AS depends_on
  FROM tasks t;

-- What people say about the product; the analyst turns it into tasks.
CREATE TABLE feedback (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id    TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    author        TEXT NOT NULL,
    text          TEXT NOT NULL,
    confirmed     INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),    -- its one "are you sure" was asked
    handled_at    INTEGER,                                                   -- its tasks have been made
    created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX feedback_list ON feedback (project_id, id);

-- Sections of the PRD and plans. Every version stays.
CREATE TABLE documents (
    project_id    TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    source        TEXT NOT NULL CHECK (source IN ('prd', 'plan')),
    source_id     TEXT NOT NULL,                                             -- sectionKey or planId
    version       INTEGER NOT NULL,
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    author        TEXT NOT NULL,
    text          TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (project_id, source, source_id, version)
) STRICT;

-- Questions found in agents' output, in sets as they were handed in.
CREATE TABLE open_questions (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id      TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    source          TEXT NOT NULL CHECK (source IN ('eval', 'prd', 'plan', 'execute')),
    source_id       TEXT NOT NULL,
    kind            TEXT NOT NULL DEFAULT 'open_question',
    questions       TEXT NOT NULL,                                           -- [{id, text, createdAt}]
    responses       TEXT NOT NULL DEFAULT '[]',                              -- [{questionId, answer}]
    status          TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved')),
    agent           TEXT NOT NULL DEFAULT '',                                -- which agent asked
    approved        INTEGER CHECK (approved IN (0, 1)),
    outcome_source  TEXT,
    outcome_by      TEXT,
    created_at      INTEGER NOT NULL,
    resolved_at     INTEGER
) STRICT;
CREATE INDEX open_questions_open ON open_questions (project_id, id) WHERE status = 'open';
CREATE INDEX open_questions_source ON open_questions (project_id, source, source_id, id);

-- What agents wanted to decide, and how it was settled. While question_id is set the answer to that question
-- is the decision; nothing is copied from there.
CREATE TABLE decisions (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id      TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    category        TEXT NOT NULL,
    description     TEXT NOT NULL,
    details         TEXT,                                                    -- any JSON
    agent           TEXT,
    level           TEXT NOT NULL,                                           -- of its category when it was made
    question_id     TEXT,
    created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_list ON decisions (project_id, id);
CREATE INDEX decisions_question ON decisions (question_id) WHERE question_id IS NOT NULL;

-- A message about a task is told to those who follow the task's project.
DROP TRIGGER squad_chat_message;
CREATE TRIGGER squad_chat_message AFTER INSERT ON squad_chat
WHEN NEW.message_type IN ('message', 'discussion_prompt')
BEGIN
    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    VALUES (COALESCE((SELECT workspace_id FROM discussion_prompts WHERE id = NEW.discussion_prompt_id),
                     NEW.workspace_id),
            'chat.message',
            (SELECT project_id FROM tasks WHERE id = NEW.task_ref AND workspace_id = NEW.workspace_id), NEW.id,
            json_object('id', NEW.id, 'agent_name', NEW.agent_name, 'message', NEW.message,
                        'is_human', json(CASE WHEN NEW.is_human THEN 'true' ELSE 'false' END),
                        'message_type', NEW.message_type, 'discussion_prompt_id', NEW.discussion_prompt_id,
                        'task_ref', NEW.task_ref,
                        'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at)),
            CAST(round((julianday(NEW.created_at) - 2440587.5) * 86400000.0) AS INTEGER));
END;

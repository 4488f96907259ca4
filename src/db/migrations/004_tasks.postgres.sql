-- Projects, tasks, where questions come from, open questions, decisions.

ALTER TABLE projects ADD COLUMN description TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE tasks ADD COLUMN problems TEXT COLLATE "C" NOT NULL DEFAULT '[]';    -- what its last result left unread
ALTER TABLE tasks ADD COLUMN open_deps INTEGER NOT NULL DEFAULT 0;    -- dependencies that are not closed
ALTER TABLE tasks ADD COLUMN updated_at BIGINT;
ALTER TABLE tasks ADD COLUMN own_block TEXT COLLATE "C";                -- the block_reason that a question took the place of

-- What can be worked on next is a walk along this index, however many tasks there are.
CREATE INDEX tasks_ready ON tasks (project_id, priority, created_at, id) WHERE status = 'open' AND open_deps = 0;
CREATE INDEX tasks_status ON tasks (project_id, status, id);
CREATE INDEX tasks_assignee ON tasks (project_id, assignee, id) WHERE assignee IS NOT NULL;
CREATE INDEX tasks_session ON tasks (session_id, created_at) WHERE session_id IS NOT NULL;

-- depends_on has no foreign key: when what it names is deleted, the count has to change first.
CREATE TABLE task_deps (
    task_id     TEXT COLLATE "C" NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
    depends_on  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (task_id, depends_on),
    CHECK (task_id <> depends_on)
);
CREATE INDEX task_deps_reverse ON task_deps (depends_on);

-- These keep open_deps true, whoever writes. What is depended on is locked first, in a statement of its own:
-- whoever closes it at the same time then either has been seen or sees the new row.
CREATE FUNCTION task_deps_changed() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
    dep         task_deps := CASE TG_OP WHEN 'INSERT' THEN NEW ELSE OLD END;
    dep_status  TEXT;
BEGIN
    SELECT status INTO dep_status FROM tasks WHERE id = dep.depends_on FOR SHARE;
    IF dep_status <> 'closed' THEN
        UPDATE tasks SET open_deps = open_deps + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
         WHERE id = dep.task_id;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER task_deps_changed AFTER INSERT OR DELETE ON task_deps FOR EACH ROW
EXECUTE FUNCTION task_deps_changed();

CREATE FUNCTION tasks_closed() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE tasks SET open_deps = open_deps + CASE NEW.status WHEN 'closed' THEN -1 ELSE 1 END
     WHERE id IN (SELECT task_id FROM task_deps WHERE depends_on = NEW.id);
    RETURN NULL;
END
$$;

CREATE TRIGGER tasks_closed AFTER UPDATE OF status ON tasks FOR EACH ROW
WHEN ((OLD.status = 'closed') <> (NEW.status = 'closed'))
EXECUTE FUNCTION tasks_closed();

CREATE FUNCTION tasks_deleted() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE tasks SET open_deps = open_deps - 1
     WHERE OLD.status <> 'closed' AND id IN (SELECT task_id FROM task_deps WHERE depends_on = OLD.id);
    DELETE FROM task_deps WHERE depends_on = OLD.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER tasks_deleted AFTER DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION tasks_deleted();

-- Tasks as clients see them.
CREATE VIEW tasks_shown AS
SELECT t.id, t.workspace_id, t.project_id, t.title, t.description, t.status, t.priority, t.assignee,
       t.block_reason, t.session_id, t.result, t.problems, t.open_deps, t.created_at, t.updated_at,
       t.own_block,
       (SELECT CAST(COALESCE(json_agg(d.depends_on ORDER BY d.depends_on), '[]') AS TEXT)
          FROM task_deps d WHERE d.task_id = t.id) AS depends_on
  FROM tasks t;

-- What people say about the product; the analyst turns it into tasks.
CREATE TABLE feedback (
    id            TEXT COLLATE "C" PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id    TEXT COLLATE "C" NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    author        TEXT COLLATE "C" NOT NULL,
    text          TEXT COLLATE "C" NOT NULL,
    confirmed     INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),    -- its one "are you sure" was asked
    handled_at    BIGINT,    -- its tasks have been made
    created_at    BIGINT NOT NULL
);
CREATE INDEX feedback_list ON feedback (project_id, id);

-- Sections of the PRD and plans. Every version stays.
CREATE TABLE documents (
    project_id    TEXT COLLATE "C" NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    source        TEXT COLLATE "C" NOT NULL CHECK (source IN ('prd', 'plan')),
    source_id     TEXT COLLATE "C" NOT NULL,    -- sectionKey or planId
    version       INTEGER NOT NULL,
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    author        TEXT COLLATE "C" NOT NULL,
    text          TEXT COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (project_id, source, source_id, version)
);

-- Questions found in agents' output, in sets as they were handed in.
CREATE TABLE open_questions (
    id              TEXT COLLATE "C" PRIMARY KEY,
    workspace_id    TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id      TEXT COLLATE "C" NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    source          TEXT COLLATE "C" NOT NULL CHECK (source IN ('eval', 'prd', 'plan', 'execute')),
    source_id       TEXT COLLATE "C" NOT NULL,
    kind            TEXT COLLATE "C" NOT NULL DEFAULT 'open_question',
    questions       TEXT COLLATE "C" NOT NULL,    -- [{id, text, createdAt}]
    responses       TEXT COLLATE "C" NOT NULL DEFAULT '[]',    -- [{questionId, answer}]
    status          TEXT COLLATE "C" NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved')),
    agent           TEXT COLLATE "C" NOT NULL DEFAULT '',    -- which agent asked
    approved        INTEGER CHECK (approved IN (0, 1)),
    outcome_source  TEXT COLLATE "C",
    outcome_by      TEXT COLLATE "C",
    created_at      BIGINT NOT NULL,
    resolved_at     BIGINT
);
CREATE INDEX open_questions_open ON open_questions (project_id, id) WHERE status = 'open';
CREATE INDEX open_questions_source ON open_questions (project_id, source, source_id, id);

-- What agents wanted to decide, and how it was settled. While question_id is set the answer to that question
-- is the decision; nothing is copied from there.
CREATE TABLE decisions (
    id              TEXT COLLATE "C" PRIMARY KEY,
    workspace_id    TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id      TEXT COLLATE "C" NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    category        TEXT COLLATE "C" NOT NULL,
    description     TEXT COLLATE "C" NOT NULL,
    details         TEXT COLLATE "C",    -- any JSON
    agent           TEXT COLLATE "C",
    level           TEXT COLLATE "C" NOT NULL,    -- of its category when it was made
    question_id     TEXT COLLATE "C",
    created_at      BIGINT NOT NULL
);
CREATE INDEX decisions_list ON decisions (project_id, id);
CREATE INDEX decisions_question ON decisions (question_id) WHERE question_id IS NOT NULL;

-- A message about a task is told to those who follow the task's project.
CREATE OR REPLACE FUNCTION squad_chat_tell(chat squad_chat) RETURNS VOID LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO events (workspace_id, type, project_id, subject, data, created_at)
    VALUES (chat.workspace_id, 'chat.message',
            (SELECT project_id FROM tasks
              WHERE id = chat.task_ref AND workspace_id = chat.workspace_id
                AND chat.message_type IN ('message', 'discussion_prompt')),
            chat.id,
            json_build_object('id', chat.id, 'agent_name', chat.agent_name, 'message', chat.message,
                              'is_human', chat.is_human, 'message_type', chat.message_type,
                              'discussion_prompt_id', chat.discussion_prompt_id, 'task_ref', chat.task_ref,
                              'created_at', witan_time(chat.created_at)),
            witan_ms(chat.created_at));
END
$$;

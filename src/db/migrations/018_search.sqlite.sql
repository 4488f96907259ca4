-- The words by which things are found. A thing that is written or changed is noted in search_queue by the triggers below,
-- whoever writes it, and core/search takes its words into search_words a moment later. What is changed or deleted
-- loses its words in the same transaction, so that none outlives the text that it stood in.
CREATE TABLE search_queue (
    seq     INTEGER PRIMARY KEY,
    kind    TEXT NOT NULL CHECK (kind IN ('question', 'job', 'discussion', 'project', 'task', 'agent')),
    ref_id  TEXT NOT NULL
) STRICT;

CREATE TABLE search_words (
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    word          TEXT NOT NULL,                             -- folded; '#kind' and '@project' are words, too
    ref_id        TEXT NOT NULL,
    PRIMARY KEY (workspace_id, word, ref_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_words_ref ON search_words (ref_id, word);

CREATE TRIGGER agent_questions_search_added AFTER INSERT ON agent_questions
BEGIN
    INSERT INTO search_queue (kind, ref_id) VALUES ('question', NEW.id);
END;

CREATE TRIGGER agent_questions_search_changed AFTER UPDATE OF question, asked_by, project_id ON agent_questions
WHEN OLD.question IS NOT NEW.question OR OLD.asked_by IS NOT NEW.asked_by OR OLD.project_id IS NOT NEW.project_id
BEGIN
    DELETE FROM search_words WHERE ref_id = NEW.id;
    INSERT INTO search_queue (kind, ref_id) VALUES ('question', NEW.id);
END;

CREATE TRIGGER agent_questions_search_deleted AFTER DELETE ON agent_questions
BEGIN
    DELETE FROM search_words WHERE ref_id = OLD.id;
END;

CREATE TRIGGER jobs_search_added AFTER INSERT ON jobs
WHEN NEW.lone = 0
BEGIN
    INSERT INTO search_queue (kind, ref_id) VALUES ('job', NEW.id);
END;

CREATE TRIGGER jobs_search_changed AFTER UPDATE OF agent, project_id ON jobs
WHEN NEW.lone = 0 AND (OLD.agent IS NOT NEW.agent OR OLD.project_id IS NOT NEW.project_id)
BEGIN
    DELETE FROM search_words WHERE ref_id = NEW.id;
    INSERT INTO search_queue (kind, ref_id) VALUES ('job', NEW.id);
END;

CREATE TRIGGER jobs_search_deleted AFTER DELETE ON jobs
BEGIN
    DELETE FROM search_words WHERE ref_id = OLD.id;
END;

CREATE TRIGGER discussion_state_search_added AFTER INSERT ON discussion_state
BEGIN
    INSERT INTO search_queue (kind, ref_id) VALUES ('discussion', NEW.id);
END;

CREATE TRIGGER discussion_state_search_changed AFTER UPDATE OF topic, project_id ON discussion_state
WHEN OLD.topic IS NOT NEW.topic OR OLD.project_id IS NOT NEW.project_id
BEGIN
    DELETE FROM search_words WHERE ref_id = NEW.id;
    INSERT INTO search_queue (kind, ref_id) VALUES ('discussion', NEW.id);
END;

CREATE TRIGGER discussion_state_search_deleted AFTER DELETE ON discussion_state
BEGIN
    DELETE FROM search_words WHERE ref_id = OLD.id;
END;

CREATE TRIGGER projects_search_added AFTER INSERT ON projects
BEGIN
    INSERT INTO search_queue (kind, ref_id) VALUES ('project', NEW.id);
END;

CREATE TRIGGER projects_search_changed AFTER UPDATE OF name, description ON projects
WHEN OLD.name IS NOT NEW.name OR OLD.description IS NOT NEW.description
BEGIN
    DELETE FROM search_words WHERE ref_id = NEW.id;
    INSERT INTO search_queue (kind, ref_id) VALUES ('project', NEW.id);
END;

CREATE TRIGGER projects_search_deleted AFTER DELETE ON projects
BEGIN
    DELETE FROM search_words WHERE ref_id = OLD.id;
END;

CREATE TRIGGER tasks_search_added AFTER INSERT ON tasks
BEGIN
    INSERT INTO search_queue (kind, ref_id) VALUES ('task', NEW.id);
END;

CREATE TRIGGER tasks_search_changed AFTER UPDATE OF title, description, project_id ON tasks
WHEN OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description OR OLD.project_id IS NOT NEW.project_id
BEGIN
    DELETE FROM search_words WHERE ref_id = NEW.id;
    INSERT INTO search_queue (kind, ref_id) VALUES ('task', NEW.id);
END;

CREATE TRIGGER tasks_search_deleted AFTER DELETE ON tasks
BEGIN
    DELETE FROM search_words WHERE ref_id = OLD.id;
END;

CREATE TRIGGER agent_templates_search_added AFTER INSERT ON agent_templates
BEGIN
    INSERT INTO search_queue (kind, ref_id) VALUES ('agent', NEW.id);
END;

CREATE TRIGGER agent_templates_search_changed AFTER UPDATE OF name, role, deleted_at ON agent_templates
WHEN OLD.name IS NOT NEW.name OR OLD.role IS NOT NEW.role OR OLD.deleted_at IS NOT NEW.deleted_at
BEGIN
    DELETE FROM search_words WHERE ref_id = NEW.id;
    INSERT INTO search_queue (kind, ref_id) VALUES ('agent', NEW.id);
END;

CREATE TRIGGER agent_templates_search_deleted AFTER DELETE ON agent_templates
BEGIN
    DELETE FROM search_words WHERE ref_id = OLD.id;
END;

-- What is there already. The newest row is taken first, so until all of it has been taken in the newest can be found.
INSERT INTO search_queue (kind, ref_id) SELECT 'agent', id FROM agent_templates WHERE deleted_at IS NULL ORDER BY id;
INSERT INTO search_queue (kind, ref_id) SELECT 'task', id FROM tasks ORDER BY id;
INSERT INTO search_queue (kind, ref_id) SELECT 'project', id FROM projects ORDER BY id;
INSERT INTO search_queue (kind, ref_id) SELECT 'discussion', id FROM discussion_state ORDER BY id;
INSERT INTO search_queue (kind, ref_id) SELECT 'job', id FROM jobs WHERE lone = 0 ORDER BY id;
INSERT INTO search_queue (kind, ref_id) SELECT 'question', id FROM agent_questions ORDER BY id;

-- The words by which things are found. A thing that is written or changed is noted in search_queue by the triggers below,
-- whoever writes it, and core/search takes its words into search_words a moment later. What is changed or deleted
-- loses its words in the same transaction, so that none outlives the text that it stood in.
CREATE TABLE search_queue (
    seq     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind    TEXT COLLATE "C" NOT NULL
            CHECK (kind IN ('question', 'job', 'discussion', 'project', 'task', 'agent')),
    ref_id  TEXT COLLATE "C" NOT NULL
);

CREATE TABLE search_words (
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    word          TEXT COLLATE "C" NOT NULL,                 -- folded; '#kind' and '@project' are words, too
    ref_id        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, word, ref_id)
);
CREATE INDEX search_words_ref ON search_words (ref_id, word);

-- The trigger's argument is the kind.
CREATE FUNCTION search_added() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO search_queue (kind, ref_id) VALUES (TG_ARGV[0], NEW.id);
    RETURN NULL;
END
$$;

-- Words that are being taken in just now are passed over: whoever takes them in may wait for words that were removed here,
-- so nobody waits here for it. The thing is noted, and the next look takes in what it says then.
CREATE FUNCTION search_changed() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    DELETE FROM search_words
     WHERE ctid = ANY (ARRAY(SELECT ctid FROM search_words WHERE ref_id = NEW.id FOR UPDATE SKIP LOCKED));
    INSERT INTO search_queue (kind, ref_id) VALUES (TG_ARGV[0], NEW.id);
    RETURN NULL;
END
$$;

-- The same for words whose text goes: the next look finds the thing gone, under whatever kind, and forgets them.
CREATE FUNCTION search_deleted() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    DELETE FROM search_words
     WHERE ctid = ANY (ARRAY(SELECT ctid FROM search_words WHERE ref_id = OLD.id FOR UPDATE SKIP LOCKED));
    INSERT INTO search_queue (kind, ref_id) VALUES ('question', OLD.id);
    RETURN NULL;
END
$$;

CREATE TRIGGER agent_questions_search_added AFTER INSERT ON agent_questions FOR EACH ROW
EXECUTE FUNCTION search_added('question');
CREATE TRIGGER agent_questions_search_changed AFTER UPDATE OF question, asked_by, project_id ON agent_questions FOR EACH ROW
WHEN (OLD.question IS DISTINCT FROM NEW.question OR OLD.asked_by IS DISTINCT FROM NEW.asked_by OR OLD.project_id IS DISTINCT FROM NEW.project_id)
EXECUTE FUNCTION search_changed('question');
CREATE TRIGGER agent_questions_search_deleted AFTER DELETE ON agent_questions FOR EACH ROW
EXECUTE FUNCTION search_deleted();

CREATE TRIGGER jobs_search_added AFTER INSERT ON jobs FOR EACH ROW
WHEN (NOT NEW.lone)
EXECUTE FUNCTION search_added('job');
CREATE TRIGGER jobs_search_changed AFTER UPDATE OF agent, project_id ON jobs FOR EACH ROW
WHEN (NOT NEW.lone AND (OLD.agent IS DISTINCT FROM NEW.agent OR OLD.project_id IS DISTINCT FROM NEW.project_id))
EXECUTE FUNCTION search_changed('job');
CREATE TRIGGER jobs_search_deleted AFTER DELETE ON jobs FOR EACH ROW
EXECUTE FUNCTION search_deleted();

CREATE TRIGGER discussion_state_search_added AFTER INSERT ON discussion_state FOR EACH ROW
EXECUTE FUNCTION search_added('discussion');
CREATE TRIGGER discussion_state_search_changed AFTER UPDATE OF topic, project_id ON discussion_state FOR EACH ROW
WHEN (OLD.topic IS DISTINCT FROM NEW.topic OR OLD.project_id IS DISTINCT FROM NEW.project_id)
EXECUTE FUNCTION search_changed('discussion');
CREATE TRIGGER discussion_state_search_deleted AFTER DELETE ON discussion_state FOR EACH ROW
EXECUTE FUNCTION search_deleted();

CREATE TRIGGER projects_search_added AFTER INSERT ON projects FOR EACH ROW
EXECUTE FUNCTION search_added('project');
CREATE TRIGGER projects_search_changed AFTER UPDATE OF name, description ON projects FOR EACH ROW
WHEN (OLD.name IS DISTINCT FROM NEW.name OR OLD.description IS DISTINCT FROM NEW.description)
EXECUTE FUNCTION search_changed('project');
CREATE TRIGGER projects_search_deleted AFTER DELETE ON projects FOR EACH ROW
EXECUTE FUNCTION search_deleted();

CREATE TRIGGER tasks_search_added AFTER INSERT ON tasks FOR EACH ROW
EXECUTE FUNCTION search_added('task');
CREATE TRIGGER tasks_search_changed AFTER UPDATE OF title, description, project_id ON tasks FOR EACH ROW
WHEN (OLD.title IS DISTINCT FROM NEW.title OR OLD.description IS DISTINCT FROM NEW.description OR OLD.project_id IS DISTINCT FROM NEW.project_id)
EXECUTE FUNCTION search_changed('task');
CREATE TRIGGER tasks_search_deleted AFTER DELETE ON tasks FOR EACH ROW
EXECUTE FUNCTION search_deleted();

CREATE TRIGGER agent_templates_search_added AFTER INSERT ON agent_templates FOR EACH ROW
EXECUTE FUNCTION search_added('agent');
CREATE TRIGGER agent_templates_search_changed AFTER UPDATE OF name, role, deleted_at ON agent_templates FOR EACH ROW
WHEN (OLD.name IS DISTINCT FROM NEW.name OR OLD.role IS DISTINCT FROM NEW.role OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
EXECUTE FUNCTION search_changed('agent');
CREATE TRIGGER agent_templates_search_deleted AFTER DELETE ON agent_templates FOR EACH ROW
EXECUTE FUNCTION search_deleted();

-- What is there already. The newest row is taken first, so until all of it has been taken in the newest can be found.
INSERT INTO search_queue (kind, ref_id) SELECT 'agent', id FROM agent_templates WHERE deleted_at IS NULL ORDER BY id;
INSERT INTO search_queue (kind, ref_id) SELECT 'task', id FROM tasks ORDER BY id;
INSERT INTO search_queue (kind, ref_id) SELECT 'project', id FROM projects ORDER BY id;
INSERT INTO search_queue (kind, ref_id) SELECT 'discussion', id FROM discussion_state ORDER BY id;
INSERT INTO search_queue (kind, ref_id) SELECT 'job', id FROM jobs WHERE NOT lone ORDER BY id;
INSERT INTO search_queue (kind, ref_id) SELECT 'question', id FROM agent_questions ORDER BY id;

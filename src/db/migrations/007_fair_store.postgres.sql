-- Many dependencies at once cost one statement: the count is kept for all rows of a statement together. What is
-- depended on is locked first, in a statement of its own and in one order: whoever closes it at the same time
-- then either has been seen or sees the new rows.
DROP TRIGGER task_deps_changed ON task_deps;
CREATE OR REPLACE FUNCTION task_deps_changed() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
    still_open  TEXT[];
BEGIN
    SELECT array_agg(d.id) INTO still_open
      FROM (SELECT id, status FROM tasks WHERE id IN (SELECT depends_on FROM changed) ORDER BY id FOR SHARE) d
     WHERE d.status <> 'closed';
    IF still_open IS NOT NULL THEN
        UPDATE tasks
           SET open_deps = open_deps + CASE TG_OP WHEN 'INSERT' THEN c.count ELSE -c.count END
          FROM (SELECT n.task_id, CAST(COUNT(*) AS INTEGER) AS count
                  FROM changed n JOIN unnest(still_open) AS o(id) ON o.id = n.depends_on
                 GROUP BY n.task_id) c
         WHERE tasks.id = c.task_id;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER task_deps_added AFTER INSERT ON task_deps REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
EXECUTE FUNCTION task_deps_changed();
CREATE TRIGGER task_deps_removed AFTER DELETE ON task_deps REFERENCING OLD TABLE AS changed FOR EACH STATEMENT
EXECUTE FUNCTION task_deps_changed();

-- Prepared figures, so that a report does not read every question. Triggers note each change, whoever makes it, in
-- figure_changes; the engine adds what has gathered there to the figures every second or so (core/reports/figures.h). A report
-- reads both, so it is never behind.
ALTER TABLE jobs ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;             -- questions of a job that is not lone

-- A question or job that came into a state (n = 1) or left it (n = -1).
CREATE TABLE figure_changes (
    id            BIGSERIAL PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL,
    project_id    TEXT COLLATE "C" NOT NULL,                             -- '' for none
    hour          BIGINT NOT NULL,                                       -- when it was asked or made, since 1970
    kind          TEXT COLLATE "C" NOT NULL,                             -- question, job
    label         TEXT COLLATE "C" NOT NULL,                             -- a question's type, a job's status
    state         TEXT COLLATE "C" NOT NULL,                             -- pending, or how a question ended
    value         BIGINT NOT NULL,      -- ms that a person took, in two digits; questions that a job has asked
    question_key  BIGINT,
    question_id   TEXT COLLATE "C",
    n             INTEGER NOT NULL
);

-- How many there were, by the hour (span 1) and by the day (span 24).
CREATE TABLE figures (
    workspace_id  TEXT COLLATE "C" NOT NULL,
    kind          TEXT COLLATE "C" NOT NULL,
    span          INTEGER NOT NULL,
    hour          BIGINT NOT NULL,                                       -- the first one of the span
    project_id    TEXT COLLATE "C" NOT NULL,
    label         TEXT COLLATE "C" NOT NULL,
    state         TEXT COLLATE "C" NOT NULL,
    value         BIGINT NOT NULL,
    n             BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, kind, span, hour, project_id, label, state, value)
);
CREATE INDEX figures_none ON figures (n) WHERE n = 0;

-- The same question asked again and again, by the day.
CREATE TABLE question_tallies (
    id            BIGSERIAL PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL,
    day           BIGINT NOT NULL,                                       -- since 1970
    project_id    TEXT COLLATE "C" NOT NULL,
    question_key  BIGINT NOT NULL,
    asked         BIGINT NOT NULL,
    answered      BIGINT NOT NULL,
    timed_out     BIGINT NOT NULL,
    example_id    TEXT COLLATE "C",                                      -- the newest of them
    UNIQUE (workspace_id, day, project_id, question_key)
);
CREATE INDEX question_tallies_common ON question_tallies (workspace_id, day, asked);
CREATE INDEX question_tallies_unanswered ON question_tallies (workspace_id, day, timed_out) WHERE timed_out > 0;
CREATE INDEX question_tallies_none ON question_tallies (asked) WHERE asked = 0;

-- Times are kept in two digits: 1234567 ms is 1200000.
CREATE FUNCTION witan_two_digits(ms BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE
AS $$
SELECT CASE WHEN ms IS NULL THEN 0 WHEN ms < 100 THEN ms WHEN ms < 1000 THEN ms / 10 * 10
            WHEN ms < 10000 THEN ms / 100 * 100 WHEN ms < 100000 THEN ms / 1000 * 1000
            WHEN ms < 1000000 THEN ms / 10000 * 10000 WHEN ms < 10000000 THEN ms / 100000 * 100000
            WHEN ms < 100000000 THEN ms / 1000000 * 1000000 ELSE ms / 10000000 * 10000000 END
$$;

-- What reports count questions by.
CREATE VIEW question_states AS
SELECT id, workspace_id, COALESCE(project_id, '') AS project_id,
       CAST(FLOOR(EXTRACT(EPOCH FROM created_at) / 3600) AS BIGINT) AS hour, type AS label,
       CASE WHEN status = 'pending' THEN 'pending' ELSE COALESCE(outcome_source, status) END AS state,
       witan_two_digits(took_ms) AS value, question_key
  FROM question_facts;

CREATE FUNCTION question_figure(q agent_questions, n INTEGER) RETURNS VOID LANGUAGE sql SET search_path FROM CURRENT
AS $$
INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, question_key, question_id, n)
VALUES (q.workspace_id, COALESCE(q.project_id, ''), CAST(FLOOR(EXTRACT(EPOCH FROM q.created_at) / 3600) AS BIGINT),
        'question', q.type,
        CASE WHEN q.status = 'pending' THEN 'pending' ELSE COALESCE(q.outcome_source, q.status) END,
        CASE WHEN q.outcome_source = 'human'
             THEN witan_two_digits(GREATEST(0, CAST(ROUND(EXTRACT(EPOCH FROM q.ended_at - q.created_at) * 1000)
                                                    AS BIGINT))) ELSE 0 END,
        q.question_key, q.id, n)
$$;

CREATE FUNCTION question_figures_asked() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, question_key, question_id, n)
    SELECT workspace_id, project_id, hour, 'question', label, state, value, question_key, id, 1
      FROM question_states
     WHERE id IN (SELECT id FROM asked);
    UPDATE jobs SET asked = jobs.asked + c.count
      FROM (SELECT job_id, CAST(COUNT(*) AS INTEGER) AS count FROM asked GROUP BY job_id) c
     WHERE jobs.id = c.job_id AND NOT jobs.lone;
    RETURN NULL;
END
$$;
CREATE TRIGGER question_figures_asked AFTER INSERT ON agent_questions REFERENCING NEW TABLE AS asked FOR EACH STATEMENT
EXECUTE FUNCTION question_figures_asked();

CREATE FUNCTION question_figures_changed() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM question_figure(OLD, -1);
    IF TG_OP = 'UPDATE' THEN
        PERFORM question_figure(NEW, 1);
    ELSE
        UPDATE jobs SET asked = asked - 1 WHERE id = OLD.job_id AND NOT lone;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER question_figures_changed
AFTER UPDATE OF status, outcome_source, project_id, type, question_key ON agent_questions FOR EACH ROW
WHEN (OLD.status <> NEW.status OR OLD.outcome_source IS DISTINCT FROM NEW.outcome_source
      OR OLD.project_id IS DISTINCT FROM NEW.project_id OR OLD.type <> NEW.type OR OLD.question_key <> NEW.question_key)
EXECUTE FUNCTION question_figures_changed();
CREATE TRIGGER question_figures_gone AFTER DELETE ON agent_questions FOR EACH ROW
EXECUTE FUNCTION question_figures_changed();

CREATE FUNCTION job_figures() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND NOT OLD.lone THEN
        INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, n)
        VALUES (OLD.workspace_id, COALESCE(OLD.project_id, ''), OLD.created_at / 3600000, 'job', OLD.status, '',
                OLD.asked, -1);
    END IF;
    IF TG_OP <> 'DELETE' AND NOT NEW.lone THEN
        INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, n)
        VALUES (NEW.workspace_id, COALESCE(NEW.project_id, ''), NEW.created_at / 3600000, 'job', NEW.status, '',
                NEW.asked, 1);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER job_figures_made AFTER INSERT OR DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION job_figures();
CREATE TRIGGER job_figures_changed AFTER UPDATE OF status, asked, project_id ON jobs FOR EACH ROW
WHEN (OLD.status <> NEW.status OR OLD.asked <> NEW.asked OR OLD.project_id IS DISTINCT FROM NEW.project_id)
EXECUTE FUNCTION job_figures();

-- What is there already.
INSERT INTO figures (workspace_id, kind, span, hour, project_id, label, state, value, n)
SELECT workspace_id, 'question', span, hour / span * span, project_id, label, state, value, COUNT(*)
  FROM question_states CROSS JOIN (VALUES (1), (24)) AS spans(span)
 GROUP BY workspace_id, span, hour / span, project_id, label, state, value;
INSERT INTO question_tallies (workspace_id, day, project_id, question_key, asked, answered, timed_out, example_id)
SELECT workspace_id, hour / 24, project_id, question_key, COUNT(*), COUNT(*) FILTER (WHERE state = 'human'),
       COUNT(*) FILTER (WHERE state IN ('timeout', 'default')), MAX(id)
  FROM question_states
 GROUP BY workspace_id, hour / 24, project_id, question_key;
UPDATE jobs SET asked = (SELECT COUNT(*) FROM agent_questions q WHERE q.job_id = jobs.id) WHERE NOT lone;
DELETE FROM figure_changes;
INSERT INTO figures (workspace_id, kind, span, hour, project_id, label, state, value, n)
SELECT workspace_id, 'job', span, created_at / 3600000 / span * span, COALESCE(project_id, ''), status, '', asked, COUNT(*)
  FROM jobs CROSS JOIN (VALUES (1), (24)) AS spans(span)
 WHERE NOT lone
 GROUP BY workspace_id, span, created_at / 3600000 / span, COALESCE(project_id, ''), status, asked;

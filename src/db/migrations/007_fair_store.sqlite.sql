-- Many dependencies at once: on SQLite the triggers of 004 are for each row, and stay.

-- Prepared figures, so that a report does not read every question. Triggers note each change, whoever makes it, in
-- figure_changes; the engine adds what has gathered there to the figures every second or so (core/reports/figures.h). A report
-- reads both, so it is never behind.
ALTER TABLE jobs ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;             -- questions of a job that is not lone

-- A question or job that came into a state (n = 1) or left it (n = -1).
CREATE TABLE figure_changes (
    id            INTEGER PRIMARY KEY,
    workspace_id  TEXT NOT NULL,
    project_id    TEXT NOT NULL,                                         -- '' for none
    hour          INTEGER NOT NULL,                                      -- when it was asked or made, since 1970
    kind          TEXT NOT NULL,                                         -- question, job
    label         TEXT NOT NULL,                                         -- a question's type, a job's status
    state         TEXT NOT NULL,                                         -- pending, or how a question ended
    value         INTEGER NOT NULL,     -- ms that a person took, in two digits; questions that a job has asked
    question_key  INTEGER,
    question_id   TEXT,
    n             INTEGER NOT NULL
) STRICT;

-- How many there were, by the hour (span 1) and by the day (span 24).
CREATE TABLE figures (
    workspace_id  TEXT NOT NULL,
    kind          TEXT NOT NULL,
    span          INTEGER NOT NULL,
    hour          INTEGER NOT NULL,                                      -- the first one of the span
    project_id    TEXT NOT NULL,
    label         TEXT NOT NULL,
    state         TEXT NOT NULL,
    value         INTEGER NOT NULL,
    n             INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, kind, span, hour, project_id, label, state, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX figures_none ON figures (n) WHERE n = 0;

-- The same question asked again and again, by the day.
CREATE TABLE question_tallies (
    id            INTEGER PRIMARY KEY,
    workspace_id  TEXT NOT NULL,
    day           INTEGER NOT NULL,                                      -- since 1970
    project_id    TEXT NOT NULL,
    question_key  INTEGER NOT NULL,
    asked         INTEGER NOT NULL,
    answered      INTEGER NOT NULL,
    timed_out     INTEGER NOT NULL,
    example_id    TEXT,                                                  -- the newest of them
    UNIQUE (workspace_id, day, project_id, question_key)
) STRICT;
CREATE INDEX question_tallies_common ON question_tallies (workspace_id, day, asked);
CREATE INDEX question_tallies_unanswered ON question_tallies (workspace_id, day, timed_out) WHERE timed_out > 0;
CREATE INDEX question_tallies_none ON question_tallies (asked) WHERE asked = 0;

-- What reports count questions and jobs by. Times are kept in two digits: 1234567 ms is 1200000.
CREATE VIEW question_states AS
SELECT id, workspace_id, COALESCE(project_id, '') AS project_id,
       CAST(strftime('%s', created_at) AS INTEGER) / 3600 AS hour, type AS label,
       CASE WHEN status = 'pending' THEN 'pending' ELSE COALESCE(outcome_source, status) END AS state,
       CASE WHEN took_ms IS NULL THEN 0 WHEN took_ms < 100 THEN took_ms WHEN took_ms < 1000 THEN took_ms / 10 * 10
            WHEN took_ms < 10000 THEN took_ms / 100 * 100 WHEN took_ms < 100000 THEN took_ms / 1000 * 1000
            WHEN took_ms < 1000000 THEN took_ms / 10000 * 10000 WHEN took_ms < 10000000 THEN took_ms / 100000 * 100000
            WHEN took_ms < 100000000 THEN took_ms / 1000000 * 1000000 ELSE took_ms / 10000000 * 10000000 END AS value,
       question_key
  FROM question_facts;

-- A state that is left is noted before the row changes, one that is reached after.
CREATE TRIGGER question_figures_asked AFTER INSERT ON agent_questions WHEN NEW.status = 'pending'
BEGIN
    INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, question_key, question_id, n)
    VALUES (NEW.workspace_id, COALESCE(NEW.project_id, ''), CAST(strftime('%s', NEW.created_at) AS INTEGER) / 3600,
            'question', NEW.type, 'pending', 0, NEW.question_key, NEW.id, 1);
END;

CREATE TRIGGER question_figures_brought AFTER INSERT ON agent_questions WHEN NEW.status <> 'pending'
BEGIN
    INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, question_key, question_id, n)
    SELECT workspace_id, project_id, hour, 'question', label, state, value, question_key, id, 1
      FROM question_states WHERE id = NEW.id;
END;

CREATE TRIGGER question_figures_job AFTER INSERT ON agent_questions
BEGIN
    UPDATE jobs SET asked = asked + 1 WHERE id = NEW.job_id AND NOT lone;
END;

CREATE TRIGGER question_figures_left BEFORE UPDATE OF status, outcome_source, project_id, type, question_key ON agent_questions
WHEN OLD.status <> NEW.status OR OLD.outcome_source IS NOT NEW.outcome_source OR OLD.project_id IS NOT NEW.project_id
     OR OLD.type <> NEW.type OR OLD.question_key <> NEW.question_key
BEGIN
    INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, question_key, question_id, n)
    SELECT workspace_id, project_id, hour, 'question', label, state, value, question_key, id, -1
      FROM question_states WHERE id = OLD.id;
END;

CREATE TRIGGER question_figures_reached AFTER UPDATE OF status, outcome_source, project_id, type, question_key ON agent_questions
WHEN OLD.status <> NEW.status OR OLD.outcome_source IS NOT NEW.outcome_source OR OLD.project_id IS NOT NEW.project_id
     OR OLD.type <> NEW.type OR OLD.question_key <> NEW.question_key
BEGIN
    INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, question_key, question_id, n)
    SELECT workspace_id, project_id, hour, 'question', label, state, value, question_key, id, 1
      FROM question_states WHERE id = NEW.id;
END;

CREATE TRIGGER question_figures_gone BEFORE DELETE ON agent_questions
BEGIN
    INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, question_key, question_id, n)
    SELECT workspace_id, project_id, hour, 'question', label, state, value, question_key, id, -1
      FROM question_states WHERE id = OLD.id;
    UPDATE jobs SET asked = asked - 1 WHERE id = OLD.job_id AND NOT lone;
END;

CREATE TRIGGER job_figures_made AFTER INSERT ON jobs WHEN NOT NEW.lone
BEGIN
    INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, n)
    VALUES (NEW.workspace_id, COALESCE(NEW.project_id, ''), NEW.created_at / 3600000, 'job', NEW.status, '', NEW.asked, 1);
END;

CREATE TRIGGER job_figures_changed AFTER UPDATE OF status, asked, project_id ON jobs
WHEN NOT NEW.lone AND (OLD.status <> NEW.status OR OLD.asked <> NEW.asked OR OLD.project_id IS NOT NEW.project_id)
BEGIN
    INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, n)
    VALUES (OLD.workspace_id, COALESCE(OLD.project_id, ''), OLD.created_at / 3600000, 'job', OLD.status, '', OLD.asked, -1),
           (NEW.workspace_id, COALESCE(NEW.project_id, ''), NEW.created_at / 3600000, 'job', NEW.status, '', NEW.asked, 1);
END;

CREATE TRIGGER job_figures_gone AFTER DELETE ON jobs WHEN NOT OLD.lone
BEGIN
    INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, n)
    VALUES (OLD.workspace_id, COALESCE(OLD.project_id, ''), OLD.created_at / 3600000, 'job', OLD.status, '', OLD.asked, -1);
END;

-- What is there already.
INSERT INTO figures (workspace_id, kind, span, hour, project_id, label, state, value, n)
SELECT workspace_id, 'question', span, hour / span * span, project_id, label, state, value, COUNT(*)
  FROM question_states CROSS JOIN (SELECT 1 AS span UNION ALL SELECT 24)
 GROUP BY workspace_id, span, hour / span, project_id, label, state, value;
INSERT INTO question_tallies (workspace_id, day, project_id, question_key, asked, answered, timed_out, example_id)
SELECT workspace_id, hour / 24, project_id, question_key, COUNT(*), SUM(state = 'human'),
       SUM(state IN ('timeout', 'default')), MAX(id)
  FROM question_states
 GROUP BY workspace_id, hour / 24, project_id, question_key;
UPDATE jobs SET asked = (SELECT COUNT(*) FROM agent_questions q WHERE q.job_id = jobs.id) WHERE NOT lone;
DELETE FROM figure_changes;
INSERT INTO figures (workspace_id, kind, span, hour, project_id, label, state, value, n)
SELECT workspace_id, 'job', span, created_at / 3600000 / span * span, COALESCE(project_id, ''), status, '', asked, COUNT(*)
  FROM jobs CROSS JOIN (SELECT 1 AS span UNION ALL SELECT 24)
 WHERE NOT lone
 GROUP BY workspace_id, span, created_at / 3600000 / span, COALESCE(project_id, ''), status, asked;

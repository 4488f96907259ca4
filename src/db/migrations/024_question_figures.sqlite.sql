-- One trigger notes both the state that a question leaves and the one it reaches, out of the row at hand. Two that each
-- read the row again through question_states, where the time it took is worked out for every digit, were a third of an
-- answer's cost.
DROP TRIGGER question_figures_left;
DROP TRIGGER question_figures_reached;

CREATE TRIGGER question_figures_changed AFTER UPDATE OF status, outcome_source, project_id, type, question_key ON agent_questions
WHEN OLD.status <> NEW.status OR OLD.outcome_source IS NOT NEW.outcome_source OR OLD.project_id IS NOT NEW.project_id
     OR OLD.type <> NEW.type OR OLD.question_key <> NEW.question_key
BEGIN
    INSERT INTO figure_changes (workspace_id, project_id, hour, kind, label, state, value, question_key, question_id, n)
    SELECT workspace_id, project_id, hour, 'question', label, state,
           CASE WHEN took_ms IS NULL THEN 0 WHEN took_ms < 100 THEN took_ms WHEN took_ms < 1000 THEN took_ms / 10 * 10
                WHEN took_ms < 10000 THEN took_ms / 100 * 100 WHEN took_ms < 100000 THEN took_ms / 1000 * 1000
                WHEN took_ms < 1000000 THEN took_ms / 10000 * 10000 WHEN took_ms < 10000000 THEN took_ms / 100000 * 100000
                WHEN took_ms < 100000000 THEN took_ms / 1000000 * 1000000 ELSE took_ms / 10000000 * 10000000 END,
           question_key, id, n
      FROM (SELECT OLD.workspace_id AS workspace_id, COALESCE(OLD.project_id, '') AS project_id,
                   CAST(strftime('%s', OLD.created_at) AS INTEGER) / 3600 AS hour, OLD.type AS label,
                   CASE WHEN OLD.status = 'pending' THEN 'pending' ELSE COALESCE(OLD.outcome_source, OLD.status) END AS state,
                   CASE WHEN OLD.outcome_source = 'human'
                        THEN MAX(0, CAST(ROUND((julianday(OLD.ended_at) - julianday(OLD.created_at)) * 86400000) AS INTEGER))
                        END AS took_ms,
                   OLD.question_key AS question_key, OLD.id AS id, -1 AS n
            UNION ALL
            SELECT NEW.workspace_id, COALESCE(NEW.project_id, ''),
                   CAST(strftime('%s', NEW.created_at) AS INTEGER) / 3600, NEW.type,
                   CASE WHEN NEW.status = 'pending' THEN 'pending' ELSE COALESCE(NEW.outcome_source, NEW.status) END,
                   CASE WHEN NEW.outcome_source = 'human'
                        THEN MAX(0, CAST(ROUND((julianday(NEW.ended_at) - julianday(NEW.created_at)) * 86400000) AS INTEGER))
                        END,
                   NEW.question_key, NEW.id, 1);
END;

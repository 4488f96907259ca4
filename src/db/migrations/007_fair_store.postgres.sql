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

-- Commands whose task was deleted and which may not have ended yet have room of their project for a while (take_room).
CREATE INDEX jobs_called_off ON jobs (project_id, ended_at)
 WHERE project_id IS NOT NULL AND task_id IS NULL AND status = 'cancelled';

-- What asks something of somebody waits until it has ended, read or not: to count it without reading a whole inbox.
CREATE INDEX notifications_waiting ON notifications (workspace_id, reader)
    WHERE read_at IS NOT NULL AND resolved_at IS NULL AND ref_type IN ('question', 'open_question', 'turn');

-- Keeping the audit log whole, and letting go of what has been kept for long enough.
--
-- Only witan's own connections have the function that the guards of the audit log ask: it says whether this
-- connection is about to purge or to erase. Any other program that tries is told that it does not have it.

ALTER TABLE audit ADD COLUMN erasure TEXT;       -- which erasure took the person out of this row
CREATE INDEX audit_erased ON audit (erasure, workspace_id, seq) WHERE erasure IS NOT NULL;

-- Where each chain begins once its first rows have been purged: the last row that is gone. A sealed row of the
-- chain (audit_purge) says the same.
CREATE TABLE audit_checkpoints (
    workspace_id  TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    hash          TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_checkpoints_seq ON audit_checkpoints (seq);

DROP TRIGGER audit_kept;
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
WHEN NOT witan_may_change_audit()
BEGIN
    SELECT RAISE(ABORT, 'audit rows are never deleted');
END;

DROP TRIGGER audit_fixed;
CREATE TRIGGER audit_fixed BEFORE UPDATE OF seq, workspace_id, actor_kind, actor_id, actor, operation, subject, door, remote, request_id,
    detail, created_at, erasure ON audit
WHEN NOT witan_may_change_audit()
BEGIN
    SELECT RAISE(ABORT, 'audit rows are never changed');
END;

CREATE TRIGGER audit_sealed BEFORE UPDATE OF hash ON audit
WHEN OLD.hash IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'audit rows are sealed once');
END;

-- INSERT OR REPLACE deletes without asking the guard of deletes. A row that is to get its number has -1 here.
CREATE TRIGGER audit_new BEFORE INSERT ON audit
WHEN NEW.seq > 0 AND EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'audit rows are never replaced');
END;

-- Rows come at the end, one number after the other, and are sealed later.
CREATE TRIGGER audit_numbered AFTER INSERT ON audit
WHEN NEW.seq <= COALESCE((SELECT MAX(seq) FROM audit_heads), 0)
     OR (NEW.seq > 1 AND NOT EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq - 1))
     OR NEW.hash IS NOT NULL OR NEW.erasure IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'audit rows are only ever added at the end');
END;

-- What purging looks for.
CREATE INDEX jobs_logs_kept ON jobs (ended_at) WHERE ended_at IS NOT NULL AND log_lines > 0;
CREATE INDEX notifications_seen ON notifications (created_at) WHERE read_at IS NOT NULL OR resolved_at IS NOT NULL;

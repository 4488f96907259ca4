-- Keeping the audit log whole, and letting go of what has been kept for long enough.
--
-- Whoever purges or erases says so for the length of a transaction (witan.may_change_audit); plain statements
-- are refused. The owner of the tables can take the guards away: `witan audit verify` finds what was done then.

ALTER TABLE audit ADD COLUMN erasure TEXT COLLATE "C";       -- which erasure took the person out of this row
CREATE INDEX audit_erased ON audit (erasure, workspace_id, seq) WHERE erasure IS NOT NULL;
ALTER TABLE audit ADD CONSTRAINT audit_numbers_are_positive CHECK (seq > 0) NOT VALID;

-- Where each chain begins once its first rows have been purged: the last row that is gone. A sealed row of the
-- chain (audit_purge) says the same.
CREATE TABLE audit_checkpoints (
    workspace_id  TEXT COLLATE "C" PRIMARY KEY,
    seq           BIGINT NOT NULL,
    hash          TEXT COLLATE "C" NOT NULL
);
CREATE INDEX audit_checkpoints_seq ON audit_checkpoints (seq);

CREATE FUNCTION audit_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('witan.may_change_audit', true) = 'yes' THEN
        IF TG_OP = 'DELETE' THEN
            RETURN OLD;
        END IF;
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit rows are never changed or deleted';
END
$$;

DROP TRIGGER audit_kept ON audit;
CREATE TRIGGER audit_kept BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_guard();

DROP TRIGGER audit_fixed ON audit;
CREATE TRIGGER audit_fixed BEFORE UPDATE OF id, workspace_id, actor_kind, actor_id, actor, operation, subject, door, remote,
    request_id, detail, created_at, erasure ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_guard();

CREATE TRIGGER audit_sealed BEFORE UPDATE OF seq, hash ON audit
    FOR EACH ROW WHEN (OLD.seq IS NOT NULL) EXECUTE FUNCTION audit_refuse();

-- TRUNCATE asks no guard of rows.
CREATE TRIGGER audit_whole BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

-- Rows come without a number and are sealed later.
CREATE TRIGGER audit_numbered BEFORE INSERT ON audit
    FOR EACH ROW WHEN (NEW.seq IS NOT NULL OR NEW.hash IS NOT NULL OR NEW.erasure IS NOT NULL)
    EXECUTE FUNCTION audit_refuse();

-- What purging looks for.
CREATE INDEX jobs_logs_kept ON jobs (ended_at) WHERE ended_at IS NOT NULL AND log_lines > 0;
CREATE INDEX notifications_seen ON notifications (created_at) WHERE read_at IS NOT NULL OR resolved_at IS NOT NULL;

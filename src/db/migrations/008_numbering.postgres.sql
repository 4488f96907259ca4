-- Numbering and sealing are one statement each, which the server runs to its end by itself. A node that is stopped
-- in the middle of its work, for a moment or for ever, thereby never holds a lock that the others wait for.

-- Numbers committed events, `most` of them at a time. Returns how many, 0 when none lacked a number, or -1 when
-- another session is at it right now. The lock is taken before the rows are read: each statement of a function has
-- a snapshot of its own, so this one shows the last number that anybody gave.
CREATE FUNCTION witan_number_events(most INTEGER) RETURNS INTEGER LANGUAGE plpgsql AS $$
DECLARE
    given INTEGER;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM events WHERE seq IS NULL) THEN
        RETURN 0;
    END IF;
    IF NOT pg_try_advisory_xact_lock(7117, 2) THEN
        RETURN -1;
    END IF;
    UPDATE events
       SET seq = n.seq
      FROM (SELECT u.id, (SELECT COALESCE(MAX(e.seq), 0) FROM events e) + row_number() OVER (ORDER BY u.id) AS seq
              FROM (SELECT id FROM events WHERE seq IS NULL ORDER BY id LIMIT most) u) n
     WHERE events.id = n.id;
    GET DIAGNOSTICS given = ROW_COUNT;
    IF given > 0 THEN
        PERFORM pg_notify('witan_events', '');
    END IF;
    RETURN given;
END
$$;

-- Stores the seals of audit rows, [[id, seq, hash], ...], and where their chains now end, [[workspace_id, seq,
-- hash], ...]. They were computed outside of any transaction, from a log whose last seal was `behind`: that number
-- is the epoch. If anybody has sealed since, nothing is stored and -1 returned, however late this comes.
CREATE FUNCTION witan_seal_audit(seals TEXT, ends TEXT, behind BIGINT) RETURNS INTEGER LANGUAGE plpgsql AS $$
DECLARE
    sealed INTEGER;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7117, 3) THEN
        RETURN -1;
    END IF;
    IF (SELECT COALESCE(MAX(h.seq), 0) FROM audit_heads h) <> behind THEN
        RETURN -1;
    END IF;
    UPDATE audit SET seq = CAST(r.value ->> 1 AS BIGINT), hash = r.value ->> 2
      FROM json_array_elements(CAST(seals AS JSON)) AS r(value)
     WHERE audit.id = CAST(r.value ->> 0 AS BIGINT) AND audit.seq IS NULL;
    GET DIAGNOSTICS sealed = ROW_COUNT;
    IF sealed <> json_array_length(CAST(seals AS JSON)) THEN
        RAISE EXCEPTION 'audit rows changed while they were being sealed' USING ERRCODE = 'internal_error';
    END IF;
    INSERT INTO audit_heads (workspace_id, seq, hash)
    SELECT r.value ->> 0, CAST(r.value ->> 1 AS BIGINT), r.value ->> 2
      FROM json_array_elements(CAST(ends AS JSON)) AS r(value)
    ON CONFLICT (workspace_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash;
    RETURN sealed;
END
$$;

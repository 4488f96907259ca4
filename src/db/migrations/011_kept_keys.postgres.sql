-- A key under which something was asked is kept as long as that is open: whoever comes back with it waits for the same
-- question instead of asking twice.
ALTER TABLE idempotency ADD COLUMN question_id TEXT COLLATE "C";
ALTER TABLE idempotency ADD COLUMN prompt_id UUID;

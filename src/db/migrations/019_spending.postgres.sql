-- What models took, for each turn: while it is open by the attempts so far, and in the log the sum of them.
ALTER TABLE discussion_turns ADD COLUMN calls BIGINT NOT NULL DEFAULT 0;
ALTER TABLE discussion_turns ADD COLUMN tokens_in BIGINT NOT NULL DEFAULT 0;
ALTER TABLE discussion_turns ADD COLUMN tokens_out BIGINT NOT NULL DEFAULT 0;
ALTER TABLE discussion_turns ADD COLUMN usage_missing BIGINT NOT NULL DEFAULT 0;
ALTER TABLE discussion_logs ADD COLUMN calls BIGINT NOT NULL DEFAULT 0;
ALTER TABLE discussion_logs ADD COLUMN tokens_in BIGINT NOT NULL DEFAULT 0;
ALTER TABLE discussion_logs ADD COLUMN tokens_out BIGINT NOT NULL DEFAULT 0;
ALTER TABLE discussion_logs ADD COLUMN usage_missing BIGINT NOT NULL DEFAULT 0;

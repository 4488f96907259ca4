-- What models took, for each turn: while it is open by the attempts so far, and in the log the sum of them.
ALTER TABLE discussion_turns ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE discussion_turns ADD COLUMN tokens_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE discussion_turns ADD COLUMN tokens_out INTEGER NOT NULL DEFAULT 0;
ALTER TABLE discussion_turns ADD COLUMN usage_missing INTEGER NOT NULL DEFAULT 0;
ALTER TABLE discussion_logs ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE discussion_logs ADD COLUMN tokens_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE discussion_logs ADD COLUMN tokens_out INTEGER NOT NULL DEFAULT 0;
ALTER TABLE discussion_logs ADD COLUMN usage_missing INTEGER NOT NULL DEFAULT 0;

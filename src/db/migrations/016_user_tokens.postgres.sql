-- A token may belong to a user, whom it then is; it goes with the account.
ALTER TABLE tokens ADD COLUMN user_id TEXT COLLATE "C" REFERENCES users(id) ON DELETE CASCADE;
CREATE INDEX tokens_user ON tokens (user_id) WHERE user_id IS NOT NULL;

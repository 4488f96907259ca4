-- From where people log in, secrets that a rotation has replaced, and who has opened a link.

-- Places that an account has been logged in from: a browser's cookie or an address, as hashes. Logins from
-- there are not held up by strangers who try the same account.
CREATE TABLE login_places (
    user_id  TEXT COLLATE "C" NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    place    TEXT COLLATE "C" NOT NULL,
    seen_at  BIGINT NOT NULL,
    PRIMARY KEY (user_id, place)
);
CREATE INDEX login_places_age ON login_places (seen_at);

-- A token's secrets so far, each good until its time is up. The one in force is in `tokens`.
CREATE TABLE token_secrets (
    hash          TEXT COLLATE "C" PRIMARY KEY,
    token_id      TEXT COLLATE "C" NOT NULL REFERENCES tokens(id) ON DELETE CASCADE,
    replaced_at   BIGINT NOT NULL,
    good_until    BIGINT NOT NULL,
    last_used_at  BIGINT
);
CREATE INDEX token_secrets_token ON token_secrets (token_id, replaced_at);
CREATE INDEX token_secrets_age ON token_secrets (good_until);

ALTER TABLE tokens ADD COLUMN rotated_at BIGINT;
ALTER TABLE tokens ADD COLUMN notice_at  BIGINT;    -- when people are told that it will expire; NULL: not, or done
UPDATE tokens SET notice_at = expires_at - 604800000 WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX tokens_notice ON tokens (notice_at) WHERE notice_at IS NOT NULL;

-- A link is opened for a cookie, which stands for it from then on.
CREATE TABLE link_visits (
    hash       TEXT COLLATE "C" PRIMARY KEY,
    link_hash  TEXT COLLATE "C" NOT NULL REFERENCES question_links(hash) ON DELETE CASCADE,
    opened_at  BIGINT NOT NULL
);
CREATE INDEX link_visits_link ON link_visits (link_hash, opened_at);

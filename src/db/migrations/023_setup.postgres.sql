-- The codes that a server prints while nobody can log in: with one, the owner's account is made.
CREATE TABLE setup_codes (
    hash          TEXT COLLATE "C" PRIMARY KEY,
    expires_at    BIGINT NOT NULL
);

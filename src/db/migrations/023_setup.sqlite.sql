-- The codes that a server prints while nobody can log in: with one, the owner's account is made.
CREATE TABLE setup_codes (
    hash          TEXT PRIMARY KEY,
    expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

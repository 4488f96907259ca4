-- What a workspace has models told in its own words, in place of a text of src/prompts.
CREATE TABLE wordings (
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    text          TEXT NOT NULL,
    updated_at    BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, name)
);

-- What somebody has answered, by when: what the empty inbox says of the day.
CREATE INDEX agent_questions_answered ON agent_questions (workspace_id, responded_by, responded_at)
    WHERE responded_by IS NOT NULL;

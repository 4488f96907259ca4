-- Whether a discussion that could be let go of is one that others were forked from.
CREATE INDEX discussion_state_forked ON discussion_state (forked_from) WHERE forked_from IS NOT NULL;

-- Whether a browser's secret is one of ours is asked without naming an account.
CREATE INDEX login_places_place ON login_places (place);

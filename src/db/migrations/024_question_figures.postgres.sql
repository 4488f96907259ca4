-- Here one trigger has done both from the start, and the time is worked out once, by a function.
SELECT 1;

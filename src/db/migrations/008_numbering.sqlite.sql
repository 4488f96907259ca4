-- On SQLite the one writer numbers and seals in the batch itself: there is nothing to do here.
SELECT 1;

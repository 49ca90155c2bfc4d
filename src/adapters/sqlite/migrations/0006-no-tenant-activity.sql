-- Drops a table of PostgreSQL. A database with one process never had it; the steps of both have the same numbers.
select 1;

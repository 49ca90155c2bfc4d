-- A distillation is a compaction with a token budget: its sources stay, and its output is an archive.
alter table compaction add column token_budget integer;
alter table compaction add column tokens_used integer;
-- A keyed digest of the sources, the budget and the summariser.
alter table compaction add column checksum text;

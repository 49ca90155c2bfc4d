-- A distillation is a compaction with a token budget: its sources stay, and its output is an archive.
alter table compaction add column token_budget bigint;
alter table compaction add column tokens_used bigint;
-- A keyed digest of the sources, the budget and the summariser.
alter table compaction add column checksum text collate "C";

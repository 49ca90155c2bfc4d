-- 1 when a secret was taken out of the messages of an event: their hash could be used to guess it, so only auditors are
-- shown it. Of events whose messages are gone nobody can tell any more, so their hashes are private too.
alter table source_event add column is_hash_private bigint not null default 0;

update source_event set is_hash_private = 1 where messages is null or messages like '%[REDACTED:%';

-- What the audit knows the content of an assertion by: a salt and the digest of both. Empty for contents that were erased, and
-- for those from before this column.
alter table assertion add column seal text not null default '';

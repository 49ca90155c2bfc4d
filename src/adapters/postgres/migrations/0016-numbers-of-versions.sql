-- The number of a version needs four bytes. It is in the key of each version too, and its rows are that much shorter that one more fits a page.
alter table entry_version alter column version type integer;

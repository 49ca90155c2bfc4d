-- An entry has several rows of tags, and each had the names of tenant and ref. The number of the scope says the same in a byte or two.

create table search_tag (
  scope_id          integer not null,
  tag               text    not null,
  created_position  integer not null,
  ordinal           integer not null,
  version           integer not null,
  recorded_position integer not null,
  ended_position    integer,
  primary key (scope_id, tag, created_position, ordinal, version)
) strict, without rowid;

insert into search_tag
select s.scope_id, t.tag, t.created_position, t.ordinal, t.version, t.recorded_position, t.ended_position
  from search_scope s
 cross join entry_tag t
    on t.tenant_id = s.tenant_id
   and t.memory_ref = s.memory_ref
 order by s.scope_id, t.tag, t.created_position, t.ordinal, t.version;

drop table entry_tag;

-- With their names, as readers ask for them. The cross join finds the scope first.
create view entry_tag as
select s.tenant_id, s.memory_ref, t.*
  from search_scope s
 cross join search_tag t
    on t.scope_id = s.scope_id;

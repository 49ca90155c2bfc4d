-- The origin class of versions, assertions and source events, and who inside the tenant may read an entry.

-- 0 untrusted, 1 agent, 2 service, 3 verified. What was stored before has the class of an agent.
alter table entry_version add column trust integer not null default 1;
-- The ids of those who may read the entry, as JSON; null for everyone. All versions of an entry have the same: reads of the past are
-- judged by the rights of today.
alter table entry_version add column readers text;

-- The class of the call that stated it, or the lower one that the call asked for.
alter table assertion add column trust text not null default 'agent';
alter table source_event add column trust text not null default 'agent';
alter table source_event add column readers text;

-- "Which current entries are untrusted?"
create index entry_live_untrusted
  on entry_version (tenant_id, entry_id)
  where ended_position is null and trust = 0;

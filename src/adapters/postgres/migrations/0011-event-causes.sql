-- The sequence of the event of the same run that caused this one, such as the call of a tool that returned.
alter table run_event add column cause bigint;

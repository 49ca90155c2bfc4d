-- Containments: what came from a compromised key, writer, source event, run or agent no longer counts, and can come back.

-- The ids of the active containments that cover the assertion, as JSON; null when it counts.
alter table assertion add column contained_by text;
-- The ids of the active containments that cover its withdrawal, as JSON: the withdrawal has no effect while there is one.
alter table assertion add column withdrawal_contained_by text;

-- Processes no longer exchange which tenants have requests: each one serves its waiting tenants in turn.
drop table tenant_activity;

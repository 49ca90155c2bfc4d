-- Which trace a job belongs to, so that what it does can be followed back to the call that asked for it.

-- The two headers of W3C Trace Context as JSON; null without a trace, and once the job is over.
alter table job add column trace text;

-- Few jobs are given up; whoever watches the server asks how many.
create index job_dead on job (tenant_id, job_id) where status = 'dead';

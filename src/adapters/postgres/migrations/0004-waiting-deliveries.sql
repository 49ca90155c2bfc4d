-- "How many deliveries wait for this webhook?"
create index job_waiting_deliveries on job (tenant_id, (payload::json ->> 'webhookId'))
 where kind = 'colophon.webhook' and status in ('queued', 'leased');

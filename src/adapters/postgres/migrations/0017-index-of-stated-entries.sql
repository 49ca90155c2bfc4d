-- Who states an entry is looked up by the entry and its content, in filters by writer. Without this, a claim with many
-- contents would be read as a whole for each of them.
create index assertion_by_entry on assertion (tenant_id, claim_id, entry_id, content_key);

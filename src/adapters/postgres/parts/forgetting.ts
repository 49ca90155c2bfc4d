import { tombstoneAt } from '../../../core/commit/idempotency.ts'
import type { SealedForgetting } from '../../../core/forget/forgetting.ts'
import { foldName } from '../../../core/people/spelling.ts'
import { deleteUnsharedChunks } from '../../sql/compaction-rows.ts'
import { fenceColumns } from '../../sql/forget-rows.ts'
import { type Send, statement, tenantOfCall } from '../connection.ts'
import type { PostgresPart } from './part.ts'

export const forgetting: PostgresPart = {
  none: () => ({}),
  load: async () => ({}),
  state: () => ({}),

  /** A fence names its events by more than their ids, so behind a new one no event of the group counts as present. */
  after({ present }, sealed) {
    const { fences, sources } = sealed.forgetting
    if (fences.some(({ added }) => added.length > 0) || sources.length > 0) present.clear()
  },

  save: (send, tenantId, sealed, at) => sealed.flatMap((batch) => saveForgetting(send, tenantId, batch.forgetting, at)),
}

/** Writes what only forgetting writes, inside a transaction. */
function saveForgetting(
  send: Send,
  tenantId: string,
  { fences, sources, outcomes, auditRefs, compactions, spellings, at: erasedAt }: SealedForgetting,
  at: number,
): Promise<unknown>[] {
  const sent = fences.flatMap(({ forgetId, added, isRemoved }) => [
    ...(isRemoved ? [send(sql.removeFence, [tenantId, forgetId])] : []),
    ...(added.length > 0 ? [send(sql.addFence, [tenantId, forgetId, JSON.stringify(added)])] : []),
  ])
  if (sources.length > 0) {
    const ids = sources.map(({ sourceEventId }) => sourceEventId)
    const tombstones = sources.map(({ tombstone }) => tombstone)
    sent.push(send(sql.eraseSources, [tenantId, ids, tombstones, erasedAt]))
  }
  if (outcomes.length > 0) {
    const keys = outcomes.map(({ key }) => key)
    const tombstones = outcomes.flatMap(({ tombstone }) => tombstone ?? [])
    const { digest, outcome, createdAt } = tombstoneAt(at)
    sent.push(
      send(sql.removeOutcomes, [tenantId, keys]),
      send(sql.addTombstones, [tenantId, tombstones, digest, JSON.stringify(outcome), createdAt]),
    )
  }
  if (compactions.length > 0) {
    for (const remove of [sql.removeChunks, sql.removeLineage, sql.removeCompactions])
      sent.push(send(remove, [tenantId, compactions]))
  }
  if (spellings.length > 0) {
    const names = spellings.map(({ spelling }) => spelling)
    const values = [tenantId, names.map(foldName), names, spellings.map(({ upTo }) => upTo)]
    sent.push(send(sql.removeSpellings, values))
  }
  if (auditRefs.length > 0) {
    const positions = auditRefs.map(({ position }) => position)
    sent.push(send(sql.setRefs, [tenantId, positions, auditRefs.map(({ refs }) => JSON.stringify(refs))]))
  }
  return sent
}

const sql = {
  addFence: statement(
    'add_fence',
    `insert into fence (tenant_id, ${fenceColumns})
     select c.tenant_id, $2, kind, value, "fromSequence", max("toSequence"), max(position)
       from ${tenantOfCall}, json_to_recordset($3::json)
         as r (kind text, value text, "fromSequence" bigint, "toSequence" bigint, position bigint)
      group by c.tenant_id, kind, value, "fromSequence"
         on conflict (tenant_id, forget_id, kind, value, from_sequence) do update
        set to_sequence = greatest(fence.to_sequence, excluded.to_sequence)`,
  ),
  removeFence: statement('remove_fence', 'delete from fence where tenant_id = $1 and forget_id = $2'),
  eraseSources: statement(
    'erase_source_events',
    `update source_event e
        set event_id = case when e.service is null then null else gone.tombstone end, subject = '', agent_id = null,
            observed_at = e.received_at, payload_hash = '', salt = '', actor = '', request_id = '', scope = null,
            evidence = null, metadata = '{}', messages = null, erased_at = $4
       from unnest($2::text[], $3::text[]) as gone (source_event_id, tombstone)
      where e.tenant_id = $1
        and e.source_event_id = gone.source_event_id`,
  ),
  removeOutcomes: statement('remove_named_outcomes', 'delete from idempotency where tenant_id = $1 and key = any($2)'),
  addTombstones: statement(
    'add_outcome_tombstones',
    `insert into idempotency (tenant_id, key, digest, outcome, created_at)
     select distinct c.tenant_id, key, $3, $4, $5::bigint
       from ${tenantOfCall}, unnest($2::text[]) as gone (key)
         on conflict (tenant_id, key) do update
        set created_at = excluded.created_at`,
  ),
  removeCompactions: statement(
    'remove_compactions',
    'delete from compaction where tenant_id = $1 and compaction_id = any($2)',
  ),
  removeChunks: statement(
    'remove_lineage_chunks',
    deleteUnsharedChunks('$1', (column) => `${column} = any($2)`),
  ),
  removeLineage: statement(
    'remove_lineage',
    'delete from compaction_source where tenant_id = $1 and compaction_id = any($2)',
  ),
  removeSpellings: statement(
    'remove_spellings',
    `delete from person_spelling p
      using unnest($2::text[], $3::text[], $4::bigint[]) as gone (folded, spelling, up_to)
      where p.tenant_id = $1
        and p.folded = gone.folded
        and p.spelling = gone.spelling
        and p.last_position <= gone.up_to`,
  ),
  setRefs: statement(
    'set_audit_refs',
    `update audit a
        set refs = changed.refs
       from unnest($2::bigint[], $3::text[]) as changed (position, refs)
      where a.tenant_id = $1
        and a.position = changed.position`,
  ),
}

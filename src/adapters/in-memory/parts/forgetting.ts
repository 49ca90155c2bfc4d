import { tombstoneAt } from '../../../core/commit/idempotency.ts'
import { erasedSource } from '../../../core/provenance/source-event.ts'
import type { ModelPart } from './part.ts'

export const forgetting: ModelPart = {
  state: () => ({}),

  save(tenant, { forgetting: { fences, sources, outcomes, auditRefs, compactions, spellings, at: erasedAt } }, at) {
    for (const id of compactions) tenant.compactions.delete(id)
    for (const { forgetId, added, isRemoved } of fences) {
      if (isRemoved) tenant.fences = tenant.fences.filter((fence) => fence.forgetId !== forgetId)
      tenant.fences = [...tenant.fences, ...added.map((fence) => ({ ...fence, forgetId }))]
    }
    for (const { sourceEventId, tombstone } of sources) {
      const event = tenant.sourceEvents.get(sourceEventId)
      const eventId = event?.service == null ? null : tombstone
      if (!event) continue
      tenant.sourceEvents.set(sourceEventId, { ...erasedSource(event), eventId })
      tenant.erasedAt.set(sourceEventId, erasedAt)
    }
    for (const { key, tombstone } of outcomes) {
      tenant.outcomes.delete(key)
      if (tombstone !== null) tenant.outcomes.set(tombstone, tombstoneAt(at))
    }
    for (const { spelling, upTo } of spellings)
      if ((tenant.spellings.get(spelling)?.lastPosition ?? 0) <= upTo) tenant.spellings.delete(spelling)
    for (const { position, refs } of auditRefs) {
      const index = tenant.audit.findIndex((row) => row.position === position)
      const row = tenant.audit[index]
      if (row) tenant.audit[index] = { ...row, refs }
    }
  },
}

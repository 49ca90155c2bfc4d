import { parseAuditBody } from '../../core/audit/audit.ts'
import { type AuditRow, readersChangedKind } from '../../core/commit/batch.ts'
import { toAuditRecordView } from './audit-record-at.ts'
import type { StoryStep } from './story.ts'

/** The step of a version that was stored again because the readers of its entry changed, from the record that has its digest. */
export function readersSteps(digested: AuditRow | undefined): StoryStep[] {
  if (digested === undefined || parseAuditBody(digested).kind !== readersChangedKind) return []
  const { at, actor, hash } = toAuditRecordView(digested)
  const text = `${actor} changed who may read it.`
  return [{ step: 'readers', at, position: digested.position, text, details: { actor, hash } }]
}

/** A change of the readers stores every version again, and is one step. */
export function readersChangeOnce(steps: readonly StoryStep[]): StoryStep[] {
  const seen = new Set<number | undefined>()
  return steps.filter(({ step, position }) => step !== 'readers' || (!seen.has(position) && seen.add(position)))
}

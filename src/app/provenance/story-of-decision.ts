import { toInstant } from '../../core/check.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isBelow, type Trust } from '../../core/entries/trust.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import { type RankedContent, resolveClaim } from '../../core/provenance/resolve-conflict.ts'
import type { Tenant } from '../tenant.ts'
import { auditRecordAt } from './audit-record-at.ts'
import { findDecision } from './quarantine.ts'
import { readableContents } from './readable-claims.ts'
import type { StoryStep } from './story.ts'
import { trustRulesFor } from './trust-rules.ts'

/** The step that says what decided between the content of an entry and the others of its claim. */
export async function decisionSteps(
  tenant: Tenant,
  claimId: string,
  assertions: readonly Assertion[],
  contentKey: string | undefined,
): Promise<StoryStep[]> {
  const claim = await tenant.storage.provenance.claim(tenant.id, claimId)
  if (claim === null) return []
  const rules = await trustRulesFor(tenant, assertions)
  const { contents: all, winner } = resolveClaim(assertions, claim.pin, rules)
  const contents = await readableContents(tenant, all)
  // What decided between a content and one that the reader cannot see is not shown.
  if (winner !== null && !contents.includes(winner)) return []
  const own = contents.find((content) => content.contentKey === contentKey)
  const others = contents.filter((content) => content !== own && content.isKept)
  if (own === undefined || (others.length === 0 && claim.pin === null)) return []
  const isWinner = own === winner
  const rival = isWinner ? others[0] : winner
  const why = claim.pin
    ? `${claim.pin.actor} decided: ${claim.pin.reason.replace(/[\s.]+$/, '')}`
    : rival
      ? reasonBetween(own, rival, isWinner, rules.floorWin)
      : ''
  const record = await auditRecordAt(tenant, claim.updatedPosition)
  return [
    {
      step: 'decided',
      at: record.at,
      position: claim.updatedPosition,
      text: `${isWinner ? 'It won' : 'It lost'} against ${others.length} other${others.length === 1 ? '' : 's'}: ${why}.`,
      details: { claimId, claimKey: claim.claimKey, winner: claim.winner, pinned: claim.pin !== null },
    },
  ]
}

/** The last decision of a person about a memory in quarantine. */
export async function quarantineSteps(tenant: Tenant, versions: readonly EntryVersion[]): Promise<StoryStep[]> {
  const decided = await findDecision(tenant, versions.at(-1)?.entryId ?? '')
  if (decided === null) return []
  const { decision, reason, by, version } = decided
  const at = decision === 'released' ? version + 1 : version
  const about = versions.find((item) => item.version === at) ?? versions.at(-1)
  const position = (decision === 'released' ? about?.recordedPosition : about?.endedPosition) ?? 0
  const record = await auditRecordAt(tenant, position)
  const text = `${by} ${decision} it from quarantine: ${reason.replace(/[\s.]+$/, '')}.`
  return [{ step: decision, at: record.at, position, text, details: { actor: by, reason } }]
}

/** The first rule in which two contents differ: it decided between them. */
function reasonBetween(own: RankedContent, rival: RankedContent, isWinner: boolean, floorWin: Trust): string {
  const [first, second] = isWinner ? [own, rival] : [rival, own]
  if (isBelow(second.trust, floorWin) && first.trust !== second.trust)
    return `class ${first.trust} over ${second.trust}, which is below the floor ${floorWin}`
  const [won, lost] = [first.best, second.best]
  if (won.priority !== lost.priority) return `priority ${won.priority} over ${lost.priority}`
  if (won.observedAt !== lost.observedAt) return `observed later (${toInstant(won.observedAt)})`
  if (won.confidence !== lost.confidence) return `confidence ${won.confidence} over ${lost.confidence}`
  return 'equal in priority, time and confidence; the order of service and event decided'
}

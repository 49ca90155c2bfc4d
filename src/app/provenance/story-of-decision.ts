import type { EntryVersion } from '../../core/entries/entry.ts'
import { withoutFullStop } from '../../core/provenance/explain-resolution.ts'
import type { Tenant } from '../tenant.ts'
import { auditRecordAt } from './audit-record-at.ts'
import { findDecision } from './quarantine.ts'
import { type ClaimResolution, type ResolutionParts, reasonText } from './resolution.ts'
import type { StoryStep } from './story.ts'

/** The step that says what decided between the content of an entry and the others of its claim. */
export async function decisionSteps(
  tenant: Tenant,
  resolution: (ClaimResolution & ResolutionParts) | null,
  moment: number | null,
  changedAt: number,
): Promise<StoryStep[]> {
  if (resolution === null) return []
  const { claim, isWinner, others } = resolution.parts
  if (others.length === 0 && resolution.pin === null) return []
  const position = moment === null ? claim.updatedPosition : changedAt
  const record = await auditRecordAt(tenant, position)
  const why =
    resolution.rules.length === 0 && resolution.rule === null
      ? resolution.headline.replace(/\.$/, '')
      : reasonText(resolution)
  return [
    {
      step: 'decided',
      at: record.at,
      position,
      text: `${isWinner ? 'It won' : 'It lost'} against ${others.length} other${others.length === 1 ? '' : 's'}: ${why}.`,
      details: {
        claimId: claim.claimId,
        claimKey: claim.claimKey,
        ...(moment === null ? { winner: claim.winner } : {}),
        pinned: resolution.pin !== null,
      },
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
  const text = `${by} ${decision} it from quarantine: ${withoutFullStop(reason)}.`
  return [{ step: decision, at: record.at, position, text, details: { actor: by, reason } }]
}

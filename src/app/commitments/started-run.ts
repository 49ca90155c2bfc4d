import { actorOfKey } from '../../core/access/actor.ts'
import { toApiKey } from '../access/keys.ts'
import { mayActorAct } from '../access/scopes-of-actor.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import { planFollowUpRun } from '../runs/follow-up-run.ts'
import type { Tenant } from '../tenant.ts'
import type { FoundCommitment } from './find-commitments.ts'

/** The actor of what the host does by itself. */
export const commitmentsActor = 'commitments'

/** The run that a commitment starts: of its own workflow, or of the one in the tenant's settings. Null when there is none. */
export async function planStartedRun(tenant: Tenant, found: FoundCommitment) {
  const { workflowId, commitmentId, memoryRef, memoryId } = found.commitment
  const wanted = workflowId ?? (await loadSettings(tenant.storage, tenant.id)).commitmentWorkflow
  if (wanted === '') return null
  const creator = await creatorOf(tenant, found)
  if (creator === null) return null
  const { actor, reader } = creator
  // The commitment fires, but its run would act with rights that were taken away.
  if (!(await mayActorAct(tenant, actor))) return null
  const inputs = { commitmentId, memoryRef, ...(memoryId === null ? {} : { memoryId }) }
  return planFollowUpRun(tenant, { workflowId: wanted, inputs, metadata: { commitmentId }, actor, reader })
}

type Creator = { readonly actor: string; readonly reader: string | null }

/**
 * Who stored or last edited a commitment, or wrote the entry that it was inferred from: the run acts for it, and sees no more than it. Null when
 * that is not known any more, and not everyone may see the commitment.
 */
async function creatorOf(tenant: Tenant, { version, commitment }: FoundCommitment): Promise<Creator | null> {
  const { origin, readers } = version
  const { reader, inferred } = commitment
  if ('runId' in origin) {
    const run = await tenant.storage.runs.get(tenant.id, origin.runId)
    if (run !== null) return { actor: run.facts.actor, reader: reader ?? run.facts.reader ?? null }
  }
  const keyId = 'keyId' in origin ? origin.keyId : undefined
  if (keyId !== undefined) {
    const record = reader === null ? await tenant.storage.record(tenant.id, 'key', keyId) : null
    return { actor: actorOfKey(keyId), reader: record === null ? reader : toApiKey(record).reader }
  }
  const isUnknown = inferred !== null && reader === null && readers !== null
  return isUnknown ? null : { actor: commitmentsActor, reader }
}

import { isArchiveRef } from '../../core/distillation/archive.ts'
import { isColophonError } from '../../core/errors.ts'
import { type DryRun, describeConsolidation, toDryRun } from '../../core/jobs/dry-run.ts'
import { limits } from '../../core/limits.ts'
import { isPrivateRef } from '../../core/names.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import { requireCapability } from '../require-capability.ts'
import type { Tenant } from '../tenant.ts'
import { type ConsolidationParts, consolidateRef } from './consolidation-pass.ts'
import { pairsOfRef, planRef } from './scan-ref.ts'

/** The counts of a pass over all refs. */
export type TenantConsolidation = {
  readonly refs: number
  readonly inputCount: number
  readonly outputCount: number
  /** Refs with more entries than a pass compares. They stay as they are. */
  readonly tooLarge: number
  /** What a model was asked. */
  readonly questions: number
}

/** A pass over every ref. The host's own schedule does nothing unless the tenant has switched consolidation on. */
export async function consolidateTenant(
  tenant: Tenant,
  parts: Omit<ConsolidationParts, 'onProgress' | 'firstRunId'> & {
    readonly onProgress?: (progress: TenantConsolidation) => void
  },
): Promise<TenantConsolidation> {
  requireCapability(tenant, 'consolidation')
  const { onProgress, ...pass } = parts
  const { consolidationEnabled } = await loadSettings(tenant.storage, tenant.id)
  if (parts.trigger === 'host-managed' && !consolidationEnabled) return nothing
  return overRefs(tenant, parts.signal, onProgress, (memoryRef, result) =>
    consolidateRef(tenant, memoryRef, left(pass, result)),
  )
}

/** What a pass would merge now, by the rules alone: what a model would answer is not known. Nothing is stored. */
export async function dryRunTenantConsolidation(
  tenant: Tenant,
  parts: Pick<ConsolidationParts, 'signal' | 'questionsMax'>,
): Promise<DryRun<TenantConsolidation>> {
  requireCapability(tenant, 'consolidation')
  const { signal } = parts
  const counts = await overRefs(tenant, signal, undefined, async (memoryRef, result) => {
    const { entries, merges } = await planRef(tenant, memoryRef, signal)
    const ended = merges.reduce((sum, { sources }) => sum + sources.length - 1, 0)
    const { questionsMax = 0 } = tenant.host.model === null ? {} : left(parts, result)
    const questions = questionsMax <= 0 ? 0 : (await pairsOfRef(tenant, memoryRef, questionsMax, signal)).length
    return { inputCount: entries, outputCount: entries - ended, questions }
  })
  return toDryRun(counts, describeConsolidation)
}

const nothing: TenantConsolidation = { refs: 0, inputCount: 0, outputCount: 0, tooLarge: 0, questions: 0 }

/** Adds up what `onRef` does with every ref that is compared. */
async function overRefs(
  tenant: Tenant,
  signal: AbortSignal,
  onProgress: ((progress: TenantConsolidation) => void) | undefined,
  onRef: (
    memoryRef: string,
    before: TenantConsolidation,
  ) => Promise<Pick<TenantConsolidation, 'inputCount' | 'outputCount' | 'questions'>>,
): Promise<TenantConsolidation> {
  let result = nothing
  for (let after: string | null = null; ; ) {
    signal.throwIfAborted()
    const query = { tenantId: tenant.id, after, now: tenant.expiryNow(), limit: limits.consolidationPageEntriesMax }
    const refs = await tenant.storage.refs(query)
    for (const { memoryRef, entries } of refs) {
      const isHosts = isPrivateRef(memoryRef) || isArchiveRef(memoryRef) || isEphemeralRef(memoryRef)
      if (isHosts || entries < 2) continue
      const made = await onRef(memoryRef, result).catch(tooLarge)
      result =
        made === 'too-large'
          ? { ...result, tooLarge: result.tooLarge + 1 }
          : {
              ...result,
              refs: result.refs + 1,
              inputCount: result.inputCount + made.inputCount,
              outputCount: result.outputCount + made.outputCount,
              questions: result.questions + made.questions,
            }
      onProgress?.(result)
    }
    after = refs.at(-1)?.memoryRef ?? null
    if (after === null) return result
  }
}

/** The questions of a pass are shared by all refs. */
function left<T extends Pick<ConsolidationParts, 'questionsMax'>>(pass: T, { questions }: TenantConsolidation): T {
  return pass.questionsMax === undefined ? pass : { ...pass, questionsMax: pass.questionsMax - questions }
}

/** One large ref must not stop the pass. */
function tooLarge(error: unknown): 'too-large' {
  if (isColophonError(error) && error.details.limit === 'consolidationEntriesMax') return 'too-large'
  throw error
}

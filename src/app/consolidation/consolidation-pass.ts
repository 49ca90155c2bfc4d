import { type Merge, type MergeReason, reasonOf } from '../../core/consolidation/consolidation.ts'
import { limits } from '../../core/limits.ts'
import { pauseFactor, pauseFor } from '../compaction/compaction-pass.ts'
import { ownRef } from '../people/stored-spellings.ts'
import { requireCapability } from '../require-capability.ts'
import type { Tenant } from '../tenant.ts'
import { askModel, type Judged } from './ask-model.ts'
import { pairsOfRef, planRef } from './scan-ref.ts'
import { type MergeRequest, type StoredMerges, storeMerges } from './store-merges.ts'

/** The counts of a pass over one ref. */
export type ConsolidationResult = {
  readonly inputCount: number
  readonly outputCount: number
  /** How many outputs were made, by reason. */
  readonly merges: Readonly<Partial<Record<MergeReason, number>>>
  /** Outputs whose sources different writers stated. */
  readonly confirmed: number
  /** Merges whose text could not be redacted with its markers kept. */
  readonly redactionFailures: number
  /** What a model was asked, and how often its answer could not be used. */
  readonly questions: number
  readonly unanswered: number
}

export type ConsolidationParts = Pick<MergeRequest, 'actor' | 'trigger' | 'signal'> &
  Pick<Partial<MergeRequest>, 'lease'> & {
    readonly onProgress?: (progress: ConsolidationResult) => void
    /** The run that records the first commit, if a client got its id. Then a pass that changes nothing is recorded too. */
    readonly firstRunId?: string
    /** How many questions a model may be asked. Without it, or without a model, the rules decide alone. */
    readonly questionsMax?: number
  }

/**
 * Consolidates one ref. A commit makes several merges, and each is recorded by its own run; so an interrupted pass can start again, and what
 * was merged is not merged twice.
 */
export async function consolidateRef(
  tenant: Tenant,
  givenRef: string,
  parts: ConsolidationParts,
): Promise<ConsolidationResult> {
  requireCapability(tenant, 'consolidation')
  const { actor, trigger, signal, lease, firstRunId } = parts
  const memoryRef = await ownRef(tenant, givenRef)
  let nextRunId = await unusedRunId(tenant, firstRunId)
  let result = nothing
  const request = (entries: number) => ({
    memoryRef,
    runId: nextRunId ?? tenant.system.newId('run'),
    actor,
    trigger,
    signal,
    entries,
    ...(lease === undefined ? {} : { lease }),
  })
  for (let round = 1; round <= limits.consolidationRoundsMax; round++) {
    const plan = await planRef(tenant, memoryRef, signal)
    let isOutdated = plan.merges.some(({ sources }) => sources.length >= limits.consolidationSourcesMax)
    result = { ...result, inputCount: round === 1 ? plan.entries : result.inputCount, outputCount: plan.entries }
    let tookMs = 0
    for (const planned of inCommits(plan.merges)) {
      await pauseFor(tookMs * pauseFactor, signal)
      const began = performance.now()
      const stored = await storeMerges(tenant, request(result.outputCount), planned)
      if (stored.merges.length > 0) nextRunId = undefined
      isOutdated ||= stored.isOutdated
      result = added(result, stored)
      tookMs = performance.now() - began
      parts.onProgress?.(result)
    }
    if (!isOutdated || plan.merges.length === 0) break
  }
  const judged = await judge(tenant, memoryRef, parts)
  if (judged !== null) {
    const { judgement, merges } = judged
    const stored = await storeMerges(tenant, { ...request(result.outputCount), judgement }, merges, {
      recordsNothing: true,
    })
    nextRunId = undefined
    const { unanswered } = judgement
    result = { ...added(result, stored), questions: judgement.answers.length + unanswered, unanswered }
    parts.onProgress?.(result)
  }
  if (nextRunId !== undefined) await storeMerges(tenant, request(result.outputCount), [], { recordsNothing: true })
  return result
}

/** What a model says of the pairs that the rules leave apart; null if nothing was asked. */
async function judge(
  tenant: Tenant,
  memoryRef: string,
  { questionsMax = 0, signal }: ConsolidationParts,
): Promise<Judged | null> {
  const { model } = tenant.host
  if (model === null || questionsMax <= 0) return null
  const pairs = await pairsOfRef(tenant, memoryRef, questionsMax, signal)
  const judged = await askModel(tenant, model, pairs, signal)
  return judged.judgement.answers.length + judged.judgement.unanswered === 0 ? null : judged
}

const nothing: ConsolidationResult = {
  inputCount: 0,
  outputCount: 0,
  merges: {},
  confirmed: 0,
  redactionFailures: 0,
  questions: 0,
  unanswered: 0,
}

function added(result: ConsolidationResult, stored: StoredMerges): ConsolidationResult {
  const merges = { ...result.merges }
  let { outputCount, confirmed } = result
  for (const { made, sources, isConfirmed } of stored.merges) {
    const reason = reasonOf(made.summariser) ?? 'duplicate'
    merges[reason] = (merges[reason] ?? 0) + 1
    outputCount -= sources.length - 1
    if (isConfirmed) confirmed += 1
  }
  const redactionFailures = result.redactionFailures + stored.redactionFailures
  return { ...result, merges, outputCount, confirmed, redactionFailures }
}

/** Merges that share a commit: together they end at most `consolidationCommitSourcesMax` entries. */
function* inCommits(merges: readonly Merge[]): Generator<Merge[]> {
  let next: Merge[] = []
  let sources = 0
  for (const merge of merges) {
    if (next.length > 0 && sources + merge.sources.length > limits.consolidationCommitSourcesMax) {
      yield next
      next = []
      sources = 0
    }
    next.push(merge)
    sources += merge.sources.length
  }
  if (next.length > 0) yield next
}

/** An earlier attempt of the job may have used the promised id already. */
async function unusedRunId(tenant: Tenant, runId: string | undefined): Promise<string | undefined> {
  if (runId === undefined) return undefined
  return (await tenant.storage.runs.get(tenant.id, runId)) === null ? runId : undefined
}

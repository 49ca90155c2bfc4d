import { utf8Bytes } from '../../core/check.ts'
import type { NewEntry } from '../../core/commit/batch.ts'
import { carryForward, cleanSources } from '../../core/compaction/carry-forward.ts'
import type { NewCompaction } from '../../core/compaction/compaction.ts'
import { type ConsolidationItem, type Merge, summariserOf } from '../../core/consolidation/consolidation.ts'
import { isConsolidated, toItem } from '../../core/consolidation/consolidation-item.ts'
import { planMerges } from '../../core/consolidation/plan-merges.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isColophonError } from '../../core/errors.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { runKeyOf } from '../../core/run/run.ts'
import { maintenanceEvent, recordRun } from '../compaction/maintenance-run.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { createTimeSlice } from '../event-loop.ts'
import { freshContext, loadSettings, type RedactionState } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { deliveryJobsOf } from '../webhooks/delivery-jobs.ts'
import type { Judgement } from './ask-model.ts'
import { findWriter } from './find-writer.ts'
import { isConfirmed, outputOf, statementsOf } from './merge-output.ts'

/** What started a pass, as OpenWOP names it. */
export type ConsolidationTrigger = 'host-managed' | 'scheduled' | 'on-demand'

export type MergeRequest = {
  readonly memoryRef: string
  readonly runId: string
  readonly actor: string
  readonly trigger: ConsolidationTrigger
  readonly signal: AbortSignal
  /** How many entries the ref has before this commit. */
  readonly entries: number
  /** The lease of the job. If another worker has it by now, nothing is stored. */
  readonly lease?: JobLease
  /** What a model was asked before this commit. */
  readonly judgement?: Judgement
}

/** What one commit of a pass did. */
export type StoredMerges = {
  readonly merges: readonly MadeMerge[]
  /** Merges whose text could not be redacted with its markers kept. Their entries stay. */
  readonly redactionFailures: number
  /** Whether the ref must be planned again: a source changed meanwhile, or a text was redacted. */
  readonly isOutdated: boolean
}

export type MadeMerge = {
  readonly made: NewCompaction
  readonly output: NewEntry
  readonly sources: readonly EntryVersion[]
  readonly isConfirmed: boolean
}

/**
 * Stores several merges in one commit: the outputs, the ends of their sources, the lineage and the run that records it. What was planned with
 * short keys is compared here as it is stored now. Without any merge the run is stored only if `recordsNothing`.
 */
export async function storeMerges(
  tenant: Tenant,
  request: MergeRequest,
  planned: readonly Merge[],
  { recordsNothing = false } = {},
): Promise<StoredMerges> {
  let readUnder: number | null = null
  const mayRetry = async (error: unknown) =>
    isColophonError(error, 'validation_error') ||
    (isColophonError(error, 'compaction_redaction_failed') &&
      (await freshContext(tenant)).redaction.version !== readUnder)
  return decideAndCommit(
    async () => {
      request.signal.throwIfAborted()
      const { redaction } = await freshContext(tenant)
      readUnder = redaction.version
      const decided = await decide(tenant, request, planned, redaction)
      if (decided.merges.length > 0 || recordsNothing) await commit(tenant, request, decided.merges)
      return decided
    },
    { mayRetry, attemptsMax: limits.compactionAttemptsMax },
  )
}

async function decide(
  tenant: Tenant,
  request: MergeRequest,
  planned: readonly Merge[],
  redaction: RedactionState,
): Promise<StoredMerges> {
  const stored = await loadSources(tenant, request, planned)
  const merges: MadeMerge[] = []
  let redactionFailures = 0
  let isOutdated = false
  for (const merge of planned) {
    const { sources: wanted, model } = merge
    const sources = wanted.flatMap(({ entryId, version }) => {
      const entry = stored.get(entryId)
      return entry?.version === version ? [entry] : []
    })
    const [same] = sources.length < 2 ? [] : await confirm(tenant, merge, sources)
    isOutdated ||= same === undefined || same.sources.length < wanted.length
    if (same === undefined) continue
    const kept = stored.get(same.kept)
    const parts = same.sources.flatMap(({ entryId }) => stored.get(entryId) ?? [])
    if (kept === undefined) continue
    const content = await cleanText(kept, parts, redaction)
    if (content === null) redactionFailures += 1
    else {
      isOutdated ||= content !== kept.content
      const made = makeMerge(tenant, request, { content, kept, parts, reason: same.reason, model })
      if (made !== null) merges.push(made)
    }
  }
  return { merges, redactionFailures, isOutdated }
}

/** The sources as they are stored now, without those that have ended or are excluded by now. */
async function loadSources(
  tenant: Tenant,
  { memoryRef }: MergeRequest,
  planned: readonly Merge[],
): Promise<ReadonlyMap<string, EntryVersion>> {
  const ids = planned.flatMap(({ sources }) => sources.map(({ entryId }) => entryId))
  const { trustFloorRead } = await loadSettings(tenant.storage, tenant.id)
  const found = ids.length === 0 ? [] : await tenant.storage.provenance.newestVersions(tenant.id, ids)
  const now = tenant.expiryNow()
  return new Map(
    found
      .filter((entry) => entry.memoryRef === memoryRef && entry.endedPosition === null)
      .filter((entry) => isConsolidated(entry, now, trustFloorRead))
      .map((entry) => [entry.entryId, entry]),
  )
}

/**
 * The same plan with whole keys: short ones can be equal by chance. What a model said needs all its sources as the model saw them, and in one
 * group.
 */
async function confirm(tenant: Tenant, merge: Merge, sources: readonly EntryVersion[]): Promise<Merge[]> {
  const items = await itemsOf(tenant, sources)
  if (merge.model === undefined) return planAgain(items)
  const isWhole = items.length === merge.sources.length && new Set(items.map(({ group }) => group)).size === 1
  return isWhole ? [merge] : []
}

async function itemsOf(tenant: Tenant, sources: readonly EntryVersion[]): Promise<ConsolidationItem[]> {
  const writers = await Promise.all(sources.map((source) => findWriter(tenant, source)))
  const slice = createTimeSlice()
  const items: ConsolidationItem[] = []
  for (const [at, source] of sources.entries()) {
    await slice()
    items.push(toItem(source, { writer: writers[at] ?? '' }))
  }
  return items
}

async function planAgain(items: readonly ConsolidationItem[]): Promise<Merge[]> {
  const slice = createTimeSlice()
  const work = planMerges(items)
  for (;;) {
    await slice()
    const step = work.next()
    if (step.done) return step.value
  }
}

/** The text that is kept, redacted with the current secrets and with the markers of all sources. Null if that is not possible. */
async function cleanText(
  kept: EntryVersion,
  sources: readonly EntryVersion[],
  redaction: RedactionState,
): Promise<string | null> {
  try {
    return await redaction.redact(({ scan }) => {
      const [text = '', ...texts] = cleanSources(
        [kept, ...sources].map(({ content }) => content),
        scan,
        redaction.policy,
      )
      return carryForward(text, texts, scan, limits.contentBytesMax)
    })
  } catch (error) {
    if (isColophonError(error, 'compaction_redaction_failed')) return null
    throw error
  }
}

function makeMerge(
  tenant: Tenant,
  { memoryRef, runId }: MergeRequest,
  merge: {
    readonly content: string
    readonly kept: EntryVersion
    readonly parts: readonly EntryVersion[]
    readonly reason: Merge['reason']
    readonly model: string | undefined
  },
): MadeMerge | null {
  const { content, kept, parts: sources, reason, model } = merge
  const compactionId = tenant.system.newId('cmp')
  const statements = statementsOf(reason, kept, sources)
  const output = outputOf(tenant.engine, { compactionId, content, kept, statements }, sources)
  if (output === null) return null
  const made = {
    compactionId,
    memoryRef,
    outputId: output.entryId,
    byteSize: utf8Bytes(content),
    runId,
    summariser: summariserOf(reason, model),
    sources: sources.map(({ entryId, version }) => ({ entryId, version })),
  }
  return { made, output, sources, isConfirmed: isConfirmed(statements) }
}

async function commit(tenant: Tenant, request: MergeRequest, merges: readonly MadeMerge[]): Promise<void> {
  const { memoryRef, runId, actor, trigger, entries, lease, judgement } = request
  const sources = merges.flatMap((merge) => merge.sources)
  const mergedIds = sources.map(({ entryId }) => entryId)
  const counts = { inputCount: entries, outputCount: entries - sources.length + merges.length }
  const parts = { runId, jobId: lease?.jobId ?? '', actor, memoryWrites: merges.length, ...variablesOf(judgement) }
  const run = recordRun(tenant, parts, [
    ...usageOf(judgement),
    ...merges.map(({ output: { entryId, tags } }) =>
      maintenanceEvent('memory.written', { memoryRef, memoryId: entryId }, { tags }),
    ),
    maintenanceEvent('agent.memory.consolidated', { memoryRef, ...counts, mergedIds, trigger }),
  ])
  const { runs, jobs } = await tenant.commit(
    {
      kind: 'memory.consolidated',
      puts: merges.map(({ output }) => output),
      ends: mergedIds.map((entryId) => ({ memoryRef, entryId, reason: 'compacted' })),
      expects: sources.map(({ entryId, version, readers }) => ({ memoryRef, entryId, version, readers })),
      runs: [run],
      jobs: await deliveryJobsOf(tenant, [run]),
      compactions: merges.map(({ made }) => ({ made })),
      holds: lease ?? null,
    },
    { actor, call: { operation: 'consolidate' } },
  )
  for (const { nextSequence } of runs) tenant.engine.runWatch.notify(runKeyOf(tenant.id, runId), nextSequence)
  if (jobs.length > 0) tenant.engine.workers.wake()
}

/** What the model said of which entries, in the run of the pass. */
function variablesOf(judgement: Judgement | undefined) {
  if (judgement === undefined) return {}
  const { model, answers, unanswered } = judgement
  return { variables: { consolidation: { model, answers, unanswered } } }
}

function usageOf(judgement: Judgement | undefined) {
  if (judgement === undefined) return []
  const { provider, model, inputTokens, outputTokens } = judgement
  const totalTokens = inputTokens + outputTokens
  return [maintenanceEvent('provider.usage', { provider, model, inputTokens, outputTokens, totalTokens })]
}

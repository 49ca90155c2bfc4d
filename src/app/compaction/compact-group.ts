import { utf8Bytes } from '../../core/check.ts'
import type { NewEntry } from '../../core/commit/batch.ts'
import { carryForward, cleanSources } from '../../core/compaction/carry-forward.ts'
import type { CompactionSource } from '../../core/compaction/compaction.ts'
import { commonReaders } from '../../core/entries/access.ts'
import { isExpired, newestFirst } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isHostTag, sourceTag } from '../../core/entries/tags.ts'
import { lowestTrust, type Trust } from '../../core/entries/trust.ts'
import { isColophonError } from '../../core/errors.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { runKeyOf } from '../../core/run/run.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Engine } from '../engine.ts'
import { freshContext, type RedactionState } from '../redaction/redaction-state.ts'
import { requireCapability } from '../require-capability.ts'
import type { Tenant } from '../tenant.ts'
import { deliveryJobsOf } from '../webhooks/delivery-jobs.ts'
import { type CompactionTrigger, maintenanceRun } from './maintenance-run.ts'

export type GroupRequest = {
  readonly compactionId: string
  readonly memoryRef: string
  readonly sources: readonly CompactionSource[]
  readonly outputBytesMax: number
  readonly actor: string
  readonly trigger: CompactionTrigger
  readonly signal: AbortSignal
  /** The lease of the job. If another worker has it by now, nothing is stored. */
  readonly lease?: JobLease
}

export type CompactedGroup = {
  readonly compactionId: string
  readonly runId: string
  readonly output: NewEntry
  readonly sourceIds: readonly string[]
  readonly byteSize: number
}

/**
 * Compacts one group: the output, the ends of its sources, the lineage and the maintenance run are one commit. Null when
 * fewer than two sources are unchanged. The summary is made before the commit and without a lock, so it may take long. If a
 * source changed meanwhile, the commit is refused and the summary is made again from the unchanged sources.
 */
export async function compactGroup(tenant: Tenant, request: GroupRequest): Promise<CompactedGroup | null> {
  requireCapability(tenant, 'compaction')
  let readUnder: number | null = null
  // A source expired, or a secret was registered, after the sources were read.
  const mayRetry = async (error: unknown) =>
    isColophonError(error, 'validation_error') ||
    (isColophonError(error, 'compaction_redaction_failed') &&
      (await freshContext(tenant)).redaction.version !== readUnder)
  return decideAndCommit(
    async () => {
      request.signal.throwIfAborted()
      const sources = await unchangedSources(tenant, request)
      if (sources.length < 2) return null
      const { redaction } = await freshContext(tenant)
      readUnder = redaction.version
      return storeCompaction(tenant, request, sources, redaction)
    },
    { mayRetry, attemptsMax: limits.compactionAttemptsMax },
  )
}

/** The sources that still have the selected version, oldest first. */
async function unchangedSources(tenant: Tenant, request: GroupRequest): Promise<EntryVersion[]> {
  const ids = request.sources.map(({ entryId }) => entryId)
  const found = await tenant.storage.provenance.newestVersions(tenant.id, ids)
  const versionOf = new Map(request.sources.map(({ entryId, version }) => [entryId, version]))
  const now = tenant.expiryNow()
  return found
    .filter((entry) => entry.memoryRef === request.memoryRef && entry.version === versionOf.get(entry.entryId))
    .filter((entry) => entry.endedPosition === null && !isExpired(entry, now))
    .sort((a, b) => newestFirst(b, a))
}

async function storeCompaction(
  tenant: Tenant,
  request: GroupRequest,
  sources: readonly EntryVersion[],
  redaction: RedactionState,
): Promise<CompactedGroup> {
  const { compactionId, memoryRef, actor, trigger, lease } = request
  const content = await summariseSources(tenant.engine, request, sources, redaction)
  const output = outputOf(tenant.engine, request, sources, content)
  const byteSize = utf8Bytes(content)
  const runId = tenant.system.newId('run')
  const sourceIds = sources.map(({ entryId }) => entryId)
  const facts = { memoryRef, outputId: output.entryId, tags: output.tags, sourceIds, byteSize, trigger }
  const run = maintenanceRun(tenant, { runId, jobId: lease?.jobId ?? '', actor }, facts)
  const made = {
    compactionId,
    memoryRef,
    outputId: output.entryId,
    byteSize,
    runId,
    summariser: tenant.host.summariser.name,
    sources: sources.map(({ entryId, version }) => ({ entryId, version })),
  }
  const { runs, jobs } = await tenant.commit(
    {
      kind: 'memory.compacted',
      puts: [output],
      ends: sourceIds.map((entryId) => ({ memoryRef, entryId, reason: 'compacted' })),
      expects: sources.map(({ entryId, version, readers }) => ({ memoryRef, entryId, version, readers })),
      runs: [run],
      jobs: await deliveryJobsOf(tenant, [run]),
      compactions: [{ made }],
      holds: lease ?? null,
    },
    { actor, call: { operation: 'compact' } },
  )
  for (const { nextSequence } of runs) tenant.engine.runWatch.notify(runKeyOf(tenant.id, runId), nextSequence)
  if (jobs.length > 0) tenant.engine.workers.wake()
  return { compactionId, runId, output, sourceIds, byteSize }
}

async function summariseSources(
  engine: Engine,
  { outputBytesMax, signal }: GroupRequest,
  sources: readonly EntryVersion[],
  redaction: RedactionState,
): Promise<string> {
  const contents = sources.map(({ content }) => content)
  // Redacted before the summariser reads them: a model of another service must not receive a secret.
  const texts = await redaction.redact(({ scan }) => cleanSources(contents, scan, redaction.policy))
  const { text } = await engine.host.summariser.summarise({ texts, bytesMax: outputBytesMax }, signal)
  return redaction.redact(({ scan }) => carryForward(text, texts, scan, outputBytesMax))
}

/** The output has the subject of its sources, the lowest class and the earliest expiry among them, the tags that all of them have, and the readers of all of them. */
function outputOf(
  engine: Engine,
  { compactionId, memoryRef }: GroupRequest,
  sources: readonly EntryVersion[],
  content: string,
): NewEntry {
  const origin = { kind: 'compaction', compactionId } as const
  const [first] = sources
  const shared = (first?.tags ?? []).filter((tag) => !isHostTag(tag) && sources.every(({ tags }) => tags.includes(tag)))
  const ends = sources.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]))
  return {
    memoryRef,
    entryId: engine.system.newId('mem'),
    content,
    tags: [...shared, sourceTag(origin), `compacted-from:${compactionId}`],
    expiresAt: ends.length === 0 ? null : Math.min(...ends),
    subject: first?.subject ?? null,
    origin,
    trust: sources.reduce<Trust>((lowest, { trust }) => lowestTrust(lowest, trust), 'verified'),
    salt: engine.system.newSalt(),
    readers: commonReaders(sources.map(({ readers }) => readers)),
    isDerived: true,
  }
}

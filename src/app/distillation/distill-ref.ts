import { utf8Bytes } from '../../core/check.ts'
import type { NewEntry } from '../../core/commit/batch.ts'
import { carryForward } from '../../core/compaction/carry-forward.ts'
import type { Compaction } from '../../core/compaction/compaction.ts'
import { archiveExpiry, archiveIdOf, refOfArchives } from '../../core/distillation/archive.ts'
import { memoryIndexPath } from '../../core/distillation/memory-index.ts'
import { isExpired } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { sourceTag } from '../../core/entries/tags.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { invariant } from '../../core/invariant.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { runKeyOf } from '../../core/run/run.ts'
import { type CompactionFacts, maintenanceRun } from '../compaction/maintenance-run.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { createPausingSlice } from '../event-loop.ts'
import { ownRef } from '../people/stored-spellings.ts'
import { freshContext, type RedactionState } from '../redaction/redaction-state.ts'
import { requireCapability } from '../require-capability.ts'
import type { StepChange } from '../runs/commit-run.ts'
import type { Tenant } from '../tenant.ts'
import { deliveryJobsOf } from '../webhooks/delivery-jobs.ts'
import { planIndex, toIndexEntry } from './index-file.ts'
import { type Corpus, readCorpus } from './read-corpus.ts'

export type DistillationRequest = {
  readonly distillationId: string
  readonly memoryRef: string
  /** The budget that holds: see `effectiveBudget`. */
  readonly tokenBudget: number
  readonly actor: string
  readonly signal: AbortSignal
  /** The lease of the job. If another worker has it by now, nothing is stored. */
  readonly lease?: JobLease
  /** The run whose node distills: the archive is stored with the next step of that run, and its log names it. */
  readonly run?: DistillingRun
}

export type DistillingRun = {
  readonly runId: string
  store(change: StepChange, facts: CompactionFacts, readUnder: number): Promise<void>
}

/** The version of the built-in distiller. Another one may make other archives of the same sources, under other ids. */
const distillerVersion = 1

/**
 * Distills a ref: one text of all its entries within a token budget. The archive, its lineage, the index file and the events of the run
 * (that of the node, or else a maintenance run) are one commit; the sources stay as they are. The same sources, budget and summariser give the archive that is stored
 * already. Null when the ref has no entries.
 */
export async function distillRef(tenant: Tenant, requested: DistillationRequest): Promise<Compaction | null> {
  requireCapability(tenant, 'distillation')
  const request = { ...requested, memoryRef: await ownRef(tenant, requested.memoryRef) }
  const made = await tenant.storage.compactions.get(tenant.id, request.distillationId)
  // An earlier attempt of the job.
  if (made !== null) return made
  let readUnder: number | null = null
  // A source expired, or a secret was registered, after the sources were read.
  const mayRetry = async (error: unknown) =>
    (isColophonError(error, 'validation_error') && error.details.field === 'expiresAt') ||
    (isColophonError(error, 'compaction_redaction_failed') &&
      (await freshContext(tenant)).redaction.version !== readUnder)
  return decideAndCommit(
    async () => {
      request.signal.throwIfAborted()
      const { redaction } = await freshContext(tenant)
      readUnder = redaction.version
      const { memoryRef, tokenBudget, signal } = request
      const slice = createPausingSlice()
      const corpus = await readCorpus(tenant, memoryRef, redaction, tokenBudget, signal)
      corpus.plan.check(tokenBudget)
      if (corpus.sources.length === 0) return null
      const { digest } = await tenant.context()
      const distiller = `${tenant.host.summariser.name}.${distillerVersion}`
      // In canonical form: the members are sorted.
      const checksum = digest(JSON.stringify({ distiller, sources: corpus.digests, tokenBudget }))
      await slice()
      const place = await archivePlace(tenant, memoryRef, (attempt) => {
        const sources = corpus.sources.map(({ entryId, version }) => [entryId, version])
        return archiveIdOf(digest(JSON.stringify(['archive', memoryRef, checksum, sources, attempt])))
      })
      if ('stored' in place) return place.stored
      return storeArchive(tenant, request, { corpus, checksum, archiveId: place.free, redaction })
    },
    { mayRetry, attemptsMax: limits.distillationAttemptsMax },
  )
}

/** The distillation that made this archive already, or the id of the new one. An id is used again only while its archive is kept. */
async function archivePlace(
  tenant: Tenant,
  memoryRef: string,
  idOf: (attempt: number) => string,
): Promise<{ readonly stored: Compaction } | { readonly free: string }> {
  for (let attempt = 0; ; attempt++) {
    const archiveId = idOf(attempt)
    const [archive] = await tenant.storage.provenance.newestVersions(tenant.id, [archiveId])
    if (archive === undefined) return { free: archiveId }
    if (archive.endedPosition !== null || isExpired(archive, tenant.expiryNow())) continue
    const stored = await distillationOf(tenant, archive)
    if (stored !== null && stored.memoryRef === memoryRef) return { stored }
  }
}

async function distillationOf(tenant: Tenant, { origin }: EntryVersion): Promise<Compaction | null> {
  return origin.kind === 'compaction' ? tenant.storage.compactions.get(tenant.id, origin.compactionId) : null
}

type Distilled = {
  readonly corpus: Corpus
  readonly checksum: string
  readonly archiveId: string
  readonly redaction: RedactionState
}

async function storeArchive(
  tenant: Tenant,
  request: DistillationRequest,
  { corpus, checksum, archiveId, redaction }: Distilled,
): Promise<Compaction | null> {
  const { tokenBudget, signal } = request
  const { plan } = corpus
  const bytesMax = plan.archiveBytesMax(tokenBudget)
  const { text } = await tenant.host.summariser.summarise({ texts: corpus.texts, bytesMax }, signal)
  const markers = [[...plan.markers].join('\n')]
  const content = await redaction.redact(({ scan }) => carryForward(text, markers, scan, bytesMax))
  // Sources without a sentence, such as blanks.
  if (content === '') return null
  const tokensUsed = plan.used(content)
  invariant(tokensUsed <= tokenBudget, 'a distillation never uses more than its budget')
  // Another distillation may update the index first. Then only the commit is decided again, and not the text.
  const stored = await decideAndCommit(() =>
    commitArchive(tenant, request, { corpus, checksum, archiveId, redaction, content, tokensUsed }).catch(staleReads),
  )
  if (stored === 'stale') throw new ColophonError('reads_stale', 'Something was forgotten since the sources were read.')
  return stored
}

/** The sources have to be read again: the commit alone cannot be repeated. */
function staleReads(error: unknown): 'stale' {
  if (isColophonError(error, 'reads_stale')) return 'stale'
  throw error
}

async function commitArchive(
  tenant: Tenant,
  request: DistillationRequest,
  distilled: Distilled & { readonly content: string; readonly tokensUsed: number },
): Promise<Compaction | null> {
  const { distillationId, memoryRef, tokenBudget, actor, lease } = request
  const { corpus, checksum, archiveId, redaction, content, tokensUsed } = distilled
  const { sources } = corpus
  const [existing] = await tenant.storage.provenance.newestVersions(tenant.id, [archiveId])
  if (existing !== undefined) return distillationOf(tenant, existing)
  const now = tenant.now()
  const archive = archiveOf(tenant, request, corpus, { archiveId, content, now })
  const byteSize = utf8Bytes(content)
  const runId = request.run?.runId ?? tenant.system.newId('run')
  const isIndexed = archive.readers === null
  const entry = toIndexEntry(archiveId, checksum, sources.length, now, archive.expiresAt ?? now)
  const index = isIndexed ? await planIndex(tenant, memoryRef, entry, actor) : null
  const logged: CompactionFacts = {
    memoryRef,
    outputId: archiveId,
    tags: archive.tags,
    sourceIds: sources.map(({ entryId }) => entryId),
    byteSize,
    // As RFC 0062 has it, also when a schedule or a client started it.
    trigger: 'host-managed',
    distillation: { tokenBudget, tokensUsed, indexUpdated: index !== null },
    outputRef: archive.memoryRef,
    ...(index === null ? {} : { file: { path: memoryIndexPath, version: index.version } }),
  }
  const summariser = tenant.host.summariser.name
  const facts = { memoryRef, outputId: archiveId, byteSize, runId, summariser, tokenBudget, tokensUsed, checksum }
  const { puts = [], revisions = [], expects = [] } = index?.change ?? {}
  const change: StepChange = {
    kind: 'memory.compacted',
    puts: [archive, ...puts],
    revisions,
    expects: [{ memoryRef: archive.memoryRef, entryId: archiveId, version: 0 }, ...expects],
    compactions: [{ made: { compactionId: distillationId, ...facts, sources } }],
  }
  if (request.run !== undefined) {
    await request.run.store(change, logged, redaction.version)
    return tenant.storage.compactions.get(tenant.id, distillationId)
  }
  const run = maintenanceRun(tenant, { runId, jobId: lease?.jobId ?? '', actor }, logged)
  const { runs, jobs } = await tenant.commit(
    { ...change, runs: [run], jobs: await deliveryJobsOf(tenant, [run]), holds: lease ?? null },
    { actor, call: { operation: 'distill' }, redactionVersionRead: redaction.version },
  )
  for (const { nextSequence } of runs) tenant.engine.runWatch.notify(runKeyOf(tenant.id, runId), nextSequence)
  if (jobs.length > 0) tenant.engine.workers.wake()
  return tenant.storage.compactions.get(tenant.id, distillationId)
}

/** The archive has the lowest class and the common readers of its sources, and their subject if they have the same. */
function archiveOf(
  tenant: Tenant,
  { distillationId, memoryRef }: DistillationRequest,
  { subject, expiries, trust, readers }: Corpus,
  { archiveId, content, now }: { readonly archiveId: string; readonly content: string; readonly now: number },
): NewEntry & { readonly readers: Corpus['readers'] } {
  const origin = { kind: 'compaction', compactionId: distillationId } as const
  return {
    memoryRef: refOfArchives(memoryRef),
    entryId: archiveId,
    content,
    tags: [sourceTag(origin), `compacted-from:${distillationId}`],
    expiresAt: archiveExpiry(now, expiries),
    subject,
    origin,
    trust,
    salt: tenant.system.newSalt(),
    readers,
    isDerived: true,
  }
}

import { keyOfActor } from '../../core/access/actor.ts'
import type { Ending, Expectation, NewEntry } from '../../core/commit/batch.ts'
import type { Capacity } from '../../core/commit/parts/capacities.ts'
import {
  type Commitment,
  canHaveCommitments,
  refOfCommitments,
  toCommitmentId,
  toEntryText,
} from '../../core/commitments/commitment.ts'
import { examineSentences, type InferredCommitment, mayHaveCommitments } from '../../core/commitments/infer.ts'
import { isExpired } from '../../core/entries/as-of.ts'
import type { EntryVersion, Origin } from '../../core/entries/entry.ts'
import type { JobLease, NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { isPrivateRef } from '../../core/names.ts'
import { maybeFromPerson } from '../../core/provenance/said-by.ts'
import type { Change } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { createTimeSlice } from '../event-loop.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { type Room, roomOf } from './commitment-room.ts'
import { armedMark } from './find-commitments.ts'
import { fireJobOf } from './fire-job.ts'

/** The kind of the job that infers the commitments of new entries. */
export const inferJobKind = 'colophon.infer-commitments'

/** The entries to read, and who wrote them: what is inferred is done for that actor, and sees no more than that reader. */
export type InferencePayload = {
  readonly entryIds: readonly string[]
  /** Absent in jobs that were stored before it was. */
  readonly by?: string
  readonly reader?: string | null
}

/**
 * The change with the job that infers its commitments, if one of its texts may have any. The job is stored with the entries, so that nothing is
 * inferred from an entry that was not stored, and no entry is missed. A replay stores no entries, so it infers nothing. It is a promise only
 * if there is something to wait for: calls of one caller are committed in the order in which they were made.
 */
export function withInference(tenant: Tenant, change: Change, by: string): Change | Promise<Change> {
  const texts = [...(change.puts ?? []), ...(change.revisions ?? [])]
  const characters = texts.reduce((sum, { content }) => sum + content.length, 0)
  if (characters > limits.contentBytesMax) return inferFromMany(tenant, change, texts, by)
  const entryIds = texts.filter(mayCommit).map(({ entryId }) => entryId)
  return entryIds.length === 0 ? change : withJob(tenant, change, entryIds, by)
}

/** Many texts, with pauses. */
async function inferFromMany(
  tenant: Tenant,
  change: Change,
  texts: readonly (Text & { readonly entryId: string })[],
  by: string,
): Promise<Change> {
  const entryIds: string[] = []
  const slice = createTimeSlice()
  for (const entry of texts) {
    if (mayCommit(entry)) entryIds.push(entry.entryId)
    await slice()
  }
  return entryIds.length === 0 ? change : withJob(tenant, change, entryIds, by)
}

async function withJob(tenant: Tenant, change: Change, entryIds: readonly string[], by: string): Promise<Change> {
  if (!(await tenant.engine.credentials.infersCommitments(tenant.id))) return change
  const job: NewJob = {
    jobId: tenant.system.newId('job'),
    kind: inferJobKind,
    payload: { entryIds, by, reader: tenant.reader } satisfies InferencePayload,
    priority: 0,
    dueAt: null,
    attemptsMax: limits.jobAttemptsDefault,
  }
  return { ...change, jobs: [...(change.jobs ?? []), job] }
}

type Text = {
  readonly memoryRef: string
  readonly content: string
  readonly tags: readonly string[]
  readonly origin: Origin
  readonly endsAtOnce?: string
}

/** Whether an entry of a client or a run may have a sentence that a rule knows. The job decides, on the text as it is stored. */
function mayCommit({ memoryRef, content, tags, origin, endsAtOnce }: Text): boolean {
  if (isDerived(origin) || isPrivateRef(memoryRef) || endsAtOnce !== undefined || !maybeFromPerson(tags)) return false
  return mayHaveCommitments(content)
}

/** Summaries repeat what other entries say. */
function isDerived({ kind }: Origin): boolean {
  return kind === 'session' || kind === 'compaction'
}

export type InferenceResult = {
  readonly inferred: number
  /** Sentences that were left out because of a limit: too many in an entry, a ref or a tenant, or too far ahead. */
  readonly limited: number
}

/** Infers and stores the commitments of entries, and completes the job, in one commit. What is known already stays as it is. */
export function inferFromEntries(
  tenant: Tenant,
  { entryIds, by = '', reader = null }: InferencePayload,
  lease: JobLease,
): Promise<InferenceResult> {
  return decideAndCommit(async () => {
    const settings = await loadSettings(tenant.storage, tenant.id)
    if (!settings.commitmentInference) return { inferred: 0, limited: 0 }
    const sources = (await tenant.storage.provenance.newestVersions(tenant.id, entryIds)).filter((source) =>
      isCurrent(source, tenant.expiryNow()),
    )
    const plan = await planCommitments(tenant, sources, { timezone: settings.timezone, by, reader })
    const result = { inferred: plan.puts.length, limited: plan.limited }
    if (plan.puts.length === 0) return result
    const { puts, ends, expects, jobs, capacities } = plan
    const change: Change = { kind: 'commitment.inferred', puts, ends, expects, jobs, capacities }
    await tenant.commit(change, { actor: 'commitments', completes: lease, result, call: { operation: 'infer' } })
    tenant.engine.workers.wake()
    for (const { dueAt } of jobs) if (dueAt !== null) tenant.engine.workers.wakeAt(dueAt)
    return result
  })
}

function isCurrent({ endedPosition, memoryRef, tags, origin, ...version }: EntryVersion, now: number): boolean {
  if (endedPosition !== null || isExpired(version, now)) return false
  return !isPrivateRef(memoryRef) && !isDerived(origin) && maybeFromPerson(tags)
}

type Plan = {
  readonly puts: NewEntry[]
  readonly ends: Ending[]
  readonly expects: Expectation[]
  readonly jobs: NewJob[]
  readonly capacities: Capacity[]
  limited: number
}

type Written = { readonly timezone: string; readonly by: string; readonly reader: string | null }

async function planCommitments(
  tenant: Tenant,
  sources: readonly EntryVersion[],
  { timezone, by, reader }: Written,
): Promise<Plan> {
  const plan: Plan = { puts: [], ends: [], expects: [], jobs: [], capacities: [], limited: 0 }
  const { digest, mac } = await tenant.context()
  const positions = sources.map(({ recordedPosition }) => recordedPosition)
  const instants = positions.length === 0 ? null : await tenant.storage.provenance.instants(tenant.id, positions)
  const rooms = new Map<string, Room>()
  const slice = createTimeSlice()
  for (const source of sources) {
    // When it was said: the time of the observation, else the time at which this version was written.
    const spokenAt = source.classification?.observedAt ?? instants?.get(source.recordedPosition) ?? source.createdAt
    const inferred: InferredCommitment[] = []
    for (const item of examineSentences(source.content, { spokenAt, timezone })) {
      if (item !== null) inferred.push(item)
      await slice()
    }
    await slice()
    const { memoryRef, entryId, version } = source
    const found = inferred.slice(0, limits.commitmentsPerEntryMax).map((item) => ({
      item,
      // The same sentence of the same entry is the same commitment, whichever version has it.
      id: toCommitmentId(
        `com_${digest(`commitment.${item.rule}\n${entryId}\n${item.sentence}`).slice(0, 22)}`,
        entryId,
      ),
    }))
    plan.limited += inferred.length - found.length
    const known =
      found.length === 0
        ? []
        : await tenant.storage.provenance.newestVersions(
            tenant.id,
            found.map(({ id }) => id),
          )
    for (const { item, id } of found) {
      if (known.some((other) => other.entryId === id) || isPast(item, tenant.now())) continue
      let room = rooms.get(memoryRef)
      if (room === undefined) {
        room = await roomOf(tenant, memoryRef)
        rooms.set(memoryRef, room)
        plan.capacities.push(...room.capacities)
      }
      if (!canHaveCommitments(memoryRef) || isTooFar(item, tenant.now()) || !room.take(plan.ends)) {
        plan.limited += 1
        continue
      }
      const commitment = toNewCommitment(item, {
        id,
        armed: armedMark(mac, id),
        jobId: tenant.system.newId('job'),
        reader,
        source,
      })
      plan.puts.push(toNewEntry(tenant, commitment, source, by))
      plan.expects.push({ memoryRef: refOfCommitments(memoryRef), entryId: id, version: 0 })
      plan.jobs.push(fireJobOf(commitment))
      if (!plan.expects.some((other) => other.entryId === entryId)) plan.expects.push({ memoryRef, entryId, version })
    }
  }
  return plan
}

/** An entry may be old when it is stored: what was due before then does not fire. */
function isPast(item: InferredCommitment, now: number): boolean {
  return item.kind === 'time' && item.dueAt <= now
}

function isTooFar(item: InferredCommitment, now: number): boolean {
  return item.kind === 'time' && item.dueAt - now > limits.commitmentHorizonMs
}

function toNewCommitment(
  item: InferredCommitment,
  {
    id,
    source,
    ...driven
  }: Pick<Commitment, 'armed' | 'jobId' | 'reader'> & { readonly id: string; readonly source: EntryVersion },
): Commitment {
  return {
    ...blankCommitment,
    commitmentId: id,
    memoryRef: source.memoryRef,
    memoryId: source.entryId,
    intention: item.sentence,
    condition:
      item.kind === 'time'
        ? { kind: 'time', dueAt: item.dueAt }
        : { kind: 'predicate', statement: item.statement, since: source.recordedPosition },
    inferred: { sentence: item.sentence, rule: item.rule },
    ...driven,
  }
}

/** The members of a new commitment that are not decided yet. */
export const blankCommitment = {
  status: 'waiting',
  inferred: null,
  workflowId: null,
  reader: null,
  firedAt: null,
  runId: null,
  startedRunId: null,
  reason: null,
} as const

/** The entry of a new commitment: with the origin, the subject, the class, the readers and the expiry of its source. */
function toNewEntry(tenant: Tenant, commitment: Commitment, source: EntryVersion, by: string): NewEntry {
  const { origin, subject, trust, readers, expiresAt } = source
  return {
    memoryRef: refOfCommitments(commitment.memoryRef),
    entryId: commitment.commitmentId,
    ...toEntryText(commitment),
    origin: origin.kind === 'api' ? { ...origin, ...keyOfActor(by) } : origin,
    subject,
    trust,
    readers,
    expiresAt,
    salt: tenant.system.newSalt(),
  }
}

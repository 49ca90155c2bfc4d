import { keyOfActor } from '../../core/access/actor.ts'
import { checkCharacters, checkIdentifier, checkText, parseInstant } from '../../core/check.ts'
import type { Ending } from '../../core/commit/batch.ts'
import {
  type Commitment,
  type CommitmentCondition,
  canHaveCommitments,
  refOfCommitments,
  toCommitmentId,
  toEntryText,
} from '../../core/commitments/commitment.ts'
import { statementTerms } from '../../core/commitments/statement.ts'
import type { EntryVersion, Origin } from '../../core/entries/entry.ts'
import { parseReaders, type Readers } from '../../core/entries/readers.ts'
import { defaultTrust } from '../../core/entries/trust.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { checkWrittenRef, refuseHostMemoryRef } from '../../core/names.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import type { Change, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { mayRead } from '../entries/read-access.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import { currentWorkflow } from '../runs/workflow-registry.ts'
import type { Tenant } from '../tenant.ts'
import { roomOf } from './commitment-room.ts'
import { armedMark, type CommitmentView, getCommitment, toCommitmentView, waitingOfTenant } from './find-commitments.ts'
import { expectationOf, toRevision } from './fire-commitment.ts'
import { fireJobOf } from './fire-job.ts'
import { blankCommitment } from './infer-commitments.ts'

/** A commitment of a client: what is intended, and either an instant or a statement. */
export type CommitmentDraft = {
  readonly memoryRef: string
  readonly intention: string
  readonly at?: string | undefined
  readonly statement?: string | undefined
  /** The entry that it comes from: it ends with that entry. */
  readonly memoryId?: string | undefined
  readonly workflowId?: string | undefined
  readonly readers?: readonly string[] | null | undefined
}

/** What a client changes of a waiting commitment. */
export type CommitmentChange = {
  readonly intention?: string | undefined
  readonly at?: string | undefined
  readonly statement?: string | undefined
  /** Null for the workflow of the settings. */
  readonly workflowId?: string | null | undefined
}

type Written = { readonly view: CommitmentView; readonly repeated: boolean }

/** Stores a commitment and the job that fires it. */
export async function createCommitment(
  tenant: Tenant,
  draft: CommitmentDraft,
  options: WriteOptions,
): Promise<Written> {
  const { memoryRef, intention, memoryId = null, workflowId = null } = draft
  checkWrittenRef(memoryRef)
  if (memoryId === null) refuseHostMemoryRef(memoryRef)
  if (!canHaveCommitments(memoryRef)) throw invalid('memoryRef', 'is too long for a commitment')
  checkIntention(intention)
  const named = parseReaders('readers', draft.readers)
  const write = { ...options, call: { operation: 'commitments.create', draft } }
  const first = await tenant.findOutcome(write)
  const known = first?.entries[0]?.entryId
  if (known !== undefined) return { view: toCommitmentView(await getCommitment(tenant, known)), repeated: true }
  await checkWorkflow(tenant, workflowId)
  const made = await decideAndCommit(async () => {
    const source = memoryId === null ? null : await findSource(tenant, memoryRef, memoryId)
    const condition = await conditionOf(tenant, draft)
    const ends: Ending[] = []
    const room = await roomOf(tenant, memoryRef)
    if (!room.take(ends)) throw await tooMany(tenant)
    const { capacities } = room
    const commitmentId = toCommitmentId(tenant.system.newId('com'), memoryId)
    const { mac } = await tenant.context()
    const commitment: Commitment = {
      ...blankCommitment,
      commitmentId,
      memoryRef,
      memoryId,
      intention,
      condition,
      workflowId,
      reader: tenant.reader,
      armed: armedMark(mac, commitmentId),
      jobId: tenant.system.newId('job'),
    }
    const origin = apiOrigin(tenant, options)
    const put = {
      memoryRef: refOfCommitments(memoryRef),
      entryId: commitmentId,
      ...toEntryText(commitment),
      origin,
      subject: source?.subject ?? null,
      trust: source?.trust ?? defaultTrust,
      readers: source?.readers ?? ownReaders(tenant, named),
      expiresAt: source?.expiresAt ?? null,
      salt: tenant.system.newSalt(),
    }
    const expects = source === null ? [] : [{ memoryRef, entryId: source.entryId, version: source.version }]
    const jobs = [fireJobOf(commitment)]
    const change: Change = { kind: 'commitment.created', puts: [put], ends, expects, jobs, capacities }
    const { outcome, repeated } = await tenant.commit(change, write)
    wake(tenant, commitment)
    // A call with the same key may have been committed since the look before: then its commitment is the one.
    return { id: outcome.entries[0]?.entryId ?? commitmentId, repeated }
  })
  return { view: toCommitmentView(await getCommitment(tenant, made.id)), repeated: made.repeated }
}

function apiOrigin({ engine }: Tenant, { actor = engine.actor }: WriteOptions): Origin {
  return { kind: 'api', ...keyOfActor(actor) }
}

/** What a reader writes only the reader sees, unless it names others. */
function ownReaders({ reader }: Tenant, named: Readers): Readers {
  if (reader === null) return named
  return named ?? [reader]
}

/** Changes a commitment that waits. It gets a new job; one that was imported is active from then on. */
export async function editCommitment(
  tenant: Tenant,
  commitmentId: string,
  change: CommitmentChange,
  options: WriteOptions,
): Promise<Written> {
  if (change.intention !== undefined) checkIntention(change.intention)
  if (change.workflowId !== undefined) await checkWorkflow(tenant, change.workflowId)
  const call = { operation: 'commitments.edit', commitmentId, change }
  return settle(tenant, commitmentId, { ...options, call }, async (commitment) => {
    const condition =
      change.at === undefined && change.statement === undefined
        ? commitment.condition
        : await conditionOf(tenant, change)
    const { mac } = await tenant.context()
    const next: Commitment = {
      ...commitment,
      intention: change.intention ?? commitment.intention,
      workflowId: change.workflowId === undefined ? commitment.workflowId : change.workflowId,
      condition,
      // What it does from now on, it does for the client that edited it.
      reader: tenant.reader,
      armed: armedMark(mac, commitmentId),
      jobId: tenant.system.newId('job'),
    }
    if (condition.kind === 'time' && condition.dueAt <= tenant.now()) throw invalid('at', 'must be in the future')
    return { kind: 'commitment.edited', next, jobs: [fireJobOf(next)], origin: apiOrigin(tenant, options) }
  })
}

/** Cancels a commitment that waits. */
export function cancelCommitment(tenant: Tenant, commitmentId: string, options: WriteOptions): Promise<Written> {
  const call = { operation: 'commitments.cancel', commitmentId }
  return settle(tenant, commitmentId, { ...options, call }, async (commitment) => ({
    kind: 'commitment.cancelled',
    next: { ...commitment, status: 'cancelled', reason: null },
    jobs: [],
  }))
}

type Decision = Pick<Change, 'kind' | 'jobs'> & { readonly next: Commitment; readonly origin?: Origin }

async function settle(
  tenant: Tenant,
  commitmentId: string,
  write: Parameters<Tenant['commit']>[1],
  decide: (commitment: Commitment) => Promise<Decision>,
): Promise<Written> {
  const repeated = await decideAndCommit(async () => {
    if ((await tenant.findOutcome(write)) !== null) return true
    const found = await getCommitment(tenant, commitmentId)
    const { status } = found.state
    if (status !== 'waiting' && status !== 'quarantined' && status !== 'paused')
      throw new ColophonError('commitment_state', `The commitment is ${status}: only one that waits can be changed.`, {
        details: { status },
      })
    const { next, kind, jobs, origin } = await decide(found.commitment)
    const revisions = [toRevision(tenant, found, next, origin)]
    await tenant.commit({ kind, revisions, jobs: jobs ?? [], expects: [expectationOf(found)] }, write)
    wake(tenant, next)
    return false
  })
  return { view: toCommitmentView(await getCommitment(tenant, commitmentId)), repeated }
}

function wake(tenant: Tenant, { condition }: Commitment): void {
  tenant.engine.workers.wake()
  if (condition.kind === 'time') tenant.engine.workers.wakeAt(condition.dueAt)
}

function checkIntention(intention: string): void {
  checkText('intention', intention)
  if (intention.trim() === '') throw invalid('intention', 'must not be empty')
  if (/[\r\n]/.test(intention)) throw invalid('intention', 'must be one line')
  const max = 'commitmentIntentionCharactersMax'
  checkCharacters('intention', intention, max, limits.commitmentIntentionCharactersMax)
}

async function conditionOf(
  tenant: Tenant,
  { at, statement }: Pick<CommitmentDraft, 'at' | 'statement'>,
): Promise<CommitmentCondition> {
  if ((at === undefined) === (statement === undefined))
    throw invalid('at', 'must be given, or statement: exactly one of them')
  if (statement !== undefined) {
    const max = 'commitmentStatementCharactersMax'
    checkIdentifier('statement', statement, max, limits.commitmentStatementCharactersMax)
    if (statementTerms(statement) === null)
      throw invalid('statement', 'must have at least two words that say something, and no negation')
    const since = (await tenant.storage.clock(tenant.id))?.position ?? 0
    return { kind: 'predicate', statement, since }
  }
  const dueAt = parseInstant('at', at)
  if (dueAt <= tenant.now()) throw invalid('at', 'must be in the future')
  const max = limits.commitmentHorizonMs
  if (dueAt - tenant.now() > max) throw invalid('at', 'must be within 366 days', { limit: 'commitmentHorizonMs', max })
  return { kind: 'time', dueAt }
}

async function findSource(tenant: Tenant, memoryRef: string, memoryId: string): Promise<EntryVersion> {
  const [source] = await tenant.storage.provenance.newestVersions(tenant.id, [memoryId])
  const isThere = source !== undefined && source.memoryRef === memoryRef && source.endedPosition === null
  if (!isThere || !mayRead(tenant, source.readers)) throw invalid('memoryId', 'must be a current entry of the ref')
  return source
}

async function checkWorkflow(tenant: Tenant, workflowId: string | null): Promise<void> {
  if (workflowId === null) return
  if ((await currentWorkflow(tenant, workflowId)) === null) throw invalid('workflowId', 'must be a registered workflow')
  const { redaction } = await freshContext(tenant)
  await redaction.redact(({ scan }) => refuseSecrets({ workflowId }, scan))
}

async function tooMany(tenant: Tenant): Promise<ColophonError> {
  const isTenantFull = (await waitingOfTenant(tenant)) >= limits.commitmentsPerTenantMax
  const limit = isTenantFull ? 'commitmentsPerTenantMax' : 'commitmentsPerRefMax'
  const max = limits[limit]
  const whose = isTenantFull ? 'a tenant has' : 'a ref has'
  return invalid('memoryRef', `must have room: ${whose} at most ${max} waiting commitments, so cancel some first`, {
    limit,
    max,
  })
}

import { aesCipher } from '../../src/adapters/cipher/aes.ts'
import { createKey, listKeys, revokeKey } from '../../src/app/access/keys.ts'
import { rotateKey } from '../../src/app/access/rotate-key.ts'
import { compactTenant } from '../../src/app/compaction/compaction-pass.ts'
import { requestCompaction, runCompactionRequest } from '../../src/app/compaction/request-compaction.ts'
import { undoCompaction } from '../../src/app/compaction/undo-compaction.ts'
import { revise } from '../../src/app/entries/change.ts'
import { putMany } from '../../src/app/entries/put.ts'
import { runForget } from '../../src/app/forget/forget-job.ts'
import { forget, startForget } from '../../src/app/forget/start-forget.ts'
import { openExport } from '../../src/app/portable/export.ts'
import { importPart } from '../../src/app/portable/import.ts'
import { add } from '../../src/app/provenance/add.ts'
import { deleteMemory, patchMemory } from '../../src/app/provenance/change-memory.ts'
import { listClaims, pinClaim } from '../../src/app/provenance/claims.ts'
import { ingest } from '../../src/app/provenance/ingest.ts'
import { redactPayloads } from '../../src/app/provenance/payload-retention.ts'
import { reresolve } from '../../src/app/provenance/reresolve.ts'
import { changeWriter, createWriter, listWriters } from '../../src/app/provenance/writers.ts'
import { reRedact } from '../../src/app/redaction/re-redact.ts'
import { putRule, removeRule, writeSettings } from '../../src/app/redaction/rules.ts'
import { putSecret, removeSecret } from '../../src/app/redaction/vault.ts'
import { pruneHistory } from '../../src/app/retention/prune-history.ts'
import { sweepExpired } from '../../src/app/retention/sweep-expired.ts'
import { forkRun } from '../../src/app/runs/fork-run.ts'
import { isColophonError } from '../../src/core/errors.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { parseExportPart } from '../../src/wires/host/parse-export-part.ts'
import { addRequest } from '../support/add-request.ts'
import { newSigner } from '../support/signer.ts'
import {
  continueRun,
  firstKey,
  leaseJob,
  openUseCases,
  putChain,
  startRun,
  tenantId,
  type UseCaseWorld,
} from '../support/use-cases.ts'

/** Things that a tenant's history is made of, one function for each. They go through use cases, as every wire does. */

const { signal } = new AbortController()
const day = 24 * 60 * 60 * 1_000

/** A world with a vault and a key to sign receipts, on a store that is open already. */
export function worldOn(storage: Storage): UseCaseWorld {
  const vault = { cipher: aesCipher, masterKey: aesCipher.newKey(), otherKeys: [] }
  return openUseCases(() => storage, { vault, host: { signer: newSigner() } })
}

/** A small source of choices: the same seed gives the same history. */
export type Choose = <T>(among: readonly T[]) => T

export type Act = (world: UseCaseWorld, choose: Choose, n: number) => Promise<unknown>

const editor = { actor: 'key:k', requestId: 'req_edit', mayPin: true }
const people = ['ada', 'bob', 'eve'] as const
const refs = ['notes', 'agents/tea'] as const
const services = ['crm', 'chat'] as const

const addMessages: Act = async (world, choose, n) => {
  const { tenant } = world
  const service = choose(services)
  const drink = choose(['tea', 'coffee', 'milk'])
  const message = { role: 'user', content: `Drinks ${drink}.`, category: 'preference', claimKey: 'drink' } as const
  const messages = [
    { ...message, confidence: choose([0.5, 0.7, 0.9]) },
    { role: 'user', content: `Said ${n}.` } as const,
  ]
  const scope = choose([null, { thread: `t${n}` }])
  const source = { service, eventId: `e${n}`, scope, observedAt: world.clock.now - n * 1_000 }
  const request = addRequest(messages, { subject: choose(people), infer: false, source })
  const { event } = await add(tenant, request, { actor: 'key:k', keyId: 'k', requestId: `req_${n}` })
  await ingest(tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
}

async function anyMemory({ tenant }: UseCaseWorld, choose: Choose): Promise<string | undefined> {
  const page = { tenantId: tenant.id, after: null, limit: 500 }
  const versions = await tenant.storage.scanVersions(page)
  const ids = [...new Set(versions.filter(({ subject }) => subject !== null).map(({ entryId }) => entryId))]
  return ids.length === 0 ? undefined : choose(ids)
}

async function anyClaim({ tenant }: UseCaseWorld, choose: Choose) {
  const claims = await listClaims(tenant, { subject: null, isContested: null, after: null, limit: 100 })
  const open = claims.filter(({ contents }) => contents.length > 0)
  return open.length === 0 ? undefined : choose(open)
}

async function forgetNow(world: UseCaseWorld, draft: Record<string, unknown>): Promise<void> {
  const answer = await forget(world.tenant, { reason: 'asked for', cascade: true, ...draft })
  if (answer.dryRun) return
  await runForget(world.tenant, answer.id, await leaseJob(world, answer.jobId), signal)
}

export async function compact(world: UseCaseWorld, memoryRef: string): Promise<string> {
  const { id, jobId } = await requestCompaction(world.tenant, { memoryRef })
  const lease = await leaseJob(world, jobId)
  const job = await world.tenant.storage.jobs.get(tenantId, jobId)
  await runCompactionRequest(world.tenant, jobId, job?.payload as Parameters<typeof runCompactionRequest>[2], {
    lease,
    signal,
    onProgress() {},
  })
  return id
}

export async function exported(world: UseCaseWorld): Promise<ReturnType<typeof parseExportPart>> {
  const { lines, close } = await openExport(world.tenant, {})
  let text = ''
  for await (const line of lines) text += line
  await close()
  return await parseExportPart(text)
}

const nodes = [
  {
    id: 'put',
    typeId: 'colophon.memory.put',
    config: { memoryRef: 'notes', content: 'Run for {{inputs.who}}', tags: ['run'], into: 'e' },
  },
  { id: 'list', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'all' } },
]

export const acts = {
  put: ({ tenant }, choose, n) =>
    putMany(
      tenant,
      choose(refs),
      [1, 2, 3].map((index) => ({
        content: `Note ${n}.${index} of the day, code xq-${n}`,
        tags: choose([[], ['a'], ['a', `t${n}`]]),
        ...(choose([true, false]) ? { subject: choose(people) } : {}),
        ...(choose([true, false])
          ? { expiresAt: new Date(tenant.now() + choose([day, 400 * day])).toISOString() }
          : {}),
      })),
    ),
  revise: async ({ tenant }, choose, n) => {
    const { entries } = await tenant.list('notes')
    if (entries.length > 0) await revise(tenant, 'notes', choose(entries).id, { content: `Revised ${n}`, tags: ['r'] })
  },
  remove: async ({ tenant }, choose) => {
    const { entries } = await tenant.list('notes')
    if (entries.length > 0) await tenant.delete('notes', choose(entries).id)
  },
  addMessages,
  addMoreMessages: addMessages,
  edit: async (world, choose, n) => {
    const id = await anyMemory(world, choose)
    if (id !== undefined)
      await patchMemory(world.tenant, id, { content: `Edited ${n}`, ...choose([{}, { reason: 'I know' }]) }, editor)
  },
  archive: async (world, choose) => {
    const id = await anyMemory(world, choose)
    if (id !== undefined) await patchMemory(world.tenant, id, { isArchived: true }, editor)
  },
  withdraw: async (world, choose) => {
    const id = await anyMemory(world, choose)
    if (id !== undefined) await deleteMemory(world.tenant, id)
  },
  erase: async (world, choose) => {
    const value = await anyMemory(world, choose)
    if (value === undefined) return
    // What a hard delete does, without waiting for a worker that is not there.
    const request = { selector: { kind: 'memory', value }, reason: 'hard delete', cascade: true } as const
    const { id, jobId } = await startForget(world.tenant, request, {})
    await runForget(world.tenant, id, await leaseJob(world, jobId), signal)
  },
  pin: async (world, choose) => {
    const claim = await anyClaim(world, choose)
    const memoryId = claim?.contents.find((content) => content.memoryId !== null)?.memoryId
    if (claim && memoryId) await pinClaim(world.tenant, claim.id, { memoryId, reason: 'I asked her' })
  },
  unpin: async (world, choose) => {
    const claim = await anyClaim(world, choose)
    if (claim) await pinClaim(world.tenant, claim.id, { reason: 'no longer', unpin: true })
  },
  rank: async ({ tenant }, choose) => {
    const writer = choose(await listWriters(tenant))
    const rules = { defaultPriority: choose([10, 50, 90]), categories: {} }
    await changeWriter(tenant, writer.writerId, { authorityRules: rules })
    await reresolve(tenant, [writer.writerId], { signal, onProgress() {} })
  },
  keys: async ({ tenant }, choose, n) => {
    const keys = (await listKeys(tenant, { after: null, limit: 100 })).filter(({ status }) => status === 'active')
    if (keys.length < 2) await createKey(tenant, firstKey, { name: `key ${n}`, scopes: ['memory:read'] })
    else if (choose([true, false])) await revokeKey(tenant, choose(keys).id)
    else await rotateKey(tenant, firstKey, choose(keys).id, 1_000)
  },
  settings: ({ tenant }, choose) => writeSettings(tenant, { defaultWriterPriority: choose([0, 1, 2]) }),
  rules: async ({ tenant }, choose, n) => {
    if (choose([true, false])) await putRule(tenant, 'code', { pattern: `xq-${n - choose([0, 1, 2, 3])}` })
    else await removeRule(tenant, 'code').catch(ignoreMissing)
    await reRedact(tenant, { dryRun: false, signal, onProgress() {} })
  },
  secrets: async ({ tenant }, choose) => {
    if (choose([true, false]))
      await putSecret(tenant, 'word', { value: choose(['Drinks coffee', 'Run for ada', 'Note of the day']) })
    else await removeSecret(tenant, 'word')
    await reRedact(tenant, { dryRun: false, signal, onProgress() {} })
  },
  run: async (world, choose) => {
    const inputs = { who: choose(people) }
    const run = await startRun(world, { workflowId: 'visit', inputs, tags: ['v'], metadata: { at: 'home' } })
    const fork = choose(['replay', 'branch', 'none'] as const)
    if (fork === 'none') return
    const forked = await forkRun(world.tenant, run.runId, { mode: fork, ...(fork === 'branch' ? { fromSeq: 2 } : {}) })
    await continueRun(world, forked.run)
  },
  silentRun: (world) => startRun(world, { workflowId: 'nothing' }),
  compact: async (world, choose) => {
    const id = await compact(world, choose(refs))
    const isMade = (await world.tenant.storage.compactions.get(tenantId, id)) !== null
    if (isMade && choose([true, false])) await undoCompaction(world.tenant, id)
  },
  compactAll: ({ tenant }) =>
    compactTenant(tenant, { actor: 'compaction', trigger: 'host-managed', signal, onProgress() {} }),
  age: async (world) => {
    world.clock.advance(100 * day)
    await redactPayloads(world.tenant, signal)
    await sweepExpired(world.tenant, { signal, onProgress() {} })
    await pruneHistory(world.tenant, { signal, onProgress() {} })
  },
  forget: (world, choose, n) =>
    forgetNow(
      world,
      choose([
        { subject: choose(people) },
        { memoryRef: 'agents/tea' },
        { tag: 'a' },
        { tag: 'run' },
        { writer: choose(services) },
        { tag: `t${n - 2}` },
      ]),
    ),
  forgetRun: async (world, choose) => {
    const query = { tenantId, status: null, workflowId: null, after: null, limit: 50 }
    const runs = await world.tenant.storage.runs.list(query)
    if (runs.length > 0) await forgetNow(world, { runId: choose(runs).runId })
  },
  importMore: async (world) => {
    const file = await exported(world)
    await importPart(world.tenant, file, { merge: true, actor: 'test' })
  },
} satisfies Record<string, Act>

function ignoreMissing(error: unknown): void {
  if (!isColophonError(error, 'not_found')) throw error
}

/** What every history begins with. */
export async function prepare(world: UseCaseWorld): Promise<void> {
  for (const serviceKey of services) await createWriter(world.tenant, { serviceKey })
  await putChain(world, 'visit', nodes)
  await putChain(world, 'nothing', [{ id: 'n', typeId: 'core.noop' }])
  await writeSettings(world.tenant, { compaction: { enabled: true, minEntries: 2, keepNewest: 0, minAgeDays: 0 } })
}

export const actNames = Object.keys(acts) as (keyof typeof acts)[]

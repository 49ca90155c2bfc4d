import { setTimeout as delay } from 'node:timers/promises'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { add } from '../../src/app/provenance/add.ts'
import { listMemories } from '../../src/app/provenance/find-memories.ts'
import { createWriter } from '../../src/app/provenance/writers.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import type { Memory } from '../../src/client/types.ts'
import { builtInHandlers } from '../../src/jobs/built-in.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeEngine } from '../../src/open.ts'
import type { Extractor } from '../../src/ports/extractor.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { readAdd } from '../../src/wires/provenance/read-add.ts'
import { AddDraft } from '../../src/wires/provenance/schemas/add.ts'
import { toMemoryView } from '../../src/wires/provenance/views/memories.ts'
import { byName, type Expected, meaningOf, type Priorities, type Said, type SentEvent } from './claims-reference.ts'

/** The engine without a wire: ingesting, the jobs that follow, and what can be read afterwards. */

export function openWorld(storage: Storage, now: () => number = Date.now) {
  const { engine, close, workers } = composeEngine(storage, nodeSystem(now), 'test', null, { extractor: reader })
  const options = { handlers: builtInHandlers(engine), concurrency: 16, leaseMs: 10_000, pollMs: 50 }
  const worker = new Worker(engine, options, () => workers.delete(worker)).start()
  workers.add(worker)
  return { engine, close }
}

export const category = 'preference' as const

export async function prepareTenant(tenant: Tenant, priorities: Priorities): Promise<void> {
  await tenant.storage.ensureTenant(tenant.id, { macKey: tenant.system.newKey() }, tenant.system.now())
  for (const [serviceKey, priority] of Object.entries(priorities)) {
    const authorityRules = { defaultPriority: 100 - priority, categories: { [category]: priority } }
    await createWriter(tenant, { serviceKey, authorityRules })
  }
}

/** Finds in a message what the test says that it says. */
const reader: Extractor = {
  name: 'reader',
  async extract(messages) {
    const candidates = messages.flatMap(({ content }, index) =>
      (JSON.parse(content) as Said[]).map(({ claim, ...found }) => ({
        ...found,
        category,
        importance: 5,
        claimKey: claim === '' ? null : claim,
        messages: [index],
      })),
    )
    return { candidates, extractor: 'reader' }
  },
}

export function toBody({ service, eventId, observedAt, user, said, isReading = false }: SentEvent) {
  const source = { service, event_id: eventId, observed_at: observedAt }
  if (isReading) return { external_user_id: user, messages: [{ role: 'user', content: JSON.stringify(said) }], source }
  return {
    external_user_id: user,
    infer: false,
    messages: said.map(({ content, claim, confidence }) => ({
      role: 'user',
      content,
      category,
      ...(claim === '' ? {} : { claim_key: claim }),
      confidence,
    })),
    source,
  }
}

export async function ingest(tenant: Tenant, event: SentEvent, keyId = 'key_test'): Promise<string> {
  const caller = { actor: `key:${keyId}`, keyId, requestId: 'req_test' }
  return (await add(tenant, readAdd(AddDraft.parse(toBody(event))), caller)).event.jobId
}

/** Polls often: tests wait for thousands of jobs, and each takes a moment. */
export async function untilDone(tenant: Tenant, jobIds: readonly string[]): Promise<void> {
  for (const jobId of jobIds) {
    for (;;) {
      const job = await tenant.storage.jobs.get(tenant.id, jobId)
      if (job?.status === 'completed') break
      if (job?.status === 'dead') throw new Error(`The job was given up: ${JSON.stringify(job.error)}`)
      await delay(1)
    }
  }
}

/** A memory as far as the rule decides it. */
export function toComparable(memory: Memory): Expected {
  const { memory_ref, claim_key, content, status, sources, writers, confidence_score, provenance } = memory
  return {
    user: memory_ref.slice('subject:'.length),
    claim: claim_key ?? '',
    content: meaningOf(content),
    status: status as Expected['status'],
    sources,
    writers,
    confidence: confidence_score,
    service: provenance?.service ?? '',
    eventId: provenance?.event_id ?? '',
  }
}

/** All memories, superseded ones too, and the contested claims. */
export async function readAll(tenant: Tenant, users: readonly string[]) {
  const memories: Expected[] = []
  for (const subject of new Set(users)) {
    const all = (await listMemories(tenant, { subject, limit: 50, includeSuperseded: true })).memories
    memories.push(...all.map((memory) => toComparable(toMemoryView(memory, true))))
    const { memories: active } = await listMemories(tenant, { subject, limit: 50 })
    const shown = all.filter(({ status }) => status === 'active').map(({ id }) => id)
    if (JSON.stringify(active.map(({ id }) => id)) !== JSON.stringify(shown))
      throw new Error('The list shows other memories than those that are active.')
  }
  const query = { tenantId: tenant.id, subject: null, isContested: true, after: null, limit: 100 }
  const contested = await tenant.storage.provenance.claims(query)
  return {
    memories: memories.sort(byName),
    contested: contested.map(({ subject, claimKey }) => `${subject} ${claimKey}`).sort(),
  }
}

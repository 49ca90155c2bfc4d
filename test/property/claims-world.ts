import { setTimeout as delay } from 'node:timers/promises'
import { nodeSystem } from '../../src/adapters/system/node.ts'
import type { Deps } from '../../src/app/deps.ts'
import { add } from '../../src/app/provenance/add.ts'
import { listMemories } from '../../src/app/provenance/memories.ts'
import type { MemoryView } from '../../src/app/provenance/memory-view.ts'
import { createWriter } from '../../src/app/provenance/writers.ts'
import { builtInHandlers } from '../../src/jobs/built-in.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeDeps } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { byName, type Expected, meaningOf, type Priorities, type ToldEvent } from './claims-reference.ts'

/** The engine without a wire: telling, the jobs that follow, and what can be read afterwards. */

export function openWorld(storage: Storage, now: () => number = Date.now) {
  const { deps, close, workers } = composeDeps(storage, nodeSystem(now), 'test', null)
  const options = { handlers: builtInHandlers(deps), concurrency: 16, leaseMs: 10_000, pollMs: 50 }
  const worker = new Worker(deps, options, () => workers.delete(worker)).start()
  workers.add(worker)
  return { deps, close }
}

export const category = 'preference'

export async function prepareTenant(deps: Deps, tenantId: string, priorities: Priorities): Promise<void> {
  await deps.storage.ensureTenant(tenantId, { macKey: deps.system.newKey() }, deps.system.now())
  for (const [service_key, priority] of Object.entries(priorities)) {
    const authority_rules = { default_priority: 100 - priority, categories: { [category]: priority } }
    await createWriter(deps, tenantId, { service_key, authority_rules })
  }
}

export function toBody({ service, eventId, observedAt, user, said }: ToldEvent) {
  return {
    external_user_id: user,
    infer: false,
    messages: said.map(({ content, claim, confidence }) => ({
      role: 'user',
      content,
      category,
      claim_key: claim,
      confidence,
    })),
    source: { service, event_id: eventId, observed_at: observedAt },
  }
}

export async function tell(deps: Deps, tenantId: string, event: ToldEvent): Promise<string> {
  const caller = { actor: 'test', keyId: 'key_test', requestId: 'req_test' }
  return (await add(deps, tenantId, toBody(event), caller)).event.jobId
}

/** Looks often: thousands of jobs are waited for, and each takes a moment. */
export async function untilDone(deps: Deps, tenantId: string, jobIds: readonly string[]): Promise<void> {
  for (const jobId of jobIds) {
    for (;;) {
      const job = await deps.storage.jobs.get(tenantId, jobId)
      if (job?.status === 'completed') break
      if (job?.status === 'dead') throw new Error(`The job was given up: ${JSON.stringify(job.error)}`)
      await delay(1)
    }
  }
}

/** A memory as far as the rule decides it. */
export function toComparable(memory: MemoryView): Expected {
  const { memory_ref, claim_key, content, status, sources, confidence_score, provenance } = memory
  return {
    user: memory_ref.slice('subject:'.length),
    claim: claim_key ?? '',
    content: meaningOf(content),
    status: status as Expected['status'],
    sources,
    confidence: confidence_score,
    service: provenance?.service ?? '',
    eventId: provenance?.event_id ?? '',
  }
}

/** Everything that is remembered, with what was superseded; and the claims that only a person can settle. */
export async function readAll(deps: Deps, tenantId: string, users: readonly string[]) {
  const memories: Expected[] = []
  for (const subject of new Set(users)) {
    const { data } = await listMemories(deps, tenantId, { subject, limit: 50, includeSuperseded: true })
    memories.push(...data.map(toComparable))
    const { data: active } = await listMemories(deps, tenantId, { subject, limit: 50 })
    const shown = data.filter(({ status }) => status === 'active').map(({ id }) => id)
    if (JSON.stringify(active.map(({ id }) => id)) !== JSON.stringify(shown))
      throw new Error('The list shows other memories than those that are active.')
  }
  const query = { tenantId, subject: null, isContested: true, after: null, limit: 100 }
  const contested = await deps.storage.provenance.claims(query)
  return {
    memories: memories.sort(byName),
    contested: contested.map(({ subject, claimKey }) => `${subject} ${claimKey}`).sort(),
  }
}

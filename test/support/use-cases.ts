import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import type { Engine, Host } from '../../src/app/engine.ts'
import type { VaultAccess } from '../../src/app/redaction/vault-access.ts'
import { type CreateRunRequest, createRun } from '../../src/app/runs/create-run.ts'
import { executeRun } from '../../src/app/runs/execute-run.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import type { Grantor } from '../../src/core/access/grant.ts'
import { scopes } from '../../src/core/access/scopes.ts'
import { acquireLease, type JobLease } from '../../src/core/jobs/job.ts'
import { limits } from '../../src/core/limits.ts'
import type { Run } from '../../src/core/run/run.ts'
import { composeEngine } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { TestClock } from '../contract/suite/world.ts'

export const tenantId = 'acme'

/** May do everything and has no end, as the first key of a tenant. */
export const firstKey: Grantor = { scopes, reader: null, endsAt: null }

export type UseCaseWorld = AsyncDisposable & {
  readonly engine: Engine
  readonly tenant: Tenant
  readonly clock: TestClock
}

type Parts = { readonly isDurable?: boolean; readonly vault?: VaultAccess; readonly host?: Partial<Host> }

/** The dependencies of use cases on an empty store. The test moves the clock; ids count up from 1. */
export function openUseCases(open: (options: { now: () => number }) => Storage, parts: Parts = {}): UseCaseWorld {
  const clock: TestClock = {
    now: Date.parse('2026-01-01T00:00:00Z'),
    advance(ms) {
      this.now += ms
    },
  }
  const now = () => clock.now
  let ids = 0
  const newId = (prefix: string) => `${prefix}_00000000-0000-7000-8000-${String(++ids).padStart(12, '0')}`
  const system = { ...nodeSystem(now), newId }
  const storage = open({ now })
  // The model stands for any store here: also for those that are durable.
  const durable = { ...storage, traits: { ...storage.traits, durable: parts.isDurable ?? true } }
  const { engine, close } = composeEngine(durable, system, 'test', parts.vault ?? null, parts.host)
  return { engine, tenant: engine.tenant(tenantId), clock, [Symbol.asyncDispose]: close }
}

/** Leases a job that is due, as a worker would. */
export async function leaseJob(
  { engine, clock }: UseCaseWorld,
  jobId: string,
  ownerId: string = tenantId,
): Promise<JobLease> {
  const lease = { leaseToken: `lease-${jobId}`, worker: 'test', leaseUntil: clock.now + limits.jobLeaseMs }
  await engine.storage.jobs.update(ownerId, jobId, (job) => acquireLease(job, lease, clock.now))
  return { jobId, leaseToken: lease.leaseToken, spent: false }
}

type NodeParts = Readonly<Record<string, unknown>> & { readonly id: string; readonly typeId: string }

/** Registers a workflow whose nodes follow one another. */
export function putChain({ tenant }: UseCaseWorld, id: string, nodes: readonly NodeParts[], more: object = {}) {
  return putWorkflow(tenant, {
    id,
    name: id,
    version: '1.0.0',
    nodes: nodes.map((node) => ({ name: node.id, position: { x: 0, y: 0 }, config: {}, inputs: {}, ...node })),
    edges: nodes.slice(1).map((node, index) => ({
      id: `to-${node.id}`,
      sourceNodeId: nodes[index]?.id ?? '',
      targetNodeId: node.id,
    })),
    triggers: [],
    variables: [],
    metadata: {},
    settings: {},
    ...more,
  })
}

/** Creates a run and drives it until it ends or waits. */
export async function startRun(world: UseCaseWorld, draft: CreateRunRequest): Promise<Run> {
  const { run } = await createRun(world.tenant, draft)
  return continueRun(world, run)
}

/** Drives a run whose job is due, as a worker would, until it ends or waits. */
export async function continueRun(world: UseCaseWorld, { runId, facts }: Run): Promise<Run> {
  const lease = await leaseJob(world, facts.jobId)
  await executeRun(world.tenant, runId, { lease, signal: new AbortController().signal })
  return (await world.engine.storage.runs.get(tenantId, runId)) as Run
}

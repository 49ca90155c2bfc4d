import { nodeSystem } from '../../src/adapters/system/node.ts'
import type { Deps } from '../../src/app/deps.ts'
import type { VaultAccess } from '../../src/app/open-vault.ts'
import { createRun, type RunDraft } from '../../src/app/runs/create.ts'
import { driveRun } from '../../src/app/runs/engine.ts'
import { putWorkflow } from '../../src/app/workflows.ts'
import { claimJob, type JobLease } from '../../src/core/job.ts'
import { limits } from '../../src/core/limits.ts'
import type { Run } from '../../src/core/run/run.ts'
import { composeDeps, type HostParts } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { TestClock } from '../../src/testing/world.ts'

export const tenantId = 'acme'

export type UseCaseWorld = AsyncDisposable & { readonly deps: Deps; readonly clock: TestClock }

type Parts = { readonly vault?: VaultAccess; readonly host?: HostParts }

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
  const { deps, close } = composeDeps(open({ now }), system, 'test', parts.vault ?? null, parts.host)
  return { deps, clock, [Symbol.asyncDispose]: close }
}

/** Leases a job that is due, as a worker would. */
export async function leaseJob({ deps, clock }: UseCaseWorld, jobId: string): Promise<JobLease> {
  const lease = { leaseToken: `lease-${jobId}`, worker: 'test', leaseUntil: clock.now + limits.jobLeaseMs }
  await deps.storage.jobs.update(tenantId, jobId, (job) => claimJob(job, lease, clock.now))
  return { jobId, leaseToken: lease.leaseToken, spent: false }
}

type NodeParts = Readonly<Record<string, unknown>> & { readonly id: string; readonly typeId: string }

/** Registers a workflow whose nodes follow one another. */
export function putChain({ deps }: UseCaseWorld, id: string, nodes: readonly NodeParts[], more: object = {}) {
  return putWorkflow(deps, tenantId, {
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
export async function startRun(world: UseCaseWorld, draft: RunDraft): Promise<Run> {
  const { run } = await createRun(world.deps, tenantId, draft)
  return continueRun(world, run)
}

/** Drives a run whose job is due, as a worker would, until it ends or waits. */
export async function continueRun(world: UseCaseWorld, { runId, facts }: Run): Promise<Run> {
  const lease = await leaseJob(world, facts.jobId)
  await driveRun(world.deps, tenantId, runId, { lease, signal: new AbortController().signal })
  return (await world.deps.storage.runs.get(tenantId, runId)) as Run
}

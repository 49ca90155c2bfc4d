import assert from 'node:assert/strict'
import type { Run, RunFacts, RunStep, RunText } from '../../../src/core/run/run.ts'
import { batchOf, testMacKey } from './batch.ts'
import type { World } from './world.ts'

const facts: RunFacts = {
  actor: 'test',
  scopeId: null,
  parent: null,
  fork: null,
  nodes: {},
  own: [],
  ownGiven: 0,
  familyLeft: 0,
  nodeExecutions: 0,
  memoryCalls: 0,
  memoryWrites: 0,
  startedAt: null,
  bounds: { nodeExecutionsMax: 100, durationMs: 60_000 },
  pause: null,
  jobId: 'job_1',
}

const text: RunText = {
  inputs: {},
  variables: {},
  outputs: {},
  configurable: {},
  tags: [],
  metadata: {},
  interrupts: {},
  ephemeral: {},
  pauseReason: null,
  error: null,
}

type Parts = Partial<Omit<RunStep, 'run'>> &
  Partial<Pick<Run, 'status' | 'workflowId'>> & {
    readonly facts?: Partial<RunFacts>
    readonly text?: Partial<RunText>
  }

/** The first step of a named run, or the next step of a run that was read: unchanged except for what the test names. */
export function stepOf(run: Run | string, parts: Parts = {}): RunStep {
  const known = typeof run === 'string' ? null : run
  const { status, workflowId, facts: newFacts, text: newText, ...step } = parts
  return {
    expects: known?.revision ?? 0,
    snapshot: null,
    firstSequence: known?.nextSequence ?? 0,
    events: [],
    calls: [],
    claimsScope: null,
    ...step,
    run: {
      runId: known?.runId ?? String(run),
      workflowId: workflowId ?? known?.workflowId ?? 'flow',
      workflowVersion: known?.workflowVersion ?? 1,
      status: status ?? known?.status ?? 'running',
      facts: { ...(known?.facts ?? facts), ...newFacts },
      text: { ...(known?.text ?? text), ...newText },
    },
  }
}

/** A run that claims its scope at its start. */
export function claimOf(runId: string, scopeId: string): RunStep {
  return stepOf(runId, { claimsScope: scopeId, facts: { scopeId } })
}

export const eventOf = (type: string) => ({ type, nodeId: null, facts: {} })

export async function ensureTenants({ storage, clock }: World, ...tenantIds: string[]): Promise<void> {
  for (const tenantId of tenantIds) await storage.ensureTenant(tenantId, { macKey: testMacKey }, clock.now)
}

/** Stores one step and returns the run after it. */
export async function store({ storage }: World, step: RunStep, tenantId = 'acme'): Promise<Run> {
  const [run] = (await storage.commit(batchOf({ tenantId, runs: [step] }))).runs
  assert.ok(run, 'a stored step gives its run')
  return run
}

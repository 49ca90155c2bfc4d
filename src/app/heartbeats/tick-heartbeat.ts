import { type HeartbeatNote, nextTick, tickNote } from '../../core/heartbeats/heartbeat.ts'
import type { JobLease, NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { isEnded, runKeyOf } from '../../core/run/run.ts'
import { mayActorAct } from '../access/scopes-of-actor.ts'
import type { Change } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { planFollowUpRun } from '../runs/follow-up-run.ts'
import type { Tenant } from '../tenant.ts'
import { findHeartbeat, type Heartbeat, type StoredHeartbeat, toHeartbeatBody } from './heartbeat-record.ts'
import { type Observation, observe, observeWithin } from './observe.ts'

/** The kind of the job of a heartbeat. It is put aside until the next tick after each one. */
export const heartbeatJobKind = 'colophon.heartbeat'

/** The job of a heartbeat, which is stored with it. The first tick is at once. */
export function heartbeatJobOf({ heartbeatId, jobId }: Heartbeat): NewJob {
  const attemptsMax = limits.runAttemptsMax
  return { jobId, kind: heartbeatJobKind, payload: { heartbeatId }, priority: 0, dueAt: null, attemptsMax }
}

/**
 * One tick of a heartbeat. The record of the tick, the new state, the run that it starts and the next due time of its job are one commit: after a
 * crash either all of it happened, or the tick is due again. Of two processes one holds the job.
 */
export async function tickHeartbeat(tenant: Tenant, heartbeatId: string, lease: JobLease): Promise<object | null> {
  const found = await findHeartbeat(tenant, heartbeatId)
  // It was removed, paused, or changed: then it has another job.
  if (found === null || found.heartbeat.jobId !== lease.jobId) return { removed: true }
  const { heartbeat } = found
  if ((await tenant.storage.tenant(tenant.id))?.status === 'disabled') {
    await tenant.commit({ kind: 'heartbeat.evaluated', park: parkOf(tenant, heartbeat, lease) }, call)
  } else {
    const observation = (await mayActorAct(tenant, heartbeat.by))
      ? await observeWithin(limits.heartbeatRuntimeMsMax, (signal) => observe(tenant, heartbeat, signal))
      : unobserved
    await decideAndCommit(async () => {
      const current = await findHeartbeat(tenant, heartbeatId)
      const park = parkOf(tenant, heartbeat, lease)
      if (current?.heartbeat.jobId !== lease.jobId) return tenant.commit({ kind: 'heartbeat.evaluated', park }, call)
      return recordTick(tenant, current, observation, { park })
    })
  }
  lease.spent = true
  tenant.engine.workers.wakeAt(nextTick(heartbeat.createdAt, heartbeat.intervalSec, tenant.now()))
  return null
}

/** The tick of a heartbeat whose key was revoked or has expired: it sees nothing and starts nothing. */
const unobserved: Observation = { status: 'error', state: null }

const actor = 'heartbeats'
const call = { actor, call: { operation: 'heartbeats.tick' } }

function parkOf(tenant: Tenant, { createdAt, intervalSec }: Heartbeat, { jobId, leaseToken }: JobLease) {
  return { jobId, leaseToken, dueAt: nextTick(createdAt, intervalSec, tenant.now()), waitsFor: [] }
}

/** Stores what a tick observed. A tick that changes nothing is in the audit only. */
export async function recordTick(
  tenant: Tenant,
  { heartbeat, revision }: StoredHeartbeat,
  { status, state }: Observation,
  parts: Partial<Pick<Change, 'park'>> = {},
): Promise<{ readonly note: HeartbeatNote; readonly runId: string | null }> {
  const note = tickNote(heartbeat.heartbeatId, status, heartbeat.state, state)
  const started = note.to === undefined ? null : await planStartedRun(tenant, heartbeat, note)
  const runId = started?.step.run.runId ?? null
  const changed =
    note.to === undefined ? {} : { state: note.to, changedAt: tenant.now(), runId: runId ?? heartbeat.runId }
  const body = toHeartbeatBody({ ...heartbeat, status, ...changed })
  const isSame = note.to === undefined && status === heartbeat.status
  const change: Change = {
    kind: note.to === undefined ? 'heartbeat.evaluated' : 'heartbeat.stateChanged',
    heartbeat: note,
    ...parts,
    ...(isSame ? {} : { admin: [{ kind: 'heartbeat', id: heartbeat.heartbeatId, body, expects: revision }] }),
    ...(started === null ? {} : { runs: [started.step], jobs: [started.job] }),
  }
  const { runs } = await tenant.commit(change, call)
  for (const run of runs) tenant.engine.runWatch.notify(runKeyOf(tenant.id, run.runId), run.nextSequence)
  if (started !== null) tenant.engine.workers.wake()
  return { note, runId }
}

/** The run of a change. There is none while the run of an earlier change has not ended: a heartbeat has at most one at a time. */
async function planStartedRun(tenant: Tenant, heartbeat: Heartbeat, { from, to }: HeartbeatNote) {
  const { workflowId, heartbeatId, by, reader, runId } = heartbeat
  if (workflowId === null) return null
  const last = runId === null ? null : await tenant.storage.runs.get(tenant.id, runId)
  if (last !== null && !isEnded(last.status)) return null
  const inputs = { heartbeatId, from, to }
  return planFollowUpRun(tenant, { workflowId, inputs, metadata: { heartbeatId }, actor: by, reader })
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from './caller.ts'
import { allRows, type Row } from './checks/check.ts'
import { answerGate } from './client.ts'
import type { Site } from './site.ts'
import { note, type Tally } from './tally.ts'

/** After the last fault: all accepted work must complete, and then no work is left. */

const settleMsMax = 60_000
const roundMs = 100
/** The clock is moved in steps of this, so that scheduled work becomes due. */
const stepMs = 5 * 60 * 1_000
/** Running work gets so long to end by itself: its lease would expire with every step of the clock. */
const workMsMax = 4_000
const host = '/v1/host/colophon'
const ourKinds = [
  ...['colophon.ingest', 'colophon.re-redact', 'colophon.run', 'colophon.forget'],
  ...['colophon.fire-commitment', 'colophon.distill', 'colophon.consolidate'],
]

export async function settle(site: Site, callers: readonly Caller[], tally: Tally): Promise<void> {
  // Where the clock was set back, it has reached its latest time again.
  site.clock.set(site.clock.latestMs)
  let stepped = Date.now()
  for (const until = Date.now() + settleMsMax; Date.now() < until; await pause(roundMs)) {
    const left = (await Promise.all(callers.map(answerInterrupts))).flat()
    if (left.length === 0 && (await Promise.all(callers.map(isDone))).every(Boolean)) return
    const isWorkedOn = left.some(({ status }) => status === 'leased')
    if (isWorkedOn && Date.now() - stepped < workMsMax) continue
    site.clock.set(site.clock.shiftMs + stepMs)
    stepped = Date.now()
  }
  for (const [index, caller] of callers.entries())
    for (const { id, kind, status, dueAt } of await answerInterrupts(caller))
      note(tally, 'all work ends', `${site.tenants[index]?.id}: ${kind} ${id} is ${status}, due at ${dueAt}`)
}

type Left = { readonly id: string; readonly kind: string; readonly status: string; readonly dueAt: string }

/** Answers open interrupts; returns the work that is left. */
async function answerInterrupts(caller: Caller): Promise<Left[]> {
  const left: Left[] = []
  for (const status of ['leased', 'queued']) {
    const answer = await caller.callUntilAnswered({ method: 'GET', path: `${host}/jobs?status=${status}&limit=500` })
    left.push(...(answer?.body.jobs ?? []).filter(isOurs))
  }
  const waiting = await caller.callUntilAnswered({
    method: 'GET',
    path: `${host}/runs?status=waiting-approval&limit=500`,
  })
  for (const { runId } of waiting?.body.runs ?? []) {
    await answerGate(caller, runId)
    // The run continues from here, with jobs that were not listed yet.
    left.push({ id: runId, kind: 'colophon.run', status: 'leased', dueAt: 'once answered' })
  }
  return left
}

/** A job that starts or fails between two lists is in neither. Here each job is listed once, whatever its status. */
async function isDone(caller: Caller): Promise<boolean> {
  const jobs = await allRows(caller, `${host}/jobs?limit=500`, 'jobs')
  return !jobs.some(isLeft)
}

export function isLeft(job: Row): boolean {
  return isOurs(job) && (job.status === 'queued' || job.status === 'leased')
}

/** Without the host's own maintenance jobs, which become due again as the clock moves. */
function isOurs({ kind, runId }: { kind: string; runId?: string }): boolean {
  return runId !== undefined || ourKinds.includes(kind)
}

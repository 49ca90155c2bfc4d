import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from './caller.ts'
import { allRows, type Row } from './checks/check.ts'
import { answerGate } from './client.ts'
import type { Site } from './site.ts'
import { note, type Tally } from './tally.ts'

/** After the last fault: everything that was promised for later is to happen, and then nothing is left to do. */

const settleMsMax = 60_000
const roundMs = 100
/** What waits for its time gets it, in steps of this. */
const stepMs = 5 * 60 * 1_000
/** What is being worked on gets so long to end by itself: its lease would run out with every step. */
const workMsMax = 4_000
const host = '/v1/host/colophon'
const ourKinds = ['colophon.ingest', 'colophon.re-redact', 'colophon.run', 'colophon.forget']

export async function settle(site: Site, callers: readonly Caller[], tally: Tally): Promise<void> {
  // Where the clock was set back, it has reached its latest time again.
  site.clock.set(site.clock.latestMs)
  let stepped = Date.now()
  for (const until = Date.now() + settleMsMax; Date.now() < until; await pause(roundMs)) {
    const left = (await Promise.all(callers.map(goOn))).flat()
    if (left.length === 0 && (await Promise.all(callers.map(isDone))).every(Boolean)) return
    const isWorkedOn = left.some(({ status }) => status === 'leased')
    if (isWorkedOn && Date.now() - stepped < workMsMax) continue
    site.clock.set(site.clock.shiftMs + stepMs)
    stepped = Date.now()
  }
  for (const [index, caller] of callers.entries())
    for (const { id, kind, status, dueAt } of await goOn(caller))
      note(
        tally,
        'everything comes to its end',
        `${site.tenants[index]?.id}: ${kind} ${id} is ${status}, due at ${dueAt}`,
      )
}

type Left = { readonly id: string; readonly kind: string; readonly status: string; readonly dueAt: string }

/** Answers whoever asks; gives what is still to be done. */
async function goOn(caller: Caller): Promise<Left[]> {
  const left: Left[] = []
  for (const status of ['leased', 'queued']) {
    const answer = await caller.insist({ method: 'GET', path: `${host}/jobs?status=${status}&limit=500` })
    left.push(...(answer?.body.jobs ?? []).filter(isOurs))
  }
  const waiting = await caller.insist({ method: 'GET', path: `${host}/runs?status=waiting-approval&limit=500` })
  for (const { runId } of waiting?.body.runs ?? []) {
    await answerGate(caller, runId)
    // It goes on from here, with jobs that nobody has seen yet.
    left.push({ id: runId, kind: 'colophon.run', status: 'leased', dueAt: 'once answered' })
  }
  return left
}

/** A job that begins or fails between two looks slips through both. Here each is looked at once, whatever it is doing. */
async function isDone(caller: Caller): Promise<boolean> {
  const jobs = await allRows(caller, `${host}/jobs?limit=500`, 'jobs')
  return !jobs.some(isLeft)
}

export function isLeft(job: Row): boolean {
  return isOurs(job) && (job.status === 'queued' || job.status === 'leased')
}

/** Not the host's own upkeep, which comes round again as the clock goes on. */
function isOurs({ kind, runId }: { kind: string; runId?: string }): boolean {
  return runId !== undefined || ourKinds.includes(kind)
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from './caller.ts'
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
    const left = (await Promise.all(site.tenants.map((_, index) => goOn(callers[index])))).flat()
    if (left.length === 0) return
    const isWorkedOn = left.some(({ status }) => status === 'leased')
    if (isWorkedOn && Date.now() - stepped < workMsMax) continue
    site.clock.set(site.clock.shiftMs + stepMs)
    stepped = Date.now()
  }
  for (const [index, tenant] of site.tenants.entries())
    for (const { id, kind, status, dueAt } of await goOn(callers[index]))
      note(tally, 'everything comes to its end', `${tenant.id}: ${kind} ${id} is ${status}, due at ${dueAt}`)
}

type Left = { readonly id: string; readonly kind: string; readonly status: string; readonly dueAt: string }

/** Answers whoever asks; gives what is still to be done. */
async function goOn(caller: Caller | undefined): Promise<Left[]> {
  if (!caller) return []
  const left: Left[] = []
  // What fails goes from leased to queued, what begins the other way: looked at only once each, it could slip through.
  for (const status of ['leased', 'queued', 'leased']) {
    const answer = await caller.insist({ method: 'GET', path: `${host}/jobs?status=${status}&limit=500` })
    left.push(...(answer?.body.jobs ?? []).filter(isOurs))
  }
  const waiting = await caller.insist({ method: 'GET', path: `${host}/runs?status=waiting-approval&limit=500` })
  for (const { runId } of waiting?.body.runs ?? []) await answerGate(caller, runId)
  return left
}

/** Not the host's own upkeep, which comes round again as the clock goes on. */
export function isOurs({ kind, runId }: { kind: string; runId?: string }): boolean {
  return runId !== undefined || ourKinds.includes(kind)
}

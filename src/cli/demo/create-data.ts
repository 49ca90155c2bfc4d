import type { Client } from '../../client/index.ts'
import type { DemoClock } from './clock.ts'
import { statements } from './statements.ts'
import { type MadeIds, week } from './week.ts'
import { runs } from './workflows.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How often and how long jobs of the step before are waited for. */
const pauseMs = 5
const pausesMax = 400

/** What the demo stored. `tellings` is the number of statements of services. */
export type DemoResult = MadeIds & {
  readonly people: number
  readonly tellings: number
  readonly contested: number
  readonly runs: number
}

/** The first instant of the week: the earliest step is on day 1, and day 6 is yesterday. */
export function startOfWeek(now: number): number {
  return now - (now % dayMs) - 6 * dayMs
}

/**
 * Stores the sample data with the public calls of the client. The order is always the same, so two demos differ only in ids and
 * instants. The clock is moved before each step. If it is the clock of a server that runs, everything is recorded now, and only the events
 * of services are dated in the week.
 */
export async function createDemoData(
  client: Client,
  clock: DemoClock,
  now: number,
  onDay: (day: number) => void,
): Promise<DemoResult> {
  const ids: MadeIds = { waitingRun: '', replayedRun: '', replay: '', correctedMemory: '' }
  let today = 0
  for (const { day, hour, act } of week) {
    if (day !== today) onDay(day)
    today = day
    const at = startOfWeek(now) + (day - 1) * dayMs + hour * hourMs
    if (clock.isSimulated) await waitForJobs(client, clock.now())
    clock.moveTo(at)
    await act(client, { at, now, ids })
  }
  if (clock.isSimulated) await waitForJobs(client, clock.now())
  const { claims } = await client.claims.list({ status: 'contested' })
  const people = new Set(statements.map(([, , , person]) => person)).size
  // The replayed run has two forks: the replay and a branch.
  return { people, tellings: statements.length, contested: claims.length, runs: runs.length + 2, ...ids }
}

/**
 * Waits until no job runs or is due. A lease ends by the clock: if the clock moved by hours meanwhile, the job would count as lost by its
 * worker. And each move makes the next attempt of a failed delivery due, so that the number of attempts does not depend on the machine.
 */
async function waitForJobs(client: Client, now: number): Promise<void> {
  for (let pauses = 0; pauses < pausesMax; pauses++) {
    const { jobs: leased } = await client.jobs.list({ status: 'leased', limit: 1 })
    const { jobs: queued } = await client.jobs.list({ status: 'queued' })
    if (leased.length === 0 && queued.every(({ dueAt }) => Date.parse(dueAt) > now)) return
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

import type { Client } from '../../client/index.ts'
import { waitForRun } from '../run-outcome.ts'
import * as memory from './memory-steps.ts'
import { statements } from './statements.ts'
import { runs } from './workflows.ts'

/** Ids that the next steps of the command name. */
export type MadeIds = { waitingRun: string; replayedRun: string; replay: string; correctedMemory: string }

type StepContext = {
  /** The instant of the step in the week. */
  readonly at: number
  /** The end of the week. */
  readonly now: number
  readonly ids: MadeIds
}

/** What happens on a day (6 is yesterday) at an hour, in UTC. */
type Step = {
  readonly day: number
  readonly hour: number
  readonly act: (client: Client, context: StepContext) => Promise<unknown>
}

const stated: readonly Step[] = statements.map((statement, index) => ({
  day: statement[0],
  hour: statement[1],
  act: (client, { at }) => memory.ingest(client, statement, index, at),
}))

const workOfPeople: readonly Step[] = [
  { day: 1, hour: 7, act: memory.prepareTenant },
  { day: 1, hour: 7.5, act: (client, { now }) => memory.takeNotes(client, 'team/handbook', now) },
  { day: 1, hour: 17, act: memory.revokeImporter },
  { day: 1, hour: 18, act: memory.writeConciergeLog },
  { day: 2, hour: 3, act: memory.compactConciergeLog },
  { day: 2, hour: 8.5, act: (client, { now }) => memory.takeNotes(client, 'agents/concierge', now) },
  { day: 2, hour: 11.5, act: memory.writeFerryNotes },
  { day: 4, hour: 16, act: memory.quarantine },
  { day: 5, hour: 15, act: memory.pinWinner },
  {
    day: 6,
    hour: 15,
    act: async (client, { ids }) => {
      ids.correctedMemory = await memory.changeMemories(client)
    },
  },
  { day: 6, hour: 16, act: memory.makeCommitments },
  { day: 6, hour: 17, act: memory.erasePerson },
]

const runsOfWeek: readonly Step[] = runs.flatMap(({ workflowId, inputs, day, hour, later }): Step[] => {
  let runId = ''
  const start: Step = {
    day,
    hour,
    act: async (client, { ids }) => {
      runId = (await client.runs.create({ workflowId, inputs, tags: ['demo'] })).runId
      const { status } = await waitForRun(client, runId)
      if (status === 'waiting-approval') ids.waitingRun = runId
    },
  }
  if (later === undefined) return [start]
  const { action, ...moment } = later
  const act: Step['act'] = async (client, { ids }) => {
    if (action === 'fork') return forkRun(client, runId, ids)
    await client.interrupts.answer(runId, 'approve', { action })
    await waitForRun(client, runId)
  }
  return [start, { ...moment, act }]
})

async function forkRun(client: Client, runId: string, ids: MadeIds): Promise<void> {
  const replay = await client.runs.fork(runId, { mode: 'replay' })
  await waitForRun(client, replay.runId)
  const branch = await client.runs.fork(runId, { mode: 'branch', fromSeq: 1 })
  await waitForRun(client, branch.runId)
  ids.replayedRun = runId
  ids.replay = replay.runId
}

/** All steps, in the order of the week. The sort is stable: steps of the same hour stay in the order of the lists. */
export const week: readonly Step[] = [...workOfPeople, ...stated, ...runsOfWeek].sort(
  (a, b) => a.day - b.day || a.hour - b.hour,
)

import { setTimeout as pause } from 'node:timers/promises'
import { maintenanceWorkflowId } from '../../src/core/run/run.ts'
import type { Caller } from '../caller.ts'
import { entriesPath } from '../wire.ts'
import { hookedEvents, loopNodes, runRef, writersOf } from '../workflows.ts'
import { allRows, compare, get, type Row, type TenantCheck } from './check.ts'

const host = '/v1/host/colophon'
const ends = ['run.completed', 'run.failed', 'run.cancelled']

/** Runs: each was created once, has ended, and recorded its events without a gap or a repetition. */
export const runsAreWhole: TenantCheck = async ({ ledger }, caller) => {
  const problems: string[] = []
  const all = await allRows(caller, `${host}/runs?limit=500`, 'runs')
  const rows = all.filter(({ workflowId }: Row) => workflowId !== maintenanceWorkflowId)
  const isChild = ({ parentRunId }: Row) => parentRunId !== undefined
  problems.push(
    ...compare(
      'the run',
      rows.filter((row) => !isChild(row)).map(({ runId }: Row) => runId),
      [...ledger.runs.keys()],
    ),
    // Each supervisor of the load sends one worker.
    ...compare(
      'the worker of the run',
      rows.filter(isChild).map(({ parentRunId }: Row) => parentRunId),
      [...ledger.runs].flatMap(([runId, { workflow }]) => (workflow === 'leads' ? [runId] : [])),
    ),
  )
  for (const [runId, { workflow }] of ledger.runs) {
    const { events, runStatus } = await get(caller, `/v1/runs/${runId}/events/poll?timeout=0`)
    const expected = workflow === 'fails' ? 'failed' : 'completed'
    if (runStatus !== expected) problems.push(`the run ${runId} (${workflow}) is ${runStatus}`)
    problems.push(...storyProblems(runId, events))
  }
  return { checked: ledger.runs.size, problems }
}

function storyProblems(runId: string, events: readonly Row[]): string[] {
  const problems: string[] = []
  if (events.some(({ sequence }, index) => sequence !== index)) problems.push(`the log of ${runId} has a gap`)
  const recorded = events
    .filter(({ nodeId }) => !loopNodes.includes(nodeId))
    .map(({ type, nodeId }) => `${type} ${nodeId ?? ''}`)
  for (const once of recorded.filter((what) => /^(run|node)\.(started|completed|failed) /.test(what)))
    if (recorded.filter((what) => what === once).length > 1) problems.push(`${runId} records "${once}" twice`)
  const endings = events.filter(({ type }) => ends.includes(type))
  if (endings.length !== 1 || endings[0] !== events.at(-1)) problems.push(`${runId} does not end once, at its end`)
  return problems
}

/** Writes of runs: every node's entry once, and one event for it. */
export const runsWroteOnce: TenantCheck = async ({ ledger }, caller) => {
  const rows = await allRows(caller, `${entriesPath(runRef)}?limit=500`, 'entries')
  const expected = [...ledger.runs.values()].flatMap(({ name, workflow }) =>
    (writersOf[workflow] ?? []).map((node) => `${node} of ${name}`),
  )
  const problems = compare(
    'the entry of a run',
    rows.map(({ content }: Row) => content),
    expected,
  )
  const recorded: string[] = []
  const children = (await allRows(caller, `${host}/runs?limit=500`, 'runs')).filter(({ parentRunId }) => parentRunId)
  for (const runId of [...ledger.runs.keys(), ...children.map((child: Row) => child.runId)]) {
    const { events } = await get(caller, `/v1/runs/${runId}/events/poll?timeout=0`)
    for (const { type, payload, nodeId } of events)
      if (type === 'memory.written' && nodeId !== undefined) recorded.push(payload.memoryId)
  }
  problems.push(
    ...compare(
      'the event of an entry',
      recorded,
      rows.map(({ id }: Row) => id),
    ),
  )
  return { checked: expected.length, problems }
}

/** Webhooks: every event was delivered at least once, always as it is in the log. */
export const webhooksWereDelivered: TenantCheck = async ({ ledger, id }, caller, { receiver }) => {
  const problems: string[] = []
  let checked = 0
  const deliveries = receiver.at(`/${id}`)
  const byEvent = new Map<string, string>()
  for (const { body } of deliveries) {
    const at = `${body.runId}/${body.event.sequence}`
    const text = JSON.stringify(body.event)
    if ((byEvent.get(at) ?? text) !== text) problems.push(`the event ${at} was sent with two contents`)
    byEvent.set(at, text)
  }
  for (const runId of ledger.runs.keys()) {
    const { events } = await get(caller, `/v1/runs/${runId}/events/poll?timeout=0`)
    for (const event of events.filter(({ type }: Row) => hookedEvents.includes(type))) {
      checked += 1
      const delivered = byEvent.get(`${runId}/${event.sequence}`)
      if (delivered === undefined)
        problems.push(`the event ${runId}/${event.sequence} (${event.type}) was never delivered`)
      else if (delivered !== JSON.stringify(event))
        problems.push(`the event ${runId}/${event.sequence} was sent with another content`)
    }
  }
  return { checked, problems }
}

const replaysMax = 5
const replayMsMax = 20_000

/** Replays: an ended run can be replayed from its record without a difference. Samples of the whole load. */
export const replaysAreEqual: TenantCheck = async ({ ledger }, caller) => {
  const problems: string[] = []
  const all = [...ledger.runs.keys()]
  const chosen = all.filter((_, index) => index % Math.ceil(all.length / replaysMax) === 0)
  for (const runId of chosen) {
    const call = { method: 'POST', path: `/v1/runs/${runId}:fork`, body: { mode: 'replay', fromSeq: 0 } }
    const fork = await caller.callUntilAnswered({ ...call, idempotencyKey: `replay-${runId}` })
    if (fork?.status !== 201) {
      problems.push(`no replay of ${runId}: ${fork?.status} ${JSON.stringify(fork?.body)}`)
      continue
    }
    await untilEnded(caller, fork.body.runId)
    const diff = await get(caller, `/v1/runs/${runId}:diff?against=${fork.body.runId}`)
    if (diff.divergedAtSeq !== null || Object.keys(diff.stateDiff).length > 0)
      problems.push(`the replay of ${runId} differs: ${JSON.stringify(diff).slice(0, 300)}`)
  }
  return { checked: chosen.length, problems }
}

async function untilEnded(caller: Caller, runId: string): Promise<void> {
  for (const until = Date.now() + replayMsMax; Date.now() < until; await pause(20)) {
    const { status } = await get(caller, `/v1/runs/${runId}`)
    if (['completed', 'failed', 'cancelled'].includes(status)) return
  }
}

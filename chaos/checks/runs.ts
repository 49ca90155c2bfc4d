import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from '../caller.ts'
import { entriesPath } from '../client.ts'
import { hookedEvents, runRef, writersOf } from '../story.ts'
import { allRows, compare, get, type Row, type TenantCheck } from './check.ts'

const host = '/v1/host/colophon'
const ends = ['run.completed', 'run.failed', 'run.cancelled']

/** Runs: each was made once, went to its end, and told its story without a gap or a repetition. */
export const runsAreWhole: TenantCheck = async ({ ledger }, caller) => {
  const problems: string[] = []
  const rows = await allRows(caller, `${host}/runs?limit=500`, 'runs')
  problems.push(
    ...compare(
      'the run',
      rows.map(({ runId }: Row) => runId),
      [...ledger.runs.keys()],
    ),
  )
  for (const [runId, { workflow }] of ledger.runs) {
    const { events, runStatus } = await get(caller, `/v1/runs/${runId}/events/poll?timeout=0`)
    const expected = workflow === 'fails' ? 'failed' : 'completed'
    if (runStatus !== expected) problems.push(`the run ${runId} (${workflow}) is ${runStatus}`)
    problems.push(...storyProblems(runId, events))
  }
  return { looked: ledger.runs.size, problems }
}

function storyProblems(runId: string, events: readonly Row[]): string[] {
  const problems: string[] = []
  if (events.some(({ sequence }, index) => sequence !== index)) problems.push(`the log of ${runId} has a gap`)
  const told = events.map(({ type, nodeId }) => `${type} ${nodeId ?? ''}`)
  for (const once of told.filter((what) => /^(run|node)\.(started|completed|failed) /.test(what)))
    if (told.filter((what) => what === once).length > 1) problems.push(`${runId} tells "${once}" twice`)
  const endings = events.filter(({ type }) => ends.includes(type))
  if (endings.length !== 1 || endings[0] !== events.at(-1)) problems.push(`${runId} does not end once, at its end`)
  return problems
}

/** What runs wrote: every node's entry once, and one event that tells of it. */
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
  const told: string[] = []
  for (const runId of ledger.runs.keys()) {
    const { events } = await get(caller, `/v1/runs/${runId}/events/poll?timeout=0`)
    for (const { type, payload, nodeId } of events)
      if (type === 'memory.written' && nodeId !== undefined) told.push(payload.memoryId)
  }
  problems.push(
    ...compare(
      'the event of an entry',
      told,
      rows.map(({ id }: Row) => id),
    ),
  )
  return { looked: expected.length, problems }
}

/** Webhooks: every event was told at least once, always as it stands in the log. */
export const webhooksWereTold: TenantCheck = async ({ ledger, id }, caller, { receiver }) => {
  const problems: string[] = []
  let looked = 0
  const deliveries = receiver.at(`/${id}`)
  const byEvent = new Map<string, string>()
  for (const { body } of deliveries) {
    const at = `${body.runId}/${body.event.sequence}`
    const text = JSON.stringify(body.event)
    if ((byEvent.get(at) ?? text) !== text) problems.push(`the event ${at} was told in two ways`)
    byEvent.set(at, text)
  }
  for (const runId of ledger.runs.keys()) {
    const { events } = await get(caller, `/v1/runs/${runId}/events/poll?timeout=0`)
    for (const event of events.filter(({ type }: Row) => hookedEvents.includes(type))) {
      looked += 1
      const told = byEvent.get(`${runId}/${event.sequence}`)
      if (told === undefined) problems.push(`the event ${runId}/${event.sequence} (${event.type}) was never told`)
      else if (told !== JSON.stringify(event)) problems.push(`the event ${runId}/${event.sequence} was told otherwise`)
    }
  }
  return { looked, problems }
}

const replaysMax = 5
const replayMsMax = 20_000

/** Replays: a run that is over can be repeated from its record, and nothing differs. Spread over the whole time. */
export const replaysAreEqual: TenantCheck = async ({ ledger }, caller) => {
  const problems: string[] = []
  const all = [...ledger.runs.keys()]
  const chosen = all.filter((_, index) => index % Math.ceil(all.length / replaysMax) === 0)
  for (const runId of chosen) {
    const ask = { method: 'POST', path: `/v1/runs/${runId}:fork`, body: { mode: 'replay', fromSeq: 0 } }
    const fork = await caller.insist({ ...ask, idempotencyKey: `replay-${runId}` })
    if (fork?.status !== 201) {
      problems.push(`no replay of ${runId}: ${fork?.status} ${JSON.stringify(fork?.body)}`)
      continue
    }
    await untilEnded(caller, fork.body.runId)
    const diff = await get(caller, `/v1/runs/${runId}:diff?against=${fork.body.runId}`)
    if (diff.divergedAtSeq !== null || Object.keys(diff.stateDiff).length > 0)
      problems.push(`the replay of ${runId} differs: ${JSON.stringify(diff).slice(0, 300)}`)
  }
  return { looked: chosen.length, problems }
}

async function untilEnded(caller: Caller, runId: string): Promise<void> {
  for (const until = Date.now() + replayMsMax; Date.now() < until; await pause(20)) {
    const { status } = await get(caller, `/v1/runs/${runId}`)
    if (['completed', 'failed', 'cancelled'].includes(status)) return
  }
}

import { join } from 'node:path'
import { type Connection, openConnections } from './http-load.ts'
import type { Recorder } from './recorder.ts'
import { openLibraryRuns, prepareRawFile, runActor, tenantId } from './run-library.ts'
import { openRawRuns } from './run-raw.ts'
import { workflow, workflowId } from './run-raw-rows.ts'
import { checkSameRows } from './run-same-rows.ts'
import { startOurs, startServer } from './servers.ts'
import { callers, inCallers } from './sqlite-writes.ts'

const section = 'Runs, 32 at once: ours beside the same two commits'
const runsPerSlice = 30 * callers
const turns = Array.from({ length: runsPerSlice }, (_, turn) => turn)
const draft = JSON.stringify({ workflowId })

/** A no-op run from creation to its end: over HTTP beside a bare server, and without HTTP beside bare code. */
export async function benchRuns(recorder: Recorder, folder: string): Promise<void> {
  await benchOverHttp(recorder, folder)
  await benchInProcess(recorder, folder)
}

async function benchOverHttp(recorder: Recorder, folder: string): Promise<void> {
  const measured = recorder.results.length
  const rawPath = join(folder, 'runs-raw-http.db')
  await prepareRawFile(rawPath)
  const [ours, raw] = await Promise.all([
    startOurs(join(folder, 'runs')),
    startServer(['bench/http-servers.ts', 'runs', rawPath]),
  ])
  const load = { ours: await openConnections(ours.url, callers), raw: await openConnections(raw.url, callers) }
  await load.ours.connections[0]?.ask('POST', '/v1/host/colophon/workflows', JSON.stringify(workflow))
  const slice = (connections: readonly Connection[], call: (connection: Connection) => Promise<unknown>) => () =>
    inCallers(turns, (_, caller) => call(connections[caller] as Connection))
  // Background work of one side must not run in the time slice of the other.
  const drain = async () => {
    await inCallers(turns.slice(0, callers), (_, caller) => runOnOurs(load.ours.connections[caller] as Connection))
    await inCallers(turns.slice(0, callers), (_, caller) =>
      (load.raw.connections[caller] as Connection).ask('POST', '/runs', draft),
    )
  }
  const common = { section, entries: 0, shown: 'rate', operations: runsPerSlice, referenceDoesLess: true } as const
  try {
    await recorder.compare({
      ...common,
      work: 'over HTTP, made and completed',
      target: 0.35,
      judged: { run: slice(load.ours.connections, runOnOurs) },
      reference: { run: slice(load.raw.connections, (connection) => connection.ask('POST', '/runs', draft)) },
    })
    await recorder.compare({
      ...common,
      work: 'over HTTP, made (completed behind the answer)',
      target: null,
      judged: { prepare: drain, run: slice(load.ours.connections, createOnOurs) },
      reference: {
        prepare: drain,
        run: slice(load.raw.connections, (connection) => connection.ask('POST', '/runs/made', draft)),
      },
    })
  } finally {
    for (const { close } of Object.values(load)) close()
    await Promise.all(
      [ours, raw].map(({ child }) => {
        child.kill('SIGTERM')
        return new Promise((resolve) => child.once('exit', resolve))
      }),
    )
  }
  // With --only nothing may have been measured, and then there is nothing to compare.
  if (recorder.results.length > measured) await checkSameRows(rawPath)
}

function createOnOurs(connection: Connection): Promise<string> {
  return connection.ask('POST', '/v1/runs', draft)
}

/** Creates a run and polls until it ends, as a client without a stream does. */
async function runOnOurs(connection: Connection): Promise<void> {
  const { runId } = JSON.parse(await createOnOurs(connection)) as { runId: string }
  for (let seen = -1; ; ) {
    const answer = await connection.ask('GET', `/v1/runs/${runId}/events/poll?lastSequence=${seen}`)
    // Searched as text, not parsed: the load should cost little beside the server.
    if (answer.includes('"isComplete":true')) {
      if (answer.includes('"runStatus":"completed"')) return
      throw new Error(`A run ended otherwise: ${answer.slice(-200)}`)
    }
    seen = (JSON.parse(answer) as { lastEventSeq: number }).lastEventSeq
  }
}

async function benchInProcess(recorder: Recorder, folder: string): Promise<void> {
  const measured = recorder.results.length
  const rawPath = join(folder, 'runs-raw.db')
  await prepareRawFile(rawPath)
  const ours = await openLibraryRuns(join(folder, 'runs-ours.db'))
  const raw = openRawRuns(rawPath, tenantId, runActor)
  try {
    await recorder.compare({
      ...{ section, work: 'in one process, made and completed', entries: 0, shown: 'rate', target: null },
      ...{ operations: runsPerSlice, referenceDoesLess: true },
      judged: { run: () => inCallers(turns, async () => ours.ended(await ours.create())) },
      reference: { run: () => inCallers(turns, async () => raw.complete(await raw.create({}))) },
    })
  } finally {
    await ours.close()
    raw.close()
  }
  // With --only nothing may have been measured, and then there is nothing to compare.
  if (recorder.results.length > measured) await checkSameRows(rawPath)
}

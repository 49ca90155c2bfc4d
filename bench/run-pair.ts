import { join } from 'node:path'
import { type Connection, openConnections } from './http-load.ts'
import type { Recorder } from './recorder.ts'
import { prepareRawFile } from './run-library.ts'
import { workflow, workflowId } from './run-raw-rows.ts'
import { checkSameRows } from './run-same-rows.ts'
import { startOurs, startServer } from './servers.ts'
import { callers, inCallers } from './sqlite-writes.ts'

const runsPerSlice = 30 * callers
const turns = Array.from({ length: runsPerSlice }, (_, turn) => turn)
const draft = JSON.stringify({ workflowId })

/** A no-op run from creation to its end over HTTP, beside a bare server that makes the same two commits. */
export async function benchRuns(recorder: Recorder, folder: string): Promise<void> {
  if (!recorder.wants('httpRun', 'httpRunV2')) return
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
  try {
    const inVersion1 = { run: slice(load.ours.connections, runOnOurs) }
    if (recorder.wants('httpRun'))
      await recorder.compare('httpRun', {
        ...{ operations: runsPerSlice, referenceDoesLess: true },
        judged: inVersion1,
        reference: { run: slice(load.raw.connections, (connection) => connection.ask('POST', '/runs', draft)) },
      })
    if (recorder.wants('httpRunV2'))
      await recorder.compare('httpRunV2', {
        operations: runsPerSlice,
        judged: { run: slice(load.ours.connections, runInVersion2) },
        reference: inVersion1,
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
  if (recorder.wants('httpRun')) await checkSameRows(rawPath)
}

/** Creates a run and polls until it ends, as a client without a stream does. */
async function runOnOurs(connection: Connection): Promise<void> {
  const { runId } = JSON.parse(await connection.ask('POST', '/v1/runs', draft)) as { runId: string }
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

/** The same in version 2. */
async function runInVersion2(connection: Connection): Promise<void> {
  const { eventsUrl } = JSON.parse(await connection.ask('POST', '/runs', draft)) as { eventsUrl: string }
  for (let after = ''; ; ) {
    const answer = await connection.ask('GET', `${eventsUrl}/poll${after}`)
    if (answer.includes('"isTerminal":true')) {
      if (answer.includes('"status":"completed"')) return
      throw new Error(`A run ended otherwise: ${answer.slice(-200)}`)
    }
    after = `?afterSequence=${(JSON.parse(answer) as { lastSequence: number }).lastSequence}`
  }
}

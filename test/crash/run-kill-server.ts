import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { allEvents } from '../../src/app/runs/recorded-run.ts'
import type { OpenOptions } from '../../src/open.ts'
import { toEventView } from '../../src/wires/openwop-v1/views/run-events.ts'
import { type RunEvent, register, startRun } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import { type Call, createHome, type Home, randomKey } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { openStream } from '../support/sse.ts'
import { checkQuiet, checkStory } from './run-checks.ts'
import { openHost } from './run-host.ts'
import { storyWorkflows } from './run-story.ts'

/** Real servers on the same data that are killed and restarted, while a client follows their runs and answers them. */
export type Scene = AsyncDisposable & {
  /** The log of each run, as far as it was ever shown. */
  readonly logs: ReadonlyMap<string, readonly RunEvent[]>
  start(): Promise<ServerProcess>
  /** Starts stories there, and gives their ids once they are acknowledged. */
  startStories(server: ServerProcess, count: number): Promise<string[]>
  /** Kills the server the moment it has shown this many events of the run, or its end. */
  killAtEvent(server: ServerProcess, runId: string, events: number): Promise<void>
  kill(server: ServerProcess): Promise<void>
  isEnded(runId: string): boolean
  /** Waits for the end of all runs, and looks at everything that is left of them. */
  finish(): Promise<void>
}

const ends = ['run.completed', 'run.failed', 'run.cancelled']
const roundMs = 50

export async function openScene(storage: 'sqlite' | 'postgres'): Promise<Scene> {
  const home = await createHome(storage)
  const env = { COLOPHON_BOOTSTRAP_KEY: randomKey(), COLOPHON_OPERATOR_KEY: randomKey() }
  const servers = new Set<ServerProcess>()
  const logs = new Map<string, readonly RunEvent[]>()
  const over = new AbortController()
  const isEnded = (runId: string) => ends.includes(logs.get(runId)?.at(-1)?.type)
  const following = follow(logs, servers, isEnded, over.signal)
  // A failure in there is reported when it is awaited; until then it must not end the process.
  following.catch(() => {})
  const kill = async (server: ServerProcess) => {
    servers.delete(server)
    await server.kill()
  }
  return {
    logs,
    isEnded,
    kill,
    async start() {
      const server = await startServerProcess({ home, env })
      for (const workflow of storyWorkflows) await register(server.call, workflow)
      servers.add(server)
      return server
    },
    async startStories(server, count) {
      const names = Array.from({ length: count }, () => randomBytes(4).toString('hex'))
      const ids = await Promise.all(names.map((name) => startRun(server.call, 'story', { inputs: { name } })))
      for (const runId of ids) note(logs, runId, [])
      return ids
    },
    async killAtEvent(server, runId, events) {
      await using stream = await openStream(`${server.url}/v1/runs/${runId}/events?streamMode=debug`, server.key)
      const isThere = () => stream.events.length >= events || ends.includes(stream.events.at(-1)?.event ?? '')
      await stream.until(`event ${events} was shown`, isThere)
      await kill(server)
      const shown = stream.events.map(({ data }) => data as RunEvent)
      note(logs, runId, shown)
    },
    async finish() {
      const open = () => [...logs.keys()].filter((runId) => !isEnded(runId))
      await Promise.race([following, eventually('every run has ended', async () => open().length === 0)])
      over.abort()
      await following
      await checkAll(home, logs)
    },
    async [Symbol.asyncDispose]() {
      over.abort()
      for (const server of servers) await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** Events that were shown never change: a longer log begins with every shorter one. */
function note(logs: Map<string, readonly RunEvent[]>, runId: string, shown: readonly RunEvent[]): void {
  const known = logs.get(runId) ?? []
  const [shorter, longer] = known.length < shown.length ? [known, shown] : [shown, known]
  assert.deepEqual(longer.slice(0, shorter.length), shorter, 'an event that was shown has changed')
  logs.set(runId, longer)
}

/** Reads the logs of all runs that have not ended, and accepts what they ask. Servers stop and start meanwhile. */
async function follow(
  logs: Map<string, readonly RunEvent[]>,
  servers: ReadonlySet<ServerProcess>,
  isEnded: (runId: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    const there = [...servers]
    const server = there[round % there.length]
    for (const runId of server ? logs.keys() : []) {
      if (!server || isEnded(runId)) continue
      const answer = await attempt(server.call, 'GET', `/v1/runs/${runId}/events/poll?timeout=0`)
      if (answer === null) break
      assert.equal(answer.status, 200, answer.text)
      note(logs, runId, answer.body.events)
      if (answer.body.runStatus === 'waiting-approval') await accept(server, runId)
    }
    await delay(roundMs)
  }
}

async function accept(server: ServerProcess, runId: string): Promise<void> {
  const body = { resumeValue: { action: 'accept' } }
  const answer = await attempt(server.call, 'POST', `/v1/runs/${runId}/interrupts/gate`, body)
  // An answer whose response was lost may have been accepted.
  if (answer !== null) assert.ok([200, 409].includes(answer.status), answer.text)
}

/** Null when the server was killed meanwhile. */
async function attempt(call: Call, ...request: Parameters<Call>) {
  try {
    return await call(...request)
  } catch {
    return null
  }
}

async function checkAll(home: Home, logs: ReadonlyMap<string, readonly RunEvent[]>): Promise<void> {
  const databaseUrl = home.env.COLOPHON_DATABASE_URL
  const open: OpenOptions = databaseUrl ? { databaseUrl } : { path: join(home.dataDir, 'colophon.db') }
  await using host = await openHost(open)
  for (const [runId, shown] of logs) {
    const events = await allEvents(host.engine.tenant('default'), runId)
    assert.deepEqual(
      events.map((event) => toEventView(runId, event)),
      shown,
    )
    await checkStory(host.engine.tenant('default'), runId)
  }
  await checkQuiet(host.engine.tenant('default'))
}

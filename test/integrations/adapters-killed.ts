import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../src/client/index.ts'
import { createHome, type StorageName } from '../support/server.ts'
import { cleanEnv, startServerProcess } from '../support/server-process.ts'
import { adapters } from './adapters.ts'

const program = fileURLToPath(new URL('./adapter-writer-program.ts', import.meta.url))

export type KillPlan = {
  readonly storage?: StorageName
  /** Numbers that are sent through every adapter. */
  readonly writes: number
  /** Something is killed after this many of them. */
  readonly killEvery: number
  /** A client that starts again sends this many numbers again. */
  readonly resent: number
}

/** What an adapter did with the numbers that were sent. All but the first must be 0. */
export type AdapterFigures = { stored: number; lost: number; doubled: number; outOfOrder: number }

export type KillReport = {
  readonly adapters: Readonly<Record<string, AdapterFigures>>
  readonly kills: { readonly clients: number; readonly servers: number }
  readonly anomalies: readonly unknown[]
}

/**
 * Two clients send the same numbers through every adapter, on one session, and race. So every write is retried. Client, server, the other
 * client and the server are killed by turns, and start again.
 */
export async function killAdapters({ storage = 'sqlite', writes, killEvery, resent }: KillPlan): Promise<KillReport> {
  await using home = await createHome(storage)
  let server = await startServerProcess({ home })
  const { url, key } = server
  const env = { COLOPHON_PORT: new URL(url).port, COLOPHON_BOOTSTRAP_KEY: key }
  const progress = new EventEmitter()
  const start = (reached: number): Writer => {
    const args = [program, String(Math.max(0, reached - resent)), String(writes)]
    const clientEnv = cleanEnv({ COLOPHON_URL: url, COLOPHON_API_KEY: key })
    const child = spawn(process.execPath, args, { env: clientEnv, stdio: ['ignore', 'pipe', 'inherit'] })
    return follow(child, reached, progress)
  }
  const writers = [start(0), start(0)]
  const kills = { clients: 0, servers: 0 }
  const reached = () => Math.max(...writers.map((writer) => writer.reached))
  try {
    for (let next = killEvery; writers.some(({ reached: at }) => at < writes); ) {
      await once(progress, 'change')
      if (reached() < next || reached() >= writes) continue
      next = reached() + killEvery
      if ((kills.clients + kills.servers) % 2 === 0) {
        const index = kills.clients++ % 2
        const writer = writers[index] as Writer
        await writer.kill()
        writers[index] = start(writer.reached)
      } else {
        kills.servers++
        await server.kill()
        server = await startServerProcess({ home, env })
      }
    }
    // Verifying every stored row of a long proof takes more than the usual time-out.
    const client = createClient({ url, key, timeoutMs: 600_000 })
    const figures: Record<string, AdapterFigures> = {}
    for (const [name, open] of Object.entries(adapters))
      figures[name] = compare(await open(client, 'killed').read(), writes)
    return { adapters: figures, kills, anomalies: (await client.audit.verify({ contents: 'true' })).anomalies }
  } finally {
    for (const { kill } of writers) await kill()
    await server[Symbol.asyncDispose]()
  }
}

type Writer = { reached: number; kill(): Promise<void> }

/** Counts what a client reports. A client that ends before the last number has failed, which its error says. */
function follow(child: ChildProcess, reached: number, progress: EventEmitter): Writer {
  const ended = once(child, 'close')
  const writer: Writer = {
    reached,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    writer.reached = Math.max(writer.reached, Number(line) + 1)
    progress.emit('change')
  })
  child.once('exit', (code) => {
    if (code) progress.emit('error', new Error(`A client ended with code ${code}.`))
  })
  return writer
}

/** Compares the numbers that are stored, oldest first, with 0, 1, 2, … */
export function compare(numbers: readonly number[], writes: number): AdapterFigures {
  const first = [...new Set(numbers)]
  return {
    stored: numbers.length,
    lost: writes - first.length,
    doubled: numbers.length - first.length,
    outOfOrder: first.filter((number, at) => at > 0 && number < (first[at - 1] ?? 0)).length,
  }
}

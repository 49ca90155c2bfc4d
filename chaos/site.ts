import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Receiver, startReceiver } from '../test/server/webhooks-receiver.ts'
import { createFolder, type TestFolder } from '../test/support/databases.ts'
import { type Home, randomKey, startServer, type TestServer } from '../test/support/server.ts'
import { type Clock, createClock } from './clock.ts'
import { type ChaosDatabase, startDatabase } from './database.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { bodyLimitBytes } from './malformed.ts'
import type { DatabaseName } from './plan.ts'
import type { Random } from './random.ts'
import { note, type Tally } from './tally.ts'
import type { Target } from './wire.ts'

/** Where it all happens: real servers on one database, a receiver of webhooks, and a clock that can be set. */
export type Site = AsyncDisposable & {
  readonly name: DatabaseName
  /** The server behind them, if they have one. */
  readonly database: ChaosDatabase | null
  readonly dataDir: string
  /** What a command needs to work on the same data. */
  readonly env: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly receiver: Receiver
  readonly tenants: SiteTenant[]
  /** A server that is up, as this tenant. */
  pick(tenant: SiteTenant, random: Random): Target | null
  /** The one at this place. */
  at(tenant: SiteTenant, server: number): Target | null
  signal(server: number, signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends the server at this place, and starts another. */
  replace(server: number, signal: 'SIGKILL' | 'SIGTERM', prepare?: string): Promise<void>
  stopAll(): Promise<void>
  logs(): string
}

export type SiteTenant = { readonly id: string; readonly key: string; readonly ledger: Ledger }

type Place = { server: TestServer | null }

/** SQLite is for one process. */
const serversOf = { sqlite: 1, postgres: 2 } as const

const startMsMax = 30_000

export async function openSite(name: DatabaseName, tally: Tally): Promise<Site> {
  const folder = createFolder()
  const clock = createClock(folder.file('clock'))
  const receiver = await startReceiver()
  const database = name === 'postgres' ? await startDatabase() : null
  const home = homeIn(folder, database)
  const keys = {
    COLOPHON_BOOTSTRAP_KEY: randomKey(),
    COLOPHON_OPERATOR_KEY: randomKey(),
    COLOPHON_VAULT_KEY: randomBytes(32).toString('base64'),
  }
  const env = {
    ...keys,
    ...clock.env,
    COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1',
    COLOPHON_BODY_LIMIT_BYTES: String(bodyLimitBytes),
    COLOPHON_LOG_LEVEL: 'error',
  }
  const places: Place[] = Array.from({ length: serversOf[name] }, () => ({ server: null }))
  let logs = ''

  async function start(place: Place, prepare?: string): Promise<void> {
    const server = await startServer({ home, env, ...(prepare === undefined ? {} : { prepare }) })
    place.server = server
    void server.ended.then(({ code, signal }) => {
      logs += server.logs()
      // Whoever ends a server takes it from its place first.
      if (place.server === server) note(tally, 'no server ends by itself', `it ended with ${code ?? signal}`)
    })
  }

  async function end(place: Place, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { server } = place
    place.server = null
    await (signal === 'SIGKILL' ? server?.kill() : server?.stop())
  }

  const at = ({ key }: SiteTenant, server: number): Target | null => {
    const url = places[server % places.length]?.server?.url
    return url === undefined ? null : { url, key }
  }
  const site: Site = {
    name,
    database,
    clock,
    receiver,
    dataDir: home.dataDir,
    env: { ...env, ...home.env },
    tenants: [{ id: 'default', key: keys.COLOPHON_BOOTSTRAP_KEY, ledger: createLedger() }],
    pick: (tenant, random) => at(tenant, random.below(places.length)),
    at,
    signal(server, signal) {
      const pid = places[server % places.length]?.server?.pid
      if (pid) process.kill(pid, signal)
    },
    async replace(server, signal, prepare) {
      const place = places[server % places.length]
      if (!place) return
      await end(place, signal)
      await start(place, prepare)
    },
    async stopAll() {
      await Promise.all(places.map((place) => end(place, 'SIGTERM')))
    },
    logs: () => logs + places.map(({ server }) => server?.logs() ?? '').join(''),
    async [Symbol.asyncDispose]() {
      await Promise.all(places.map((place) => end(place, 'SIGKILL')))
      await receiver[Symbol.asyncDispose]()
      await database?.close()
      folder.remove()
    },
  }
  try {
    for (const place of places) await inTime(start(place))
    const [first] = places
    const other = await first?.server?.tenant('other')
    if (other) site.tenants.push({ id: other.id, key: other.key, ledger: createLedger() })
    return site
  } catch (error) {
    await site[Symbol.asyncDispose]()
    throw error
  }
}

function homeIn(folder: TestFolder, database: ChaosDatabase | null): Home {
  const dataDir = folder.file('data')
  const env = { COLOPHON_DATA_DIR: dataDir, ...(database ? { COLOPHON_DATABASE_URL: database.url } : {}) }
  return { dataDir, env, [Symbol.asyncDispose]: async () => folder.remove() }
}

async function inTime(starting: Promise<void>): Promise<void> {
  const late = pause(startMsMax, 'late', { ref: false })
  if ((await Promise.race([starting, late])) === 'late') throw new Error('A server did not start in time.')
}

import { randomBytes } from 'node:crypto'
import { type Receiver, startReceiver } from '../test/server/webhooks-receiver.ts'
import { type Env, randomKey } from '../test/support/server.ts'
import { createFolder } from '../test/support/temporary-folder.ts'
import { type Clock, createClock } from './clock.ts'
import { type ChaosDatabase, startDatabase } from './database.ts'
import { createFleet, type Fleet } from './fleet.ts'
import type { Follower } from './follower.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { bodyLimitBytes } from './malformed.ts'
import { endOf } from './phase.ts'
import type { DatabaseName } from './plan.ts'
import type { Random } from './random.ts'
import type { Tally } from './tally.ts'
import type { Target } from './wire.ts'

/** The environment of a load: real servers on one database, a receiver of webhooks, and a clock that can be set. */
export type Site = AsyncDisposable & {
  readonly name: DatabaseName
  /** The server behind them, if they have one. */
  readonly database: ChaosDatabase | null
  readonly dataDir: string
  /** What a command needs to work on the same data. */
  readonly env: Env
  readonly clock: Clock
  readonly receiver: Receiver
  readonly fleet: Fleet
  readonly tenants: readonly SiteTenant[]
  /** A separate tenant with poison jobs: each kills the server that runs it. */
  readonly poison: SiteTenant
  /** A server that is up, as this tenant. */
  pick(tenant: SiteTenant, random: Random): Target | null
}

export type SiteTenant = {
  readonly id: string
  readonly key: string
  readonly ledger: Ledger
  follower?: Follower
}

const closeSecondsMax = 60
/** SQLite is for one process. */
const serversOf = { sqlite: 1, postgres: 2 } as const

export async function openSite(name: DatabaseName, tally: Tally): Promise<Site> {
  const folder = createFolder()
  const clock = createClock(serversOf[name], folder.file)
  const receiver = await startReceiver()
  const database = name === 'postgres' ? await startDatabase() : null
  const dataDir = folder.file('data')
  const key = randomKey()
  const env = {
    COLOPHON_BOOTSTRAP_KEY: key,
    COLOPHON_OPERATOR_KEY: randomKey(),
    COLOPHON_VAULT_KEY: randomBytes(32).toString('base64'),
    COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1',
    COLOPHON_BODY_LIMIT_BYTES: String(bodyLimitBytes),
    COLOPHON_LOG_LEVEL: 'error',
    COLOPHON_DATA_DIR: dataDir,
    ...(database ? { COLOPHON_DATABASE_URL: database.url } : {}),
  }
  const home = { dataDir, env: {}, [Symbol.asyncDispose]: async () => {} }
  const fleet = createFleet(serversOf[name], home, (place) => ({ ...env, ...clock.envOf(place) }), tally)
  const close = async () => {
    await fleet.endAll('SIGKILL')
    await receiver[Symbol.asyncDispose]()
    await database?.close()
    folder.remove()
  }
  try {
    await fleet.startAll()
    const tenantOf = async (id: string) => ({ id, key: await fleet.addTenant(id), ledger: createLedger() })
    return {
      name,
      database,
      dataDir,
      env: { ...env, ...clock.envOf(0) },
      clock,
      receiver,
      fleet,
      tenants: [{ id: 'default', key, ledger: createLedger() }, await tenantOf('other')],
      poison: await tenantOf('poison'),
      pick({ key }, random) {
        const url = fleet.urlAt(random.below(fleet.places))
        return url === null ? null : { url, key }
      },
      [Symbol.asyncDispose]: () => endOf(tally, 'Closing', closeSecondsMax, close()),
    }
  } catch (error) {
    await close()
    throw error
  }
}

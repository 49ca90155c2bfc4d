import { randomBytes } from 'node:crypto'
import { after, before } from 'node:test'
import { loadConfig } from '../../src/config/config.ts'
import { createDatabase } from './databases.ts'
import { createFolder } from './temporary-folder.ts'
import { isThorough } from './thorough.ts'

export type StorageName = 'sqlite' | 'postgres' | 'memory'
export type Env = Readonly<Record<string, string>>

/**
 * Where suites about behaviour run. The storage contract and model equality show that all stores behave the same,
 * so `npm test` runs these suites on SQLite, and `npm run test:all` on PostgreSQL too.
 */
export const storagesOfBehaviour: readonly ('sqlite' | 'postgres')[] = isThorough ? ['sqlite', 'postgres'] : ['sqlite']

/** Where servers keep their data: it outlives them, until the test removes it. */
export type Home = { readonly dataDir: string; readonly env: Env } & AsyncDisposable

export async function createHome(storage: StorageName, makeDatabase = createDatabase): Promise<Home> {
  const folder = createFolder()
  const database = storage === 'postgres' ? await makeDatabase() : null
  const dataDir = folder.file('data')
  return {
    dataDir,
    env: {
      COLOPHON_DATA_DIR: dataDir,
      ...(storage === 'memory' ? { COLOPHON_STORAGE: 'memory' } : {}),
      ...(database ? { COLOPHON_DATABASE_URL: database.url } : {}),
    },
    async [Symbol.asyncDispose]() {
      folder.remove()
      await database?.drop()
    },
  }
}

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the test decides the shape of a response, and checks it.
  readonly body: any
}

export type Call = (method: string, path: string, body?: unknown, headers?: Env) => Promise<Answer>

export type Tenant = { readonly id: string; readonly key: string; readonly call: Call }

export type TestServer = AsyncDisposable & {
  readonly url: string
  /** The key of the tenant `default`: configured, or the one that the first start made. */
  readonly key: string
  readonly operatorKey: string
  readonly dataDir: string
  readonly call: Call
  /** Calls with another key, or with none. */
  as(key: string | null): Call
  /** A new tenant, with a key of all scopes. */
  tenant(id?: string): Promise<Tenant>
  /** Everything the server logged so far. */
  logs(): string
  /** Stops it as a signal would: requests under way are answered first. */
  stop(): Promise<unknown>
}

export type ServerOptions = {
  readonly storage?: StorageName
  readonly home?: Home
  readonly env?: Env
}

export function randomKey(): string {
  return `test-${randomBytes(24).toString('hex')}`
}

/** The variables that every test server gets, and the home it keeps its data in. */
export async function serverEnv({ storage = 'sqlite', home, env = {} }: ServerOptions) {
  const own = home ?? (await createHome(storage))
  const given = { COLOPHON_BOOTSTRAP_KEY: randomKey(), COLOPHON_OPERATOR_KEY: randomKey(), ...env }
  return {
    env: { COLOPHON_PORT: '0', ...given, ...own.env },
    bootstrapKey: given.COLOPHON_BOOTSTRAP_KEY,
    operatorKey: given.COLOPHON_OPERATOR_KEY,
    dataDir: own.dataDir,
    removeHome: async () => (home ? undefined : own[Symbol.asyncDispose]()),
  }
}

/**
 * The real server on a free port, put together in this process by the program's own composition root. Suites that are
 * about the process itself (signals, crashes, standard output, limits, telemetry) start one with `startServerProcess`.
 */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const { env, bootstrapKey, operatorKey, dataDir, removeHome } = await serverEnv(options)
  // Loaded on use: most suites of the command line and of processes import this file and start no server here.
  const [{ createServer }, { drain, listen }] = await Promise.all([
    import('../../src/server/serve.ts'),
    import('../../src/server/listen.ts'),
  ])
  const config = loadConfig(env)
  let logs = ''
  const logTo = {
    write(line: string) {
      logs += line
    },
  }
  const server = await createServer({ config, logTo })
  const { url, firstKey } = await listen(server, config)
  let stopped: Promise<void> | null = null
  const stop = () => {
    stopped ??= drain(server)
    return stopped
  }
  return {
    ...callsOf(url, bootstrapKey || (firstKey ?? ''), operatorKey),
    dataDir,
    logs: () => logs,
    stop,
    async [Symbol.asyncDispose]() {
      const ended = stop()
      server.app.server.closeAllConnections()
      await ended
      await removeHome()
    },
  }
}

/** A server for the tests of a suite: it starts before the first and stops after the last. */
export function useServer(options: ServerOptions = {}): TestServer {
  let server: TestServer
  before(async () => {
    server = await startServer(options)
  })
  after(() => server[Symbol.asyncDispose]())
  return new Proxy({} as TestServer, { get: (_, member: keyof TestServer) => server[member] })
}

/** What a test does with a server that it has the address of. */
export function callsOf(url: string, key: string, operatorKey: string) {
  const as = (key: string | null) => caller(url, key)
  return {
    url,
    key,
    operatorKey,
    as,
    call: as(key),
    async tenant(id = `tenant-${randomBytes(6).toString('hex')}`): Promise<Tenant> {
      const made = await as(operatorKey)('POST', '/v1/host/colophon/tenants', { id })
      if (made.status !== 201) throw new Error(`The tenant was not made: ${made.text}`)
      return { id, key: made.body.key.key as string, call: as(made.body.key.key as string) }
    },
  }
}

/** Longer than any response takes: reached only by a request that hangs. */
const answerMsMax = 30_000

function caller(url: string, key: string | null): Call {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return { status: response.status, headers: response.headers, text, body: isJson && text ? JSON.parse(text) : null }
  }
}

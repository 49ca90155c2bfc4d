import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createDatabase, createFolder } from './databases.ts'

export type StorageName = 'sqlite' | 'postgres' | 'memory'
export type Env = Readonly<Record<string, string>>

/** Where a server keeps its data: it stays while servers come and go, until the test removes it. */
export type Home = { readonly dataDir: string; readonly env: Env } & AsyncDisposable

export async function createHome(storage: StorageName): Promise<Home> {
  const folder = createFolder()
  const database = storage === 'postgres' ? await createDatabase() : null
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
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test says it is, and the test checks it.
  readonly body: any
}

export type Call = (method: string, path: string, body?: unknown, headers?: Env) => Promise<Answer>

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type Tenant = { readonly id: string; readonly key: string; readonly call: Call }

export type TestServer = AsyncDisposable & {
  readonly url: string
  readonly pid: number
  /** The key of the tenant `default`: configured, or the one the first start printed. */
  readonly key: string
  readonly operatorKey: string
  readonly dataDir: string
  readonly call: Call
  /** Calls as somebody else, or as nobody. */
  as(key: string | null): Call
  /** A tenant of its own, with a key that may do everything. */
  tenant(id?: string): Promise<Tenant>
  /** Everything the process wrote so far, on both streams. */
  logs(): string
  /** Asks the process to end; what it ended with. */
  stop(): Promise<Ended>
  kill(): Promise<Ended>
  readonly ended: Promise<Ended>
}

export type ServerOptions = {
  readonly storage?: StorageName
  readonly home?: Home
  readonly env?: Env
  /** Said to a shell before it becomes the server: for limits that only a shell can set. */
  readonly prepare?: string
}

export const mainProgram = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** This process's environment without any variable of the product: only what a test says counts. */
export function cleanEnv(env: Env): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('COLOPHON_'))
  return { ...Object.fromEntries(inherited), ...env }
}

export function randomKey(): string {
  return `test-${randomBytes(24).toString('hex')}`
}

/** A process that was asked to serve and either listens or ends. */
export function launchServer(env: Env, prepare?: string) {
  const program = [process.execPath, mainProgram, 'serve'] as const
  const [command, ...args] = prepare === undefined ? program : ['sh', '-c', `${prepare}; exec "$@"`, 'sh', ...program]
  const child = spawn(command, args, { env: cleanEnv(env), stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let output = ''
  const listening = new Promise<string | null>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /^colophon listening on (http:\/\/\S+)$/.exec(line)?.[1]
      if (url) resolve(url)
    })
    child.once('close', () => resolve(null))
  })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk))
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    running.delete(child)
    return { code, signal }
  })
  const signal = (name: NodeJS.Signals) => {
    child.kill(name)
    return ended
  }
  return { pid: child.pid ?? 0, listening, ended, signal, logs: () => output }
}

export type Refusal = Ended & { readonly logs: string }

const exitMsMax = 10_000

/** A start that must fail: how the process ended. One that hangs is killed, which the signal then tells. */
export async function failToStart(env: Env): Promise<Refusal> {
  const child = launchServer({ COLOPHON_PORT: '0', ...env })
  const overdue = setTimeout(() => child.signal('SIGKILL'), exitMsMax)
  const url = await child.listening
  clearTimeout(overdue)
  if (url !== null) await child.signal('SIGKILL')
  return { ...(await child.ended), logs: child.logs() }
}

/** The real program, on a free port, with data of its own. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const { storage = 'sqlite', home, env = {}, prepare } = options
  const own = home ?? (await createHome(storage))
  const operatorKey = env.COLOPHON_OPERATOR_KEY ?? randomKey()
  const given = { COLOPHON_BOOTSTRAP_KEY: randomKey(), ...env }
  const child = launchServer({ COLOPHON_PORT: '0', COLOPHON_OPERATOR_KEY: operatorKey, ...given, ...own.env }, prepare)
  const url = await child.listening
  if (url === null) throw new Error(`The server did not start: ${child.logs()}`)
  const key = given.COLOPHON_BOOTSTRAP_KEY || printedKey(child.logs()) || ''
  const as = (as: string | null) => caller(url, as)
  return {
    url,
    key,
    operatorKey,
    as,
    pid: child.pid,
    dataDir: own.dataDir,
    call: as(key),
    async tenant(id = `tenant-${randomBytes(6).toString('hex')}`) {
      const made = await as(operatorKey)('POST', '/v1/host/colophon/tenants', { id })
      if (made.status !== 201) throw new Error(`The tenant was not made: ${made.text}`)
      return { id, key: made.body.key.key as string, call: as(made.body.key.key as string) }
    },
    logs: child.logs,
    stop: () => child.signal('SIGTERM'),
    kill: () => child.signal('SIGKILL'),
    ended: child.ended,
    async [Symbol.asyncDispose]() {
      await child.signal('SIGKILL')
      if (!home) await own[Symbol.asyncDispose]()
    },
  }
}

/** The key that a first start shows. */
export function printedKey(logs: string): string | null {
  return /^colophon api key for tenant default: (\S+)$/m.exec(logs)?.[1] ?? null
}

function caller(url: string, key: string | null): Call {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      // Whatever takes this long never comes.
      signal: AbortSignal.timeout(30_000),
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

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { callsOf, type Env, type ServerOptions, serverEnv, type TestServer } from './server.ts'
import { createFolder } from './temporary-folder.ts'

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type ServerProcess = TestServer & {
  readonly pid: number
  /** Everything the process wrote so far, on both streams. */
  logs(): string
  /** Sends SIGTERM; resolves with how the process ended. */
  stop(): Promise<Ended>
  kill(): Promise<Ended>
  readonly ended: Promise<Ended>
}

/** The program from the source; `npm test` as a whole bundles it first. */
export const mainProgram =
  process.env.COLOPHON_TEST_PROGRAM ?? fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

let configFolder: string | null = null

/** The environment of this process without variables and profiles of the product: only those of the test count. */
export function cleanEnv(env: Env): NodeJS.ProcessEnv {
  configFolder ??= createFolder().path
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('COLOPHON_'))
  return { ...Object.fromEntries(inherited), XDG_CONFIG_HOME: configFolder, ...env }
}

/** Starts a process that serves or ends. A shell runs `prepare` first, for limits that only a shell can set. */
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

/** A start that must fail: how the process ended. One that hangs is killed, which the signal then shows. */
export async function failToStart(env: Env): Promise<Refusal> {
  const child = launchServer({ COLOPHON_PORT: '0', ...env })
  const overdue = setTimeout(() => child.signal('SIGKILL'), exitMsMax)
  const url = await child.listening
  clearTimeout(overdue)
  if (url !== null) await child.signal('SIGKILL')
  return { ...(await child.ended), logs: child.logs() }
}

/** The real program in a process of its own, on a free port, with data of its own. */
export async function startServerProcess(
  options: ServerOptions & { readonly prepare?: string } = {},
): Promise<ServerProcess> {
  const { env, bootstrapKey, operatorKey, dataDir, removeHome } = await serverEnv(options)
  const child = launchServer(env, options.prepare)
  const url = await child.listening
  if (url === null) throw new Error(`The server did not start: ${child.logs()}`)
  return {
    ...callsOf(url, bootstrapKey || printedKey(child.logs()) || '', operatorKey),
    pid: child.pid,
    dataDir,
    logs: child.logs,
    stop: () => child.signal('SIGTERM'),
    kill: () => child.signal('SIGKILL'),
    ended: child.ended,
    async [Symbol.asyncDispose]() {
      await child.signal('SIGKILL')
      await removeHome()
    },
  }
}

/** The key that a first start prints. */
export function printedKey(logs: string): string | null {
  return /^colophon api key for tenant default: (\S+)$/m.exec(logs)?.[1] ?? null
}

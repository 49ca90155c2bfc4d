import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * A test's second process. It gets its options as JSON, reports facts as lines of JSON, and stops at the end
 * of its standard input, which also comes when the test process ends: no process is left running.
 */
export type Child<Message> = {
  readonly pid: number
  readonly messages: readonly Message[]
  /** Resolves when enough messages fit; rejects when the program ends before that. */
  until(count: number, fits?: (message: Message) => boolean): Promise<void>
  kill(signal: NodeJS.Signals): void
  /** Asks the program to finish and waits for it. */
  stop(): Promise<Ended>
  readonly ended: Promise<Ended>
}

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly stderr: string }

export function startChild<Message>(program: URL, options: unknown): Child<Message> {
  return followChild(spawn(process.execPath, [pathOf(program), JSON.stringify(options)], piped))
}

/** The same through a shell, for limits that only a shell can set. */
export function startChildInShell<Message>(prepare: string, program: URL, options: unknown): Child<Message> {
  const args = ['-c', `${prepare}; exec "$@"`, 'sh', process.execPath, pathOf(program), JSON.stringify(options)]
  return followChild(spawn('sh', args, piped))
}

/** The program from the source; `npm test` as a whole bundles it first. */
function pathOf(program: URL): string {
  const path = fileURLToPath(program)
  const bundled = join(process.env.COLOPHON_TEST_CHILDREN ?? '', `${basename(path, '.ts')}.js`)
  return isAbsolute(bundled) && existsSync(bundled) ? bundled : path
}

const piped: SpawnOptions = { stdio: ['pipe', 'pipe', 'pipe'] }

const running = new Set<ChildProcess>()

/** For an `after` hook: a test that failed half-way leaves no process behind, and can end itself. */
export function endChildren(): void {
  for (const child of running) child.kill('SIGKILL')
}

function followChild<Message>(child: ChildProcess): Child<Message> {
  const { stdin, stdout, stderr: errors } = child
  if (!stdin || !stdout || !errors) throw new Error('the child has no pipes')
  running.add(child)
  const messages: Message[] = []
  const watchers = new Set<() => void>()
  let stderr = ''
  let over: Ended | null = null
  const wake = () => {
    for (const watcher of [...watchers]) watcher()
  }
  errors.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-20_000)
  })
  createInterface({ input: stdout }).on('line', (line) => {
    const message = parseLine(line)
    if (message !== undefined) messages.push(message as Message)
    wake()
  })
  // A killed child leaves a broken pipe behind, which is no failure of the test.
  stdin.on('error', () => {})
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    over = { code, signal, stderr }
    running.delete(child)
    wake()
    return over
  })
  return {
    pid: child.pid ?? 0,
    messages,
    ended,
    until: (count, fits = () => true) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const reached = messages.filter(fits).length >= count
          if (!reached && over === null) return
          watchers.delete(look)
          if (reached) resolve()
          else reject(new Error(`The child ended too early (${over?.code ?? over?.signal}): ${stderr}`))
        }
        watchers.add(look)
        look()
      }),
    kill: (signal) => void child.kill(signal),
    stop: () => {
      stdin.end()
      return ended
    },
  }
}

/** The last line of a killed child may be cut. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

/** Waits for a condition by polling; the deadline is only for a condition that never becomes true. */
export async function eventually(what: string, isSo: () => Promise<boolean>, deadlineMs = 60_000): Promise<void> {
  const until = Date.now() + deadlineMs
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`After ${deadlineMs} ms it is still not so that ${what}.`)
    await delay(25)
  }
}

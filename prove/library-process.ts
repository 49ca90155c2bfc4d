import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Place } from './place.ts'
import type { Session } from './product.ts'
import { keepTrack } from './server-process.ts'

/** A library in its own process, so that it can be killed like a server. Calls go over a Node IPC channel. */

/** What the adapter of a library exports as `open`. */
export type Library = Omit<Session, 'kill' | 'stop'> & { close?(): Promise<void> }
export type LibraryPlace = Pick<Place, 'folder' | 'databaseUrl'>

export type Question = { readonly number: number; readonly name: string; readonly args: readonly unknown[] }
export type Reply = { readonly number: number; readonly value?: unknown; readonly error?: string }
export type Ready = { readonly names: readonly string[] }

const program = fileURLToPath(new URL('./library-program.ts', import.meta.url))

export async function openLibrary(adapter: string, { folder, databaseUrl }: Place): Promise<Session> {
  const child = fork(program, [adapter, JSON.stringify({ folder, databaseUrl })], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const ended = keepTrack(child)
  let complaints = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk).slice(-2_000)
  })
  const first = await Promise.race([once(child, 'message'), ended])
  if (first === undefined) throw new Error(`The library did not start: ${complaints}`)
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  child.on('message', ({ number, value, error }: Reply) => {
    const asked = waiting.get(number)
    waiting.delete(number)
    if (error === undefined) asked?.resolve(value)
    else asked?.reject(new Error(error))
  })
  void ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('The process has ended.'))
    waiting.clear()
  })
  let last = 0
  const ask = (name: string, args: readonly unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      const number = ++last
      if (!child.connected) return reject(new Error('The process has ended.'))
      waiting.set(number, { resolve, reject })
      child.send({ number, name, args } satisfies Question, (error) => error && reject(error))
    })
  const { names } = first[0] as Ready
  const calls = Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => ask(name, args)]))
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return {
    ...(calls as unknown as Session),
    kill: () => end('SIGKILL'),
    async stop() {
      // It may have ended already, or never end by itself.
      if (names.includes('close')) await ask('close', []).catch(() => {})
      await end('SIGKILL')
    },
  }
}

import { fork } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from './product.ts'
import type { Slice, SliceOptions, Work } from './work.ts'

export type Order =
  | { kind: 'fill'; group: string; product: string; place: Place; size: number }
  | { kind: 'slice'; work: Work; options: SliceOptions }
  | { kind: 'close' }

export type Reply =
  | { kind: 'filled' }
  | { kind: 'slice'; slice: Slice }
  | { kind: 'closed' }
  | { kind: 'failed'; message: string }

/** A product in its process. A product that exceeds the time limit is stopped, and not called again. */
export type Rival = {
  readonly name: string
  /** Why it was stopped. */
  readonly out: string | null
  fill(group: string, place: Place, size: number): Promise<void>
  slice(work: Work, options: SliceOptions): Promise<Slice | null>
  close(): Promise<void>
}

export function startRival(
  name: string,
  patience: { fillMs: number; sliceMs: number },
  alreadyOut: string | null = null,
): Rival {
  const child = fork(join(import.meta.dirname, 'product-process.ts'), { execArgv: [], stdio: ['ignore', 2, 2, 'ipc'] })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let out = alreadyOut

  async function order(message: Order, waitMs: number): Promise<Reply | null> {
    if (out !== null) return null
    const reply = await new Promise<Reply>((resolve) => {
      const timer = setTimeout(() => {
        kill()
        settle({ kind: 'failed', message: `stopped after ${waitMs / 1_000} s` })
      }, waitMs)
      const onExit = (code: number | null) => settle({ kind: 'failed', message: `its process ended with ${code}` })
      const settle = (answer: Reply) => {
        clearTimeout(timer)
        child.off('message', settle)
        child.off('exit', onExit)
        resolve(answer)
      }
      child.on('message', settle)
      child.on('exit', onExit)
      child.send(message)
    })
    if (reply.kind === 'failed') out = reply.message
    return reply
  }

  return {
    name,
    get out() {
      return out
    },
    async fill(group, place, size) {
      mkdirSync(place.folder, { recursive: true })
      await order({ kind: 'fill', group, product: name, place, size }, patience.fillMs)
    },
    async slice(work, options) {
      const reply = await order({ kind: 'slice', work, options }, patience.sliceMs)
      return reply?.kind === 'slice' ? reply.slice : null
    },
    async close() {
      await order({ kind: 'close' }, patience.sliceMs)
      process.off('exit', kill)
      if (child.connected) child.disconnect()
      if (out !== null) kill()
    },
  }
}

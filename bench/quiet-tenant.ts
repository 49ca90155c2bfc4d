import { fork } from 'node:child_process'
import type { Recorder } from './recorder.ts'

type Measured = {
  readonly processes: number
  /** The 99th percentile of the quiet tenant beside the busy one, and beside the same load on a server that does nothing. */
  readonly quiet: number
  readonly control: number
  /** The rate of the busy tenant beside the quiet one, as a share of its rate alone; one for each round. */
  readonly busy: readonly number[]
}

/** What a busy tenant costs a quiet one on the same process, and what it keeps of its own rate. */
export async function benchQuietTenant(recorder: Recorder, rounds: number): Promise<void> {
  if (!recorder.wants('quiet', 'quietControl', 'busy')) return
  const child = fork('bench/processes.ts', [String(rounds), '1', 'quiet'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const measured: Measured[] = []
  child.on('message', (received) => measured.push(received as Measured))
  const code = await new Promise((resolve) => child.once('exit', resolve))
  const one = measured.find(({ processes }) => processes === 1)
  if (code !== 0 || one === undefined) throw new Error(`bench/processes.ts ended with ${code}.`)
  recorder.note('quiet', [one.quiet])
  recorder.note('quietControl', [one.control])
  recorder.note('busy', one.busy)
}

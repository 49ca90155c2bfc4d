import type { Progress } from '../../core/run/progress.ts'
import type { RunError } from '../../core/run/run.ts'

const never = 4_000_000_000_000_000

/** When the run has taken too long. A replay takes no time: that its source took too long is on record. */
export function deadlineOf({ facts }: Progress): number {
  const { startedAt, bounds, fork } = facts
  if (startedAt === null || fork?.mode === 'replay') return never
  return startedAt + bounds.durationMs
}

type Breach = { readonly facts: Readonly<Record<string, unknown>>; readonly error: RunError }

export function breachOf(progress: Progress, now: number): Breach | null {
  if (now <= deadlineOf(progress)) return null
  const limit = progress.facts.bounds.durationMs
  const observed = now - (progress.facts.startedAt ?? now)
  const error = { code: 'run_timeout', message: `The run may take ${limit} ms.` }
  return { facts: { kind: 'run-duration', limit, observed }, error }
}

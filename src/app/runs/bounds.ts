import type { Progress } from '../../core/run/progress.ts'
import type { RunError } from '../../core/run/run.ts'
import type { Leg } from './leg.ts'

export function deadlineOf(progress: Progress): number {
  const { startedAt, bounds } = progress.facts
  return (startedAt ?? 4_000_000_000_000_000) + bounds.durationMs
}

type Breach = { readonly facts: Readonly<Record<string, unknown>>; readonly error: RunError }

/** Whether the run has taken too long. A replay takes no time: it repeats the breach that was recorded, where it was. */
export function breachOf(leg: Leg, now: number): Breach | null {
  const { progress, source } = leg
  const limit = progress.facts.bounds.durationMs
  const error = { code: 'run_timeout', message: `The run may take ${limit} ms.` }
  if (source) {
    const recorded = source.events.find(
      ({ type, payload }) => type === 'cap.breached' && payload.kind === 'run-duration',
    )
    if (!recorded || recorded.sequence > progress.nextSequence) return null
    return { facts: recorded.payload, error }
  }
  if (now <= deadlineOf(progress)) return null
  const observed = now - (progress.facts.startedAt ?? now)
  return { facts: { kind: 'run-duration', limit, observed }, error }
}

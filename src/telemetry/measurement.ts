import type { TraceScope } from './trace-scope.ts'

/** The measured operations and their labels. Every label has few values, and none comes from a caller. */
export type MeasurementLabels = {
  readonly commit: { readonly operation: string }
  readonly job: { readonly kind: string }
  readonly node: { readonly type: string }
  readonly webhook: Readonly<Record<never, string>>
  readonly model: { readonly purpose: string }
}

/** The measurement of one operation. */
export type Measurement = {
  readonly name: keyof MeasurementLabels
  readonly labels: Readonly<Record<string, string>>
  /** `ok`, or the code of the error. */
  readonly outcome: string
  readonly ms: number
  /** The request or job attempt that the operation was part of. */
  readonly traceScope: TraceScope | undefined
  /** How long a job waited after it was due. */
  readonly waitedMs: number
}

type Listener = (measured: Measurement) => void
const listeners = new Set<Listener>()

/** Calls the listener for every measurement of this process, until the returned function is called. */
export function onMeasurement(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Passes a measurement to all listeners. */
export function emitMeasurement(measured: Measurement): void {
  for (const listener of listeners) listener(measured)
}

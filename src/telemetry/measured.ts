import type { Scope } from './scope.ts'

/** The measured operations and their labels. Every label has few values, and none comes from a caller. */
export type Labels = {
  readonly commit: { readonly operation: string }
  readonly job: { readonly kind: string }
  readonly node: { readonly type: string }
  readonly webhook: Readonly<Record<never, string>>
  readonly model: { readonly purpose: string }
}

/** The measurement of one operation. */
export type Measured = {
  readonly name: keyof Labels
  readonly labels: Readonly<Record<string, string>>
  /** `ok`, or the code of the error. */
  readonly outcome: string
  readonly ms: number
  /** The request or job attempt that the operation was part of. */
  readonly scope: Scope | undefined
  /** How long a job waited after it was due. */
  readonly waitedMs: number
}

type Listener = (measured: Measured) => void
const listeners = new Set<Listener>()

/** Calls the listener for every measurement of this process, until the returned function is called. */
export function onMeasured(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Passes a measurement to all listeners. */
export function tellMeasured(measured: Measured): void {
  for (const listener of listeners) listener(measured)
}

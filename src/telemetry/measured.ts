import type { Scope } from './scope.ts'

/** What is measured, and by which labels. Every label has few values, and none of them comes from a caller. */
export type Labels = {
  readonly commit: { readonly operation: string }
  readonly job: { readonly kind: string }
  readonly node: { readonly type: string }
  readonly webhook: Readonly<Record<never, string>>
  readonly model: { readonly purpose: string }
}

export type Measured = {
  readonly name: keyof Labels
  readonly labels: Readonly<Record<string, string>>
  /** `ok`, or the code of the error. */
  readonly outcome: string
  readonly ms: number
  /** Of the request or the job that it was part of. */
  readonly scope: Scope | undefined
  /** How long a job waited after it was due. */
  readonly waitedMs: number
}

type Listener = (measured: Measured) => void
const listeners = new Set<Listener>()

/** Tells of everything that is measured in this process, until the answer is called. */
export function onMeasured(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function tellMeasured(measured: Measured): void {
  for (const listener of listeners) listener(measured)
}

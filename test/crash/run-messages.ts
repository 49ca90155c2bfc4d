import type { OpenOptions } from '../../src/open.ts'

/** Messages to and from the program that executes runs. */

export type RunWorkerOptions = {
  readonly open: OpenOptions
  /** Is killed right after its nth write: a step of a run, or the lease of one. */
  readonly killAfterWrite?: number
  /** Suspends before it sends its nth commit of a run execution to the store. */
  readonly stopBeforeCommit?: number
  /** With one run at a time nothing else is active when it stops: no lock is left that other processes wait for. */
  readonly concurrency?: number
}

export type RunWorkerMessage =
  | { readonly kind: 'stopped' | 'stored' }
  | { readonly kind: 'refused'; readonly code: string }

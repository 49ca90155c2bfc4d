import type { OpenOptions } from '../../src/open.ts'

/** What the program that drives runs is told and what it reports. */

export type RunWorkerOptions = {
  readonly open: OpenOptions
  /** Dies right after its nth write: a step of a run, or taking one up. */
  readonly killAfterWrite?: number
  /** Stands still with its nth commit in the middle of a leg decided, before the store hears of it. */
  readonly stopBeforeCommit?: number
  /** With one run at a time nothing else is under way when it stops: no lock is left for others to wait for. */
  readonly concurrency?: number
}

export type RunWorkerMessage =
  | { readonly kind: 'stopped' | 'stored' }
  | { readonly kind: 'refused'; readonly code: string }

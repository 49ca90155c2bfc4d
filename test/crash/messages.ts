import type { OpenOptions } from '../../src/open.ts'

/** Messages to and from the helper programs. In a file of their own, because the programs run when they are imported. */

export const memoryRef = 'log'
export const batchEntries = 20

export type WriterOptions = {
  readonly open: OpenOptions
  /** Makes every content and tag of this process unique. */
  readonly name: string
  /** Taken in turn. */
  readonly tenants: readonly string[]
  readonly writers: number
  /** Stops by itself after this many writes; without it, on a stop message. */
  readonly writes?: number
}

export type Acknowledged = { readonly id: string; readonly content: string }

export type WriterMessage =
  | { readonly kind: 'stored'; readonly tenant: string; readonly entries: readonly Acknowledged[] }
  | { readonly kind: 'failed'; readonly code: string }
  | { readonly kind: 'finished' }

/** Short, so that the jobs of a killed worker are soon leased by the next. */
export const leaseMs = 300

export type WorkerOptions = {
  readonly open: OpenOptions
  readonly concurrency: number
  /** How long a job takes before its effect is written. Without it, until the job is notified that its lease is lost. */
  readonly workMs?: number
}

export type WorkerMessage = {
  readonly kind: 'started' | 'stored' | 'refused'
  readonly jobId: string
  readonly code?: string
}

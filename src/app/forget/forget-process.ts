import type { Fence, NewFence } from '../../core/forget/fence.ts'
import type { Forgetting } from '../../core/forget/forgetting.ts'
import { addCounts, type ErasedCounts, zeroCounts } from '../../core/forget/receipt-body.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import type { Change } from '../commit.ts'
import { yieldToEventLoop } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { type ForgetFacts, type ForgetRecord, toBody } from './forget-record.ts'

type ForgetOptions = {
  readonly fences: readonly Fence[]
  readonly cascade: boolean
  /** Null in a dry run. */
  readonly record: ForgetRecord | null
  readonly lease?: JobLease
  readonly signal?: AbortSignal
}

/**
 * The execution of one forget. Every step is one commit that erases rows and updates the counts of the forget record, so no row is
 * missed or counted twice after a crash. A dry run takes the same steps and stores nothing.
 */
export class ForgetProcess {
  readonly tenant: Tenant
  readonly cascade: boolean
  /** Ids of claims, compactions and runs that are done: a dry run finds them again. */
  readonly seen = new Set<string>()
  /** By run: the forgotten entries that the runs of its family read. */
  readonly familyReads = new Map<string, ReadonlySet<string>>()
  fences: readonly Fence[]
  counts: ErasedCounts
  #record: ForgetRecord | null
  readonly #lease: JobLease | undefined
  readonly #signal: AbortSignal | undefined

  constructor(tenant: Tenant, { fences, cascade, record, lease, signal }: ForgetOptions) {
    this.tenant = tenant
    this.fences = fences
    this.cascade = cascade
    this.counts = record?.facts.counts ?? zeroCounts
    this.#record = record
    this.#lease = lease
    this.#signal = signal
  }

  get isDryRun(): boolean {
    return this.#record === null
  }

  get facts(): ForgetFacts | null {
    return this.#record?.facts ?? null
  }

  get id(): string {
    return this.#record?.id ?? ''
  }

  /** Up to here rows that name the subject or the ref are erased. Later ones are new. */
  get namedUpTo(): { readonly position: number; readonly at: number } {
    const named = this.fences.filter(({ kind }) => kind === 'subject' || kind === 'ref')
    const position = Math.max(0, ...named.map((fence) => fence.position))
    return { position, at: this.facts?.requestedAt ?? this.tenant.now() }
  }

  /**
   * The rows of a list, page by page, each from the place after the last row of the one before. A page of fewer than `limit` rows is the last one; where
   * pages end by their size, none is given and an empty page is the end.
   */
  async *pages<Row, Place>(
    read: (after: Place | null) => Promise<readonly Row[]>,
    placeOf: (row: Row) => Place,
    limit = 1,
  ): AsyncGenerator<readonly Row[]> {
    for (let after: Place | null = null; ; ) {
      await this.nextPage()
      const page = await read(after)
      const last = page.at(-1)
      if (last === undefined) return
      yield page
      if (page.length < limit) return
      after = placeOf(last)
    }
  }

  /** Called before each page of rows: yields to the event loop, because a table may be large. */
  async nextPage(): Promise<void> {
    this.#signal?.throwIfAborted()
    await yieldToEventLoop()
  }

  /** Waits for a long read, but not when the process stops: closing the store ends the read. */
  async untilStopped<T>(read: Promise<T>): Promise<T> {
    const signal = this.#signal
    if (signal === undefined) return read
    // Whether or not its end is still waited for.
    read.catch(() => {})
    signal.throwIfAborted()
    const stopped = Promise.withResolvers<never>()
    const stop = () => stopped.reject(signal.reason)
    signal.addEventListener('abort', stop)
    try {
      return await Promise.race([read, stopped.promise])
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Stores one step: the change, the counts of what it erases, and fences for further rows that it found. */
  async step(
    change: Omit<Change, 'kind' | 'admin'> & Partial<Pick<Change, 'admin'>>,
    counted: Partial<ErasedCounts>,
    added: readonly NewFence[] = [],
    facts: Partial<ForgetFacts> = {},
  ): Promise<void> {
    this.#signal?.throwIfAborted()
    const counts = addCounts(this.counts, counted)
    const record = this.#record
    if (record !== null) {
      const next: ForgetFacts = { ...record.facts, counts, ...facts }
      const fences = added.length === 0 ? [] : [{ forgetId: record.id, added, isRemoved: false }]
      const forgetting: Forgetting = { ...change.forgetting, fences: [...(change.forgetting?.fences ?? []), ...fences] }
      const admin = {
        kind: 'forget' as const,
        id: record.id,
        body: toBody(record.reason, next),
        expects: record.revision,
      }
      await this.tenant.commit(
        {
          ...change,
          kind: `forget.${record.facts.phase}`,
          admin: [...(change.admin ?? []), admin],
          forgetting,
          holds: this.#lease ?? null,
        },
        { actor: `forget:${record.id}`, call: { operation: 'forget.step' } },
      )
      this.#record = { ...record, revision: record.revision + 1, facts: next }
    }
    this.counts = counts
    this.fences = [...this.fences, ...added.map((fence) => ({ ...fence, position: fence.position ?? 0 }))]
  }

  /** Updates the forget record: its phase, or other facts. */
  async note(facts: Partial<ForgetFacts>, change: Parameters<ForgetProcess['step']>[0] = {}): Promise<void> {
    await this.step(change, {}, [], facts)
  }
}

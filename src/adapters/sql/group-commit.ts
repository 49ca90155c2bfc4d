import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Batch, Committed } from '../../core/commit/batch.ts'
import { batchParts } from '../../core/commit/parts/index.ts'
import type { PartSize } from '../../core/commit/parts/part.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { type Redacted, redactedParts } from '../../core/redaction/redaction.ts'
import { currentTraceScope, type TraceScope } from '../../telemetry/trace-scope.ts'

type RedactedBatch = Redacted<Batch>
export type Settled = PromiseSettledResult<Committed>

type QueuedBatch = {
  readonly batch: RedactedBatch
  readonly rows: number
  readonly characters: number
  readonly since: number
  readonly scope: TraceScope | undefined
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: unknown) => void
}

type CommitQueue = { readonly waiting: QueuedBatch[]; busy: boolean }

export type GroupCommitOptions = {
  /** Batches of one queue are stored in order and may share a transaction; queues are drained concurrently. */
  readonly queueOf: (batch: RedactedBatch) => string
  /** Stores the group, which has so much text, in one transaction and says for each batch how it ended. It never throws. */
  readonly run: (
    batches: readonly RedactedBatch[],
    characters: number,
  ) => readonly Settled[] | Promise<readonly Settled[]>
  /**
   * For how many turns of the event loop a group gathers before it is stored, 1 by default. For a synchronous `run`, during which nothing
   * can gather: the turns of an idle process take microseconds, those of a busy one bring more batches. A group that is nearly all of one
   * tenant is stored at the end of the turn in which a batch of another tenant joins it.
   */
  readonly gatherTurns?: number
  /** For a synchronous `run`: what the group must wait for, such as another turn of the event loop if the time slice of this one is used up. */
  readonly waitsFor?: () => Promise<void> | undefined
}

/**
 * Lets concurrent writes share a transaction, and so the disk's flush. There is no timer: while one group commits, the
 * next gathers, so a lone write waits for nothing and the groups grow with the load. A caller is answered only after
 * its transaction is durable.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions
  readonly #queues = new Map<string, CommitQueue>()
  readonly #idleWaiters: (() => void)[] = []
  #queuedBatches = 0
  #queuedCharacters = 0
  #closed = false

  constructor(options: GroupCommitOptions) {
    this.#options = options
  }

  commit(batch: RedactedBatch): Promise<Committed> {
    return new Promise((resolve, reject) => {
      const { rows, characters } = sizeOf(batch)
      const refusal = this.#refusal(characters)
      if (refusal) return reject(refusal)
      this.#queuedBatches += 1
      this.#queuedCharacters += characters
      const key = this.#options.queueOf(batch)
      let queue = this.#queues.get(key)
      if (!queue) {
        queue = { waiting: [], busy: false }
        this.#queues.set(key, queue)
      }
      queue.waiting.push({
        batch,
        rows,
        characters,
        since: performance.now(),
        scope: currentTraceScope(),
        resolve,
        reject,
      })
      this.#schedule(key, queue)
    })
  }

  /** Batches that wait for their transaction, or are in it. */
  get queued(): number {
    return this.#queuedBatches
  }

  /** Refuses new batches and waits for those under way. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#queues.size > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
  }

  #refusal(characters: number): ColophonError | null {
    if (this.#closed) return new ColophonError('closed', 'The store was closed.')
    if (this.#queuedBatches >= limits.commitQueueBatchesMax) return overloaded('commitQueueBatchesMax')
    // One batch always fits, however large: its size was checked before.
    if (this.#queuedCharacters > 0 && this.#queuedCharacters + characters > limits.commitQueueCharactersMax)
      return overloaded('commitQueueCharactersMax')
    return null
  }

  #schedule(key: string, queue: CommitQueue): void {
    if (queue.busy) return
    queue.busy = true
    this.#gather(key, queue, this.#options.gatherTurns ?? 1)
  }

  #gather(key: string, queue: CommitQueue, turns: number): void {
    setImmediate(() => {
      if (turns > 1 && !keepsOthersWaiting(queue.waiting)) this.#gather(key, queue, turns - 1)
      else void this.#drain(key, queue)
    })
  }

  async #drain(key: string, queue: CommitQueue): Promise<void> {
    const { waitsFor, run } = this.#options
    // Once: reads that go on must not keep a write waiting.
    const before = waitsFor?.()
    if (before !== undefined) await before
    const group = takeGroup(queue.waiting)
    const now = performance.now()
    let text = 0
    for (const { scope, since, characters } of group) {
      if (scope) scope.commitQueueMs += now - since
      text += characters
    }
    const ran = run(
      group.map((waiting) => waiting.batch),
      text,
    )
    const settled = ran instanceof Promise ? await ran : ran
    // A large batch: its response is made in another turn of the event loop than the one that its transaction has used up.
    if (performance.now() - now > limits.workSliceMs) await yieldToEventLoop()
    group.forEach((waiting, index) => {
      this.#queuedBatches -= 1
      this.#queuedCharacters -= waiting.characters
      const result = settled[index]
      if (result?.status === 'fulfilled') waiting.resolve(result.value)
      else waiting.reject(result?.reason ?? new Error('Colophon bug: a batch was lost by its group'))
    })
    queue.busy = false
    if (queue.waiting.length > 0) return this.#schedule(key, queue)
    this.#queues.delete(key)
    if (this.#queues.size === 0) for (const wake of this.#idleWaiters.splice(0)) wake()
  }
}

/** Whether nearly all batches are of one tenant: it alone gains by a larger group, and the others wait for it. */
function keepsOthersWaiting(waiting: readonly QueuedBatch[]): boolean {
  const batchesOf = new Map<string, number>()
  for (const { batch } of waiting) batchesOf.set(batch.tenantId, (batchesOf.get(batch.tenantId) ?? 0) + 1)
  return batchesOf.size > 1 && Math.max(...batchesOf.values()) >= waiting.length * limits.commitGatherShareMax
}

function takeGroup(waiting: QueuedBatch[]): QueuedBatch[] {
  let batches = 0
  let entries = 0
  let text = 0
  for (const { rows, characters } of waiting) {
    text += characters
    entries += rows
    const isLarge = entries > limits.commitGroupEntriesMax || text > limits.commitGroupCharactersMax
    if (batches === limits.commitGroupBatchesMax || (batches > 0 && isLarge)) break
    batches += 1
  }
  return waiting.splice(0, batches)
}

/** The rows and the characters of text that a batch adds to its group. */
function sizeOf(batch: RedactedBatch): PartSize {
  let rows = 0
  let characters = 0
  for (const part of redactedParts(batch) ?? batchParts) {
    const size = part.size?.(batch)
    rows += size?.rows ?? 0
    characters += size?.characters ?? 0
  }
  return { rows, characters }
}

function overloaded(limit: keyof typeof limits): ColophonError {
  return new ColophonError('overloaded', 'Too many writes are waiting to be stored.', {
    details: { limit, max: limits[limit] },
  })
}

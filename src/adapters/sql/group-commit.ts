import type { Batch, Committed } from '../../core/commit/batch.ts'
import { parts } from '../../core/commit/parts/index.ts'
import type { PartSize } from '../../core/commit/parts/part.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Redacted } from '../../core/redaction/redaction.ts'
import { currentScope, type Scope } from '../../telemetry/scope.ts'

type RedactedBatch = Redacted<Batch>
export type Settled = PromiseSettledResult<Committed>

type Waiting = {
  readonly batch: RedactedBatch
  readonly rows: number
  readonly characters: number
  readonly since: number
  readonly scope: Scope | undefined
  readonly resolve: (committed: Committed) => void
  readonly reject: (error: unknown) => void
}

type Lane = { readonly waiting: Waiting[]; busy: boolean }

export type GroupCommitOptions = {
  /** Batches of one lane are stored in order and may share a transaction; lanes run side by side. */
  readonly laneOf: (batch: RedactedBatch) => string
  /** Stores the group in one transaction and says for each batch how it ended. It never throws. */
  readonly run: (batches: readonly RedactedBatch[]) => readonly Settled[] | Promise<readonly Settled[]>
}

/**
 * Lets concurrent writes share a transaction, and so the disk's flush. There is no timer: while one group commits, the
 * next gathers, so a lone write waits for nothing and the groups grow with the load. A caller is answered only after
 * its transaction is durable.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions
  readonly #lanes = new Map<string, Lane>()
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
      const key = this.#options.laneOf(batch)
      let lane = this.#lanes.get(key)
      if (!lane) {
        lane = { waiting: [], busy: false }
        this.#lanes.set(key, lane)
      }
      lane.waiting.push({ batch, rows, characters, since: performance.now(), scope: currentScope(), resolve, reject })
      this.#schedule(key, lane)
    })
  }

  /** Batches that wait for their transaction, or are in it. */
  get queued(): number {
    return this.#queuedBatches
  }

  /** Refuses what comes from now on and waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#lanes.size > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
  }

  #refusal(characters: number): ColophonError | null {
    if (this.#closed) return new ColophonError('closed', 'The store was closed.')
    if (this.#queuedBatches >= limits.commitQueueBatchesMax) return overloaded('commitQueueBatchesMax')
    // One batch always fits, however large: it was bounded before it came here.
    if (this.#queuedCharacters > 0 && this.#queuedCharacters + characters > limits.commitQueueCharactersMax)
      return overloaded('commitQueueCharactersMax')
    return null
  }

  #schedule(key: string, lane: Lane): void {
    if (lane.busy) return
    lane.busy = true
    setImmediate(() => void this.#drain(key, lane))
  }

  async #drain(key: string, lane: Lane): Promise<void> {
    const group = takeGroup(lane.waiting)
    const now = performance.now()
    for (const { scope, since } of group) if (scope) scope.queueMs += now - since
    const ran = this.#options.run(group.map((waiting) => waiting.batch))
    const settled = ran instanceof Promise ? await ran : ran
    group.forEach((waiting, index) => {
      this.#queuedBatches -= 1
      this.#queuedCharacters -= waiting.characters
      const result = settled[index]
      if (result?.status === 'fulfilled') waiting.resolve(result.value)
      else waiting.reject(result?.reason ?? new Error('Colophon bug: a batch was lost by its group'))
    })
    lane.busy = false
    if (lane.waiting.length > 0) return this.#schedule(key, lane)
    this.#lanes.delete(key)
    if (this.#lanes.size === 0) for (const wake of this.#idleWaiters.splice(0)) wake()
  }
}

function takeGroup(waiting: Waiting[]): Waiting[] {
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
  for (const part of parts) {
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

import type { Batch, Sealed } from '../../../core/commit/batch.ts'
import type { PartState } from '../../../core/commit/parts/index.ts'
import type { Redacted } from '../../../core/redaction/redaction.ts'
import type { Send } from '../connection.ts'
import type { PartsLoaded } from './index.ts'

/** The batches of one tenant that share a transaction. */
export type Group = readonly Redacted<Batch>[]

/** How PostgreSQL stores one part of a batch. A group of batches is loaded, sealed and saved as a whole. */
export type PostgresPart<Loaded extends object = object, State extends Partial<PartState> = object> = {
  /** What is loaded for a group that has nothing of this part. */
  readonly none: () => Loaded
  /** Sends its reads at once, behind the lock of the clock, and gives what they find. Sends nothing if the group needs nothing. */
  readonly load: (send: Send, tenantId: string, batches: Group) => Promise<Loaded>
  /** What sealing must see. It reads `loaded` each time, because `after` changes it. */
  readonly state: (loaded: Loaded) => State
  /** Notes what a sealed batch changes: the next batch of the group must see it, and nothing is written yet. */
  readonly after?: (loaded: PartsLoaded, sealed: Sealed) => void
  /** Sends the writes of the whole group, in the order of its batches. */
  readonly save: (
    send: Send,
    tenantId: string,
    sealed: readonly Sealed[],
    at: number,
    loaded: Loaded,
  ) => Promise<unknown>[]
}

import type { RedactionContext } from '../../redaction/redact-json.ts'
import type { Scanner } from '../../redaction/scanner.ts'
import type { Clock } from '../batch.ts'

/**
 * A part is one kind of thing that a batch can store: entries, runs, claims. It says everything that the core has to know
 * about that kind, and its twin of the same file name in each adapter loads and saves the rows. `batchParts` in `index.ts` lists them.
 *
 * `Members` are the part's members of a batch, `Rows` what they become once sealed, `State` what sealing must see under the
 * tenant's lock, and `Before` the rows of earlier parts that it reads or adds to.
 */
export type BatchPart<Members extends object, Rows extends object = object, State = object, Before = object> = {
  /** The names of its members. A batch in which all of them are empty has nothing of this part. */
  readonly members: readonly (keyof Members & string)[]
  /** Those members, empty. */
  readonly none: Members
  /** What sealing gives for a batch that has nothing of this part. */
  readonly noRows: Rows
  /** How much it adds to a group of batches that share a transaction. */
  readonly size?: (batch: Members) => PartSize
  /** The members with every secret in their free text replaced. */
  readonly redact?: (batch: Members, redaction: BatchRedaction) => Partial<Members>
  /** Throws if an identifier contains a secret: a rewritten identifier would silently name something else. */
  readonly refuseSecrets?: (batch: Members, scanners: Scanners) => void
  /** Throws if the batch must not be stored at all. Runs before it gets a position. */
  readonly check?: (batch: Members, state: State) => void
  /** Decides the rows to write. It throws before anything is written. */
  readonly seal?: (batch: Members, state: State, moment: Moment, before: Before) => Rows & Partial<Before>
  /** Whether the rows are a change that takes a position and an audit record. Left out: never. */
  readonly takesPosition?: (rows: Rows, batch: Members) => boolean
  /** The members that the audit record gets. They contain no content. */
  readonly audit?: (rows: Rows, batch: Members, context: AuditContext) => AuditNotes
  /** The entries whose memoryRefs are stored in clear beside the record, in its order. */
  readonly refs?: (rows: Rows) => readonly { readonly memoryRef: string }[]
  /** What the tenant's clock shows from now on, besides its position. */
  readonly advance?: (rows: Rows, batch: Members, clock: Clock) => Partial<Clock>
}

/** Rows and characters of text, by which groups are kept small. */
export type PartSize = { readonly rows: number; readonly characters: number }

/** Where and when a batch is recorded. */
export type Moment = {
  /** The clock before the batch. */
  readonly clock: Clock
  readonly position: number
  /** The instant of the record: never before that of an earlier one. */
  readonly at: number
  readonly now: number
}

/** Finds secrets in free text (`scan`), and in names, where fewer rules apply (`scanNames`). */
export type Scanners = { readonly scan: Scanner; readonly scanNames: Scanner }

/** How a part redacts its free text. Every hit is counted under the name of its field. */
export type BatchRedaction = Scanners & {
  readonly inField: (field: string) => RedactionContext
  readonly text: (field: string) => (text: string) => string
  readonly structure: <T>(field: string, value: T) => T
}

/** A keyed digest, by which the audit names a memoryRef or a subject without storing it. */
export type Mac = (text: string) => string

/** What a record is made of, besides the rows. `redactionVersion` is that of the tenant before the batch. */
export type AuditContext = {
  readonly mac: Mac
  readonly position: number
  readonly at: number
  readonly redactionVersion: number
}

export type AuditNotes = Readonly<Record<string, unknown>>

const noNotes: AuditNotes = {}

/** One member of the audit record with a note for each item; none when there are no items. */
export function notesOf<Item>(name: string, items: readonly Item[], toNote: (item: Item) => unknown): AuditNotes {
  return items.length === 0 ? noNotes : { [name]: items.map(toNote) }
}

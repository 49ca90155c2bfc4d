import type { Place } from './place.ts'

/** What the benchmark asks of a product. An adapter is one file that says how the product does it, or why it does not. */

/** Whose memory: a customer of the operator, and a person of that customer. */
export type Scope = { readonly tenant: string; readonly user: string }

export type Memory = { readonly id: string; readonly text: string }

/** Something a service noticed, with the name it has there: a retry has the same one. */
export type Told = {
  readonly scope: Scope
  readonly event: string
  readonly text: string
  readonly service?: string
  /** What it is about, when several services may speak about it. */
  readonly claim?: string
  readonly observedAt?: string
}

/** What leads from a memory back to what was told: the event, and the SHA-256 of what came in. */
export type Trace = { readonly event: string; readonly sha256: string }

/** A request that is made to take long. Being refused is an answer; a failure of the server is none. */
export type Hostile = { readonly name: string; send(): Promise<{ readonly isBroken: boolean }> }

export type Run = { readonly id: string; readonly seen: readonly Memory[] }

/** A write that a client may send again under the key it has: whether it was taken, and what the answer says. */
export type Retriable = {
  readonly kind: string
  send(): Promise<{ readonly isTaken: boolean; readonly answer: string }>
}

/** A memory, and the service that is named as having said its words; null when none is. */
export type Credit = Memory & { readonly service: string | null }

/** What a key may do, in the product's own words, and when it ends. */
export type Grant = { readonly rights: readonly string[]; readonly endsAt: string | null }
export type Key = Grant & { readonly id: string; readonly secret: string }

export type Seen = { readonly seen: readonly Memory[]; readonly told: unknown }

/**
 * A product that runs, in a process of its own. The first group is what any memory can do; the others are optional, and
 * each property says which of them it needs.
 */
export interface Session {
  /** Once it resolves, the product has promised to keep it. */
  tell(told: Told): Promise<void>
  /** Resolves when everything that was promised can be read. */
  settle(): Promise<void>
  /** Everything that counts at the moment. */
  list(scope: Scope): Promise<readonly Memory[]>
  /** Ends the process without a warning. */
  kill(): Promise<void>
  stop(): Promise<void>

  search?(scope: Scope, query: string): Promise<readonly Memory[]>
  get?(scope: Scope, id: string): Promise<Memory | null>
  change?(scope: Scope, id: string, text: string): Promise<void>
  remove?(scope: Scope, id: string): Promise<void>

  /** A run that has read once and waits; reading again in it; its last read. */
  beginRun?(scope: Scope): Promise<Run>
  readInRun?(scope: Scope, run: Run): Promise<readonly Memory[]>
  endRun?(scope: Scope, run: Run): Promise<Seen>
  /** The same run once more, from what is on record. */
  replay?(scope: Scope, run: Run): Promise<Seen>

  /** How much a service counts when services disagree. */
  rank?(tenant: string, service: string, priority: number): Promise<void>

  /** Registers a service with a key of its own: from then on only that key may speak for it. */
  bind?(tenant: string, service: string): Promise<void>
  /** Other words for a memory, by the key of a service, or by that of a stranger who may only read and write. */
  edit?(scope: Scope, id: string, text: string, by: string | null): Promise<void>
  /** Everything that is known, also what lost, with who is named for it. */
  credits?(scope: Scope): Promise<readonly Credit[]>
  /** Everything that a key can be allowed; the first is the right to make keys. */
  rights?(): Promise<readonly string[]>
  /** Makes a key in the name of another one, or of the tenant's first; null when that is refused. */
  makeKey?(tenant: string, by: Key | null, grant: Grant): Promise<Key | null>
  /** Replaces a key, as a call that may be sent again under its own name; null when that is refused. */
  replaceKey?(tenant: string, by: Key | null, id: string, call: string): Promise<Key | null>
  revokeKey?(tenant: string, id: string): Promise<void>

  /** A value that must never be stored. */
  knowSecret?(tenant: string, id: string, value: string): Promise<void>
  /** An agent's own note, which no service told; its id. */
  note?(scope: Scope, text: string): Promise<string>
  notes?(scope: Scope): Promise<readonly Memory[]>
  /** Makes one text of many notes. */
  summarise?(scope: Scope): Promise<void>
  /** Ids of the notes that a note was made of; none if it was written. */
  madeOf?(scope: Scope, id: string): Promise<readonly string[]>

  trace?(scope: Scope, id: string): Promise<readonly Trace[]>
  /** The SHA-256 of what is sent for this, by the product's published recipe and without asking it. */
  fingerprint?(told: Told): Promise<string>
  /** Every sort of write of a text about a person that may be sent again, each under this key. Nothing is sent yet. */
  writesOf?(scope: Scope, text: string, key: string): Promise<readonly Retriable[]>
  /** Forgets a person. */
  forget?(scope: Scope): Promise<void>
  /** Requests of one tenant that take long to serve, made to hold up the others; the longer the scale, the more of them. */
  hostile?(tenant: string, scale: number): Promise<readonly Hostile[]>
  /** Whether the product still believes its own record of what happened. */
  verify?(tenant: string): Promise<boolean>
}

export type PropertyId =
  | 'duplicates'
  | 'kill'
  | 'snapshot'
  | 'secrets'
  | 'authority'
  | 'provenance'
  | 'edits'
  | 'erasure'
  | 'retries'
  | 'hostile'
  | 'bleed'
  | 'keys'
  | 'tamper'
  | 'replay'

export type Product = {
  readonly id: string
  readonly name: string
  /** The version that is installed here; throws when it is not. */
  version(): string
  /** One line: what it was run with. */
  readonly configuration: string
  readonly needsPostgres: boolean
  /** Properties for which its documented interface has nothing, and what was looked at. */
  readonly notOffered: Partial<Record<PropertyId, string>>
  /** Starts it where it may have run before. */
  open(place: Place): Promise<Session>
  /** Tables in which somebody could forge its record of what happened. */
  readonly record?: RecordTables
}

export type LogTable = {
  readonly table: string
  /** The column with the tenant, and the one that orders its rows. */
  readonly tenant: string
  readonly order: string
  /** What finds a row of a tenant again. */
  readonly key: readonly string[]
  /** Columns that say what happened. */
  readonly columns: readonly string[]
  /** Columns that must differ in a planted copy of a row, because the database allows each value once. */
  readonly unique?: readonly string[]
}

/** The record itself, what it speaks about, and everything else that is stored: who may write, what was asserted, what ran. */
export type RecordTables = {
  readonly log: LogTable
  readonly content: LogTable
  readonly others?: readonly LogTable[]
}

import type { Place } from './place.ts'

/** What the benchmark needs from a product. An adapter is one file that implements it with the product, or says why it cannot. */

/** Whose memory: a customer of the operator, and a person of that customer. */
export type Scope = { readonly tenant: string; readonly user: string }

export type Memory = { readonly id: string; readonly text: string }

/** An event of a service, with its id there: a retry has the same id. */
export type SourceEvent = {
  readonly scope: Scope
  readonly event: string
  readonly text: string
  readonly service?: string
  /** The claim key, when several services may state it. */
  readonly claim?: string
  readonly observedAt?: string
}

/** The source of a memory: the event, and the SHA-256 of the bytes that were sent. */
export type Trace = { readonly event: string; readonly sha256: string }

/** A request that is made to take long. Being refused is an answer; a failure of the server is none. */
export type Hostile = { readonly name: string; send(): Promise<{ readonly isBroken: boolean }> }

export type Run = { readonly id: string; readonly seen: readonly Memory[] }

/** A write that a client may retry under its idempotency key: whether it was accepted, and the response. */
export type Retriable = {
  readonly kind: string
  send(): Promise<{ readonly isTaken: boolean; readonly answer: string }>
}

/** A memory, and the service that is named as its source; null when none is. */
export type Credit = Memory & { readonly service: string | null }

/** The rights of a key, in the product's own terms, and when it expires. */
export type Grant = { readonly rights: readonly string[]; readonly endsAt: string | null }
export type Key = Grant & { readonly id: string; readonly secret: string }

export type Seen = { readonly seen: readonly Memory[]; readonly recorded: unknown }

/**
 * A running product in its own process. The first group is what any memory can do; the others are optional, and
 * each property says which of them it needs.
 */
export interface Session {
  /** Once it resolves, the product has acknowledged it. */
  ingest(event: SourceEvent): Promise<void>
  /** Resolves when everything that was acknowledged can be read. */
  settle(): Promise<void>
  /** All current memories. */
  list(scope: Scope): Promise<readonly Memory[]>
  /** Ends the process without a warning. */
  kill(): Promise<void>
  stop(): Promise<void>

  search?(scope: Scope, query: string): Promise<readonly Memory[]>
  get?(scope: Scope, id: string): Promise<Memory | null>
  change?(scope: Scope, id: string, text: string): Promise<void>
  remove?(scope: Scope, id: string): Promise<void>

  /** Starts a run that reads once and waits; reads again in it; ends it with a last read. */
  beginRun?(scope: Scope): Promise<Run>
  readInRun?(scope: Scope, run: Run): Promise<readonly Memory[]>
  endRun?(scope: Scope, run: Run): Promise<Seen>
  /** Replays the run from its record. */
  replay?(scope: Scope, run: Run): Promise<Seen>

  /** The priority of a service when services disagree. */
  rank?(tenant: string, service: string, priority: number): Promise<void>

  /** Registers a service with its own key: from then on only that key may send its events. */
  bind?(tenant: string, service: string): Promise<void>
  /** Edits a memory with the key of a service, or with an unrelated key that may only read and write. */
  edit?(scope: Scope, id: string, text: string, by: string | null): Promise<void>
  /** All memories, superseded ones too, with the service that is named for each. */
  credits?(scope: Scope): Promise<readonly Credit[]>
  /** All rights that a key can have; the first is the right to create keys. */
  rights?(): Promise<readonly string[]>
  /** Creates a key with another one, or with the tenant's first; null when that is refused. */
  makeKey?(tenant: string, by: Key | null, grant: Grant): Promise<Key | null>
  /** Replaces a key, in a call that may be retried under its idempotency key; null when that is refused. */
  replaceKey?(tenant: string, by: Key | null, id: string, call: string): Promise<Key | null>
  revokeKey?(tenant: string, id: string): Promise<void>

  /** A value that must never be stored. */
  knowSecret?(tenant: string, id: string, value: string): Promise<void>
  /** An agent's own note, without a source service; its id. */
  note?(scope: Scope, text: string): Promise<string>
  notes?(scope: Scope): Promise<readonly Memory[]>
  /** Makes one text of many notes. */
  summarise?(scope: Scope): Promise<void>
  /** Ids of the notes that a note was made of; none if it was written. */
  madeOf?(scope: Scope, id: string): Promise<readonly string[]>

  /** The output of a tool or a web page, stored as such: a person has to release it before it is read by default. */
  ingestFromTool?(event: SourceEvent): Promise<void>
  noteFromTool?(scope: Scope, text: string): Promise<string>
  /** States it with a key that names no service. */
  ingestAs?(key: Key, event: SourceEvent): Promise<void>
  /** A run that reads a note by its id and writes the text as a note of its own. */
  retell?(scope: Scope, id: string): Promise<void>

  trace?(scope: Scope, id: string): Promise<readonly Trace[]>
  /** The SHA-256 of the bytes that are sent, by the product's published recipe and computed here. */
  fingerprint?(event: SourceEvent): Promise<string>
  /** Every kind of write about a person that may be retried, each under this key. Nothing is sent yet. */
  writesOf?(scope: Scope, text: string, key: string): Promise<readonly Retriable[]>
  /** Contains a compromised service, with everything that was derived from what it stated; the id of the containment. */
  contain?(tenant: string, service: string): Promise<string>
  /** Undoes a containment. */
  release?(tenant: string, id: string): Promise<void>
  /** A run that reads everything about the person and then writes this note. */
  writeInRun?(scope: Scope, text: string): Promise<void>
  /** Forgets a person. */
  forget?(scope: Scope): Promise<void>
  /** Requests of one tenant that take long to serve, to delay other tenants; a larger scale sends more of them. */
  hostile?(tenant: string, scale: number): Promise<readonly Hostile[]>
  /** Whether the product's own verification of its record passes. */
  verify?(tenant: string): Promise<boolean>
  /** A witness of that name checks the log as it is now, and against what other witnesses keep; it keeps what it accepts. */
  witness?(tenant: string, name: string, others: readonly string[]): Promise<{ readonly isAccepted: boolean }>
  /** An attacker rewrites the last records of the log in the database, so that they are valid in themselves. */
  rewriteLog?(tenant: string, records: number): Promise<void>
  /** The log as files for another program, before and after it grew. */
  logFiles?(tenant: string, grow: () => Promise<void>): Promise<LogFiles>
}

/** Two checkpoints, the proof that the newer one continues the older one, and the proof of one record. */
export type LogFiles = {
  readonly key: string
  readonly older: string
  readonly newer: string
  readonly consistency: string
  readonly inclusion: string
  /** The record that is proved, and the one before it. */
  readonly audit: string
}

export type PropertyId =
  | 'duplicates'
  | 'kill'
  | 'snapshot'
  | 'secrets'
  | 'authority'
  | 'provenance'
  | 'edits'
  | 'containment'
  | 'erasure'
  | 'retries'
  | 'resurrection'
  | 'hostile'
  | 'bleed'
  | 'keys'
  | 'laundering'
  | 'sybil'
  | 'tamper'
  | 'split'
  | 'foreign'
  | 'replay'

export type Product = {
  readonly id: string
  readonly name: string
  /** The version that is installed here; throws when it is not. */
  version(): string
  /** One line: what it was run with. */
  readonly configuration: string
  readonly needsPostgres: boolean
  /** Properties that its documented interface does not offer, and what was examined. */
  readonly notOffered: Partial<Record<PropertyId, string>>
  /** Starts it where it may have run before. */
  open(place: Place): Promise<Session>
  /** Tables in which an attacker could forge its record of what happened. */
  readonly record?: RecordTables
}

export type LogTable = {
  readonly table: string
  /** The column with the tenant, and the one that orders its rows. */
  readonly tenant: string
  readonly order: string
  /** The key of a row within its tenant. */
  readonly key: readonly string[]
  /** Columns that record what happened. */
  readonly columns: readonly string[]
  /** Columns that must differ in a planted copy of a row, because the database allows each value once. */
  readonly unique?: readonly string[]
}

/** The record itself, the memories it covers, and all other tables: writers, assertions, runs. */
export type RecordTables = {
  /** Statements without which the tables cannot be changed: of a database where one of them is a view. */
  readonly prepare?: readonly string[]
  readonly log: LogTable
  readonly content: LogTable
  readonly others?: readonly LogTable[]
}

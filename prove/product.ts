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

export type Run = { readonly id: string; readonly seen: readonly Memory[] }

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

  /** A value that must never be stored. */
  knowSecret?(tenant: string, id: string, value: string): Promise<void>
  /** Makes one text of many. */
  summarise?(scope: Scope): Promise<void>

  trace?(scope: Scope, id: string): Promise<readonly Trace[]>
  /** Forgets a person. */
  forget?(scope: Scope): Promise<void>
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
  | 'erasure'
  | 'bleed'
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

export type RecordTables = {
  /** The record itself: rows in the order of a column, of one tenant, and the columns that say what happened. */
  readonly log: { readonly table: string; readonly tenant: string; readonly order: string; readonly columns: string[] }
  /** What the record speaks about. */
  readonly content: {
    readonly table: string
    readonly tenant: string
    readonly order: string
    readonly columns: string[]
  }
}

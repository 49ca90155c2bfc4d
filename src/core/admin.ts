/**
 * The kinds of administered records: keys, secrets, rules, settings and so on. All are stored in one table, as small documents
 * by kind and id. Every change takes a position and an audit record, like a change of memory.
 */
export type AdminKind =
  | 'key'
  | 'session'
  | 'secret'
  | 'data-key'
  | 'rule'
  | 'settings'
  | 'workflow'
  | 'workflow-version'
  | 'agent'
  | 'webhook'
  | 'writer'
  | 'schedule'
  | 'heartbeat'
  | 'import'
  | 'forget'
  | 'quarantine'
  | 'log-key'
  | 'containment'
  | 'containment-part'
  | 'containment-state'

/**
 * The document of an administered record. `text` is free text and is redacted. `facts` are values that the host has checked one
 * by one (scopes, instants, settings): redaction would change their meaning. `sealed` is made by the host (hashes, ciphertexts).
 */
export type AdminBody = {
  readonly text: Readonly<Record<string, unknown>>
  readonly facts?: Readonly<Record<string, unknown>>
  readonly sealed: Readonly<Record<string, string>>
}

/** An administered record as it is stored. */
export type AdminRecord = {
  readonly kind: AdminKind
  readonly id: string
  /** Grows by one with every change; 0 means that the record does not exist. */
  readonly revision: number
  readonly body: AdminBody
  readonly updatedAt: number
}

/** A change of one administered record, as part of a batch. */
export type AdminChange = {
  readonly kind: AdminKind
  readonly id: string
  /** Null removes the record. */
  readonly body: AdminBody | null
  /** The change is refused unless the record has this revision; null changes any revision. */
  readonly expects: number | null
}

/** A change of a record with its revision, as the database writes it. `record` is null when the record is removed. */
export type SealedAdmin = {
  readonly kind: AdminKind
  readonly id: string
  readonly record: AdminRecord | null
  readonly revision: number
}

/** One text for the key of a record. The separator occurs in neither part. */
export function adminKeyOf(key: { readonly kind: AdminKind; readonly id: string }): string {
  return `${key.kind}\u0000${key.id}`
}

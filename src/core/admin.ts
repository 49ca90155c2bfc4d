/**
 * What is administered rather than remembered: keys, secrets, rules, settings. All of it is stored alike, as small
 * documents by kind and id, and every change takes a position and an audit record like a change of memory.
 */
export type AdminKind =
  | 'key'
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
  | 'import'
  | 'forget'

/**
 * `text` is free text and goes through the redactor. `facts` are values the host has checked one by one (scopes,
 * instants, settings): rewriting them would change what they mean. `sealed` is made by the host itself (hashes, ciphertexts).
 */
export type AdminBody = {
  readonly text: Readonly<Record<string, unknown>>

  readonly facts?: Readonly<Record<string, unknown>>
  readonly sealed: Readonly<Record<string, string>>
}

export type AdminRecord = {
  readonly kind: AdminKind
  readonly id: string
  /** Grows by one with every change; 0 means it does not exist. */
  readonly revision: number
  readonly body: AdminBody
  readonly updatedAt: number
}

export type AdminChange = {
  readonly kind: AdminKind
  readonly id: string
  /** Null removes it. */
  readonly body: AdminBody | null
  /** Change only what still has this revision; null changes whatever is there. */
  readonly expects: number | null
}

export type SealedAdmin = {
  readonly kind: AdminKind
  readonly id: string
  readonly record: AdminRecord | null
  readonly revision: number
}

export function adminKeyOf(key: { readonly kind: AdminKind; readonly id: string }): string {
  return `${key.kind}\u0000${key.id}`
}

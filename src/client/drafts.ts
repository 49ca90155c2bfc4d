import type { Category } from '../core/provenance/category.ts'
import type { Settings } from './types.ts'

/** What calls send where the wire takes any object and the server's use cases name what is wrong in it. */

type Values = Readonly<Record<string, unknown>>

export type Message = {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  /** These three only with `infer: false`: then each message is one memory, as it stands. */
  readonly category?: Category
  readonly claim_key?: string
  readonly confidence?: number
}

/** Which service tells it, and in which event of its own. */
export type Source = {
  readonly service: string
  readonly event_id: string
  readonly observed_at?: string
  readonly scope?: Values
  readonly evidence?: readonly Values[]
}

export type AddDraft = {
  readonly external_user_id: string
  readonly messages: readonly Message[]
  readonly agent_id?: string
  readonly metadata?: Values
  readonly infer?: boolean
  readonly source?: Source
}

export type RetrieveDraft = {
  readonly external_user_id: string
  readonly query: string
  readonly limit?: number
  readonly categories?: readonly Category[]
  readonly agent_id?: string
  readonly time_filter_days?: number
  readonly format?: 'bullets' | 'json' | 'xml'
  readonly context_max_tokens?: number
  readonly as_of?: string | number
}

export type MemoryPatch = {
  readonly content?: string
  readonly importance?: number
  readonly is_archived?: boolean
}

export type AuthorityRules = {
  readonly default_priority?: number
  readonly categories?: Readonly<Partial<Record<Category, number>>>
}

export type WriterDraft = {
  readonly service_key: string
  readonly display_name?: string | null
  readonly authority_rules?: AuthorityRules
  readonly api_key_id?: string | null
  readonly is_active?: boolean
}

/** The winner is this memory until somebody says otherwise; or nobody's word is final any more. */
export type ClaimResolve =
  | { readonly memoryId: string; readonly reason: string }
  | { readonly unpin: true; readonly reason: string }

/** Of the policy of compaction, too, only what changes. */
export type SettingsChange = Partial<Omit<Settings, 'compaction'>> & {
  readonly compaction?: Partial<Settings['compaction']>
}

export type RunDraft = {
  readonly workflowId: string
  readonly inputs?: Values
  readonly configurable?: Values
  readonly tags?: readonly string[]
  readonly metadata?: Values
  readonly scopeId?: string
}

export type ForkDraft = {
  readonly mode: 'replay' | 'branch'
  readonly fromSeq?: number
  readonly runOptionsOverlay?: Values
}

export type PauseDraft = { readonly reason?: string; readonly drainPolicy?: 'immediate' | 'drain-current-node' }

export type WebhookDraft = {
  readonly url: string
  readonly events: readonly string[]
  readonly tags?: readonly string[]
  readonly secret?: string
}

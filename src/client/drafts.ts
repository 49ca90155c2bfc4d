import type { Category } from '../core/provenance/category.ts'
import type { Settings } from './types.ts'

/** What calls send where the wire takes any object and the server's use cases name what is wrong in it. */

type Values = Readonly<Record<string, unknown>>

export type Message = {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  /** These three only with `infer: false`: then each message is one memory, as it stands. */
  readonly category?: Category | undefined
  readonly claim_key?: string | undefined
  readonly confidence?: number | undefined
}

/** Which service tells it, and in which event of its own. */
export type Source = {
  readonly service: string
  readonly event_id: string
  readonly observed_at?: string | undefined
  readonly scope?: Values | undefined
  readonly evidence?: readonly Values[] | undefined
}

export type AddDraft = {
  readonly external_user_id: string
  readonly messages: readonly Message[]
  readonly agent_id?: string | undefined
  readonly metadata?: Values | undefined
  readonly infer?: boolean | undefined
  readonly source?: Source | undefined
}

export type RetrieveDraft = {
  readonly external_user_id: string
  readonly query: string
  readonly limit?: number | undefined
  readonly categories?: readonly Category[] | undefined
  readonly agent_id?: string | undefined
  readonly time_filter_days?: number | undefined
  readonly format?: 'bullets' | 'json' | 'xml' | undefined
  readonly context_max_tokens?: number | undefined
  readonly as_of?: string | number | undefined
}

export type MemoryPatch = {
  readonly content?: string | undefined
  readonly importance?: number | undefined
  readonly is_archived?: boolean | undefined
}

export type AuthorityRules = {
  readonly default_priority?: number | undefined
  readonly categories?: Readonly<Partial<Record<Category, number>>> | undefined
}

export type WriterDraft = {
  readonly service_key: string
  readonly display_name?: string | null | undefined
  readonly authority_rules?: AuthorityRules | undefined
  readonly api_key_id?: string | null | undefined
  readonly is_active?: boolean | undefined
}

/** The winner is this memory until somebody says otherwise; or nobody's word is final any more. */
export type ClaimResolve =
  | { readonly memoryId: string; readonly reason: string }
  | { readonly unpin: true; readonly reason: string }

/** Of the policy of compaction, too, only what changes. */
export type SettingsChange = Partial<Omit<Settings, 'compaction'>> & {
  readonly compaction?: Partial<Settings['compaction']> | undefined
}

export type RunDraft = {
  readonly workflowId: string
  readonly inputs?: Values | undefined
  readonly configurable?: Values | undefined
  readonly tags?: readonly string[] | undefined
  readonly metadata?: Values | undefined
  readonly scopeId?: string | undefined
}

export type ForkDraft = {
  readonly mode: 'replay' | 'branch'
  readonly fromSeq?: number | undefined
  readonly runOptionsOverlay?: Values | undefined
}

export type PauseDraft = {
  readonly reason?: string | undefined
  readonly drainPolicy?: 'immediate' | 'drain-current-node' | undefined
}

export type WebhookDraft = {
  readonly url: string
  readonly events: readonly string[]
  readonly tags?: readonly string[] | undefined
  readonly secret?: string | undefined
}

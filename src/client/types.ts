import type { z } from 'zod'
import type * as agents from '../wire/agents.ts'
import type * as compactions from '../wire/compactions.ts'
import type * as embeddings from '../wire/embeddings.ts'
import type * as forget from '../wire/forget.ts'
import type * as portable from '../wire/portable.ts'
import type * as provenance from '../wire/provenance.ts'
import type * as runs from '../wire/runs.ts'
import type * as wire from '../wire/schemas.ts'
import type * as search from '../wire/search.ts'
import type * as stats from '../wire/stats.ts'

/** The shapes of the wire, taken from the schemas that the server checks with; nothing of this is left at run time. */

export type MemoryEntry = z.infer<typeof wire.MemoryEntry>
export type EntryDraft = z.infer<typeof wire.EntryDraft>
export type EntryPage = z.infer<typeof wire.EntryPage>
export type EntryBatchResult = z.infer<typeof wire.EntryBatchResult>
export type EntryColophon = z.infer<typeof wire.EntryColophon>
export type SearchMore = Omit<z.infer<typeof search.SearchDraft>, 'query'>
export type SearchAnswer = z.infer<typeof search.SearchAnswer>
export type RefPage = z.infer<typeof wire.RefPage>
export type Deleted = z.infer<typeof wire.Deleted>
export type PageQuery = z.infer<typeof wire.PageQuery>
/** A moment: a position, or an instant. */
export type View = { readonly asOf?: number | string | undefined; readonly runId?: string | undefined }
export type EntryQuery = Omit<z.infer<typeof wire.EntryQuery>, 'asOf' | 'runId'> & View

export type KeyDraft = z.infer<typeof wire.KeyDraft>
export type KeyView = z.infer<typeof wire.KeyView>
export type NewKey = z.infer<typeof wire.NewKey>
export type KeyList = z.infer<typeof wire.KeyList>
export type KeyOverlap = z.infer<typeof wire.KeyOverlap>
export type SecretDraft = z.infer<typeof wire.SecretDraft>
export type SecretList = z.infer<typeof wire.SecretList>
export type RuleDraft = z.infer<typeof wire.RuleDraft>
export type Rule = z.infer<typeof wire.Rule>
export type RuleList = z.infer<typeof wire.RuleList>
export type RedactionTry = z.infer<typeof wire.RedactionTry>
export type RedactionResult = z.infer<typeof wire.RedactionResult>
export type RedactionRequest = z.infer<typeof wire.RedactionRequest>
export type Settings = z.infer<typeof wire.Settings>
export type TenantDraft = z.infer<typeof wire.TenantDraft>
export type Tenant = z.infer<typeof wire.TenantView>
export type NewTenant = z.infer<typeof wire.NewTenant>
export type TenantList = z.infer<typeof wire.TenantList>
export type Stats = z.infer<typeof stats.Stats>
export type AuditPage = z.infer<typeof wire.AuditPage>
export type AuditVerifyResult = z.infer<typeof wire.AuditVerifyResult>
export type VerifyQuery = z.infer<typeof wire.VerifyQuery>
export type Job = z.infer<typeof wire.Job>
export type JobPage = z.infer<typeof wire.JobPage>
export type JobQuery = z.infer<typeof wire.JobQuery>
export type Schedule = z.infer<typeof wire.Schedule>
export type ScheduleList = z.infer<typeof wire.ScheduleList>
export type ScheduleDraft = z.infer<typeof wire.ScheduleDraft>
export type JobStarted = z.infer<typeof wire.JobStarted>

export type EmbeddingsStatus = z.infer<typeof embeddings.EmbeddingsStatus>

export type CompactionRequest = z.infer<typeof compactions.CompactionRequest>
export type CompactionStarted = z.infer<typeof compactions.CompactionStarted>
export type CompactionDryRun = z.infer<typeof compactions.CompactionDryRun>
export type Compaction = z.infer<typeof compactions.Compaction>
export type CompactionPage = z.infer<typeof compactions.CompactionPage>
export type CompactionQuery = z.infer<typeof compactions.CompactionQuery>

export type ForgetRequest = z.infer<typeof forget.ForgetDraft>
export type ForgetStarted = z.infer<typeof forget.ForgetStarted>
export type ForgetCounts = z.infer<typeof forget.ForgetCounts>
export type Forget = z.infer<typeof forget.Forget>
export type ForgetPage = z.infer<typeof forget.ForgetPage>
export type SigningKey = z.infer<typeof forget.SigningKey>

export type Memory = z.infer<typeof provenance.Memory>
export type MemoryPage = z.infer<typeof provenance.MemoryPage>
export type MemoryQuery = Omit<z.infer<typeof provenance.MemoryQuery>, 'categories' | 'as_of'> & {
  readonly categories?: readonly string[] | undefined
  readonly as_of?: number | string | undefined
}
export type AddAnswer = z.infer<typeof provenance.AddAnswer>
export type IngestJob = z.infer<typeof provenance.IngestJob>
export type Retrieval = z.infer<typeof provenance.Retrieval>
export type MemoryHistory = z.infer<typeof provenance.History>
export type MemorySources = z.infer<typeof provenance.SourceList>
export type MemoryDeleted = z.infer<typeof provenance.Removed>
export type Writer = z.infer<typeof provenance.Writer>
export type WriterList = z.infer<typeof provenance.WriterList>
export type WriterQuery = z.infer<typeof provenance.WriterQuery>
export type RulesPreviewResult = z.infer<typeof provenance.PreviewResult>
export type ExtractResult = z.infer<typeof provenance.ExtractResult>
export type SourceEvent = z.infer<typeof provenance.SourceEvent>
export type SourceEventPage = z.infer<typeof provenance.SourceEventPage>
export type SourceEventQuery = z.infer<typeof provenance.SourceEventQuery>
export type SourceVerified = z.infer<typeof provenance.Verified>
export type Claim = z.infer<typeof provenance.Claim>
export type ClaimPage = z.infer<typeof provenance.ClaimPage>
export type ClaimQuery = z.infer<typeof provenance.ClaimQuery>

export type RunCreated = z.infer<typeof runs.RunCreated>
export type RunSnapshot = z.infer<typeof runs.RunView> & {
  readonly variables: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  readonly snapshot: { readonly position: number; readonly at: string }
  readonly currentNodeId?: string
  readonly startedAt?: string
  readonly completedAt?: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly interrupt?: Interrupt & { readonly nodeId: string; readonly interruptToken?: string }
}
export type RunPage = z.infer<typeof runs.RunPage>
export type RunListQuery = z.infer<typeof runs.RunListQuery>
export type RunState = z.infer<typeof runs.RunState>
export type RunForked = z.infer<typeof runs.RunForked>
export type RunReads = z.infer<typeof runs.RunReads>
export type RunDiff = z.infer<typeof runs.RunDiff>
export type RunEventList = z.infer<typeof runs.EventList>
export type RunEvent = RunEventList['events'][number]
export type RunEventPoll = z.infer<typeof runs.EventPoll>
export type BulkCancelResult = z.infer<typeof runs.BulkCancelResult>
export type DebugBundle = z.infer<typeof runs.DebugBundle>
export type Artifact = z.infer<typeof runs.Artifact>
export type Interrupt = z.infer<typeof runs.InterruptView>
export type InterruptResolved = z.infer<typeof runs.Resolved>
export type WorkflowDocument = z.infer<typeof runs.WorkflowDocument>
export type WorkflowStored = z.infer<typeof runs.WorkflowStored>
export type WorkflowPage = z.infer<typeof runs.WorkflowPage>
export type NewWebhook = z.infer<typeof runs.NewWebhook>
export type WebhookList = z.infer<typeof runs.WebhookList>

export type ExportQuery = z.infer<typeof portable.ExportQuery>
export type ImportQuery = z.infer<typeof portable.ImportQuery>
export type ImportResult = z.infer<typeof portable.ImportResult>

export type AgentManifest = z.infer<typeof agents.AgentManifest>
export type AgentInventory = z.infer<typeof agents.AgentInventory>
export type AgentInventoryEntry = z.infer<typeof agents.AgentInventoryEntry>

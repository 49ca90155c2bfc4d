import type { z } from 'zod'
import type * as host from '../wires/host/schemas/index.ts'
import type * as openwop from '../wires/openwop-v1/schemas/index.ts'
import type * as provenance from '../wires/provenance/schemas/index.ts'
import type * as parts from '../wires/schema-parts.ts'

/** The shapes of the wire, taken from the schemas that the server checks with; nothing of this is left at run time. */

export type MemoryEntry = z.infer<typeof openwop.MemoryEntry>
export type EntryDraft = z.infer<typeof host.EntryDraft>
export type EntryPage = z.infer<typeof host.EntryPage>
export type EntryBatchResult = z.infer<typeof host.EntryBatchResult>
export type EntryColophon = z.infer<typeof host.EntryColophon>
export type SearchMore = Omit<z.infer<typeof host.SearchDraft>, 'query'>
export type SearchAnswer = z.infer<typeof host.SearchAnswer>
export type RefPage = z.infer<typeof host.RefPage>
export type Deleted = z.infer<typeof parts.Deleted>
export type PageQuery = z.infer<typeof parts.PageQuery>
/** A moment: a position, or an instant. */
export type View = { readonly asOf?: number | string | undefined; readonly runId?: string | undefined }
export type EntryQuery = Omit<z.infer<typeof host.EntryQuery>, 'asOf' | 'runId'> & View

export type KeyDraft = z.infer<typeof host.KeyDraft>
export type KeyView = z.infer<typeof host.KeyView>
export type NewKey = z.infer<typeof host.NewKey>
export type KeyList = z.infer<typeof host.KeyList>
export type KeyOverlap = z.infer<typeof host.KeyOverlap>
export type SecretDraft = z.infer<typeof host.SecretDraft>
export type SecretList = z.infer<typeof host.SecretList>
export type RuleDraft = z.infer<typeof host.RuleDraft>
export type Rule = z.infer<typeof host.Rule>
export type RuleList = z.infer<typeof host.RuleList>
export type RedactionTry = z.infer<typeof host.RedactionTry>
export type RedactionResult = z.infer<typeof host.RedactionResult>
export type RedactionRequest = z.infer<typeof host.RedactionRequest>
export type Settings = z.infer<typeof provenance.Settings>
export type TenantDraft = z.infer<typeof host.TenantDraft>
export type Tenant = z.infer<typeof host.TenantView>
export type NewTenant = z.infer<typeof host.NewTenant>
export type TenantList = z.infer<typeof host.TenantList>
/** What a host says about itself; all of OpenWOP's members are there, these are the ones Colophon's tools read. */
export type Discovery = Readonly<Record<string, unknown>> & {
  readonly implementation?: { readonly version?: string }
  readonly fixtures?: readonly string[]
}
export type Stats = z.infer<typeof host.Stats>
export type AuditPage = z.infer<typeof host.AuditPage>
export type AuditVerifyResult = z.infer<typeof openwop.AuditVerifyResult>
export type VerifyQuery = z.infer<typeof openwop.VerifyQuery>
export type Job = z.infer<typeof host.Job>
export type JobPage = z.infer<typeof host.JobPage>
export type JobQuery = z.infer<typeof host.JobQuery>
export type Schedule = z.infer<typeof host.Schedule>
export type ScheduleList = z.infer<typeof host.ScheduleList>
export type ScheduleDraft = z.infer<typeof host.ScheduleDraft>
export type JobStarted = z.infer<typeof parts.JobStarted>

export type EmbeddingsStatus = z.infer<typeof host.EmbeddingsStatus>

export type CompactionRequest = z.infer<typeof host.CompactionRequest>
export type CompactionStarted = z.infer<typeof host.CompactionStarted>
export type CompactionDryRun = z.infer<typeof host.CompactionDryRun>
export type Compaction = z.infer<typeof host.Compaction>
export type CompactionPage = z.infer<typeof host.CompactionPage>
export type CompactionQuery = z.infer<typeof host.CompactionQuery>

export type ForgetRequest = z.infer<typeof host.ForgetDraft>
export type ForgetStarted = z.infer<typeof host.ForgetStarted>
export type ForgetCounts = z.infer<typeof host.ForgetCounts>
export type Forget = z.infer<typeof host.Forget>
export type ForgetPage = z.infer<typeof host.ForgetPage>
export type SigningKey = z.infer<typeof host.SigningKey>

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
export type WriterQuery = PageQuery
export type RulesPreviewResult = z.infer<typeof host.PreviewResult>
export type ExtractResult = z.infer<typeof host.ExtractResult>
export type SourceEvent = z.infer<typeof provenance.SourceEvent>
export type SourceEventPage = z.infer<typeof provenance.SourceEventPage>
export type SourceEventQuery = z.infer<typeof provenance.SourceEventQuery>
export type SourceVerified = z.infer<typeof provenance.Verified>
export type Claim = z.infer<typeof host.Claim>
export type ClaimPage = z.infer<typeof host.ClaimPage>
export type ClaimQuery = z.infer<typeof host.ClaimQuery>

export type RunCreated = z.infer<typeof openwop.RunCreated>
export type RunSnapshot = z.infer<typeof openwop.RunView>
export type RunPage = z.infer<typeof host.RunPage>
export type RunListQuery = z.infer<typeof host.RunListQuery>
export type RunState = z.infer<typeof openwop.RunState>
export type RunForked = z.infer<typeof openwop.RunForked>
export type RunReads = z.infer<typeof host.RunReads>
export type RunEvent = z.infer<typeof openwop.EventList>['events'][number] & {
  readonly nodeId?: string
  readonly payload: Readonly<Record<string, unknown>>
}
type WithEvents<List> = Omit<List, 'events'> & { readonly events: readonly RunEvent[] }
export type RunEventList = WithEvents<z.infer<typeof openwop.EventList>>
export type RunEventPoll = WithEvents<z.infer<typeof openwop.EventPoll>>
export type RunDiff = Omit<z.infer<typeof openwop.RunDiff>, 'eventDiffs'> & {
  readonly eventDiffs: readonly {
    readonly seq: number
    readonly op: string
    readonly aEvent?: RunEvent
    readonly bEvent?: RunEvent
  }[]
}
export type BulkCancelResult = z.infer<typeof openwop.BulkCancelResult>
export type DebugBundle = z.infer<typeof openwop.DebugBundle>
export type Artifact = z.infer<typeof openwop.Artifact>
export type Interrupt = z.infer<typeof openwop.InterruptView>
export type InterruptResolved = z.infer<typeof openwop.Resolved>
export type WorkflowDocument = z.infer<typeof openwop.WorkflowDocument>
/** A registered workflow, with what every one has. */
export type Workflow = WorkflowDocument & {
  readonly nodes: readonly { readonly id: string; readonly typeId: string }[]
  readonly edges: readonly { readonly sourceNodeId: string; readonly targetNodeId: string }[]
}
export type WorkflowStored = z.infer<typeof host.WorkflowStored>
export type WorkflowPage = z.infer<typeof host.WorkflowPage>
export type NewWebhook = z.infer<typeof openwop.NewWebhook>
export type WebhookList = z.infer<typeof openwop.WebhookList>

export type ExportQuery = z.infer<typeof host.ExportQuery>
export type ImportQuery = z.infer<typeof host.ImportQuery>
export type ImportResult = z.infer<typeof host.ImportResult>

export type AgentManifest = z.infer<typeof openwop.AgentManifest>
export type AgentInventory = z.infer<typeof openwop.AgentInventory>
export type AgentInventoryEntry = z.infer<typeof openwop.AgentInventoryEntry>

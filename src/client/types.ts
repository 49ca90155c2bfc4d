import type { z } from 'zod'
import type * as host from '../wires/host/schemas/index.ts'
import type * as openwop from '../wires/openwop-v1/schemas/index.ts'
import type * as provenance from '../wires/provenance/schemas/index.ts'
import type * as parts from '../wires/schema-parts.ts'

/**
 * The shapes of the wires, from the schemas that the server checks with. Interfaces, so that editors show their names;
 * nothing of this is left at run time.
 */

type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: ReadonlyDeep<T[Member]> }
    : T
/** What a call sends: the server changes nothing of it. */
type Sent<Schema extends z.ZodType> = ReadonlyDeep<z.input<Schema>>
type Got<Schema extends z.ZodType> = z.output<Schema>

export interface MemoryEntry extends Got<typeof openwop.MemoryEntry> {}
export interface EntryDraft extends Sent<typeof host.EntryDraft> {}
export interface EntryPatch extends Sent<typeof host.EntryPatch> {}
export interface RevisedEntry extends Got<typeof host.RevisedEntry> {}
export interface EntryPage extends Got<typeof host.EntryPage> {}
export interface EntryBatchResult extends Got<typeof host.EntryBatchResult> {}
export interface EntryColophon extends Got<typeof host.EntryColophon> {}
export type SearchMore = Omit<Sent<typeof host.SearchDraft>, 'query'>
export interface SearchAnswer extends Got<typeof host.SearchAnswer> {}
export interface RefPage extends Got<typeof host.RefPage> {}
export interface Deleted extends Got<typeof parts.Deleted> {}
export interface PageQuery extends Sent<typeof parts.PageQuery> {}
/** A moment: a position, or an instant. */
export type View = { readonly asOf?: number | string | undefined; readonly runId?: string | undefined }
export type EntryQuery = Omit<Sent<typeof host.EntryQuery>, 'asOf' | 'runId'> & View

export interface KeyDraft extends Sent<typeof host.KeyDraft> {}
export interface KeyView extends Got<typeof host.KeyView> {}
export interface NewKey extends Got<typeof host.NewKey> {}
export interface KeyList extends Got<typeof host.KeyList> {}
export interface KeyOverlap extends Sent<typeof host.KeyOverlap> {}
export interface SecretDraft extends Sent<typeof host.SecretDraft> {}
export interface SecretList extends Got<typeof host.SecretList> {}
export interface RuleDraft extends Sent<typeof host.RuleDraft> {}
export interface Rule extends Got<typeof host.Rule> {}
export interface RuleList extends Got<typeof host.RuleList> {}
export interface RedactionTry extends Sent<typeof host.RedactionTry> {}
export interface RedactionResult extends Got<typeof host.RedactionResult> {}
export interface RedactionRequest extends Sent<typeof host.RedactionRequest> {}
export interface Settings extends Got<typeof provenance.Settings> {}
export interface TenantDraft extends Sent<typeof host.TenantDraft> {}
export interface Tenant extends Got<typeof host.TenantView> {}
export interface NewTenant extends Got<typeof host.NewTenant> {}
export interface TenantList extends Got<typeof host.TenantList> {}
export interface Discovery extends Got<typeof openwop.Discovery> {}
export interface Stats extends Got<typeof host.Stats> {}
export interface AuditPage extends Got<typeof host.AuditPage> {}
export interface AuditVerifyResult extends Got<typeof openwop.AuditVerifyResult> {}
export interface VerifyQuery extends Sent<typeof openwop.VerifyQuery> {}
export interface Job extends Got<typeof host.Job> {}
export interface JobPage extends Got<typeof host.JobPage> {}
export interface JobQuery extends Sent<typeof host.JobQuery> {}
export interface Schedule extends Got<typeof host.Schedule> {}
export interface ScheduleList extends Got<typeof host.ScheduleList> {}
export interface ScheduleDraft extends Sent<typeof host.ScheduleDraft> {}
export interface JobStarted extends Got<typeof parts.JobStarted> {}

export interface EmbeddingsStatus extends Got<typeof host.EmbeddingsStatus> {}

export interface CompactionRequest extends Sent<typeof host.CompactionRequest> {}
export interface CompactionStarted extends Got<typeof host.CompactionStarted> {}
export interface CompactionDryRun extends Got<typeof host.CompactionDryRun> {}
export interface Compaction extends Got<typeof host.Compaction> {}
export interface CompactionPage extends Got<typeof host.CompactionPage> {}
export interface CompactionQuery extends Sent<typeof host.CompactionQuery> {}

export interface ForgetRequest extends Sent<typeof host.ForgetDraft> {}
export interface ForgetStarted extends Got<typeof host.ForgetStarted> {}
export interface ForgetCounts extends Got<typeof host.ForgetCounts> {}
export interface Forget extends Got<typeof host.Forget> {}
export interface ForgetPage extends Got<typeof host.ForgetPage> {}
export interface SigningKey extends Got<typeof host.SigningKey> {}

export interface Memory extends Got<typeof provenance.Memory> {}
export interface ChangedMemory extends Got<typeof provenance.ChangedMemory> {}
export interface MemoryPage extends Got<typeof provenance.MemoryPage> {}
export type MemoryQuery = Omit<Got<typeof provenance.MemoryQuery>, 'categories' | 'as_of'> & {
  readonly categories?: readonly string[] | undefined
  readonly as_of?: number | string | undefined
}
export interface AddAnswer extends Got<typeof provenance.AddAnswer> {}
export interface IngestJob extends Got<typeof provenance.IngestJob> {}
export interface Retrieval extends Got<typeof provenance.Retrieval> {}
export interface MemoryHistory extends Got<typeof provenance.History> {}
export interface MemorySources extends Got<typeof provenance.SourceList> {}
export interface MemoryDeleted extends Got<typeof provenance.Removed> {}
export interface Writer extends Got<typeof provenance.Writer> {}
export interface WriterList extends Got<typeof provenance.WriterList> {}
export type WriterQuery = PageQuery
export interface RulesPreviewResult extends Got<typeof host.PreviewResult> {}
export interface ExtractResult extends Got<typeof host.ExtractResult> {}
export type SourceEvent = Got<typeof provenance.SourceEvent>
export interface SourceEventPage extends Got<typeof provenance.SourceEventPage> {}
export interface SourceEventQuery extends Sent<typeof provenance.SourceEventQuery> {}
export interface SourceVerified extends Got<typeof provenance.Verified> {}
export interface Claim extends Got<typeof host.Claim> {}
export interface ClaimPage extends Got<typeof host.ClaimPage> {}
export interface ClaimQuery extends Sent<typeof host.ClaimQuery> {}
export interface ContentsQuery extends Sent<typeof host.ContentsQuery> {}

export interface RunCreated extends Got<typeof openwop.RunCreated> {}
export interface RunSnapshot extends Got<typeof openwop.RunView> {}
export interface RunPage extends Got<typeof host.RunPage> {}
export interface RunListQuery extends Sent<typeof host.RunListQuery> {}
export interface RunState extends Got<typeof openwop.RunState> {}
export interface RunForked extends Got<typeof openwop.RunForked> {}
export interface RunReads extends Got<typeof host.RunReads> {}
export interface RunEvent extends Got<typeof openwop.RunEvent> {}
export interface RunEventList extends Got<typeof openwop.EventList> {}
export interface RunEventPoll extends Got<typeof openwop.EventPoll> {}
export interface RunDiff extends Got<typeof openwop.RunDiff> {}
export interface BulkCancelResult extends Got<typeof openwop.BulkCancelResult> {}
export interface DebugBundle extends Got<typeof openwop.DebugBundle> {}
export interface Artifact extends Got<typeof openwop.Artifact> {}
export interface Interrupt extends Got<typeof openwop.InterruptView> {}
export interface InterruptResolved extends Got<typeof openwop.Resolved> {}
export type WorkflowDocument = Got<typeof openwop.WorkflowDocument>
/** A registered workflow, with what every one has. */
export type Workflow = WorkflowDocument & {
  readonly nodes: readonly { readonly id: string; readonly typeId: string }[]
  readonly edges: readonly { readonly sourceNodeId: string; readonly targetNodeId: string }[]
}
export interface WorkflowStored extends Got<typeof host.WorkflowStored> {}
export interface WorkflowPage extends Got<typeof host.WorkflowPage> {}
export interface NewWebhook extends Got<typeof openwop.NewWebhook> {}
export interface WebhookList extends Got<typeof openwop.WebhookList> {}

export interface ExportQuery extends Sent<typeof host.ExportQuery> {}
export interface ImportQuery extends Sent<typeof host.ImportQuery> {}
export interface ImportResult extends Got<typeof host.ImportResult> {}

export interface AgentManifest extends Sent<typeof openwop.AgentManifest> {}
export interface AgentInventory extends Got<typeof openwop.AgentInventory> {}
export interface AgentInventoryEntry extends Got<typeof openwop.AgentInventoryEntry> {}

export interface Message extends Sent<typeof provenance.Message> {}
export type AddDraft = Sent<typeof provenance.AddDraft>
export interface RetrieveDraft extends Sent<typeof provenance.RetrieveDraft> {}
export interface MemoryPatch extends Sent<typeof provenance.MemoryPatch> {}
export interface AuthorityRules extends Sent<typeof provenance.AuthorityRulesDraft> {}
export interface WriterDraft extends Sent<typeof provenance.WriterDraft> {}
export interface WriterChange extends Sent<typeof provenance.WriterChange> {}
export interface SettingsChange extends Sent<typeof provenance.SettingsChange> {}
export type ClaimResolve = Sent<typeof host.ClaimResolve>
export interface RunDraft extends Sent<typeof openwop.RunDraft> {}
export interface ForkDraft extends Sent<typeof openwop.ForkDraft> {}
export type PauseDraft = NonNullable<Sent<typeof openwop.PauseDraft>>
export interface WebhookDraft extends Sent<typeof openwop.WebhookDraft> {}

/** One change of the tenant's memory, in identifiers. */
export interface MemoryChange extends Got<typeof host.ChangeEvent> {}
/** Changes between two positions are not available: read again what you keep a copy of. */
export interface ChangeGap extends Got<typeof host.ChangeGap> {}

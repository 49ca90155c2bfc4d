import type { EntryDraft, MemoryEntry } from '../core/entries/entry.ts'
import type * as host from '../wires/host/schemas/index.ts'
import type * as openwop from '../wires/openwop-v1/schemas/index.ts'
import type * as provenance from '../wires/provenance/schemas/index.ts'
import type * as parts from '../wires/schema-parts.ts'
import type { Filtered } from './entry-types.ts'
import type { Got, Sent } from './wire-type.ts'

export type * from './claim-types.ts'
export type * from './entry-types.ts'

/**
 * The types of requests and responses, from the schemas that the server validates with. They are interfaces, so that
 * editors show their names. Nothing of this file exists at run time.
 */

export type { AgentManifest } from '../core/agents/agent.ts'
export type { EntryDraft, MemoryEntry } from '../core/entries/entry.ts'
export type * from './run-types.ts'

/** A response whose entries are the library's `MemoryEntry`. */
type WithEntries<T> = Omit<T, 'entries'> & { readonly entries: readonly MemoryEntry[] }
type SearchResult = Omit<Got<typeof host.SearchAnswer>['results'][number], 'entry'> & { readonly entry: MemoryEntry }

/** A change of an entry: new content, new tags, or both. Omitted members stay as they are. */
export interface EntryPatch extends Sent<typeof host.EntryPatch> {}
/** An entry after a change. It has no content for a key without the scope `memory:read`. */
export interface RevisedEntry extends Got<typeof host.RevisedEntry> {}
/** One page of entries, newest first, and the position that all pages are read at. */
export interface EntryPage extends WithEntries<Got<typeof host.EntryPage>> {}
/** Entries to store, revise and delete in one commit, and the source event that they belong to. */
export interface EntryBatch extends Omit<Sent<typeof host.EntryBatch>, 'entries'> {
  readonly entries: readonly EntryDraft[]
}
/** The entries that a batch stored, and the position of its commit. */
export interface EntryBatchResult extends WithEntries<Got<typeof host.EntryBatchResult>> {}
/** The origin of an entry, each step of its history, and the audit record that proves it. */
export interface EntryColophon extends Got<typeof host.EntryColophon> {}
/** The provenance of an entry in W3C PROV-JSON. */
export interface ProvDocument extends Got<typeof host.ProvDocument> {}
/** Filters and options of a search, without the query itself. */
export type SearchMore = Omit<Sent<typeof host.SearchDraft>, 'query' | 'filter'> & Filtered
/** Search results, best first, and the position they were read at. */
export interface SearchAnswer extends Omit<Got<typeof host.SearchAnswer>, 'results'> {
  readonly results: readonly SearchResult[]
}
/** Kinds, filters and the page of a search over the whole tenant. */
export type TenantSearchMore = Omit<Sent<typeof host.TenantSearchDraft>, 'query'>
/** What a search over the whole tenant found, by kind. */
export interface TenantSearchAnswer extends Got<typeof host.TenantSearchAnswer> {}
/** One page of memoryRefs that have entries, in order of name. */
export interface RefPage extends Got<typeof host.RefPage> {}
/** `deleted` is false if there was nothing to delete. */
export interface Deleted extends Got<typeof parts.Deleted> {}
/** Which page of a list: `limit` items, starting at `cursor` (the `cursor` of the page before). */
export interface PageQuery extends Sent<typeof parts.PageQuery> {}
/** Which moment of memory to read (`asOf`: a position or an ISO instant), and through which run. */
export type ViewQuery = { readonly asOf?: number | string | undefined; readonly runId?: string | undefined }
/** Which entries of a ref to list: a page, a tag, a moment, a run. */
export type EntryQuery = Omit<Sent<typeof host.EntryQuery>, 'asOf' | 'runId' | 'filter'> & ViewQuery & Filtered

/** One file of the workspace. */
export interface WorkspaceFile extends Got<typeof openwop.WorkspaceFile> {}
/** The files of the workspace in order of path, without their contents. */
export interface WorkspaceFileList extends Got<typeof openwop.WorkspaceFileList> {}
/** The new content of a file, and its media type (text/markdown by default). */
export interface WorkspaceFileDraft extends Sent<typeof openwop.WorkspaceFileDraft> {}
/** One page of memories in quarantine. */
export interface QuarantinePage extends Got<typeof host.QuarantinePage> {}
/** Why a memory is released from quarantine or rejected. */
export interface QuarantineDecision extends Sent<typeof host.QuarantineDecision> {}
/** The decision about a memory in quarantine. */
export interface QuarantineDecided extends Got<typeof host.QuarantineDecided> {}

/** An API key to create: its name, its scopes and, optionally, when it expires. */
export interface KeyDraft extends Sent<typeof host.KeyDraft> {}
/** An API key without the key itself. */
export interface KeyView extends Got<typeof host.KeyView> {}
/** A new API key. `key` is shown only in the first response: a repeated request does not return it. */
export interface NewKey extends Got<typeof host.NewKey> {}
/** One page of API keys, oldest first. */
export interface KeyList extends Got<typeof host.KeyList> {}
/** How long the old key still works after a rotation, in milliseconds. */
export interface KeyOverlap extends Sent<typeof host.KeyOverlap> {}
/** A value to store in the vault. From then on it is redacted in everything that is written. */
export interface SecretDraft extends Sent<typeof host.SecretDraft> {}
/** The ids and scopes of the stored secrets. Values are never returned. */
export interface SecretList extends Got<typeof host.SecretList> {}
/** A redaction rule to store: an RE2 pattern and a description. */
export interface RuleDraft extends Sent<typeof host.RuleDraft> {}
/** A redaction rule of the tenant. */
export interface Rule extends Got<typeof host.Rule> {}
/** The redaction rules of the tenant, and the ids of the built-in rules. */
export interface RuleList extends Got<typeof host.RuleList> {}
/** A text to redact, and optionally a pattern that is not stored yet. */
export interface RedactionTry extends Sent<typeof host.RedactionTry> {}
/** The text as it would be stored, and how often each rule or secret matched. */
export interface RedactionResult extends Got<typeof host.RedactionResult> {}
/** Options of a redaction pass over all stored memory. */
export interface RedactionRequest extends Sent<typeof host.RedactionRequest> {}
/** The settings of the tenant: retention, redaction, compaction, authority. */
export interface Settings extends Got<typeof provenance.Settings> {}
/** A tenant to create. */
export interface TenantDraft extends Sent<typeof host.TenantDraft> {}
/** A tenant: its id, its status, when it was created. */
export interface Tenant extends Got<typeof host.TenantView> {}
/** A new tenant and its first API key, which has every scope and is shown once. */
export interface NewTenant extends Got<typeof host.NewTenant> {}
/** One page of tenants, in order of id. */
export interface TenantList extends Got<typeof host.TenantList> {}
/** The quotas of a tenant. */
export interface TenantQuotas extends Got<typeof host.TenantQuotas> {}
/** Quotas to set. Null resets one to its default. */
export interface QuotaChange extends Sent<typeof host.QuotaChange> {}
/** The OpenWOP discovery document: the capabilities and limits of this host now. */
export interface Discovery extends Got<typeof openwop.Discovery> {}
/** Counts of a tenant: entries, claims, runs, jobs, redactions, and changes by the hour. */
export interface Stats extends Got<typeof host.Stats> {}
/** One page of audit records, oldest first, and the head of the chain. */
export interface AuditPage extends Got<typeof host.AuditPage> {}
/** Which page of the audit records, or the position after which it begins. */
export interface AuditQuery extends Sent<typeof host.AuditQuery> {}
/** Whether the audit chain, and with `contents` every stored row, is intact. */
export interface AuditVerifyResult extends Got<typeof openwop.AuditVerifyResult> {}
/** Which part of the audit chain to verify, and whether to compare the stored rows. */
export interface VerifyQuery extends Sent<typeof openwop.VerifyQuery> {}
/** A background job: its status, attempts, progress, and its result or error. */
export interface Job extends Got<typeof host.Job> {}
/** One page of jobs, newest first. */
export interface JobPage extends Got<typeof host.JobPage> {}
/** Which jobs to list: a page, a status. */
export interface JobQuery extends Sent<typeof host.JobQuery> {}
/** A schedule: a cron expression (UTC), the kind of job it starts, and when it is due next. */
export interface Schedule extends Got<typeof host.Schedule> {}
/** All schedules of the tenant, those of the host included. */
export interface ScheduleList extends Got<typeof host.ScheduleList> {}
/** A schedule to create or to replace. */
export interface ScheduleDraft extends Sent<typeof host.ScheduleDraft> {}
/** The id of the job that does the work. */
export interface JobStarted extends Got<typeof parts.JobStarted> {}

/** The embedding model of the server, whether it works, and how many entries have a vector. */
export interface EmbeddingsStatus extends Got<typeof host.EmbeddingsStatus> {}

/** Which ref to compact, and the limits of the pass. */
export interface CompactionRequest extends Sent<typeof host.CompactionRequest> {}
/** The id of the first compaction of the pass, and of its job. */
export interface CompactionStarted extends Got<typeof host.CompactionStarted> {}
/** What a compaction pass would do now. */
export interface CompactionDryRun extends Got<typeof host.CompactionDryRun> {}
/** Many entries that became one: its status, its sources and its output. */
export interface Compaction extends Got<typeof host.Compaction> {}
/** One page of compactions, newest first. */
export interface CompactionPage extends Got<typeof host.CompactionPage> {}
/** Which compactions to list: a page, a ref. */
export interface CompactionQuery extends Sent<typeof host.CompactionQuery> {}

/** Which ref to consolidate. */
export interface ConsolidationRequest extends Sent<typeof host.ConsolidationRequest> {}
/** The id of the job of a consolidation, and of the run that records it. */
export interface ConsolidationStarted extends Got<typeof host.ConsolidationStarted> {}
/** What a consolidation would merge now, and why. */
export interface ConsolidationDryRun extends Got<typeof host.ConsolidationDryRun> {}
/** Which ref to distill, and the token budget. */
export interface DistillationRequest extends Sent<typeof host.DistillationRequest> {}
/** The id of the distillation, and of its job. */
export interface DistillationStarted extends Got<typeof host.DistillationStarted> {}
/** What a distillation would read now. */
export interface DistillationDryRun extends Got<typeof host.DistillationDryRun> {}
/** The archive of a ref, and what it was made of. */
export interface Distillation extends Got<typeof host.Distillation> {}
/** One page of distillations, newest first. */
export interface DistillationPage extends Got<typeof host.DistillationPage> {}
/** Which distillations to list: a page, a ref. */
export interface DistillationQuery extends Sent<typeof host.DistillationQuery> {}
/** What an entry asks for at a time or after an event: its condition, its status, and the run that it started. */
export interface Commitment extends Got<typeof host.Commitment> {}
/** An event of a heartbeat in the stream of changes. */
export interface HeartbeatEvent extends Got<typeof host.HeartbeatEvent> {}
/** A heartbeat, and what it observed last. */
export interface Heartbeat extends Got<typeof host.Heartbeat> {}
/** The heartbeats that the key may see. */
export interface HeartbeatList extends Got<typeof host.HeartbeatList> {}
/** What to change of a heartbeat. */
export interface HeartbeatChange extends Sent<typeof host.HeartbeatChange> {}
/** A heartbeat to register. */
export interface HeartbeatDraft extends Sent<typeof host.HeartbeatDraft> {}
/** One page of commitments, in order of ref, newest first. */
export interface CommitmentPage extends Got<typeof host.CommitmentPage> {}
/** Which commitments to list: a page, a ref, a status. */
export interface CommitmentQuery extends Sent<typeof host.CommitmentQuery> {}
/** A commitment to create: an intention, and an instant or a statement. */
export interface CommitmentDraft extends Sent<typeof host.CommitmentDraft> {}
/** A change of a commitment that waits. */
export interface CommitmentChange extends Sent<typeof host.CommitmentChange> {}

/** What to erase: exactly one of subject, memoryRef, tag, writer, sourceEvent and runId. */
export interface ForgetRequest extends Sent<typeof host.ForgetDraft> {}
/** An erasure that has started. The data is hidden from now on. */
export interface ForgetStarted extends Got<typeof host.ForgetStarted> {}
/** What an erasure would erase, by layer. */
export interface ForgetCounts extends Got<typeof host.ForgetCounts> {}
/** An erasure: its status, the erased rows by layer and, once completed, the signed receipt. */
export interface Forget extends Got<typeof host.Forget> {}
/** The receipt of an erasure as a DSSE envelope with an in-toto Statement. */
export interface ReceiptEnvelope extends Got<typeof host.ReceiptEnvelope> {}
/** One page of erasures, oldest first. */
export interface ForgetPage extends Got<typeof host.ForgetPage> {}
/** What to contain: exactly one of key, writer, sourceEvent, run, agent. */
export interface ContainmentRequest extends Sent<typeof host.ContainmentDraft> {}
/** What would be contained. */
export interface ContainmentPreview extends Got<typeof host.ContainmentPreview> {}
/** A containment, and whether it was released. */
export interface Containment extends Got<typeof host.Containment> {}
/** A containment with one page of what it affects. */
export interface ContainmentWithAffected extends Got<typeof host.ContainmentWithAffected> {}
/** One page of containments, oldest first. */
export interface ContainmentPage extends Got<typeof host.ContainmentPage> {}
/** The public key that verifies receipts and exports of this host. */
export interface SigningKey extends Got<typeof host.SigningKey> {}

/** A memory about a person, with the source event that it comes from. */
export interface Memory extends Got<typeof provenance.Memory> {}
/** A memory after a change. It has no content for a key without the scope `memory:read`. */
export interface ChangedMemory extends Got<typeof provenance.ChangedMemory> {}
/** One page of memories, newest first. */
export interface MemoryPage extends Got<typeof provenance.MemoryPage> {}
/** Whose memories to list, and which: categories, an agent, a moment, a page. */
export type MemoryQuery = Omit<Got<typeof provenance.MemoryQuery>, 'categories' | 'as_of'> & {
  readonly categories?: readonly string[] | undefined
  readonly as_of?: number | string | undefined
}
/** The ingest job that `add` started. */
export interface AddAnswer extends Got<typeof provenance.AddAnswer> {}
/** The job that extracts memories from a source event, and how many it created. */
export interface IngestJob extends Got<typeof provenance.IngestJob> {}
/** The memories that match a query, best first, and a text of them for a prompt. */
export interface Retrieval extends Got<typeof provenance.Retrieval> {}
/** Every change of a memory, oldest first. */
export interface MemoryHistory extends Got<typeof provenance.History> {}
/** Every source event that stated a memory. */
export interface MemorySources extends Got<typeof provenance.SourceList> {}
/** The id of the memory that was deleted. */
export interface MemoryDeleted extends Got<typeof provenance.Removed> {}
/** A registered source service: its authority and the API key it is bound to. */
export interface Writer extends Got<typeof provenance.Writer> {}
/** A writer after a change, and how many claims a reresolve would change. */
export interface ChangedWriter extends Got<typeof provenance.ChangedWriter> {}
/** One page of writers, in order of service key. */
export interface WriterList extends Got<typeof provenance.WriterList> {}
/** Which page of writers to list. */
export type WriterQuery = PageQuery
/** The memories that the extractor finds in messages. Nothing is stored. */
export interface ExtractResult extends Got<typeof host.ExtractResult> {}
/** A source event with its messages, as far as they are kept, and the memories that it stated. */
export type SourceEvent = Got<typeof provenance.SourceEvent>
/** One page of source events, newest first. */
export interface SourceEventPage extends Got<typeof provenance.SourceEventPage> {}
/** Which source events to list: a page, a service, a person. */
export interface SourceEventQuery extends Sent<typeof provenance.SourceEventQuery> {}
/** Whether messages have the payload hash of a source event. */
export interface SourceVerified extends Got<typeof provenance.Verified> {}

/** Which part of the memory to export: a ref, a subject, or everything. */
export interface ExportQuery extends Sent<typeof host.ExportQuery> {}
/** Options of an import: `merge` adds to a tenant that has memory. */
export interface ImportQuery extends Sent<typeof host.ImportQuery> {}
/** How far an import is, and which lines were skipped or in conflict. */
export interface ImportResult extends Got<typeof host.ImportResult> {}

/** One message of a conversation. */
export interface Message extends Sent<typeof provenance.Message> {}
/** Messages to extract memories from, about whom, and the source event they belong to. */
export type AddDraft = Sent<typeof provenance.AddDraft>
/** A query about a person, with its filters and the format of the text for a prompt. */
export interface RetrieveDraft extends Sent<typeof provenance.RetrieveDraft> {}
/** A change of a memory: its content, its importance, or whether it is archived. */
export interface MemoryPatch extends Sent<typeof provenance.MemoryPatch> {}
/** The authority of a writer: priorities from 0 to 100, by category. */
export interface AuthorityRules extends Sent<typeof provenance.AuthorityRulesDraft> {}
/** A source service to register as a writer. */
export interface WriterDraft extends Sent<typeof provenance.WriterDraft> {}
/** A change of a writer. Omitted members stay as they are. */
export interface WriterChange extends Sent<typeof provenance.WriterChange> {}
/** A change of settings. Omitted settings stay as they are. */
export interface SettingsChange extends Sent<typeof provenance.SettingsChange> {}
/** A decision about a claim: pin one memory as the winner, or remove the pin. */
export type ClaimResolve = Sent<typeof host.ClaimResolve>

/** One change of the tenant's memory, in identifiers. */
export interface MemoryChange extends Got<typeof host.ChangeEvent> {}
/** Changes between two positions are not available. If you keep a copy of the memory, read it again. */
export interface ChangeGap extends Got<typeof host.ChangeGap> {}
/** A change, or a gap, as an event of CloudEvents 1.0. */
export interface ChangeCloudEvent extends Got<typeof host.ChangeCloudEvent> {}

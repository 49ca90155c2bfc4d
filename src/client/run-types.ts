import type * as host from '../wires/host/schemas/index.ts'
import type * as openwop from '../wires/openwop-v1/schemas/index.ts'
import type {
  EffectSeams as EffectSeamsSchema,
  RunEffects as RunEffectsSchema,
} from '../wires/openwop-v2/schemas/effects.ts'
import type * as webhooks from '../wires/openwop-v2/schemas/webhooks.ts'
import type { Got, Sent } from './wire-type.ts'

/** The types of runs, workflows, webhooks and agents: see types.ts. */

/** The run that was started, and the URLs of its state and its events. */
export interface RunCreated extends Got<typeof openwop.RunCreated> {}
/** The state of a run: status, nodes, variables, the open interrupt. */
export interface RunSnapshot extends Got<typeof openwop.RunView> {}
/** One page of runs, newest first. */
export interface RunPage extends Got<typeof host.RunPage> {}
/** Which runs to list: a page, a status, a workflow. */
export interface RunListQuery extends Sent<typeof host.RunListQuery> {}
/** A run and its new status. */
export interface RunState extends Got<typeof openwop.RunState> {}
/** The new run of a fork, and the run it was forked from. */
export interface RunForked extends Got<typeof openwop.RunForked> {}
/** The snapshot of a run, and each of its memory reads, in identifiers. */
export interface RunReads extends Got<typeof host.RunReads> {}
/** A token that answers an open interrupt without a key. */
export interface InterruptToken extends Got<typeof host.InterruptToken> {}
/** One event in the log of a run. */
export interface RunEvent extends Got<typeof openwop.RunEvent> {}
/** The log of a run, oldest first. */
export interface RunEventList extends Got<typeof openwop.EventList> {}
/** The events after a sequence, and whether more can follow. */
export interface RunEventPoll extends Got<typeof openwop.EventPoll> {}
/** What the nodes of a run changed, in identifiers. */
export interface RunEffects extends Got<typeof RunEffectsSchema> {}
/** Where runs change something outside of their log, and what keeps a replay from doing it again. */
export interface EffectSeams extends Got<typeof EffectSeamsSchema> {}
/** Where the logs of two runs differ. */
export interface RunDiff extends Got<typeof openwop.RunDiff> {}
/** One result for each run, in the order of the request. */
export interface BulkCancelResult extends Got<typeof openwop.BulkCancelResult> {}
/** State and log of a run in one document, redacted, to attach to a bug report. */
export interface DebugBundle extends Got<typeof openwop.DebugBundle> {}
/** A document that a node made. */
export interface Artifact extends Got<typeof openwop.Artifact> {}
/** What a run waits for: an approval, a clarification, an external event, a value. */
export interface Interrupt extends Got<typeof openwop.InterruptView> {}
/** The run and node whose interrupt was resolved. */
export interface InterruptResolved extends Got<typeof openwop.Resolved> {}
/** A workflow definition as a JSON document. */
export type WorkflowDocument = Got<typeof openwop.WorkflowDocument>
/** A registered workflow with the members that every workflow has. */
export type Workflow = WorkflowDocument & {
  readonly nodes: readonly { readonly id: string; readonly typeId: string }[]
  readonly edges: readonly { readonly sourceNodeId: string; readonly targetNodeId: string }[]
}
/** The version under which the workflow is registered. */
export interface WorkflowStored extends Got<typeof host.WorkflowStored> {}
/** One page of workflows, in order of id. */
export interface WorkflowPage extends Got<typeof host.WorkflowPage> {}
/** A new webhook. `secret` is shown only in the first response. */
export interface NewWebhook extends Got<typeof openwop.NewWebhook> {}
/** The webhooks of the tenant, without URLs and secrets. */
export interface WebhookList extends Got<typeof openwop.WebhookList> {}
/** The next secret of a webhook. The server makes one if it is omitted. */
export type SecretRotation = NonNullable<Sent<typeof webhooks.SecretRotation>>
/** The webhook, and its next secret if the server made it. */
export interface RotatedSecret extends Got<typeof webhooks.NewWebhook> {}
/** One page of deliveries that failed too often, newest first. */
export interface DeadLetterPage extends Got<typeof host.DeadLetterPage> {}

/** The agents of the tenant. */
export interface AgentInventory extends Got<typeof openwop.AgentInventory> {}
/** An installed agent, and the capabilities that it requests and this host lacks. */
export interface AgentInventoryEntry extends Got<typeof openwop.AgentInventoryEntry> {}

/** Which workflow to run, with which inputs. */
export interface RunDraft extends Sent<typeof openwop.RunDraft> {}
/** How to fork a run: `replay` repeats it, `branch` continues from an event. */
export interface ForkDraft extends Sent<typeof openwop.ForkDraft> {}
/** How to pause a run: after the current node, or at once. */
export type PauseDraft = NonNullable<Sent<typeof openwop.PauseDraft>>
/** A URL, and the run events to send to it. */
export interface WebhookDraft extends Sent<typeof openwop.WebhookDraft> {}

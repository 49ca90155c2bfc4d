import type { RunAgent } from '../../core/agents/run-agent.ts'
import type { ClassedEntry } from '../../core/entries/entry.ts'
import type { Trust } from '../../core/entries/trust.ts'
import type { Message } from '../../core/run/channel.ts'
import type { InterruptRequest } from '../../core/run/interrupt.ts'
import type { NodeValues } from '../../core/run/lifecycle.ts'
import type { MadeDecision } from '../../core/run/orchestration.ts'
import type { NodeState, Run, RunError } from '../../core/run/run.ts'
import type { MinRelevance } from '../../core/search/min-relevance.ts'
import type { Decision } from '../../core/workflow/decision.ts'
import type { NodeTypeRules, WorkflowNode } from '../../core/workflow/definition.ts'
import type { RunValues } from '../../core/workflow/template.ts'
import type { ReplayRole } from '../../core/workflow/upcoming-effect.ts'
import type { Tenant } from '../tenant.ts'
import type { NodeEvents } from './node-events.ts'
import type { NodeModel } from './node-model.ts'

/**
 * Memory for one node of a run. Reads see the run's snapshot and the run's own writes. Every call is recorded: after a crash,
 * and in a replay, a recorded call is answered from the record and not made again.
 */
export interface NodeMemory {
  /** The newest entries of a ref. */
  list(memoryRef: string, options?: NodeListOptions): Promise<ClassedEntry[]>
  /** The entries of a ref that match a query, best first. */
  search(memoryRef: string, query: string, options?: NodeSearchOptions): Promise<NodeSearchHit[]>
  get(memoryRef: string, id: string): Promise<ClassedEntry | null>
  /** Adds an entry to the run's next commit. It is stored together with the node's events, or not at all. */
  put(memoryRef: string, draft: NodeDraft): Promise<PendingEntry>
  /** True if the run could see such an entry. */
  delete(memoryRef: string, id: string): Promise<boolean>
  /** Makes an archive of a ref within a token budget; gives its id, or null when the ref is empty. The run does not see the archive. */
  distill(memoryRef: string, tokenBudget?: number): Promise<string | null>
  /** A workspace file as it was when the run began; null when there was none. One of a lower class than `trustMin` is an error. */
  getFile(path: string, options?: Pick<NodeListOptions, 'trustMin'>): Promise<ClassedEntry | null>
  /** Adds a version of a workspace file to the run's next commit. The run itself does not see it. */
  putFile(path: string, draft: { readonly content: string; readonly contentType?: string | undefined }): Promise<void>
  /** Records a read without result. For a node whose config holds an erased value, so that it cannot make the call. */
  findNothing(op: 'list' | 'get' | 'search'): Promise<void>
}

/** The newest entries: at most `limit`, and at most as many as fit in `tokenBudget`. */
export type NodeListOptions = {
  readonly limit?: number
  readonly tag?: string
  readonly tokenBudget?: number
  /** The lowest class to return; by default the floor that the run was created with. */
  readonly trustMin?: Trust
}

/** The best entries: at most `limit`, and at most as many as fit in `tokenBudget`. */
export type NodeSearchOptions = NodeListOptions & {
  /** Leaves out entries of a lower relevance; `auto` those that probably do not bear on the query. */
  readonly minRelevance?: MinRelevance
}

/** An entry that matches a query, with its score. */
export type NodeSearchHit = { readonly entry: ClassedEntry; readonly score: number }

/** An entry to be stored by a node. */
export type NodeDraft = {
  readonly content: string
  readonly tags?: readonly string[]
  readonly expiresAt?: string
  readonly subject?: string
  /** A class below that of the run, such as `untrusted` for the output of a tool. */
  readonly trust?: Trust
  /** Who inside the tenant may read it: at most those who may read everything that the run has read. */
  readonly readers?: readonly string[]
}

/** An entry that a node has put. It is stored with the next commit of the run. */
export type PendingEntry = {
  readonly id: string
  /** The entry with its redacted content. Commits the run's step first, if it is not stored yet. */
  stored(): Promise<ClassedEntry>
}

/** What a node type gets for one execution of a node. */
export type NodeRequest = {
  readonly tenantId: string
  readonly runId: string
  /** The node as the workflow has it, with its templates. */
  readonly node: WorkflowNode
  /** The config with its templates replaced. */
  readonly config: Readonly<Record<string, unknown>>
  /** The values of the node's input ports. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** Inputs and variables of the run, and outputs of the nodes before this one. */
  readonly scope: RunValues
  readonly state: NodeState
  /** Milliseconds since 1970. */
  readonly now: number
  /** True in a replay, and when a fork is rebuilt: timers have fired, and memory answers from the record. */
  readonly isReplay: boolean
  /** Aborts when the worker stops or loses the lease. Pass it to calls that take long. */
  readonly signal: AbortSignal
  readonly memory: NodeMemory
  /** The answer to the interrupt of this node; null while there is none. */
  readonly resolution: { readonly value: unknown; readonly by: string | null } | null
  /** The interrupt of this node was not answered in time. */
  readonly isTimedOut: boolean
  /** The child run that this node started. */
  readonly child: Run | null
}

/** The request as nodes of the host get it. Other node types reach memory through `memory` only. */
export type HostNodeRequest = NodeRequest & {
  readonly tenant: Tenant
  /** The turn of the node in its loop, from 1. */
  readonly turn: number
  /** The last decision of the run's supervisor; null while there is none. */
  readonly decision: Run['text']['decision'] | null
  /** What the dispatch node of the run's loop gave in the turn before; null in the first turn. */
  outcome(): Readonly<Record<string, unknown>> | null
  readonly events: NodeEvents
  readonly model: NodeModel
  /** The agent of the node, as it was when the run first dispatched it. */
  agent(): Promise<RunAgent>
  /** The same for a supervisor; null when its agent is only named, and not installed. */
  installedAgent(): Promise<RunAgent | null>
  /** The options that the run was created with. */
  readonly configurable: Readonly<Record<string, unknown>>
}

/** How one execution of a node ended. */
export type NodeResult =
  | ({ readonly kind: 'completed' } & NodeValues & CompletedMessages)
  | { readonly kind: 'failed'; readonly error: RunError }
  /** A timer: the node is executed again at that instant. */
  | { readonly kind: 'sleep'; readonly until: number }
  /** A question to a person or another system: the node is executed again with the answer. */
  | {
      readonly kind: 'interrupt'
      readonly request: InterruptRequest
      /** The request as events show it: the workflow's own text, with templates not replaced, because values may hold memory. */
      readonly eventRequest: InterruptRequest
      /** Further members of `node.suspended`, made by the host. */
      readonly suspended?: Readonly<Record<string, unknown>>
      /** The interrupt is a conversation, and this its first message. */
      readonly conversation?: { readonly content: unknown; readonly agentId: string | null }
      /** Of conformance nodes: the answers that come without a client. */
      readonly answers?: readonly unknown[]
      /** The decision that is not executed before a person accepts it. */
      readonly escalation?: Escalation
    }
  /** A child run: the node is executed again when the child has ended. */
  | { readonly kind: 'child'; readonly child: ChildRequest }

  /** Of a supervisor: its decision. */
  | ({ readonly kind: 'decided'; readonly outputs: Readonly<Record<string, unknown>> } & MadeDecision)
  /** Of a dispatch node: a child run that is one of the workers of a decision. */
  | { readonly kind: 'worker'; readonly child: ChildRequest }

/** What a node of the host leaves in the channels of its run when it completes. */
type CompletedMessages = { readonly messages?: readonly { readonly channel: string; readonly message: Message }[] }

/** Why a decision is not executed before a person accepts it. */
export type Escalation = { readonly confidence: number; readonly workerId?: string; readonly decision: Decision }

/** A child run to be started by a node. */
export type ChildRequest = {
  readonly workflowId: string
  readonly inputs: Readonly<Record<string, unknown>>
  /** An isolated child does not see its parent's writes, and the parent does not see the child's. */
  readonly isIsolated: boolean
  /** The parent does not wait: the node completes as soon as the child is stored. */
  readonly isDetached: boolean
}

/** One member of a node's config. */
export type NodeConfigMember = {
  /** One phrase for the docs. */
  readonly description: string
  /** A `text` must be a string that is not empty. Any other member may also be a template, so `checkConfig` or `execute` checks it. */
  readonly type?: 'text'
  readonly isRequired?: true
}

/**
 * A type of node: everything the host knows of it. One file each in `src/nodes`, made with `defineNodeType`; the operator
 * of a server can add types (docs/guides/node-types.md).
 */
export type NodeType = NodeTypeRules & {
  /** One sentence for the docs: what a node of this type does. */
  readonly description: string
  /** The members of its config, by name. */
  readonly config: Readonly<Record<string, NodeConfigMember>>
  /**
   * What a replay does with such a node. Without a role the node is never executed in a replay, and the replay fails with
   * `replay_source_missing`: right for a type that reaches anything but `memory`.
   */
  readonly replay?: ReplayRole
  /** Config members whose templates the host does not replace: the type does it itself, or shows them as they are. */
  readonly rawConfig?: readonly string[]
  /**
   * The type handles erased values in its config and inputs itself (`core/workflow/erased.ts`). A node of any other type that
   * gets one fails with `content_erased`.
   */
  readonly acceptsErased?: true
  /** Runtime capabilities that the host must have. */
  readonly requires?: readonly string[]
  execute(request: NodeRequest): Promise<NodeResult>
}

/** The node types of a host, by type id. */
export type NodeRegistry = ReadonlyMap<string, NodeType>

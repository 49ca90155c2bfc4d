import type { MemoryEntry } from '../../core/entries/entry.ts'
import type { InterruptRequest } from '../../core/run/interrupt.ts'
import type { NodeValues } from '../../core/run/lifecycle.ts'
import type { NodeState, Run, RunError } from '../../core/run/run.ts'
import type { NodeTypeRules, WorkflowNode } from '../../core/workflow/definition.ts'
import type { ReplayRole } from '../../core/workflow/effect-ahead.ts'
import type { Scope } from '../../core/workflow/template.ts'
import type { Tenant } from '../tenant.ts'

/** Memory as a node sees it: its run's snapshot plus what the run wrote. Every call is recorded, and done once. */
export interface NodeMemory {
  list(memoryRef: string, options?: NodeListOptions): Promise<MemoryEntry[]>
  /** What bears on a question, best first. */
  search(memoryRef: string, query: string, options?: NodeSearchOptions): Promise<NodeSearchHit[]>
  get(memoryRef: string, id: string): Promise<MemoryEntry | null>
  /** Remembers without waiting: the entry is stored with the node's next step. */
  put(memoryRef: string, draft: NodeDraft): Promise<PendingEntry>
  delete(memoryRef: string, id: string): Promise<boolean>
  /** Records a read that finds nothing, because what it asks for was forgotten. */
  findNothing(op: 'list' | 'get' | 'search'): Promise<void>
}

/** The newest that fit in the budget together, whichever of limit and budget gives fewer. */
export type NodeListOptions = { readonly limit?: number; readonly tag?: string; readonly tokenBudget?: number }

export type NodeSearchOptions = { readonly limit?: number; readonly tag?: string; readonly tokenBudget?: number }

export type NodeSearchHit = { readonly entry: MemoryEntry; readonly score: number }

export type NodeDraft = {
  readonly content: string
  readonly tags?: readonly string[]
  readonly expiresAt?: string
  readonly subject?: string
}

export type PendingEntry = {
  readonly id: string
  /** The entry as it was stored; asking for it stores it first. */
  stored(): Promise<MemoryEntry>
}

/** Everything a node is given for one execution. */
export type NodeRequest = {
  readonly tenant: Tenant
  readonly runId: string
  readonly node: WorkflowNode
  /** With templates and ports filled in. */
  readonly config: Readonly<Record<string, unknown>>
  readonly inputs: Readonly<Record<string, unknown>>
  readonly scope: Scope
  readonly state: NodeState
  readonly now: number
  /** In a replay: whatever time this node waits for has passed. */
  readonly isReplay: boolean
  readonly memory: NodeMemory
  /** The answer to the question this node asked, once there is one. */
  readonly resolution: { readonly value: unknown; readonly by: string | null } | null
  readonly isTimedOut: boolean
  /** The child this node started. */
  readonly child: Run | null
}

export type NodeResult =
  | ({ readonly kind: 'completed' } & NodeValues)
  | { readonly kind: 'failed'; readonly error: RunError }
  /** Called again at that instant. */
  | { readonly kind: 'sleep'; readonly until: number }
  /** Called again with the answer. */
  | {
      readonly kind: 'interrupt'
      readonly request: InterruptRequest
      /** What events may tell of it: the author's words, with nothing filled in. */
      readonly told: InterruptRequest
    }
  /** Called again when the child has ended. */
  | { readonly kind: 'child'; readonly child: ChildRequest }

export type ChildRequest = {
  readonly workflowId: string
  readonly inputs: Readonly<Record<string, unknown>>
  /** An isolated child neither sees its parent's writes nor shows it its own. */
  readonly isIsolated: boolean
  /** Nobody waits for it: the node completes when it has begun. */
  readonly isDetached: boolean
}

/** A kind of node. One file each; the registry knows them all. */
export type NodeType = NodeTypeRules & {
  /** What a replay does with it. A type that says nothing is never executed in a replay. */
  readonly replay: ReplayRole
  /** Config members that hold templates to be filled in at the last moment, by the node itself. */
  readonly rawConfig?: readonly string[]
  /**
   * Says itself what an erased value in its config or inputs means to it (`core/workflow/erased.ts`). Any other node that is given
   * one fails with `content_erased`.
   */
  readonly acceptsErased?: true
  /** Runtime capabilities the node cannot do without. */
  readonly requires?: readonly string[]
  execute(request: NodeRequest): Promise<NodeResult>
}

export type NodeRegistry = ReadonlyMap<string, NodeType>

import type { Ending, Expectation, NewEntry, Revision } from '../commit/batch.ts'
import type { View } from '../entries/view.ts'
import type { ClaimStep } from '../provenance/claim-step.ts'
import type { NodeStatus } from '../workflow/plan.ts'
import type { Scope } from '../workflow/template.ts'
import type { MemoryCall, NewRunEvent, NodeState, Run, RunFacts, RunStatus, RunStep, RunText } from './run.ts'

type EventParts = Partial<Pick<NewRunEvent, 'nodeId' | 'facts' | 'text' | 'at'>>

/**
 * A run between two commits: what it has become, and everything that has to be stored with that. Nothing of it is true
 * before it is committed as one batch; if that fails, it is thrown away and made again from what is stored.
 */
export class Progress {
  readonly base: Run
  status: RunStatus
  facts: RunFacts
  text: RunText
  readonly events: NewRunEvent[] = []
  readonly calls: MemoryCall[] = []
  readonly puts: NewEntry[] = []
  readonly ends: Ending[] = []
  readonly revisions: Revision[] = []
  readonly claims: ClaimStep[] = []
  readonly expects: Expectation[] = []
  /** Steps of other runs that must be stored with this one: children that begin or end with it. */
  readonly others: RunStep[] = []
  #changed = false

  constructor(base: Run) {
    this.base = base
    this.status = base.status
    this.facts = base.facts
    this.text = base.text
  }

  get isChanged(): boolean {
    return this.#changed || this.events.length > 0
  }

  /** Whether memory must be written before it may be read. */
  get hasWrites(): boolean {
    return this.puts.length > 0 || this.ends.length > 0
  }

  get nextSequence(): number {
    return this.base.nextSequence + this.events.length
  }

  /** What the run may read now: its snapshot, and what it and its own wrote before this event. */
  get view(): View {
    const self = { runId: this.base.runId, beforeSequence: this.nextSequence }
    return { position: this.base.snapshot.position, own: [...this.facts.own, self] }
  }

  get scope(): Scope {
    return this.text
  }

  get nodeStatuses(): Readonly<Record<string, NodeStatus>> {
    return Object.fromEntries(Object.entries(this.facts.nodes).map(([nodeId, { status }]) => [nodeId, status]))
  }

  emit(type: string, { nodeId = null, facts = {}, ...rest }: EventParts = {}): void {
    this.events.push({ type, nodeId, facts, ...rest })
  }

  set(change: { status?: RunStatus; facts?: Partial<RunFacts>; text?: Partial<RunText> }): void {
    this.#changed = true
    this.status = change.status ?? this.status
    if (change.facts) this.facts = { ...this.facts, ...change.facts }
    if (change.text) this.text = { ...this.text, ...change.text }
  }

  node(nodeId: string): NodeState | undefined {
    return Object.hasOwn(this.facts.nodes, nodeId) ? this.facts.nodes[nodeId] : undefined
  }

  setNode(nodeId: string, state: NodeState): void {
    this.set({ facts: { nodes: { ...this.facts.nodes, [nodeId]: state } } })
  }

  /** A call that a node made; `extra` calls in the same node are told apart by their order. */
  noteCall(call: Omit<MemoryCall, 'ordinal'>): void {
    this.calls.push({ ...call, ordinal: this.facts.memoryCalls })
    const node = this.node(call.nodeId)
    this.set({ facts: { memoryCalls: this.facts.memoryCalls + 1 } })
    if (node) this.setNode(call.nodeId, { ...node, calls: node.calls + 1 })
  }

  toStep(): RunStep {
    const { runId, workflowId, workflowVersion, revision, snapshot, nextSequence } = this.base
    return {
      expects: revision,
      run: { runId, workflowId, workflowVersion, status: this.status, facts: this.facts, text: this.text },
      snapshot,
      firstSequence: nextSequence,
      events: this.events,
      calls: this.calls,
      claimsScope: null,
    }
  }
}

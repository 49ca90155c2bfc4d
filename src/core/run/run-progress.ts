import type { Ending, Expectation, NewEntry, Revision } from '../commit/batch.ts'
import type { Capacity } from '../commit/parts/capacities.ts'
import { commonReaders } from '../entries/access.ts'
import type { ReadView } from '../entries/as-of.ts'
import type { Readers } from '../entries/readers.ts'
import { defaultTrust, type Trust } from '../entries/trust.ts'
import { invariant } from '../invariant.ts'
import type { ClaimStep } from '../provenance/claim-step.ts'
import type { NodeStatus } from '../workflow/next-action.ts'
import type { RunValues } from '../workflow/template.ts'
import type { MemoryCall } from './memory-call.ts'
import {
  isEnded,
  type NewRunEvent,
  type NodeState,
  type Run,
  type RunFacts,
  type RunStatus,
  type RunStep,
  type RunText,
} from './run.ts'

type EventParts = Partial<Pick<NewRunEvent, 'nodeId' | 'facts' | 'text' | 'at' | 'cause'>>

/**
 * The uncommitted changes of a run: its new state, and everything that is stored with it. They take effect when they are committed as
 * one batch. If the commit fails, they are dropped, and the run continues from its stored state.
 */
export class RunProgress {
  /** The run as it is stored. */
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
  readonly capacities: Capacity[] = []
  /** Steps of other runs that are stored in the same commit: children that start or end. */
  readonly otherSteps: RunStep[] = []
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

  /** Whether the uncommitted changes write memory: they must be committed before the run reads memory. */
  get hasWrites(): boolean {
    return this.puts.length > 0 || this.ends.length > 0 || this.revisions.length > 0
  }

  get nextSequence(): number {
    return this.base.nextSequence + this.events.length
  }

  /** What the run reads now: its snapshot, and its own writes before the next event. */
  get view(): ReadView {
    const self = { runId: this.base.runId, beforeSequence: this.nextSequence }
    const access = { trustMin: this.facts.trustMin ?? defaultTrust, reader: this.facts.reader ?? null }
    return { position: this.base.snapshot.position, own: [...this.facts.own, self], access }
  }

  /** Notes what the run has read: what it writes from now on is readable only for those who may read all of it. */
  noteReaders(read: readonly { readonly readers?: Readers }[]): void {
    const readers = commonReaders([this.facts, ...read].map((each) => each.readers ?? null))
    if (readers !== null && readers.length !== this.facts.readers?.length) this.set({ facts: { readers } })
  }

  /** The values that templates and conditions read. */
  get values(): RunValues {
    return this.text
  }

  get nodeStatuses(): Readonly<Record<string, NodeStatus>> {
    return Object.fromEntries(Object.entries(this.facts.nodes).map(([nodeId, { status }]) => [nodeId, status]))
  }

  /** Adds an event. Returns its sequence, which a later event can name as its cause. */
  emit(type: string, { nodeId = null, facts = {}, ...rest }: EventParts = {}): number {
    this.events.push({ type, nodeId, facts, ...rest })
    return this.nextSequence - 1
  }

  /** Changes the status, some facts or some texts. */
  set(change: { status?: RunStatus; facts?: Partial<RunFacts>; text?: Partial<RunText> }): void {
    const isAllowed = change.status === undefined || change.status === this.status || !isEnded(this.status)
    invariant(isAllowed, 'a run that has ended does not change its status')
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

  /** Notes what the run has read, or what a child hands to it: after something untrusted, it writes untrusted memory only. */
  noteTrust(read: readonly Trust[]): void {
    if (!this.facts.isTainted && read.includes('untrusted')) this.set({ facts: { isTainted: true } })
  }

  /** The values of the run have been sanitised by a node. */
  clearTaint(): void {
    const { isTainted: _cleared, ...facts } = this.facts
    this.facts = facts
    this.#changed = true
  }

  /** The class of what the run writes now. */
  get writeTrust(): Trust {
    return this.facts.isTainted ? 'untrusted' : defaultTrust
  }

  /** Adds a memory call of a node. */
  noteCall(call: Omit<MemoryCall, 'ordinal'>): void {
    this.calls.push({ ...call, ordinal: this.facts.memoryCalls })
    const node = this.node(call.nodeId)
    this.set({ facts: { memoryCalls: this.facts.memoryCalls + 1 } })
    if (node) this.setNode(call.nodeId, { ...node, calls: node.calls + 1 })
  }

  /** The step that commits these changes. */
  toStep(): RunStep {
    const writes = this.puts.length + this.ends.length + this.revisions.length + this.claims.length
    invariant(writes === 0 || this.facts.fork?.mode !== 'replay', 'a replay writes no memory')
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

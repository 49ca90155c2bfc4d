import { invariant } from '../../core/invariant.ts'
import { isNodeEmitted } from '../../core/run/replayed-event.ts'
import type { NewRunEvent } from '../../core/run/run.ts'
import { ReplaySourceMissing } from './recorded-run.ts'
import type { RunExecution } from './run-execution.ts'

/** The members of an event that a node emits. */
export type NodeEvent = Partial<Pick<NewRunEvent, 'facts' | 'text' | 'cause'>>

/**
 * The events that a node itself adds to the log, such as `agent.decided`. A node can be executed several times: after a crash, with the
 * answer to an interrupt, in a replay. What an earlier execution stored is not added again. So a node must emit the same events in the
 * same order each time.
 */
export class NodeEvents {
  readonly #execution: RunExecution
  readonly #nodeId: string
  #count = 0

  constructor(execution: RunExecution, nodeId: string) {
    this.#execution = execution
    this.#nodeId = nodeId
  }

  /** How many events the node has emitted in this execution. The same step has the same number in each. */
  get count(): number {
    return this.#count
  }

  /** Adds an event, unless it is on record. Returns its sequence, which a later event can name as its cause. */
  emit(type: string, event: NodeEvent = {}): number {
    invariant(isNodeEmitted(type), 'a node emits only events of nodes')
    const { progress, source } = this.#execution
    const node = progress.node(this.#nodeId)
    const index = this.#count++
    const recorded = node?.emitted?.[index]
    if (recorded !== undefined) return recorded
    if (source !== null) throw new ReplaySourceMissing()
    const sequence = progress.emit(type, { nodeId: this.#nodeId, ...event })
    if (node) progress.setNode(this.#nodeId, { ...node, emitted: [...(node.emitted ?? []), sequence] })
    return sequence
  }
}

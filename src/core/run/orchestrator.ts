/** The turns that a node of a loop has completed. */
export type NodeTurns = {
  readonly turn: number
  readonly calls: number
  /** Answers of a model that it got in them. */
  readonly answers?: number
}

/** The supervisor of a run. Its agent never changes. */
export type Orchestrator = {
  readonly agentId: string
  readonly nodeId: string
  readonly decisions: number
  /** The sequence of its last decision, which causes what the dispatch node does. */
  readonly decidedAt: number
}

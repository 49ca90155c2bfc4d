import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import type { ForkMode } from '../../src/core/run/run.ts'
import { runScenario } from './run-acts.ts'
import { checkLog, checkReads } from './run-check.ts'
import { checkBranch, checkReplay, fork } from './run-forks.ts'
import type { FlowPlan, NodeKind, NodePlan } from './run-plan.ts'
import type { Act, Command, During } from './run-script.ts'
import { type RunRecord, readRunRecord, readRunRecords } from './run-view.ts'
import type { World } from './run-world.ts'

/** Helpers for scenarios that once failed and must stay green. */

export const put = (ref = 0, ttl: number | null = null): NodeKind => {
  return { kind: 'put', ref, ttl, tag: null, quotes: null, keepsResult: true }
}
export const list = (ref = 0): NodeKind => ({ kind: 'list', ref, limit: null, tag: null })
/** Deletes what the node so many steps back wrote. */
export const remove = (back: number, ref = 0): NodeKind => {
  return { kind: 'delete', ref, id: { from: 'node', back: back - 1, isElsewhere: false } }
}
export const delay = (ms: number): NodeKind => ({ kind: 'delay', ms })
export const gate: NodeKind = { kind: 'gate' }
export const fail: NodeKind = { kind: 'fail' }
export const identity: NodeKind = { kind: 'identity' }
export const child: NodeKind = { kind: 'sub', flow: 0, isIsolated: false, onFailure: 'fail-parent' }

/** The places of `planRefs`. */
export const scratch = 2
export const malformed = 5

const after = (does: NodeKind): NodePlan => ({
  does,
  agent: false,
  isDisabled: false,
  edges: [{ back: 0, rule: 0, condition: null }],
})

/** One node after the other. */
export const inTurn = (...kinds: NodeKind[]): NodePlan[] => kinds.map(after)
/** Independent nodes: while one waits, the others run. */
export const sideBySide = (...kinds: NodeKind[]): NodePlan[] => kinds.map((does) => ({ ...after(does), edges: [] }))

export const start = (...during: During[]): Command => ({ do: 'start', flow: 0, known: [0, 0, 0], flag: false, during })
export const next = (act: Act): Command => ({ do: 'act', act })
export const drive: Command = { do: 'drive', during: [] }

export type CaseOptions = {
  readonly commands?: Command[]
  readonly inChild?: NodePlan[]
  readonly timeoutMs?: number
}

/** A scenario of one run, run to its end; forks refer to runs in the order of their creation. */
export class Case {
  readonly world: World

  private constructor(world: World) {
    this.world = world
  }

  static async of(nodes: NodePlan[], options: CaseOptions = {}): Promise<Case> {
    const { commands = [start()], inChild = inTurn(put()), timeoutMs = null } = options
    const clock = { now: 0 }
    const store = { storage: openInMemoryStore({ now: () => clock.now }), clock }
    const flow = (plan: NodePlan[], timeout: number | null = null): FlowPlan => {
      return { nodes: plan, isReversed: false, timeoutMs: timeout }
    }
    const flows = [flow(nodes, timeoutMs), flow(inChild), flow(inTurn(identity))]
    return new Case(await runScenario(store, { flows, before: [], commands, forks: [] }))
  }

  async check(): Promise<void> {
    const records = await readRunRecords(this.world)
    for (const { run } of records.values()) {
      if (run.facts.fork?.mode === 'replay') continue
      checkLog(this.world, records, run.runId)
      checkReads(this.world, records, run.runId)
    }
  }

  record(nth = 0): Promise<RunRecord> {
    return readRunRecord(this.world, [...this.world.history.creations.keys()][nth] ?? '')
  }

  /** From before the first event that fits, or from the very beginning. */
  async replayFrom(place: string | null, nth = 0): Promise<RunRecord> {
    const source = await this.record(nth)
    const replay = await this.#fork('replay', source, place)
    checkReplay(source, replay)
    return replay
  }

  async branchFrom(place: string, nth = 0): Promise<RunRecord> {
    const source = await this.record(nth)
    const branch = await this.#fork('branch', source, place)
    checkBranch(this.world, source, branch, branch.run.facts.fork?.fromSeq ?? -1)
    await this.check()
    return branch
  }

  /** `node.started n1` is the start of the second node; `end` is after the last event. */
  #fork(mode: ForkMode, { run, events }: RunRecord, place: string | null): Promise<RunRecord> {
    const at = events.findIndex(({ type, nodeId }) => `${type} ${nodeId ?? ''}`.startsWith(place ?? ''))
    return fork(this.world, run.runId, mode, place === 'end' ? events.length : at)
  }
}

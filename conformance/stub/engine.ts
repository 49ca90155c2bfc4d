// Executes the stub host's runs: one node after the other, with gates, pauses, limits and forks.
import { randomUUID } from 'node:crypto'
import type { JsonObject, RunEventDoc } from '../harness.ts'
import type { Fault } from './faults.ts'
import { type StubNode, workflows } from './workflows.ts'

export type StubRun = {
  readonly runId: string
  readonly tenant: string
  readonly body: JsonObject
  /** The run this one replays, if it does. */
  readonly source: StubRun | null
  readonly events: RunEventDoc[]
  readonly listeners: Set<(event: RunEventDoc) => void>
  status: string
  error?: JsonObject
  token?: string
  currentNodeId?: string
  pausedAt?: string
  pauseWanted: 'immediate' | 'drain-current-node' | null
  /** Wakes whatever the run waits for. */
  wake: (value?: unknown) => void
}

const waitingStatus: Record<string, string> = { approval: 'waiting-approval', clarification: 'waiting-input' }
const terminal = ['completed', 'failed', 'cancelled']
export const isOver = (run: StubRun): boolean => terminal.includes(run.status)

export function createEngine(fault: Fault | null, deliver: (run: StubRun, event: RunEventDoc) => void) {
  function append(run: StubRun, type: string, payload: JsonObject, nodeId?: string): void {
    const sequence = run.events.length
    const ids = { eventId: randomUUID(), runId: run.runId, sequence, timestamp: new Date().toISOString() }
    const event = { ...ids, type, payload, ...(nodeId === undefined ? {} : { nodeId }) }
    run.events.push(event)
    for (const listener of run.listeners) listener(event)
    if (run.source === null || fault === 'replay-delivers') deliver(run, event)
  }

  function end(run: StubRun, status: string, payload: JsonObject): void {
    if (isOver(run)) return
    // The status first: a client that sees the terminal event must see the terminal status too.
    run.status = status
    append(run, `run.${status}`, payload)
    if (fault === 'two-terminal-events') append(run, `run.${status}`, payload)
    if (fault === 'terminal-not-last') append(run, 'log.appended', { level: 'info', message: 'late' })
    run.wake()
  }

  function fail(run: StubRun, error: JsonObject, nodeId?: string): void {
    if (nodeId !== undefined) append(run, 'node.failed', { nodeId, error }, nodeId)
    run.error = error
    end(run, 'failed', { error })
  }

  /** Waits until something wakes the run, at most so long. */
  const asleep = (run: StubRun, ms?: number): Promise<unknown> =>
    new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
      run.wake = (value) => {
        clearTimeout(timer)
        resolve(value)
      }
    })

  async function paused(run: StubRun): Promise<void> {
    if (run.pauseWanted === null || isOver(run)) return
    append(run, 'run.paused', { reason: run.body.pauseReason, drainPolicy: run.pauseWanted })
    run.status = 'paused'
    while (run.pauseWanted !== null && !isOver(run)) await asleep(run)
    if (isOver(run)) return
    run.status = 'running'
    append(run, 'run.resumed', {})
  }

  async function gate(run: StubRun, { id: nodeId, config }: StubNode): Promise<void> {
    const kind = String(config?.kind)
    const interruptId = `${nodeId}-interrupt`
    run.token = `${Buffer.from(run.runId).toString('base64url')}.${randomUUID()}`
    run.currentNodeId = nodeId
    append(run, 'node.suspended', { nodeId, interruptId, kind }, nodeId)
    append(run, 'interrupt.requested', { kind, key: nodeId, data: config?.data }, nodeId)
    run.status = waitingStatus[kind] ?? 'waiting-external'
    const value = await asleep(run)
    if (isOver(run)) return
    run.status = 'running'
    append(run, 'interrupt.resolved', { nodeId, interruptId, kind, resumeValue: value }, nodeId)
    if (kind === 'approval') append(run, 'approval.received', { nodeId, action: 'accept' }, nodeId)
  }

  async function delay(run: StubRun, { id: nodeId, config }: StubNode): Promise<void> {
    const inputs = (run.body.inputs ?? {}) as JsonObject
    const ms = Number(inputs.delayMs ?? config?.delayMs ?? 1000)
    for (;;) {
      const until = Date.now() + ms
      const isCut = (): boolean => run.pauseWanted === 'immediate' || fault === 'pause-cuts-node'
      while (Date.now() < until && !isOver(run) && !(run.pauseWanted && isCut())) await asleep(run, until - Date.now())
      if (isOver(run) || !run.pauseWanted || !isCut()) return
      await paused(run)
      append(run, 'node.started', { nodeId, typeId: 'core.delay', attempt: 2 }, nodeId)
    }
  }

  /** What the effect gave, or null when a replay has no record of it. */
  function effect(run: StubRun, nodeId: string): JsonObject | null {
    if (run.source === null || fault === 'replay-refires') return { memoryId: randomUUID() }
    const recorded = run.source.events.find((event) => event.type === 'node.completed' && event.nodeId === nodeId)
    return recorded === undefined ? null : ((recorded.payload as JsonObject).outputs as JsonObject)
  }

  async function executeNode(run: StubRun, node: StubNode): Promise<void> {
    const { id: nodeId, typeId } = node
    append(run, 'node.started', { nodeId, typeId }, nodeId)
    let outputs: JsonObject | null = fault === 'replay-random' ? { at: randomUUID() } : {}
    if (typeId === 'core.fail') return fail(run, { code: 'stub_failure', message: 'it was made to fail' }, nodeId)
    if (typeId === 'conformance.requiresMissing') {
      const details = { capability: 'conformance.missing' }
      return fail(run, { code: 'capability_not_provided', message: 'no conformance.missing here', details }, nodeId)
    }
    if (typeId === 'core.delay') await delay(run, node)
    if (node.config?.kind !== undefined) await gate(run, node)
    if (typeId === 'stub.effect') outputs = effect(run, nodeId)
    if (isOver(run)) return
    if (outputs === null) return fail(run, { code: 'replay_source_missing', message: 'not recorded' }, nodeId)
    append(run, 'node.completed', { nodeId, outputs }, nodeId)
    await paused(run)
  }

  async function execute(run: StubRun, skip: readonly unknown[]): Promise<void> {
    const options = (run.body.configurable ?? {}) as { recursionLimit?: number; runTimeoutMs?: number }
    const limit = options.recursionLimit ?? 100
    const nodes = [...(workflows[String(run.body.workflowId)] ?? [])]
    if (fault === 'nodes-out-of-order') nodes.reverse()
    if (options.runTimeoutMs !== undefined) {
      const timer = setTimeout(() => timeOut(run, options.runTimeoutMs ?? 0), options.runTimeoutMs + 5)
      timer.unref()
    }
    for (const [index, node] of nodes.entries()) {
      if (isOver(run) || skip.includes(node.id)) continue
      if (index >= limit) {
        if (fault === 'cap-after-start') append(run, 'node.started', { nodeId: node.id, typeId: node.typeId }, node.id)
        append(run, 'cap.breached', { kind: 'node-executions', limit, observed: index + 1, nodeId: node.id })
        return fail(run, { code: 'recursion_limit_exceeded', message: 'too many nodes' })
      }
      await executeNode(run, node)
    }
    end(run, 'completed', {})
  }

  function timeOut(run: StubRun, limit: number): void {
    if (isOver(run)) return
    const observed = fault === 'timeout-observed-equal' ? limit : limit + 5
    append(run, 'cap.breached', { kind: 'run-duration', limit, observed })
    fail(run, { code: 'run_timeout', message: 'too long' })
  }

  /** Starts a run; a fork brings the events before its point along. */
  function start(tenant: string, body: JsonObject, source: StubRun | null, prefix: readonly RunEventDoc[]): StubRun {
    const runId = `run-${randomUUID()}`
    const events = prefix.map((event) => ({ ...event, runId, eventId: randomUUID() }))
    const begin = { runId, tenant, body, source, events, listeners: new Set<(event: RunEventDoc) => void>() }
    const run: StubRun = { ...begin, status: 'running', pauseWanted: null, wake: () => {} }
    const shown = fault === 'inputs-in-events' ? { inputs: body.inputs } : {}
    if (events.length === 0) append(run, 'run.started', { workflowId: body.workflowId, ...shown })
    const done = prefix.filter(({ type }) => type === 'node.completed').map(({ nodeId }) => nodeId)
    setImmediate(() => void execute(run, done))
    return run
  }

  return { start, end }
}

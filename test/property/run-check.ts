import assert from 'node:assert/strict'
import type { MemoryEntry } from '../../src/core/entries/entry.ts'
import type { MemoryCall } from '../../src/core/run/memory-call.ts'
import { isEnded } from '../../src/core/run/run.ts'
import { isFailureHandled } from '../../src/core/workflow/next-action.ts'
import { dawn, flowOf, indexOf, quotedBy, refOf, toDefinition, variableOf } from './run-definition.ts'
import { isOver, type Written } from './run-history.ts'
import { type FlowPlan, type NodePlan, planTags } from './run-plan.ts'
import { ExpectedRunView, type RunRecord } from './run-view.ts'
import type { World } from './run-world.ts'

type Pads = Map<string, MemoryEntry[]>

/** Compares every memory call of a run with the model, in the journal and in the variable of its node. */
export function checkReads(world: World, records: ReadonlyMap<string, RunRecord>, runId: string): void {
  const view = new ExpectedRunView(world, records)
  const mine = records.get(runId) as RunRecord
  const plan = world.flows[flowOf(mine.run.workflowId)] as FlowPlan
  const creation = world.history.creations.get(runId)
  assert.equal(mine.run.snapshot.position, creation?.snapshot, 'the snapshot is the position of the creation')
  const pads: Pads = new Map()
  mine.calls.forEach((call, ordinal) => {
    const where = `${runId} ${call.nodeId} ${call.op} ${call.memoryRef} at ${call.sequence}`
    assert.equal(call.ordinal, ordinal, where)
    assert.equal(call.position, creation?.snapshot, where)
    checkWindow(mine, call, where)
    const expected = predict(view, mine, plan, call, pads)
    // Inherited calls of a fork are compared with its source; here they only fill the scratchpads.
    if (call.sequence < (creation?.fork?.fromSeq ?? 0)) return
    assert.deepEqual(call.entries, expected.entries, `journal of ${where}`)
    if (!isCompleted(mine, call.nodeId) || expected.result === undefined) return
    assert.deepEqual(mine.run.text.variables[variableOf(indexOf(call.nodeId))], expected.result, `result of ${where}`)
  })
}

/** A call is made while its node is under way: between its start and its end, in the log and on the clock. */
function checkWindow({ events }: RunRecord, { nodeId, sequence, at }: MemoryCall, where: string): void {
  const started = events.find((event) => event.type === 'node.started' && event.nodeId === nodeId)
  const ended = events.find((event) => /^node\.(completed|failed)$/.test(event.type) && event.nodeId === nodeId)
  assert.ok(started && started.sequence < sequence && started.at <= Math.max(at, started.at), where)
  if (ended) assert.ok(sequence <= ended.sequence && at <= ended.at, where)
}

function isCompleted({ events }: RunRecord, nodeId: string): boolean {
  return events.some((event) => event.type === 'node.completed' && event.nodeId === nodeId)
}

/** `result` is undefined where the node keeps none. */
type Expected = { entries: MemoryCall['entries']; result?: unknown }

function predict(view: ExpectedRunView, mine: RunRecord, plan: FlowPlan, call: MemoryCall, pads: Pads): Expected {
  const node = plan.nodes[indexOf(call.nodeId)] as NodePlan
  const { does } = node
  const ref = refOf(plan, indexOf(call.nodeId))
  if (ref === 'scratch:') return predictOnPad(mine, plan, node, call, padOf(pads, ref, node))
  const seen = view.sees(mine.run.runId, call.sequence, ref, call.at)
  switch (does.kind) {
    case 'list': {
      const tag = does.tag === null ? null : (planTags[does.tag] ?? '')
      const listed = seen.filter(({ tags }) => tag === null || tags.includes(tag)).slice(0, does.limit || 100)
      return { entries: listed.map(toVersionId), result: listed.map(toEntry) }
    }
    case 'put': {
      const [{ id } = { id: '' }] = call.entries
      const written = view.world.history.versions.find((row) => row.id === id)
      assert.equal(written?.by?.sequence, call.sequence)
      assert.deepEqual([written.ref, written.content], [ref, contentOf(mine, plan, indexOf(call.nodeId))])
      return { entries: [{ id, version: 1 }], ...(does.keepsResult ? { result: toEntry(written) } : {}) }
    }
    case 'get': {
      const found = seen.find(({ id }) => id === idAsked(mine, plan, call.nodeId))
      return { entries: found ? [toVersionId(found)] : [], result: found ? toEntry(found) : null }
    }
    case 'delete': {
      const id = idAsked(mine, plan, call.nodeId)
      const live = view.world.history.versions.find((row) => row.id === id && wasLive(view.world, mine, call, row))
      const isDeleted = live !== undefined && seen.some((row) => row.id === id)
      return { entries: isDeleted ? [toVersionId(live)] : [], result: isDeleted }
    }
    default:
      assert.fail('no other node calls memory')
  }
}

/** Whether the very delete could end this version: it was live just before the delete was stored. */
function wasLive(world: World, { run }: RunRecord, call: MemoryCall, row: Written): boolean {
  const position = world.history.positionBefore(run.runId, call.ordinal)
  return row.from <= position && (row.until === null || row.until > position) && !isOver(row, call.at)
}

function padOf(pads: Pads, ref: string, { agent }: NodePlan): MemoryEntry[] {
  const name = ref === 'scratch:' && agent ? 'scratch:ann' : ref
  const pad = pads.get(name) ?? []
  pads.set(name, pad)
  return pad
}

/** Scratchpads belong to the run: only its calls change them, and its deletes do shrink them. */
function predictOnPad(
  mine: RunRecord,
  plan: FlowPlan,
  { does }: NodePlan,
  call: MemoryCall,
  pad: MemoryEntry[],
): Expected {
  const index = indexOf(call.nodeId)
  const isLive = ({ expiresAt }: MemoryEntry) => expiresAt === undefined || Date.parse(expiresAt) > call.at
  const seen = pad.toReversed().filter(isLive)
  const toId = ({ id }: MemoryEntry) => ({ id, version: 1 })
  switch (does.kind) {
    case 'list': {
      const tag = does.tag === null ? null : (planTags[does.tag] ?? '')
      const listed = seen.filter(({ tags }) => tag === null || tags.includes(tag)).slice(0, does.limit || 100)
      return { entries: listed.map(toId), result: listed }
    }
    case 'put': {
      const [{ id } = { id: '' }] = call.entries
      const entry: MemoryEntry = {
        id,
        content: contentOf(mine, plan, index),
        tags: [...(does.tag === null ? [] : [planTags[does.tag] as string]), 'source:run'],
        createdAt: new Date(call.at).toISOString(),
        ...(does.ttl === null ? {} : { expiresAt: new Date(dawn + does.ttl).toISOString() }),
      }
      pad.push(entry)
      return { entries: [toId(entry)], ...(does.keepsResult ? { result: entry } : {}) }
    }
    case 'get': {
      const found = seen.find(({ id }) => id === idAsked(mine, plan, call.nodeId))
      return { entries: found ? [toId(found)] : [], result: found ?? null }
    }
    case 'delete': {
      const gone = seen.filter(({ id }) => id === idAsked(mine, plan, call.nodeId))
      for (const entry of gone) pad.splice(pad.indexOf(entry), 1)
      return { entries: gone.map(toId), result: gone.length > 0 }
    }
    default:
      assert.fail('no other node calls memory')
  }
}

/** Variables are written once, so the last ones are those the node saw, as far as it saw any. */
function contentOf({ run }: RunRecord, plan: FlowPlan, index: number): string {
  const quoted = quotedBy(plan, index)
  if (quoted === null) return `of n${index}`
  const [newest] = run.text.variables[quoted] as MemoryEntry[]
  return `of n${index}, after ${newest?.content}`
}

function idAsked({ run }: RunRecord, plan: FlowPlan, nodeId: string): unknown {
  const node = toDefinition([plan], 0).nodes.find(({ id }) => id === nodeId)
  const [, root, ...path] = /^\{\{(\w+)\.(.*)\}\}$/.exec(String(node?.config.id)) ?? []
  const from: unknown = root === 'inputs' ? run.text.inputs : run.text.variables
  return path
    .join('.')
    .split('.')
    .reduce((value, name) => (value as Record<string, unknown>)[name], from)
}

function toVersionId({ id, version }: Written) {
  return { id, version }
}

export function toEntry({ id, content, tags, createdAt, expiresAt }: Written): MemoryEntry {
  const expiry = expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }
  return { id, content, tags, createdAt: new Date(createdAt).toISOString(), ...expiry }
}

/** Invariants of the log of every run, whatever its outcome. */
export function checkLog(world: World, records: ReadonlyMap<string, RunRecord>, runId: string): void {
  const { run, events } = records.get(runId) as RunRecord
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index),
  )
  assert.equal(run.nextSequence, events.length)
  assert.ok(isEnded(run.status), `${runId} is ${run.status}`)
  const isLast = ({ type }: { type: string }) => /^run\.(completed|failed|cancelled)$/.test(type)
  assert.deepEqual(events.filter(isLast), events.slice(-1), 'one terminal event, and nothing after it')
  assert.equal(events.at(-1)?.type, `run.${run.status}`)
  checkQuestions(events)
  if (run.status === 'cancelled' || run.text.error?.code === 'engine_gave_up') return
  const definition = toDefinition(world.flows, flowOf(run.workflowId))
  const failed = events.filter(({ type }) => type === 'node.failed').map(({ nodeId }) => nodeId ?? '')
  const isFailing = failed.some((nodeId) => !isFailureHandled(definition, nodeId))
  const isBreached = events.some(({ type }) => type === 'cap.breached')
  assert.equal(run.status, isFailing || isBreached ? 'failed' : 'completed', runId)
}

/** All events of an interrupt or of its reply are recorded together, also where a fork begins between them. */
function checkQuestions(events: RunRecord['events']): void {
  const following: Readonly<Record<string, readonly string[]>> = {
    'node.suspended': ['interrupt.requested', 'approval.requested'],
    'interrupt.resolved': ['approval.received', 'node.resumed'],
  }
  for (const { type, nodeId, sequence } of events) {
    const rest = following[type]
    if (rest === undefined) continue
    const recorded = events.slice(sequence + 1, sequence + 1 + rest.length)
    assert.deepEqual(
      recorded.map((event) => [event.type, event.nodeId]),
      rest.map((name) => [name, nodeId]),
    )
  }
}

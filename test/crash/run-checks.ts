import assert from 'node:assert/strict'
import { allCalls, allEvents } from '../../src/app/runs/recorded-run.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import { newestFirst } from '../../src/core/entries/as-of.ts'
import type { EntryVersion } from '../../src/core/entries/entry.ts'
import { isEnded, type Run, type RunEvent } from '../../src/core/run/run.ts'
import { childRunsOf } from '../../src/core/run/run-children.ts'
import { contentsOf, storyRef } from './run-story.ts'

/** What must hold of runs that have ended, however often their processes were killed. */

export async function runOf(tenant: Tenant, runId: string): Promise<Run> {
  const run = await tenant.storage.runs.get(tenant.id, runId)
  assert.ok(run, `the run ${runId} is gone`)
  return run
}

/** Events are numbered without a gap and in the order of time, with one start, and one end as the last event. */
function checkLog(events: readonly RunEvent[], run: Run): void {
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index),
    'the sequences have a gap',
  )
  assert.equal(run.nextSequence, events.length)
  const types = events.map(({ type }) => type)
  const ends = types.filter((type) => ['run.completed', 'run.failed', 'run.cancelled'].includes(type))
  assert.deepEqual(ends, [`run.${run.status}`], 'a run ends once')
  assert.equal(types.at(-1), ends[0], 'nothing comes after the end')
  assert.deepEqual([types.indexOf('run.started'), types.lastIndexOf('run.started')], [0, 0])
  for (const [index, { at }] of events.entries()) assert.ok(at >= (events[index - 1]?.at ?? 0), 'time went back')
}

/** Each node was started once and completed once in each turn: what a crash interrupted was resumed, not logged again. */
function checkNodes(events: readonly RunEvent[], { facts }: Run): void {
  for (const [nodeId, { status }] of Object.entries(facts.nodes)) {
    assert.equal(status, 'completed', `${nodeId} is ${status}`)
    for (const type of ['node.started', 'node.completed']) {
      const found = events.filter((event) => event.nodeId === nodeId && event.type === type)
      assert.equal(
        found.length,
        (facts.turns?.[nodeId]?.turn ?? 0) + 1,
        `${type} of ${nodeId} was logged ${found.length} times`,
      )
    }
  }
}

/** Entries and their events, one to one; the memory calls too, each at its place. */
async function checkWrites(tenant: Tenant, run: Run, events: readonly RunEvent[]): Promise<void> {
  const written = events
    .filter(({ type }) => type === 'memory.written')
    .map(({ payload, nodeId, sequence }) => ({ id: payload.memoryId, nodeId, sequence }))
  const stored = (await allVersions(tenant)).flatMap(({ entryId, origin, version }) => {
    if ((origin.kind !== 'run' && origin.kind !== 'session') || origin.runId !== run.runId) return []
    assert.equal(version, 1)
    return [{ id: entryId, nodeId: origin.kind === 'run' ? origin.nodeId : null, sequence: origin.sequence }]
  })
  const bySequence = (a: { sequence: number }, b: { sequence: number }) => a.sequence - b.sequence
  assert.deepEqual(stored.sort(bySequence), written, 'entries and events differ')
  const calls = await allCalls(tenant, run.runId)
  assert.deepEqual(
    calls.map(({ ordinal }) => ordinal),
    calls.map((_, index) => index),
  )
  assert.equal(run.facts.memoryCalls, calls.length)
  const puts = calls
    .filter(({ op }) => op === 'put')
    .map(({ entries, nodeId, sequence }) => [entries, nodeId, sequence])
  assert.deepEqual(
    puts,
    written.flatMap(({ id, nodeId, sequence }) => (nodeId === null ? [] : [[[{ id, version: 1 }], nodeId, sequence]])),
  )
  assert.equal(new Set(calls.map(({ nodeId }) => nodeId)).size, calls.length, 'a node called twice')
}

/** A completed run without duplicates or gaps, whose job has ended. */
export async function checkCompleted(tenant: Tenant, runId: string): Promise<Run> {
  const run = await runOf(tenant, runId)
  assert.equal(run.status, 'completed', JSON.stringify(run.text.error))
  const events = await allEvents(tenant, runId)
  checkLog(events, run)
  checkNodes(events, run)
  await checkWrites(tenant, run, events)
  const job = await tenant.storage.jobs.get(tenant.id, run.facts.jobId)
  assert.deepEqual([job?.status, job?.leaseToken], ['completed', null])
  return run
}

type Entry = { readonly id: string; readonly content: string }

/** A story run with both its children, completed as if there had been no crash. */
export async function checkStory(tenant: Tenant, runId: string): Promise<void> {
  const run = await checkCompleted(tenant, runId)
  const { name } = run.text.inputs as { name: string }
  const children = (await allRuns(tenant)).filter(({ facts }) => facts.parent?.runId === runId)
  const known = childRunsOf(run.facts).map((child) => child.runId)
  assert.deepEqual(children.map((child) => child.runId).sort(), known.sort(), 'a child was doubled or lost')
  assert.equal(children.length, 2)
  for (const child of children) await checkCompleted(tenant, child.runId)

  const family = new Set([runId, ...known])
  const versions = (await allVersions(tenant)).filter(
    ({ memoryRef, origin }) => memoryRef === storyRef && origin.kind === 'run' && family.has(origin.runId),
  )
  assert.deepEqual(versions.map(({ content }) => content).sort(), contentsOf(name))
  const ended = versions.filter(({ endedPosition }) => endedPosition !== null)
  assert.deepEqual(
    ended.map(({ content, endedReason }) => [content, endedReason]),
    [[`kept of ${name}`, 'deleted']],
  )
  const types = (await allEvents(tenant, runId)).map(({ type }) => type)
  const count = (wanted: string) => types.filter((type) => type === wanted).length
  assert.deepEqual(
    [count('runOrchestrator.decided'), count('node.dispatched'), count('core.workflowChain.event')],
    [2, 1, 4],
  )
  const { kept, fetched, dropped, seen, seenAgain } = run.text.variables as Record<string, Entry & Entry[]>
  assert.deepEqual([fetched, dropped], [kept, true])
  const own = (entries: readonly Entry[] = []) => entries.filter(({ content }) => content.endsWith(` of ${name}`))
  const contents = (entries: readonly Entry[]) => entries.map(({ content }) => content)
  assert.deepEqual(
    contents(own(seen)).filter((content) => !content.startsWith('aside')),
    [`kept of ${name}`, `note of ${name}`],
  )
  assert.deepEqual(
    own(seenAgain).map(({ id }) => id),
    versions.sort(newestFirst).map(({ entryId }) => entryId),
    'the last look shows everything the family wrote, in its order, also what the run itself deleted',
  )
}

/** No run or job is active, and the audit verifies. */
export async function checkQuiet(tenant: Tenant): Promise<void> {
  const runs = await allRuns(tenant)
  assert.deepEqual(
    runs.filter(({ status }) => !isEnded(status)).map((run) => run.runId),
    [],
  )
  for (const status of ['queued', 'leased', 'dead'] as const) {
    const jobs = await tenant.storage.jobs.list({ tenantId: tenant.id, status, after: null, limit: 100 })
    assert.deepEqual(jobs, [], `a job is still ${status}`)
  }
  const verdict = await tenant.verify({ contents: true })
  assert.equal(verdict.ok, true, JSON.stringify(verdict.fault))
}

/** All that is stored of a tenant's runs and memory, to see whether anything changed. */
export async function everythingOf(tenant: Tenant) {
  const runs = await allRuns(tenant)
  const logs = await Promise.all(runs.map(({ runId }) => allEvents(tenant, runId)))
  const calls = await Promise.all(runs.map(({ runId }) => allCalls(tenant, runId)))
  return { runs, logs, calls, versions: await allVersions(tenant), clock: await tenant.storage.clock(tenant.id) }
}

const pageRows = 500

async function allVersions(tenant: Tenant): Promise<EntryVersion[]> {
  const all: EntryVersion[] = []
  for (;;) {
    const page = await tenant.storage.scanVersions({ tenantId: tenant.id, after: all.at(-1) ?? null, limit: pageRows })
    all.push(...page)
    if (page.length < pageRows) return all
  }
}

export async function allRuns(tenant: Tenant): Promise<Run[]> {
  const all: Run[] = []
  for (;;) {
    const after = all.at(-1)?.runId ?? null
    const page = await tenant.storage.runs.list({
      tenantId: tenant.id,
      status: null,
      workflowId: null,
      after,
      limit: pageRows,
    })
    const runs = await Promise.all(page.map(({ runId }) => tenant.storage.runs.get(tenant.id, runId)))
    all.push(...runs.filter((run) => run !== null))
    if (page.length < pageRows) return all
  }
}

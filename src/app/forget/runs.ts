import { everySequence, type Fence, type NewFence } from '../../core/forget/fence.ts'
import { type Forgotten, holds, scrubEvent, scrubText, shortenCalls } from '../../core/forget/scrub.ts'
import { namedRefs, namesIn } from '../../core/forget/selector.ts'
import { limits } from '../../core/limits.ts'
import { toRepeated } from '../../core/run/repeat-event.ts'
import { isEnded, type MemoryCall, type Run, runKeyOf } from '../../core/run/run.ts'
import type { CallPlace } from '../../ports/run-store.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { allCalls, allEvents } from '../runs/recorded.ts'
import { findCompactionOutputs } from './compactions.ts'
import type { Work } from './work.ts'

/** Runs to look into, and from which sequence on what they wrote may come from what they read; null when they read nothing of it. */
type Affected = Map<string, number | null>

const reads: ReadonlySet<MemoryCall['op']> = new Set(['list', 'get', 'search'])

/**
 * Takes what is forgotten out of the runs that held it. What such a run wrote after it had read it is hidden too, and
 * runs that read that are looked into as well, until nothing new is found.
 */
export async function scrubRuns(work: Work): Promise<void> {
  for (;;) {
    const before = work.fences.length
    await findCompactionOutputs(work)
    const affected = await findReaders(work)
    for (const runId of await findNaming(work)) if (!affected.has(runId)) affected.set(runId, null)
    const families = await withFamilies(work, affected)
    // Those that only belong to the family first: they are found by the ones that read, and those only until they are done.
    for (const [runId, from] of families) if (!affected.has(runId)) await scrubRun(work, runId, from)
    for (const [runId, from] of affected) await scrubRun(work, runId, families.get(runId) ?? from)
    if (work.fences.length === before) return
  }
}

async function findReaders(work: Work): Promise<Affected> {
  const { tenant } = work
  const affected: Affected = new Map()
  const refs = new Set(namedRefs(work.fences))
  for (const { kind, value, fromSequence } of work.fences) {
    // The run that is forgotten itself. Those in the fence since are done.
    if (kind === 'run' && fromSequence === 0) affected.set(value, null)
  }
  for (let after: CallPlace | null = null; ; ) {
    await work.nextPage()
    const limit = limits.forgetPageMax
    const page = await tenant.storage.runs.scanCalls({ tenantId: tenant.id, after, limit })
    const ids = [...new Set(page.flatMap(({ entries }) => entries.map(({ id }) => id)))]
    const fenced = await tenant.storage.forget.among(tenant.id, work.fences, ids)
    const hidden = new Set(fenced.map(({ entryId }) => entryId))
    for (const call of page) {
      const named = call.entries.some(({ id }) => hidden.has(id))
      if (!named && !refs.has(call.memoryRef)) continue
      const known = affected.get(call.runId) ?? null
      const from = named && reads.has(call.op) ? call.sequence : null
      affected.set(call.runId, from === null ? known : Math.min(known ?? from, from))
    }
    after = page.at(-1) ?? null
    if (after === null || page.length < limit) break
  }
  return affected
}

/** Live runs whose values name the subject, though they have read nothing of it yet: what they write next would be about it. */
async function findNaming(work: Work): Promise<string[]> {
  const { tenant, fences } = work
  const subjects = fences.flatMap(({ kind, value }) => (kind === 'subject' ? [value] : []))
  if (subjects.length === 0) return []
  const none = new Set<string>()
  const names = new Set(subjects.flatMap((subject) => [subject, `subject:${subject}`]))
  const named: Forgotten = { entryIds: none, texts: [], names, refs: none }
  const naming: string[] = []
  for (let after: string | null = null; ; ) {
    await work.nextPage()
    const limit = limits.forgetPageMax
    const query = { tenantId: tenant.id, status: null, workflowId: null, after, limit }
    const page: Awaited<ReturnType<typeof tenant.storage.runs.list>> = await tenant.storage.runs.list(query)
    for (const { runId, status } of page) {
      const run = isEnded(status) ? null : await tenant.storage.runs.get(tenant.id, runId)
      if (run === null) continue
      const { inputs, variables, outputs } = run.text
      if (holds([inputs, variables, outputs], named)) naming.push(runId)
    }
    after = page.at(-1)?.runId ?? null
    if (after === null || page.length < limit) return naming
  }
}

/** A child's answers become its parent's values, and a parent's values its child's inputs. */
async function withFamilies(work: Work, affected: Affected): Promise<Affected> {
  const all: Affected = new Map(affected)
  const open = [...affected.keys()]
  for (let runId = open.pop(); runId !== undefined; runId = open.pop()) {
    const run = await work.tenant.storage.runs.get(work.tenant.id, runId)
    if (run === null) continue
    const from = all.get(runId) ?? null
    if (from === null) continue
    const { parent, nodes } = run.facts
    if (parent !== null && !all.has(parent.runId)) {
      all.set(parent.runId, await startOf(work, parent.runId, parent.nodeId))
      open.push(parent.runId)
    }
    for (const [nodeId, { childRunId }] of Object.entries(nodes)) {
      if (childRunId === undefined || all.has(childRunId)) continue
      if ((await startOf(work, runId, nodeId)) < from) continue
      all.set(childRunId, 0)
      open.push(childRunId)
    }
  }
  return all
}

/** The sequence at which a node began. */
async function startOf(work: Work, runId: string, nodeId: string): Promise<number> {
  const events = await allEvents(work.tenant, runId)
  return events.find((event) => event.nodeId === nodeId)?.sequence ?? 0
}

/** One run, in one commit: its values, its words, its calls. A run at work begins its step again from what is left. */
async function scrubRun(work: Work, runId: string, from: number | null): Promise<void> {
  const { tenant } = work
  await decideAndCommit(async () => {
    const run = await tenant.storage.runs.get(tenant.id, runId)
    if (run === null) return
    const calls = await allCalls(tenant, runId)
    const forgotten = await forgottenBy(work, run, calls)
    const shortened = shortenCalls(calls, forgotten)
    const events = await allEvents(tenant, runId)
    const rewritten = events.flatMap((event) => scrubEvent(event, toRepeated(event), forgotten) ?? [])
    const { workflowId, workflowVersion, status, facts, snapshot, revision, nextSequence } = run
    const step = {
      expects: revision,
      run: {
        runId,
        workflowId,
        workflowVersion,
        status,
        facts: { ...facts, forgotten: work.id },
        text: scrubText(run, forgotten),
      },
      snapshot,
      firstSequence: nextSequence,
      events: [],
      calls: [],
      claimsScope: null,
      rewritten,
      shortened,
      recorded: { events, calls },
    }
    const isNew = !work.seen.has(runId) && (work.isDryRun || facts.forgotten !== work.id)
    // A dry run shortens nothing, so it meets the same calls again.
    const counted = work.isDryRun ? shortened.filter(({ ordinal }) => !work.seen.has(`${runId} ${ordinal}`)) : shortened
    const fences = work.cascade && from !== null ? derived(work.fences, runId, from, nextSequence) : []
    const isDone = facts.forgotten === work.id && shortened.length + rewritten.length + fences.length === 0
    if (isDone && JSON.stringify(step.run.text) === JSON.stringify(run.text)) return
    await work.step({ runs: [step] }, { runs: isNew ? 1 : 0, calls: counted.length }, fences)
    work.seen.add(runId)
    for (const { ordinal } of counted) work.seen.add(`${runId} ${ordinal}`)
    tenant.engine.runWatch.notify(runKeyOf(tenant.id, runId), nextSequence)
  })
}

/** What the run wrote since: a line of the fence, unless one is there already. */
function derived(fences: readonly Fence[], runId: string, fromSequence: number, toSequence: number): NewFence[] {
  const isThere = fences.some(
    (fence) =>
      fence.kind === 'run' &&
      fence.value === runId &&
      fence.fromSequence <= fromSequence &&
      fence.toSequence >= toSequence,
  )
  if (isThere || fromSequence >= toSequence) return []
  return [{ kind: 'run', value: runId, fromSequence, toSequence, position: Number.MAX_SAFE_INTEGER }]
}

async function forgottenBy(work: Work, run: Run, calls: readonly MemoryCall[]): Promise<Forgotten> {
  const { tenant, fences } = work
  const isWhole = fences.some(
    ({ kind, value, fromSequence, toSequence }) =>
      kind === 'run' && value === run.runId && fromSequence === 0 && toSequence === everySequence.toSequence,
  )
  // A member of the family has what the others read; what those were is found in their calls.
  const kin = [...(await kinOf(work, run)), ...calls]
  const ids = [...new Set(kin.flatMap(({ entries }) => entries.map(({ id }) => id)))]
  const entryIds = new Set<string>()
  const texts = new Set<string>()
  for (let index = 0; index < ids.length; index += limits.forgetPageMax) {
    const page = await tenant.storage.forget.among(tenant.id, fences, ids.slice(index, index + limits.forgetPageMax))
    const found = [...new Set(page.map(({ entryId }) => entryId))]
    for (const id of found) entryIds.add(id)
    for (const text of await tenant.storage.forget.contents(tenant.id, found)) texts.add(text)
  }
  const all = isWhole ? [...Object.values(run.text.inputs)].filter((value) => typeof value === 'string') : []
  return {
    entryIds,
    texts: [...texts, ...all].filter((text) => text !== ''),
    names: new Set(namesIn(fences)),
    refs: new Set(namedRefs(fences)),
  }
}

async function kinOf({ tenant }: Work, { facts }: Run): Promise<MemoryCall[]> {
  const children = Object.values(facts.nodes).flatMap(({ childRunId }) => childRunId ?? [])
  const kin = [...(facts.parent === null ? [] : [facts.parent.runId]), ...children]
  const calls = await Promise.all(kin.map((runId) => allCalls(tenant, runId)))
  return calls.flat()
}

import { everySequence, type Fence, type NewFence } from '../../core/forget/fence.ts'
import { scrubReaders } from '../../core/forget/scrub-record.ts'
import {
  type ForgottenValues,
  isSameJson,
  scrubRunEvent,
  scrubRunText,
  shortenCalls,
} from '../../core/forget/scrub-run.ts'
import { fencedNames, fencedPeople, fencedRefs } from '../../core/forget/selector.ts'
import { limits } from '../../core/limits.ts'
import { foldName } from '../../core/people/spelling.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import { toReplayedEvent } from '../../core/run/replayed-event.ts'
import { isEnded, type Run, type RunFacts, runKeyOf } from '../../core/run/run.ts'
import type { CallPlace } from '../../ports/run-store.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { allCalls, allEvents } from '../runs/recorded-run.ts'
import { familyOf, isRead, withForks } from '../runs/run-families.ts'
import { findCompactionOutputs } from './erase-compactions.ts'
import { fenceCommitments } from './fence-commitments.ts'
import type { ForgetProcess } from './forget-process.ts'
import { forgottenPerson } from './forgotten-person.ts'

/**
 * Erases forgotten texts from the runs that read them. Entries that such a run wrote after the read are fenced too, and the runs that
 * read those are scrubbed as well, until a round finds nothing new.
 */
export async function scrubRuns(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  for (;;) {
    const before = erasure.fences.length
    const logs = await findCompactionOutputs(erasure)
    await fenceCommitments(erasure)
    const affected = await findReaders(erasure)
    const naming = await findRunsNaming(erasure)
    const unfinished = naming.filter(({ status }) => !isEnded(status)).map(({ runId }) => runId)
    for (const runId of [...logs, ...unfinished]) if (!affected.has(runId)) affected.set(runId, null)
    const families = await withForks(tenant, affected)
    await findReadsOfFamilies(erasure, [...families.keys()])
    // Parents and children first: they are found through the runs that read, and a scrubbed run is not found again.
    for (const [runId, from] of families) if (!affected.has(runId)) await scrubRun(erasure, runId, from)
    for (const [runId, from] of affected) await scrubRun(erasure, runId, families.get(runId) ?? from)
    for (const { runId } of naming) if (!families.has(runId)) await scrubRun(erasure, runId, null, { hasRead: false })
    if (erasure.fences.length === before) return
  }
}

async function findReaders(erasure: ForgetProcess): Promise<Map<string, number | null>> {
  const { tenant } = erasure
  const affected = new Map<string, number | null>()
  const refs = new Set(fencedRefs(erasure.fences))
  for (const { kind, value, fromSequence } of erasure.fences) {
    // The run that the selector names. Runs that were fenced later are scrubbed already.
    if (kind === 'run' && fromSequence === 0) affected.set(value, null)
  }
  const limit = limits.forgetPageMax
  const read = (after: CallPlace | null) => tenant.storage.runs.scanCalls({ tenantId: tenant.id, after, limit })
  for await (const page of erasure.pages(read, (call): CallPlace => call, limit)) {
    const ids = [...new Set(page.flatMap(({ entries }) => entries.map(({ id }) => id)))]
    const fenced = await tenant.storage.forget.among(tenant.id, erasure.fences, ids)
    const hidden = new Set(fenced.map(({ entryId }) => entryId))
    for (const call of page) {
      const named = call.entries.some(({ id }) => hidden.has(id))
      if (!named && !refs.has(foldName(call.memoryRef))) continue
      const known = affected.get(call.runId) ?? null
      const from = named && isRead(call) ? call.sequence : null
      affected.set(call.runId, from === null ? known : Math.min(known ?? from, from))
    }
  }
  return affected
}

/**
 * Runs whose values, readers or events have the name of the subject or a forgotten ref: those of passes over the ref, of calls with the
 * name as an input. They may have read nothing yet, but an unfinished one would write about the subject.
 */
async function findRunsNaming(erasure: ForgetProcess): Promise<Run[]> {
  const { tenant, fences } = erasure
  const names = fencedNames(fences)
  if (names.length === 0) return []
  const { isName } = await forgottenPerson(erasure)
  const none = new Set<string>()
  const named: ForgottenValues = { entryIds: none, texts: [], names: new Set(names), refs: new Set(fencedRefs(fences)) }
  // As they are stored, and as they may be in the values of a run. A text that mixes both forms is not looked for.
  const values = fences.flatMap(({ kind, value }) => (kind === 'ref' || kind === 'subject' ? [value] : []))
  const texts = [...new Set([...values, ...names, ...names.map((name) => name.normalize('NFD'))])]
  const naming: Run[] = []
  for (let after: string | null = null; ; ) {
    await erasure.nextPage()
    const query = { tenantId: tenant.id, texts, after, limit: limits.forgetScanRunsMax }
    const page: Awaited<ReturnType<typeof tenant.storage.forget.runsNaming>> =
      await tenant.storage.forget.runsNaming(query)
    for (const runId of page.runIds) {
      const run = await tenant.storage.runs.get(tenant.id, runId)
      // A run that began later is about what is new.
      if (run === null || run.snapshot.position > erasure.namedUpTo.position) continue
      const { reader, readers = [] } = run.facts
      const isReader = fencedPeople(fences).length > 0 && [reader ?? '', ...readers].some(isName)
      // What a scrub would change, and nothing else: a name may also be a word of the host or of the workflow, such as `user`.
      const isInText = !isSameJson(scrubRunText(run, named, false), run.text)
      if (isReader || isInText || (await hasNamedEvent(erasure, runId, named))) naming.push(run)
    }
    after = page.next
    if (after === null) return naming
  }
}

async function hasNamedEvent({ tenant }: ForgetProcess, runId: string, named: ForgottenValues): Promise<boolean> {
  const events = await allEvents(tenant, runId)
  return events.some((event) => scrubRunEvent(event, toReplayedEvent(event), named) !== null)
}

/** How many runs still have a forgotten name. */
export async function countNamedRuns(erasure: ForgetProcess): Promise<number> {
  return (await findRunsNaming(erasure)).length
}

/** Scrubs one run in one commit: its values, its events and its memory calls. An unfinished run repeats its step from what is left. */
async function scrubRun(
  erasure: ForgetProcess,
  runId: string,
  from: number | null,
  { hasRead } = { hasRead: true },
): Promise<void> {
  const { tenant } = erasure
  await decideAndCommit(async () => {
    const run = await tenant.storage.runs.get(tenant.id, runId)
    if (run === null) return
    const calls = await allCalls(tenant, runId)
    const forgotten = await forgottenBy(erasure, run, calls)
    const shortened = shortenCalls(calls, forgotten)
    const events = await allEvents(tenant, runId)
    const rewritten = events.flatMap((event) => scrubRunEvent(event, toReplayedEvent(event), forgotten) ?? [])
    const { workflowId, workflowVersion, status, facts, snapshot, revision, nextSequence } = run
    const step = {
      expects: revision,
      run: {
        runId,
        workflowId,
        workflowVersion,
        status,
        facts: { ...facts, ...(await scrubReadersOf(erasure, run)), forgotten: erasure.id },
        text: scrubRunText(run, forgotten, hasRead),
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
    const isNew = !erasure.seen.has(runId) && (erasure.isDryRun || facts.forgotten !== erasure.id)
    // A dry run stores nothing, so it finds the same calls again.
    const counted = erasure.isDryRun
      ? shortened.filter(({ ordinal }) => !erasure.seen.has(`${runId} ${ordinal}`))
      : shortened
    const fences = erasure.cascade && from !== null ? derived(erasure.fences, runId, from, nextSequence) : []
    const isDone = facts.forgotten === erasure.id && shortened.length + rewritten.length + fences.length === 0
    if (isDone && isSameJson(step.run.text, run.text)) return
    await erasure.step({ runs: [step] }, { runs: isNew ? 1 : 0, calls: counted.length }, fences)
    erasure.seen.add(runId)
    for (const { ordinal } of counted) erasure.seen.add(`${runId} ${ordinal}`)
    tenant.engine.runWatch.notify(runKeyOf(tenant.id, runId), nextSequence)
  })
}

/** The readers of a run, with a pseudonym in place of the subject: the run reads and writes for no other reader. */
async function scrubReadersOf(erasure: ForgetProcess, { facts: { reader, readers } }: Run): Promise<Partial<RunFacts>> {
  if (fencedPeople(erasure.fences).length === 0) return {}
  const person = await forgottenPerson(erasure)
  const [one] = scrubReaders([reader ?? ''], person) ?? []
  return {
    ...(reader === undefined ? {} : { reader: one }),
    ...(readers === undefined ? {} : { readers: scrubReaders(readers, person) ?? readers }),
  }
}

/** The fence of the entries that the run wrote since the read, unless there is one already. */
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

async function forgottenBy(erasure: ForgetProcess, run: Run, calls: readonly MemoryCall[]): Promise<ForgottenValues> {
  const { tenant, fences } = erasure
  const isWhole = fences.some(
    ({ kind, value, fromSequence, toSequence }) =>
      kind === 'run' && value === run.runId && fromSequence === 0 && toSequence === everySequence.toSequence,
  )
  const entryIds = new Set([...(erasure.familyReads.get(run.runId) ?? []), ...(await forgottenAmong(erasure, calls))])
  const texts = new Set<string>()
  for (const page of pagesOf([...entryIds]))
    for (const text of await tenant.storage.forget.contents(tenant.id, page)) texts.add(text)
  const all = isWhole ? [...Object.values(run.text.inputs)].filter((value) => typeof value === 'string') : []
  return {
    entryIds,
    texts: [...texts, ...all].filter((text) => text !== ''),
    names: new Set(fencedNames(fences)),
    refs: new Set(fencedRefs(fences)),
  }
}

/**
 * A run can contain texts that any run of its family read: a child gives them to its parent, and that to the next child. So what they read
 * is noted before one of them is scrubbed, because the calls of a scrubbed run name it no longer.
 */
async function findReadsOfFamilies(erasure: ForgetProcess, runIds: readonly string[]): Promise<void> {
  const { tenant, familyReads } = erasure
  const found = new Set<string>()
  for (const runId of runIds) {
    const run = found.has(runId) ? null : await tenant.storage.runs.get(tenant.id, runId)
    const family = run === null ? [] : await familyOf(tenant, run)
    // The run's own calls are read when it is scrubbed.
    if (family.length < 2) continue
    const read = new Set<string>()
    for (const relative of family) {
      await erasure.nextPage()
      found.add(relative)
      for (const id of familyReads.get(relative) ?? []) read.add(id)
      for (const id of await forgottenAmong(erasure, await allCalls(tenant, relative))) read.add(id)
    }
    for (const relative of family) familyReads.set(relative, read)
  }
}

/** The ids of forgotten entries that calls name. */
async function forgottenAmong({ tenant, fences }: ForgetProcess, calls: readonly MemoryCall[]): Promise<Set<string>> {
  const ids = new Set(calls.flatMap(({ entries }) => entries.map(({ id }) => id)))
  const forgotten = new Set<string>()
  for (const page of pagesOf([...ids]))
    for (const { entryId } of await tenant.storage.forget.among(tenant.id, fences, page)) forgotten.add(entryId)
  return forgotten
}

function* pagesOf(ids: readonly string[]): Iterable<readonly string[]> {
  const size = limits.forgetPageMax
  for (let index = 0; index < ids.length; index += size) yield ids.slice(index, index + size)
}

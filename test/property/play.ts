import type { TenantMemory } from '../../src/app/tenant.ts'
import type { MemoryEntry } from '../../src/core/entries/entry.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { composeColophon } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { System } from '../../src/ports/system.ts'
import { type Command, refs, runs, tags } from './script.ts'

/** All results of a script, and everything that can be read afterwards. */
export type Played = {
  readonly answers: unknown[]
  /** What a list showed when its position was the newest. */
  readonly seenLive: Map<string, readonly MemoryEntry[]>
  readonly readings: unknown[]
}

/** Ids, salts and keys that count, so that two stores give the same ids and even the same audit hashes. */
function countingSystem(now: () => number): System {
  let count = 0
  const next = () => String(++count).padStart(12, '0')
  return {
    now,
    newId: (prefix) => `${prefix}_${next()}`,
    newSalt: () => next(),
    newKey: () => new Uint8Array(32).fill(7),
    newSecret: () => next(),
    isSame: (a, b) => a === b,
  }
}

export async function play(open: (now: () => number) => Promise<Storage>, script: readonly Command[]): Promise<Played> {
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') }
  const now = () => clock.now
  const storage = await open(now)
  const colophon = composeColophon(storage, countingSystem(now), 'property')
  try {
    const memory = colophon.memory('acme')
    const known: { ref: string; id: string }[] = []
    const answers: unknown[] = []
    const seenLive = new Map<string, readonly MemoryEntry[]>()
    for (const command of script) {
      if (command.do === 'clock') clock.now += command.by
      else {
        const batch = command.do === 'together' ? command.commands : [command]
        const made = batch.map(() => [...known])
        const done = batch.map((one, index) => act(one, memory, colophon, clock.now, made[index] ?? []))
        for (const answer of await Promise.all(done)) answers.push(answer)
        // In the order of the calls: calls that are made together may be answered in any.
        for (const entry of made.flat()) if (!known.some(({ id }) => id === entry.id)) known.push(entry)
      }
      for (const ref of refs) {
        const page = await memory.list(ref)
        seenLive.set(`${page.position} ${ref}`, page.entries)
      }
    }
    return { answers, seenLive, readings: await readEverything(memory, storage, known) }
  } finally {
    await colophon.close()
  }
}

async function act(
  command: Command,
  memory: TenantMemory,
  colophon: ReturnType<typeof composeColophon>,
  now: number,
  known: { ref: string; id: string }[],
): Promise<unknown> {
  const tagsOf = (numbers: number[]) => numbers.map((n) => tags[n] ?? '')
  const expiry = (ttl: number | null) => (ttl === null ? {} : { expiresAt: new Date(now + ttl) })
  const remember = (ref: string, entries: readonly MemoryEntry[]) => {
    for (const { id } of entries) if (!known.some((entry) => entry.id === id)) known.push({ ref, id })
    return entries
  }
  try {
    switch (command.do) {
      case 'put': {
        const ref = refs[command.ref] ?? 'notes'
        const content = command.secret ? `key sk-${'Zx9Q'.repeat(6)} end` : `about ${command.ref}`
        const run = command.run === null ? {} : { run: { runId: runs[command.run] ?? '', sequence: known.length } }
        const key = command.key === null ? {} : { idempotencyKey: `key-${command.key}` }
        return remember(ref, [
          await memory.put(ref, { content, tags: tagsOf(command.tags), ...expiry(command.ttl) }, { ...run, ...key }),
        ])
      }
      case 'batch': {
        const ref = refs[command.ref] ?? 'notes'
        const drafts = Array.from({ length: command.size }, (_, i) => ({
          content: `item ${i}`,
          tags: tagsOf(command.tags),
          ...expiry(command.ttl),
        }))
        return remember(ref, (await memory.putMany(ref, drafts)).entries)
      }
      case 'revise':
      case 'delete': {
        const target = known[command.nth % Math.max(known.length, 1)] ?? { ref: 'notes', id: 'mem_none' }
        const options = command.expects === null ? {} : { expects: command.expects }
        if (command.do === 'delete')
          return await memory.delete(command.otherRef ? 'user-10' : target.ref, target.id, options)
        return await memory.revise(target.ref, target.id, { content: 'revised', tags: tagsOf(command.tags) }, options)
      }
      case 'enqueue':
        return await colophon
          .jobs('acme')
          .enqueue({ kind: 'k', priority: command.priority, dueAt: new Date(now + command.delay) })
      default:
        return null
    }
  } catch (error) {
    if (isColophonError(error)) return { refused: error.code }
    throw error
  }
}

/** Every ref at every position, by tag, through runs and page by page; every entry; the audit; the jobs. */
async function readEverything(
  memory: TenantMemory,
  storage: Storage,
  known: readonly { ref: string; id: string }[],
): Promise<unknown[]> {
  const readings: unknown[] = []
  const { position } = await memory.snapshot()
  for (let asOf = 0; asOf <= position; asOf++) {
    for (const ref of refs) readings.push({ asOf, ref, list: await memory.list(ref, { asOf }) })
    readings.push(await memory.list('notes', { asOf, tag: 'red' }))
    for (const beforeSequence of [2, 1_000]) {
      const run = { snapshot: asOf, own: [{ runId: 'run_1', beforeSequence }] }
      readings.push(await memory.list('notes', { run }), await memory.list('notes', { run, tag: 'blue' }))
    }
  }
  for (const tag of [...tags, 'source:api', 'source:run']) readings.push(await memory.list('notes', { tag }))
  for (const { ref, id } of known) {
    readings.push(
      await memory.get(ref, id),
      await memory.get(ref, id, { asOf: Math.floor(position / 2) }),
      await memory.colophon(ref, id),
    )
    readings.push(
      await memory.get(ref, id, {
        run: { snapshot: Math.floor(position / 2), own: [{ runId: 'run_2', beforeSequence: 9 }] },
      }),
    )
  }
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: Awaited<ReturnType<TenantMemory['list']>> = await memory.list('notes', {
      limit: 2,
      ...(cursor ? { cursor } : {}),
    })
    readings.push(page)
    cursor = page.cursor
  }
  readings.push(await storage.audit({ tenantId: 'acme', from: 1, to: position, limit: 1_000 }))
  readings.push(await storage.jobs.list({ tenantId: 'acme', status: null, after: null, limit: 100 }))
  readings.push(await memory.verify({ contents: true }), await memory.auditHead())
  return readings
}

import assert from 'node:assert/strict'
import { compactGroup } from '../../src/app/compaction/compact-group.ts'
import { contain } from '../../src/app/containment/contain.ts'
import { release } from '../../src/app/containment/release.ts'
import { removeEntry, revise } from '../../src/app/entries/change.ts'
import { put } from '../../src/app/entries/put.ts'
import { list } from '../../src/app/entries/read.ts'
import { add } from '../../src/app/provenance/add.ts'
import { deleteMemory } from '../../src/app/provenance/change-memory.ts'
import { listMemories } from '../../src/app/provenance/find-memories.ts'
import { ingest } from '../../src/app/provenance/ingest.ts'
import { createRun } from '../../src/app/runs/create-run.ts'
import { addRequest } from '../support/add-request.ts'
import { continueRun, leaseJob, putChain, type UseCaseWorld } from '../support/use-cases.ts'
import { ContainmentModel } from './containment-model.ts'

const keys = ['k1', 'k2', 'k3'] as const
const refs = ['a', 'b'] as const
const { signal } = new AbortController()

/** One step of a history, in numbers: what they mean depends on what is there when the step is taken. */
export type Act = { readonly kind: ActKind; readonly key: number; readonly at: number; readonly more: number }
export const actKinds = [
  'put',
  'put',
  'revise',
  'delete',
  'run',
  'compact',
  'state',
  'state',
  'withdraw',
  'contain',
  'containRun',
  'release',
] as const
type ActKind = (typeof actKinds)[number]

/** The real thing and the model, which do the same. After every step of a containment they must show the same. */
export class ContainmentWorld {
  readonly model = new ContainmentModel()
  readonly #world: UseCaseWorld
  readonly #runs: string[] = []
  /** By position: the first operation after it. */
  readonly #opAt = new Map<number, number>()
  #count = 0

  constructor(world: UseCaseWorld) {
    this.#world = world
  }

  async prepare(): Promise<void> {
    for (const [from, to] of [refs, [...refs].reverse()] as const)
      await putChain(this.#world, `from-${from}`, [
        { id: 'early', typeId: 'colophon.memory.put', config: { memoryRef: to, content: '{{inputs.n}} early' } },
        { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: from, into: 'found' } },
        { id: 'late', typeId: 'colophon.memory.put', config: { memoryRef: to, content: '{{inputs.n}} late' } },
      ])
  }

  async take({ kind, key, at, more }: Act): Promise<void> {
    const { tenant, clock } = this.#world
    clock.advance(1_000)
    const { position } = await tenant.snapshot()
    this.#opAt.set(position + 1, this.model.ops.length)
    const keyId = keys[key % keys.length] ?? 'k1'
    const ref = refs[more % refs.length] ?? 'a'
    const write = { actor: `key:${keyId}` }
    const entries = [...this.model.current(ref).values()]
    const chosen = entries[at % Math.max(entries.length, 1)]
    const text = `t${++this.#count}`
    if (kind === 'put') {
      const { id } = await put(tenant, ref, { content: text }, write)
      this.model.add({ kind: 'text', on: id, ref, text, key: keyId })
    } else if (kind === 'revise' && chosen) {
      await revise(tenant, ref, chosen.on, { content: text }, write)
      this.model.add({ kind: 'text', on: chosen.on, ref, text, key: keyId })
    } else if (kind === 'delete' && chosen) {
      assert.ok((await removeEntry(tenant, ref, chosen.on, write)).deleted)
      this.model.add({ kind: 'delete', on: chosen.on, key: keyId })
    } else if (kind === 'run') await this.#run(keyId, ref, text)
    else if (kind === 'compact' && entries.length > 1) await this.#compact(ref, text)
    else if (kind === 'state') await this.#state(keyId, `c${at % 4}`)
    else if (kind === 'withdraw') await this.#withdraw(keyId)
    else if (kind === 'contain') await this.#contain({ key: keyId }, more % 3 === 0 ? Math.max(1, position - at) : null)
    else if (kind === 'containRun') await this.#containRun(at)
    else if (kind === 'release') await this.#release(at)
  }

  /** A run that writes, reads everything in a ref, and writes again. */
  async #run(keyId: string, from: string, n: string): Promise<void> {
    const read = [...this.model.current(from).values()].map(({ id }) => id)
    const { run } = await createRun(
      this.#world.tenant,
      { workflowId: `from-${from}`, inputs: { n } },
      { actor: `key:${keyId}` },
    )
    const done = await continueRun(this.#world, run)
    assert.equal(done.status, 'completed')
    const to = refs.find((ref) => ref !== from) ?? ''
    const written = (await list(this.#world.tenant, to)).entries.filter(({ content }) => content.startsWith(`${n} `))
    for (const when of ['early', 'late']) {
      const entry = written.find(({ content }) => content === `${n} ${when}`)
      assert.ok(entry)
      const parents = when === 'late' ? read : []
      const made = { on: entry.id, ref: to, text: entry.content, key: keyId, run: run.runId, parents }
      this.model.add({ kind: 'text', ...made })
    }
    this.#runs.push(run.runId)
  }

  async #compact(ref: string, text: string): Promise<void> {
    const { tenant } = this.#world
    const sources = [...this.model.current(ref).values()].slice(0, 2)
    const ids = sources.map(({ on }) => on)
    const newest = await tenant.storage.provenance.newestVersions(tenant.id, ids)
    await compactGroup(tenant, {
      compactionId: tenant.system.newId('cmp'),
      memoryRef: ref,
      sources: newest.map(({ entryId, version }) => ({ entryId, version })),
      outputBytesMax: 8_192,
      actor: 'test',
      trigger: 'client-requested',
      signal,
    })
    const known = new Set(this.model.ops.map(({ on }) => on))
    const output = (await list(tenant, ref)).entries.find(({ id }) => !known.has(id))
    assert.ok(output, text)
    const parents = sources.map(({ id }) => id)
    this.model.add({ kind: 'compact', on: output.id, sources: ids, parents })
    this.model.add({ kind: 'text', on: output.id, ref, text: output.content, parents })
  }

  async #state(keyId: string, content: string): Promise<void> {
    const { tenant } = this.#world
    const messages = [{ role: 'user' as const, content, claimKey: 'home' }]
    const caller = { actor: `key:${keyId}`, keyId, requestId: 'req_1' }
    const { event } = await add(tenant, addRequest(messages, { infer: false }), caller)
    await ingest(tenant, event.sourceEventId, await leaseJob(this.#world, event.jobId), signal)
    this.model.add({ kind: 'state', on: content, key: keyId })
  }

  async #withdraw(keyId: string): Promise<void> {
    const { tenant } = this.#world
    const [memory] = (await listMemories(tenant, { subject: 'ada' })).memories
    if (memory === undefined) return
    await deleteMemory(tenant, memory.id, {}, { actor: `key:${keyId}` })
    this.model.add({ kind: 'withdraw', on: memory.content, key: keyId })
  }

  async #containRun(at: number): Promise<void> {
    const run = this.#runs[at % Math.max(this.#runs.length, 1)]
    if (run !== undefined) await this.#contain({ run }, null)
  }

  async #contain(selector: { key?: string; run?: string }, since: number | null): Promise<void> {
    const { tenant } = this.#world
    const from = since === null ? 0 : (this.#opAt.get(since) ?? null)
    if (from === null) return
    const affected = this.model.affectedBy(selector, from)
    const draft = since === null ? selector : { ...selector, since }
    const preview = await contain(tenant, { ...draft, dryRun: true })
    const result = await contain(tenant, draft)
    assert.ok(!result.dryRun)
    assert.deepEqual(preview.part, result.part, 'a dry run lists the same')
    this.model.contain(result.containment.id, affected)
    const entries = new Set(
      this.model.ops.filter(({ id, kind }) => kind === 'text' && affected.has(id)).map(({ on }) => on),
    )
    const inRefs = new Set(this.model.ops.filter(({ kind }) => kind === 'text').map(({ on }) => on))
    const found = result.part.entries.filter(({ id, versions }) => versions.length > 0 && inRefs.has(id))
    assert.deepEqual(found.map(({ id }) => id).sort(), [...entries].sort(), 'no entry more and no entry less')
    const runs = new Set(this.model.ops.flatMap(({ id, run }) => (run !== null && affected.has(id) ? [run] : [])))
    assert.deepEqual(result.part.runs.map(({ id }) => id).sort(), [...runs].sort(), 'no run more and no run less')
    await this.check()
  }

  async #release(at: number): Promise<void> {
    const { active } = this.model
    const id = active[at % Math.max(active.length, 1)]
    if (id === undefined) return
    await release(this.#world.tenant, id)
    this.model.release(id)
    await this.check()
  }

  async releaseAll(): Promise<void> {
    while (this.model.active.length > 0) await this.#release(0)
  }

  /** What can be read is what the model says. */
  async check(): Promise<void> {
    const { tenant } = this.#world
    for (const ref of refs) {
      const { entries } = await list(tenant, ref)
      const expected = [...this.model.current(ref)].map(([id, { text }]) => `${id} ${text}`)
      assert.deepEqual(entries.map(({ id, content }) => `${id} ${content}`).sort(), expected.sort(), ref)
    }
    const { memories } = await listMemories(tenant, { subject: 'ada' })
    const winner = this.model.winner()
    assert.deepEqual(
      memories.map(({ content }) => content),
      winner === null ? [] : [winner],
    )
  }
}

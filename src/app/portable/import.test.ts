import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest, said } from '../../../test/support/add-request.ts'
import { exportText } from '../../../test/support/export-text.ts'
import { newSigner } from '../../../test/support/signer.ts'
import { leaseJob, openUseCases, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import type { LineOf, PortableLine } from '../../core/portable/import-line.ts'
import { parseExportPart } from '../../wires/host/parse-export-part.ts'
import type { Engine } from '../engine.ts'
import { revise } from '../entries/change.ts'
import { putMany } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { runForget } from '../forget/forget-job.ts'
import { forget } from '../forget/start-forget.ts'
import { add } from '../provenance/add.ts'
import { ingest } from '../provenance/ingest.ts'
import { putRule } from '../redaction/rules.ts'
import { openExport } from './export.ts'
import { type ImportPart, importPart } from './import.ts'

const exportOf = async (engine: Engine, filter = {}): Promise<ImportPart> =>
  parseExportPart(await exportText(engine.tenant(tenantId), filter))

/** A tenant with three entries, one of them revised, and its export. */
async function openSource() {
  const world = openUseCases(openInMemoryStore)
  const drafts = ['one', 'two', 'three'].map((content) => ({ content }))
  const { entries } = await putMany(world.tenant, 'notes', drafts)
  const ids = entries.map(({ id }) => id)
  await revise(world.tenant, 'notes', ids[0] ?? '', { content: 'ONE' })
  return { ...world, file: await exportOf(world.engine), ids }
}

const into = ({ engine }: UseCaseWorld, part: ImportPart, merge = false, tenant = 'globex') =>
  importPart(engine.tenant(tenant), part, { merge, actor: 'test', trust: 'agent' })
const contents = async ({ engine }: UseCaseWorld, options = {}, tenant = 'globex') =>
  (await list(engine.tenant(tenant), 'notes', options)).entries.map(({ content }) => content)
const versionsOf = (lines: readonly PortableLine[]) => lines.filter((line) => line.type === 'version')

test('an import into an empty tenant stores every version at its own position', async () => {
  await using world = await openSource()
  const result = await into(world, world.file)
  const total = world.file.lines.length
  assert.deepEqual(
    [result.finished, result.base, result.imported, result.skipped, result.conflicts, result.nextLine],
    [true, 0, total, 0, [], total + 1],
  )
  assert.deepEqual(await contents(world), ['three', 'two', 'ONE'])
  assert.deepEqual(await contents(world, { asOf: 1 }), ['three', 'two', 'one'])
})

test('a file that is sent again is skipped line by line', async () => {
  await using world = await openSource()
  await into(world, world.file)
  const again = await into(world, world.file)
  assert.deepEqual([again.finished, again.imported, again.skipped], [true, 0, world.file.lines.length])
  assert.deepEqual(await contents(world), ['three', 'two', 'ONE'])
})

test('an interrupted import continues with the next part, and refuses a gap', async () => {
  await using world = await openSource()
  const { lines, ...file } = world.file
  const cut = lines.length - 2
  const first = await into(world, { ...file, lines: lines.slice(0, cut) })
  assert.deepEqual([first.finished, first.nextLine], [false, cut + 1])
  const gap = { ...file, from: cut + 2, lines: lines.slice(cut + 1) }
  await rejectsWith('import_interrupted', into(world, gap))
  const digests = { ...file.digests, lines: file.digests.lines.slice(cut - 1) }
  const last = await into(world, { ...file, from: cut, lines: lines.slice(cut - 1), digests })
  assert.deepEqual([last.finished, last.imported, last.skipped], [true, 2, 1])
})

test('another file is refused while an import is not finished', async () => {
  await using world = await openSource()
  const { lines, ...file } = world.file
  await into(world, { ...file, lines: lines.slice(0, 2) })
  await rejectsWith('import_interrupted', into(world, { ...world.file, file: 'f'.repeat(64) }))
})

test('an import into a tenant with memory is refused unless it is a merge', async () => {
  await using world = await openSource()
  await putMany(world.engine.tenant('globex'), 'notes', [{ content: 'own' }])
  await rejectsWith('tenant_not_empty', into(world, world.file))
  const { base, finished } = await into(world, world.file, true)
  assert.deepEqual([base, finished], [1, true])
  assert.deepEqual(await contents(world), ['three', 'two', 'ONE', 'own'])
  assert.deepEqual(await contents(world, { asOf: 1 }), ['own'])
})

test('a merge keeps stored rows, skips equal ones and reports different ones as conflicts', async () => {
  await using world = await openSource()
  await into(world, world.file)
  const changed = world.file.lines.map((line) =>
    line.type === 'version' && line.content === 'two' ? { ...line, content: 'other' } : line,
  )
  const result = await into(world, { ...world.file, file: 'a'.repeat(64), lines: changed }, true)
  const [conflict] = result.conflicts
  assert.deepEqual([result.conflicts.length, conflict?.type, conflict?.id], [1, 'version', `${world.ids[1]} 1`])
  assert.equal(changed[(conflict?.line ?? 0) - 1]?.type, 'version')
  assert.deepEqual(await contents(world), ['three', 'two', 'ONE'])
})

test('imported texts are redacted with the secrets of the importing tenant', async () => {
  await using world = await openSource()
  await putRule(world.engine.tenant('globex'), 'two', { pattern: 'two' })
  await into(world, world.file)
  assert.deepEqual(await contents(world), ['three', '[REDACTED:two]', 'ONE'])
})

test('a file whose lines contradict its header or one another is refused and stores nothing', async () => {
  await using world = await openSource()
  const { file } = world
  const [live] = versionsOf(file.lines).filter(({ endedPosition }) => endedPosition === null)
  const version = live as LineOf<'version'>
  const replace = (line: PortableLine) => ({
    ...file,
    lines: file.lines.map((known) => (known === version ? line : known)),
  })
  const counts = { ...file.header.counts, versions: 1 }
  const refused: ImportPart[] = [
    { ...file, header: { ...file.header, counts } },
    { ...file, lines: [...file.lines, version] },
    { ...file, lines: [...file.lines].reverse() },
    replace({ ...version, recordedPosition: 99 }),
    replace({ ...version, createdAt: world.clock.now + 24 * 60 * 60 * 1_000 }),
    replace({ ...version, memoryRef: '../notes' }),
    replace({ ...version, ordinal: 2 ** 20 - 1 }),
    replace({ ...version, version: 2 ** 31 }),
    replace({ ...version, endedReason: 'deleted' }),
    replace({ ...version, tags: ['source:compaction'] }),
    replace({ ...version, classification: { ...classification, claimId: 'clm_unknown' } }),
  ]
  for (const part of refused) await rejectsWith('import_file_invalid', into(world, part))
  assert.deepEqual(await contents(world), [])
  assert.equal(await world.engine.storage.record('globex', 'import', 'current'), null)
})

const classification = {
  category: 'fact',
  claimKey: 'home',
  importance: 5,
  confidence: 1,
  sourceEventId: null,
} as const

test('a file that the tenant exported before it forgot something is refused; a file of another tenant is not', async () => {
  await using world = await openSource()
  const { engine, file } = world
  await into(world, file)
  await forget(engine.tenant(tenantId), { memoryRef: 'notes', reason: 'asked for' })
  await rejectsWith('import_before_forget', into(world, file, true, tenantId))
  await forget(engine.tenant('globex'), { memoryRef: 'other', reason: 'asked for' })
  await into(world, { ...file, file: 'b'.repeat(64) }, true)
})

test('the number of open exports per process is limited, and closing one, even twice, frees one slot', async () => {
  await using world = await openSource()
  const { engine } = world
  const open = []
  for (let n = 0; n < limits.exportsPerTenantMax; n++) open.push(await openExport(engine.tenant(tenantId)))
  await rejectsWith('overloaded', openExport(engine.tenant(tenantId)))
  await rejectsWith('validation_error', openExport(engine.tenant(tenantId), { memoryRef: '../notes' }))
  await open[0]?.close()
  await open[0]?.close()
  open.push(await openExport(engine.tenant(tenantId)))
  await rejectsWith('overloaded', openExport(engine.tenant(tenantId)))
  for (const { close } of open) await close()
})

test('an export of one ref has the versions of that ref only', async () => {
  await using world = await openSource()
  await putMany(world.tenant, 'other', [{ content: 'elsewhere' }])
  const { lines } = await exportOf(world.engine, { memoryRef: 'other' })
  assert.deepEqual(
    versionsOf(lines).map(({ content }) => content),
    ['elsewhere'],
  )
})

test('the export of a tenant that forgot a source event can be imported', async () => {
  await using world = openUseCases(openInMemoryStore, { host: { signer: newSigner() } })
  const { tenant } = world
  const { signal } = new AbortController()
  const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
  const { event } = await add(tenant, addRequest(said('Lives in Lisbon.'), { infer: false }), caller)
  await ingest(tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
  const forgotten = await forget(tenant, { subject: event.subject, reason: 'asked for' })
  assert.ok(!forgotten.dryRun)
  await runForget(tenant, forgotten.id, await leaseJob(world, forgotten.jobId), signal)
  const file = await exportOf(world.engine)
  assert.ok(file.lines.some((line) => line.type === 'sourceEvent' && line.actor === ''))
  const { finished, conflicts } = await into(world, file)
  assert.deepEqual([finished, conflicts], [true, []])
})

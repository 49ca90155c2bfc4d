import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest } from '../../../test/support/add-request.ts'
import { exportText } from '../../../test/support/export-text.ts'
import { leaseJob, openUseCases, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { PortableLine } from '../../core/portable/import-line.ts'
import type { SourceMessage } from '../../core/provenance/source-event.ts'
import type { Extractor } from '../../ports/extractor.ts'
import { parseExportPart } from '../../wires/host/parse-export-part.ts'
import { createKey } from '../access/keys.ts'
import { add } from '../provenance/add.ts'
import { patchMemory } from '../provenance/change-memory.ts'
import { listClaims } from '../provenance/claims.ts'
import { listMemories } from '../provenance/find-memories.ts'
import { ingest } from '../provenance/ingest.ts'
import { changeWriter, createWriter, listWriters } from '../provenance/writers.ts'
import { putRule } from '../redaction/rules.ts'
import { type ImportPart, importPart } from './import.ts'

const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
const from = 'acme'
const to = 'globex'
let events = 0

/** Sends a message about Ada and ingests it. */
async function state(world: UseCaseWorld, tenantId: string, message: Partial<SourceMessage>, infer = false) {
  const tenant = world.engine.tenant(tenantId)
  const messages = [{ role: 'user' as const, content: 'dark', ...message }]
  const source = { service: 'crm', eventId: `e${++events}` }
  const { event } = await add(tenant, addRequest(messages, { infer, source }), caller)
  const lease = await leaseJob(world, event.jobId, tenantId)
  await ingest(tenant, event.sourceEventId, lease, new AbortController().signal)
}

/** An extractor that returns each message as a candidate without a claim key. */
const extractor: Extractor = {
  name: 'test',
  async extract(messages) {
    const found = { category: 'fact', importance: 5, confidence: 0.9, claimKey: null } as const
    return { extractor: 'test', candidates: messages.map(({ content }, n) => ({ ...found, content, messages: [n] })) }
  },
}

async function open(): Promise<UseCaseWorld> {
  const world = openUseCases(openInMemoryStore, { host: { extractor } })
  await createWriter(world.tenant, { serviceKey: 'crm' })
  return world
}

const fileOf = async ({ tenant }: UseCaseWorld): Promise<ImportPart> => parseExportPart(await exportText(tenant))
const bring = ({ engine }: UseCaseWorld, file: ImportPart, merge = false) =>
  importPart(engine.tenant(to), file, { merge, actor: 'test', trust: 'agent' })
const all = { subject: null, isContested: null, after: null, limit: 100 }
const claimsOf = async ({ engine }: UseCaseWorld, tenantId = to) =>
  (await listClaims(engine.tenant(tenantId), all)).map(({ contents }) =>
    contents.map(({ content, status, sources }) => `${content} ${status} ${sources}`),
  )

/** The file as an older program version exported it, without names of claims and contents. */
async function withNamesOfTenant(world: UseCaseWorld, file: ImportPart): Promise<ImportPart> {
  const claims = await world.engine.storage.provenance.claims({ tenantId: from, ...all })
  const rename = new Map<string, string>()
  const lines = file.lines.map((line): PortableLine => {
    if (line.type === 'claim') {
      const stored = claims.find(({ winner }) => winner === line.winner)
      rename.set(line.claimId, stored?.claimId ?? '')
      return { ...line, claimId: stored?.claimId ?? '' }
    }
    if (line.type !== 'version' || line.classification === null) return line
    const claimId = rename.get(line.classification.claimId ?? '') ?? null
    return { ...line, classification: { ...line.classification, claimId } }
  })
  return { ...file, lines }
}

test('new assertions about the slot of an imported claim join that claim', async () => {
  await using world = await open()
  await state(world, from, { content: 'dark', claimKey: 'ui.theme' })
  await state(world, from, { content: 'light', claimKey: 'ui.theme' })
  await bring(world, await fileOf(world))
  assert.deepEqual(await claimsOf(world), await claimsOf(world, from))
  await state(world, to, { content: 'Dark.', claimKey: 'ui.theme' })
  await state(world, to, { content: 'blue', claimKey: 'ui.theme' })
  const [contents, ...others] = await claimsOf(world)
  assert.deepEqual(others, [])
  assert.deepEqual(contents?.toSorted(), ['blue superseded 1', 'dark active 2', 'light superseded 1'])
})

for (const [name, change] of [
  ['as it is', async (_world: UseCaseWorld, file: ImportPart) => file],
  ['of a program before', withNamesOfTenant],
] as const) {
  test(`a claim without a key is joined by the same content, whether or not its versions are in another part: a file ${name}`, async () => {
    await using world = await open()
    await state(world, from, { content: 'I live in Lisbon.' }, true)
    await state(world, from, { content: 'Two spaces, please.' })
    const file = await change(world, await fileOf(world))
    const cut = file.lines.findIndex(({ type }) => type === 'version')
    const { lines, digests } = file
    await bring(world, { ...file, lines: lines.slice(0, cut) })
    const rest = { lines: lines.slice(cut), digests: { ...digests, lines: digests.lines.slice(cut) } }
    const { finished, conflicts } = await bring(world, { ...file, ...rest, from: cut + 1 })
    assert.deepEqual([finished, conflicts], [true, []])
    const before = await claimsOf(world)
    assert.deepEqual(before.toSorted(), (await claimsOf(world, from)).toSorted())
    await state(world, to, { content: 'I live in Lisbon.' }, true)
    assert.equal((await claimsOf(world)).length, before.length)
    assert.ok((await claimsOf(world)).flat().some((content) => / active 2$/.test(content)))
    // Verbatim messages do not compete, even when they are equal.
    await state(world, to, { content: 'Two spaces, please.' })
    assert.equal((await claimsOf(world)).length, before.length + 1)
  })
}

test('an imported claim can be exported again with the same lines', async () => {
  await using world = await open()
  await state(world, from, { content: 'dark', claimKey: 'ui.theme' })
  await state(world, from, { content: 'light', claimKey: 'ui.theme' })
  await state(world, from, { content: 'I live in Lisbon.' }, true)
  const file = await exportText(world.tenant)
  await bring(world, await parseExportPart(file))
  const copy = await exportText(world.engine.tenant(to))
  const rows = (text: string) => text.split('\n').filter((line) => /"type":"(claim|version|sourceEvent)"/.test(line))
  // Claims are in the order of their ids, which are keyed by tenant.
  assert.deepEqual(rows(copy).toSorted(), rows(file).toSorted())
})

test('a merge skips a claim whose slot exists, with its versions, and the claim has one winner', async () => {
  await using world = await open()
  await state(world, from, { content: 'dark', claimKey: 'ui.theme' })
  await state(world, from, { content: 'light', claimKey: 'ui.theme' })
  await createWriter(world.engine.tenant(to), { serviceKey: 'crm' })
  await state(world, to, { content: 'blue', claimKey: 'ui.theme' })
  const { conflicts } = await bring(world, await fileOf(world), true)
  assert.deepEqual(conflicts.map(({ type }) => type).toSorted(), ['claim', 'version', 'version'])
  assert.deepEqual(await claimsOf(world), [['blue active 1']])
})

test('two contents that are equal after redaction stay two', async () => {
  await using world = await open()
  await putRule(world.engine.tenant(to), 'town', { pattern: 'Lisbon|Porto' })
  await state(world, from, { content: 'I live in Lisbon.', claimKey: 'home' })
  await state(world, from, { content: 'I live in Porto.', claimKey: 'home' })
  await state(world, from, { content: 'I was born in Lisbon.' }, true)
  await state(world, from, { content: 'I was born in Porto.' }, true)
  const { conflicts } = await bring(world, await fileOf(world))
  assert.deepEqual(conflicts, [])
  assert.deepEqual(
    (await claimsOf(world)).map((contents) => contents.length).toSorted(),
    (await claimsOf(world, from)).map((contents) => contents.length).toSorted(),
  )
})

test('a bound writer is imported unbound and inactive; binding it again activates it', async () => {
  await using world = await open()
  const { engine, tenant } = world
  const { writer } = await createWriter(tenant, { serviceKey: 'payroll' })
  await createWriter(tenant, { serviceKey: 'retired', isActive: false })
  const bound = { ...(await fileOf(world)) }
  const lines = bound.lines.map((line) =>
    line.type === 'writer' && line.serviceKey === writer.serviceKey ? { ...line, isBound: true } : line,
  )
  const answer = await bring(world, { ...bound, lines })
  assert.deepEqual(answer.writersToBind, ['payroll'])
  const target = engine.tenant(to)
  const shown = async () =>
    (await listWriters(target)).map(({ serviceKey, isActive, apiKeyId }) => [serviceKey, isActive, apiKeyId])
  assert.deepEqual(await shown(), [
    ['crm', true, null],
    ['payroll', false, null],
    ['retired', false, null],
  ])
  const again = await bring(world, { ...bound, lines, file: 'a'.repeat(64) }, true)
  assert.deepEqual([again.conflicts, again.writersToBind], [[], ['payroll']])
  const [, payroll] = await listWriters(target)
  await changeWriter(target, payroll?.writerId ?? '', { isActive: true })
  assert.deepEqual((await bring(world, { ...bound, lines, file: 'b'.repeat(64) }, true)).writersToBind, [])
})

test('lines of a bound writer are imported with its key only; stored ones may come again with any key', async () => {
  await using world = await open()
  const { engine } = world
  await state(world, from, { content: 'dark', claimKey: 'ui.theme' })
  const file = await fileOf(world)
  await bring(world, file)
  const target = engine.tenant(to)
  const [writer] = await listWriters(target)
  const grantor = { scopes: ['memory:write'], reader: null, endsAt: null } as const
  const { id } = await createKey(target, grantor, { name: 'crm', scopes: ['memory:write'] })
  await changeWriter(target, writer?.writerId ?? '', { apiKeyId: id })
  const again = (part: ImportPart, keyId: string) =>
    importPart(target, { ...part, file: `${++events}` }, { merge: true, actor: 'test', keyId, trust: 'agent' })
  assert.deepEqual((await again(file, 'another')).conflicts, [])
  await state(world, from, { content: 'light', claimKey: 'ui.size' })
  const more = await fileOf(world)
  await rejectsWith('writer_key_mismatch', again(more, 'another'))
  // Without the event and the claim, the version is still attributed to the writer.
  const rest = more.lines.filter(({ type }) => type !== 'sourceEvent')
  const counts = { ...more.header.counts, sourceEvents: 0 }
  await rejectsWith(
    'writer_key_mismatch',
    again({ ...more, header: { ...more.header, counts }, lines: rest }, 'another'),
  )
  assert.equal((await claimsOf(world)).length, 1)
  // A line that names a stored event of the writer would be attributed to the writer.
  for (const line of file.lines) {
    if (line.type !== 'version') continue
    const claimless = line.classification && { ...line.classification, claimId: null, claimKey: null }
    const origin = { kind: 'api' } as const
    const forged = { ...line, entryId: 'mem_forged', content: 'forged', tags: [], origin, classification: claimless }
    const positions = file.lines.filter(({ type }) => type === 'position')
    const none = { writers: 0, sourceEvents: 0, claims: 0, versions: 1, compactions: 0 }
    const header = { ...file.header, counts: { ...file.header.counts, ...none } }
    await rejectsWith('writer_key_mismatch', again({ ...file, header, lines: [...positions, forged] }, 'another'))
  }
  assert.equal((await again(more, id)).finished, true)
  assert.equal((await claimsOf(world)).length, 2)
})

test('a writer is imported inactive if the file does not say whether it was bound', async () => {
  await using world = await open()
  const file = await fileOf(world)
  const lines = file.lines.map((line) => (line.type === 'writer' ? { ...line, isBound: undefined } : line))
  assert.deepEqual((await bring(world, { ...file, lines })).writersToBind, ['crm'])
})

test('imported edits keep their editor and the memory that they replaced', async () => {
  await using world = await open()
  const editor = { actor: 'key:k2', requestId: 'req_2', mayPin: false }
  await state(world, from, { content: 'dark', claimKey: 'ui.theme' })
  await state(world, from, { content: 'Two spaces, please.' })
  const read = async (tenantId: string) => {
    const tenant = world.engine.tenant(tenantId)
    const { memories } = await listMemories(tenant, { subject: 'ada', includeSuperseded: true })
    const shown = memories.map(({ content, status, version, source, attribution, writers }) =>
      [content, status, version, source?.service, attribution.keyId, writers].join(' '),
    )
    return { ids: memories.map(({ id }) => id), shown: shown.sort() }
  }
  for (const id of (await read(from)).ids) {
    for (const content of ['Dark!', 'Four spaces.'])
      await patchMemory(world.tenant, id, { content, reason: undefined }, editor)
  }
  const before = await read(from)
  const { finished, conflicts } = await bring(world, await fileOf(world))
  assert.deepEqual([finished, conflicts], [true, []])
  assert.deepEqual((await read(to)).shown, before.shown)
  assert.deepEqual((await claimsOf(world)).toSorted(), (await claimsOf(world, from)).toSorted())
})

test('a file cannot attribute an assertion or a decision to another key of this tenant', async () => {
  await using world = await open()
  const target = world.engine.tenant(to)
  const grantor = { scopes: ['memory:write'], reader: null, endsAt: null } as const
  const { id: keyId } = await createKey(target, grantor, { name: 'victim', scopes: ['memory:write'] })
  await state(world, from, { content: 'dark', claimKey: 'ui.theme' })
  const file = await fileOf(world)
  const lines = file.lines.map((line): PortableLine => {
    if (line.type === 'sourceEvent') return { ...line, actor: `key:${keyId}` }
    if (line.type === 'version' && line.origin.kind === 'service') return { ...line, origin: { ...line.origin, keyId } }
    if (line.type !== 'claim') return line
    const contentKey = line.assertions[0]?.contentKey ?? ''
    return { ...line, pin: { contentKey, actor: 'key:key_bootstrap', reason: 'because', at: 0 } }
  })
  const merge = (name: string) =>
    importPart(
      target,
      { ...file, lines, file: name },
      { merge: true, actor: 'key:importer', keyId: 'importer', trust: 'agent' },
    )
  await merge('first')
  const { memories } = await listMemories(target, { subject: 'ada', includeSuperseded: true })
  const shown = memories.map(({ attribution, source }) => [attribution.keyId, source?.service])
  assert.deepEqual(shown, [['importer', 'crm']])
  const [claim] = await listClaims(target, all)
  assert.equal(claim?.pin?.actor, 'imported:key:key_bootstrap')
  assert.deepEqual((await merge('again')).conflicts, [])
})

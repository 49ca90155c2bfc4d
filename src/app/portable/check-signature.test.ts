import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest } from '../../../test/support/add-request.ts'
import { exportText } from '../../../test/support/export-text.ts'
import { newSigner } from '../../../test/support/signer.ts'
import { leaseJob, openUseCases, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { sha256 } from '../../core/audit/digest.ts'
import { publicKeyId } from '../../core/forget/receipt.ts'
import { parseExportPart } from '../../wires/host/parse-export-part.ts'
import { colophon } from '../entries/colophon.ts'
import { putMany } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { add } from '../provenance/add.ts'
import { ingest } from '../provenance/ingest.ts'
import { type ImportPart, importPart } from './import.ts'

const signer = newSigner()
const keyId = publicKeyId(signer.publicKey)

/** The text of an export of two notes, signed by the host. */
async function open(parts: { signer?: typeof signer | null } = {}) {
  const world = openUseCases(openInMemoryStore, {
    host: { signer: parts.signer === undefined ? signer : parts.signer },
  })
  await putMany(world.tenant, 'notes', [{ content: 'one' }, { content: 'two' }])
  return { ...world, text: await exportText(world.tenant) }
}

const into = ({ engine }: Pick<UseCaseWorld, 'engine'>, part: ImportPart) =>
  importPart(engine.tenant('globex'), part, { merge: false, actor: 'mover' })

/** The file with other lines: its digest matches, its signature is the old one. */
function rewritten(text: string, change: (line: string) => string, trailerChange: object = {}): string {
  const lines = text.trimEnd().split('\n')
  const trailer = JSON.parse(lines.pop() ?? '')
  const before = lines.map((line) => `${change(line)}\n`).join('')
  return `${before}${JSON.stringify({ ...trailer, sha256: sha256(before), ...trailerChange })}\n`
}

function parts({ lines, digests, ...file }: ImportPart, cut: number): [ImportPart, ImportPart] {
  const part = (from: number, to: number) => ({
    ...file,
    from: from + 1,
    lines: lines.slice(from, to),
    digests: { ...digests, lines: digests.lines.slice(from, to) },
  })
  return [part(0, cut), part(cut, lines.length)]
}

test('the result says that this host signed the file, and the trace of the imported memory says so too', async () => {
  await using world = await open()
  const { signature } = await into(world, await parseExportPart(world.text))
  assert.deepEqual(signature, { status: 'known', keyId })
  const target = world.engine.tenant('globex')
  const [entry] = (await list(target, 'notes')).entries
  const story = (await colophon(target, 'notes', entry?.id ?? ''))?.story ?? []
  const step = story.find((known) => known.step === 'imported')
  assert.deepEqual(step?.details.signature, signature)
  assert.equal(step?.details.tenant, 'acme')
  assert.match(step?.text ?? '', /from tenant acme by mover, recorded there at position 1 .* is known \(key /)
  const own = await colophon(world.tenant, 'notes', entry?.id ?? '')
  assert.ok(!own?.story.some((known) => known.step === 'imported'))
  assert.deepEqual((await into(world, await parseExportPart(world.text))).signature, signature, 'sent again')
})

test('the signature of another host is unknown, and that of an unsigned file is missing', async () => {
  await using other = await open({ signer: newSigner() })
  await using unsigned = await open({ signer: null })
  for (const [text, status] of [
    [other.text, 'unknown'],
    [unsigned.text, 'missing'],
    [rewritten(other.text, (line) => line, { signature: undefined }), 'missing'],
  ] as const) {
    await using world = await open()
    assert.equal((await into(world, await parseExportPart(text))).signature.status, status)
  }
  await using library = await open({ signer: null })
  assert.equal((await into(library, await parseExportPart(other.text))).signature.status, 'unknown')
})

test('a file that was changed after it was signed is refused and stores nothing, with a known and an unknown key', async () => {
  await using world = await open()
  const { signature } = JSON.parse(world.text.trimEnd().split('\n').at(-1) ?? '')
  const stranger = newSigner()
  const keep = (line: string) => line
  const changed = [
    rewritten(world.text, (line) => line.replace('"two"', '"2"')),
    rewritten(world.text, (line) => line.replace('"tenant":"acme"', '"tenant":"bank"')),
    rewritten(world.text, keep, { signature: { ...signature, value: signature.chain } }),
    rewritten(world.text, keep, { signature: { ...signature, keyId: '0'.repeat(16) } }),
    rewritten(world.text, keep, {
      signature: { ...signature, publicKey: stranger.publicKey, keyId: publicKeyId(stranger.publicKey) },
    }),
  ]
  for (const [index, text] of changed.entries()) {
    await assert.rejects(
      async () => into(world, await parseExportPart(text)),
      { code: 'import_file_invalid' },
      `change ${index}`,
    )
  }
  assert.equal(await world.engine.storage.record('globex', 'import', 'current'), null)
})

test('in parts the signature is pending until the last one, which refuses rows that were not signed', async () => {
  await using world = await open()
  const file = await parseExportPart(world.text)
  const [first, last] = parts(file, 2)
  assert.deepEqual((await into(world, first)).signature, { status: 'pending', keyId })
  const digests = { ...last.digests, lines: last.digests.lines.map(() => sha256('another line')) }
  await rejectsWith('import_file_invalid', into(world, { ...last, digests }))
  const header = { ...last.digests, header: sha256('another header') }
  await rejectsWith('import_file_invalid', into(world, { ...last, digests: header }))
  const { finished, signature } = await into(world, last)
  assert.deepEqual([finished, signature], [true, { status: 'known', keyId }])
})

/** The classes of everything that the import stored: versions, and the assertion and the event of a claim. */
async function classesIn({ engine }: Pick<UseCaseWorld, 'engine'>): Promise<string[]> {
  const { storage, id } = engine.tenant('globex')
  const versions = await storage.scanVersions({ tenantId: id, after: null, limit: 100 })
  const events = await storage.provenance.keptPayloads({
    tenantId: id,
    receivedBefore: Number.MAX_SAFE_INTEGER,
    after: null,
    limit: 9,
  })
  const stated = await Promise.all(
    events.map(({ sourceEventId }) => storage.provenance.assertionsOfEvent(id, sourceEventId)),
  )
  return [...versions, ...events, ...stated.flat()].map(({ trust }) => trust).sort()
}

test('only a file that this host signed, in one part, keeps its classes', async () => {
  const signers = { known: signer, unknown: newSigner(), missing: null }
  for (const [status, own] of Object.entries(signers)) {
    for (const [trust, expected] of [
      [undefined, status === 'known' ? 'agent' : 'untrusted'],
      ['agent', 'agent'],
    ] as const) {
      await using source = await open({ signer: own })
      await source.tenant.put('notes', { content: 'from a tool', trust: 'untrusted' })
      const request = addRequest([{ role: 'user', content: 'Prefers tea.' }], { infer: false })
      const { event } = await add(source.tenant, request, { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' })
      await ingest(
        source.tenant,
        event.sourceEventId,
        await leaseJob(source, event.jobId),
        new AbortController().signal,
      )
      await using world = await open()
      const part = await parseExportPart(await exportText(source.tenant))
      await importPart(world.engine.tenant('globex'), part, { merge: false, actor: 'mover', trust })
      // Two notes, a claim's memory, its event and its assertion; what was untrusted stays so.
      assert.deepEqual(await classesIn(world), [...Array(5).fill(expected), 'untrusted'].sort(), `${status} ${trust}`)
    }
  }
})

test('the lines of a file in parts are not proven, and no call vouches for more than its own class', async () => {
  await using world = await open()
  const whole = await parseExportPart(world.text)
  for (const part of parts(whole, 2)) await into(world, part)
  assert.deepEqual(await classesIn(world), ['untrusted', 'untrusted'])
  const raised = importPart(world.engine.tenant('other'), whole, { merge: false, actor: 'mover', trust: 'service' })
  await rejectsWith('trust_exceeds_credential', () => raised)
})

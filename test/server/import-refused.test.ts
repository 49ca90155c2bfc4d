import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { forgotten } from '../forget/calls.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, startServer, storagesOfBehaviour, type Tenant, type TestServer } from '../support/server.ts'
import { addBody, memoriesOf } from './memories-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const secret = `sk-${'q7Wd'.repeat(6)}`

// biome-ignore lint/suspicious/noExplicitAny: a line is what the test makes of it
type Line = any

const linesOf = (file: string): Line[] =>
  file
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** A file of these lines, with a trailer that fits. */
function fileOf(lines: readonly Line[]): string {
  const before = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const sha256 = createHash('sha256').update(before).digest('hex')
  return `${before}${JSON.stringify({ type: 'trailer', lines: lines.length, sha256 })}\n`
}

const send = (call: Call, text: string, query = '', headers = {}) =>
  call('POST', `${host}/import${query}`, text, { 'content-type': 'application/x-ndjson', ...headers })
const exported = async (call: Call) => (await call('GET', `${host}/export`)).text
const positionOf = async (call: Call): Promise<number> => (await call('GET', `${host}/stats`)).body.position

for (const storage of storagesOfBehaviour) {
  describe(`an import refuses on ${storage}`, () => {
    let server: TestServer
    let source: Tenant
    let lines: Line[]
    before(async () => {
      server = await startServer({ storage })
      source = await server.tenant()
      await source.call('POST', '/v1/tenant/service-writers', { service_key: 'chat' })
      await source.call('POST', `${host}/memory/notes/entries`, {
        content: 'Ada was here.',
        subject: 'ada',
        tags: ['visit'],
      })
      const { body } = await source.call('POST', '/v1/memories/add', addBody('ada', 'She likes dark colours.'))
      await memoriesOf(source.call).done(body.job_id)
      lines = linesOf(await exported(source.call))
    })
    after(() => server[Symbol.asyncDispose]())

    /** The same file with one type of line changed, or with one line more. */
    const changed = (type: string, change: (line: Line) => object) =>
      lines.map((line) => (line.type === type ? { ...line, ...change(line) } : line))
    function withOneMore(type: string, count: string, change: (line: Line) => object): Line[] {
      const [header, ...rows] = lines
      const at = rows.findLastIndex((line) => line.type === type)
      const more = { ...rows[at], ...change(rows[at]) }
      const counts = { ...header.counts, [count]: header.counts[count] + 1 }
      return [{ ...header, counts }, ...rows.slice(0, at + 1), more, ...rows.slice(at + 1)]
    }

    /** The claims have other ids, so that only what they are about shows that they are one claim. */
    function twoClaims(): Line[] {
      const [header, ...rows] = lines
      const version = rows.find((line) => line.classification?.claimId)
      const claim = rows.find((line) => line.type === 'claim')
      const classification = { ...version.classification, claimId: 'clm_other' }
      const otherVersion = { ...version, entryId: 'mem_other', ordinal: version.ordinal + 9, classification }
      const otherClaim = { ...claim, claimId: 'clm_other', winner: 'mem_other' }
      const { versions, claims } = header.counts
      const counts = { ...header.counts, versions: versions + 1, claims: claims + 1 }
      const others = rows.filter((line) => line !== claim)
      const more = others.flatMap((line) => (line === version ? [line, otherVersion] : [line]))
      // After their winners: nothing earlier in the file says that the claims are one.
      more.push(claim, otherClaim)
      return [{ ...header, counts }, ...more]
    }

    test('rows that contradict each other; nothing of the file is stored', async () => {
      const { call } = await server.tenant()
      const before = await positionOf(call)
      const live = (line: Line) => ({ version: line.version + 1, ordinal: line.ordinal + 7 })
      const other = (line: Line) => ({ entryId: 'mem_other', ordinal: line.ordinal + 9 })
      const deep = JSON.parse(`${'{"a":'.repeat(600)}1${'}'.repeat(600)}`)
      const wrong: Record<string, Line[]> = {
        'two live versions of an entry': withOneMore('version', 'versions', live),
        'two winners of a claim': withOneMore('version', 'versions', other),
        'two entries in one place': withOneMore('version', 'versions', () => ({
          entryId: 'mem_other',
          classification: null,
        })),
        'entries of two refs in one place': withOneMore('version', 'versions', () => ({
          entryId: 'mem_other',
          memoryRef: 'elsewhere',
          classification: null,
        })),
        'a winner of a claim that is not there': changed('version', (line) =>
          line.classification ? { classification: { ...line.classification, claimId: 'clm_none' } } : {},
        ),
        'an event twice under its name': withOneMore('sourceEvent', 'sourceEvents', () => ({
          sourceEventId: 'src_other',
        })),
        'a value nested too deep': changed('sourceEvent', () => ({ metadata: deep })),
      }
      for (const [what, made] of Object.entries(wrong)) {
        const answer = await send(call, fileOf(made))
        assert.deepEqual([answer.status, answer.body.error], [400, 'import_file_invalid'], `${what}: ${answer.text}`)
      }
      assert.equal(await positionOf(call), before)
    })

    test('two claims of one subject, category and key, each with a winner', async () => {
      const { call } = await server.tenant()
      assertError(await send(call, fileOf(twoClaims())), 400, 'import_file_invalid')
    })

    test('readers that no request could have set, and versions of one entry with different readers', async () => {
      const { call } = await server.tenant()
      const before = await positionOf(call)
      const readers = (value: unknown) => changed('version', () => ({ readers: value }))
      const ended = (line: Line) => ({
        version: line.version + 1,
        endedPosition: line.recordedPosition,
        endedReason: 'revised',
        readers: ['ana'],
      })
      const ofMessage = (line: Line) => ({ messages: [{ ...line.messages[0], readers: ['ana'] }] })
      const wrong: Record<string, Line[]> = {
        'a long id': readers(['a'.repeat(129)]),
        'an id with an invisible character': readers(['an\u200ba']),
        'an id twice': readers(['ana', 'ana']),
        'too many ids': readers(Array.from({ length: 65 }, (_, at) => `r${at}`)),
        'of a message': changed('sourceEvent', (line) => ({ messages: [{ ...line.messages[0], readers: [''] }] })),
        'an event for more than its messages': changed('sourceEvent', ofMessage),
        'two readers of an entry': withOneMore('version', 'versions', ended),
      }
      for (const [what, made] of Object.entries(wrong)) {
        const answer = await send(call, fileOf(made))
        assert.deepEqual([answer.status, answer.body.error], [400, 'import_file_invalid'], `${what}: ${answer.text}`)
      }
      assert.equal(await positionOf(call), before)
      // In another part of the file, the version is left out.
      const [header, ...rows] = withOneMore('version', 'versions', ended)
      const more = rows.findIndex((line) => line.type === 'version' && line.readers?.length)
      const part = (from: number, to?: number) =>
        fileOf([header, { type: 'part', file: 'e'.repeat(64), from: from + 1 }, ...rows.slice(from, to)])
      assert.equal((await send(call, part(0, more))).status, 200)
      const rest = await send(call, part(more))
      assert.deepEqual([rest.body.finished, rest.body.conflicts?.length], [true, 1], rest.text)
      const stored = linesOf(await exported(call)).filter(({ entryId }) => entryId === rows[more].entryId)
      assert.deepEqual(
        stored.map((line) => line.readers ?? null),
        [null],
      )
    })

    test('an entry at a place that an earlier part of the file uses', async () => {
      const { call } = await server.tenant()
      const [header, ...rows] = withOneMore('version', 'versions', () => ({
        entryId: 'mem_other',
        classification: null,
      }))
      const more = rows.findIndex((line) => line.entryId === 'mem_other')
      const file = 'f'.repeat(64)
      const first = [header, { type: 'part', file, from: 1 }, ...rows.slice(0, more)]
      assert.equal((await send(call, fileOf(first))).status, 200)
      const second = [header, { type: 'part', file, from: more + 1 }, ...rows.slice(more)]
      assertError(await send(call, fileOf(second)), 400, 'import_file_invalid')
    })

    test('secrets in names anywhere in the file; nothing of it is stored', async () => {
      const { call } = await server.tenant()
      const before = await positionOf(call)
      const change = {
        at: lines[0].exportedAt,
        actor: secret,
        old: { default_priority: 1 },
        new: { default_priority: 2 },
      }
      const wrong: Record<string, Line[]> = {
        'who changed the rules of a writer': changed('writer', () => ({ changes: [change] })),
        'a reader of an entry': changed('version', () => ({ readers: [secret] })),
        'a reader of an event': changed('sourceEvent', () => ({ readers: [secret] })),
        'a reader of a message': changed('sourceEvent', (line) => ({
          readers: [],
          messages: ['ana', secret].map((reader) => ({ ...line.messages[0], readers: [reader] })),
        })),
        'whom an entry is about': changed('version', () => ({ subject: secret })),
        'a tag of the host': changed('version', (_line) => ({
          origin: { kind: 'service', service: secret },
          tags: [`source:service:${secret}`],
        })),
      }
      for (const [what, made] of Object.entries(wrong)) {
        const answer = await send(call, fileOf(made))
        assert.ok(answer.status >= 400 && answer.status < 500, `${what}: ${answer.text}`)
        assert.ok(!answer.text.includes(secret), what)
      }
      assert.equal(await positionOf(call), before)
      const tagged = await send(call, fileOf(changed('version', (line) => ({ tags: [...line.tags, secret] }))))
      assert.equal(tagged.body.finished, true, tagged.text)
      const all = await exported(call)
      assert.ok(!all.includes(secret) && all.includes('[REDACTED'), 'a tag of the user is rewritten')
    })

    test('an idempotency key: the digest of the file makes the import idempotent', async () => {
      const { call } = await server.tenant()
      const answer = await send(call, fileOf(lines), '', { 'idempotency-key': 'once' })
      assertError(answer, 400, 'validation_error')
      assert.match(answer.text, /Idempotency-Key/)
    })

    test('a file that the tenant exported before it forgot something', async () => {
      const tenant = await server.tenant()
      assert.equal((await send(tenant.call, fileOf(lines))).body.finished, true)
      const before = await exported(tenant.call)
      await forgotten(tenant.call, { subject: 'ada' })
      for (const query of ['', '?merge=true']) {
        const answer = await send(tenant.call, before, query)
        assertError(answer, 409, 'import_before_forget')
      }
      assert.ok(!(await exported(tenant.call)).includes('Ada was here.'))
      // An export made afterwards contains nothing of it; and an export of another tenant is new data.
      assert.equal((await send(tenant.call, await exported(tenant.call), '?merge=true')).status, 200)
      assert.equal((await send(tenant.call, fileOf(lines), '?merge=true')).status, 200)
      assert.ok((await exported(tenant.call)).includes('Ada was here.'))
    })

    test('to resume after a forget, so that no forgotten row is imported', async () => {
      const { call } = await server.tenant()
      const [header, ...rows] = lines
      const file = createHash('sha256').update('a file').digest('hex')
      const half = rows.filter((line) => line.type === 'position').length
      const part = (from: number, some: Line[]) => fileOf([header, { type: 'part', file, from }, ...some])
      assert.equal((await send(call, part(1, rows.slice(0, half)))).body.finished, false)
      await forgotten(call, { subject: 'ada' })
      assertError(await send(call, part(half + 1, rows.slice(half))), 409, 'import_interrupted')
      assert.ok(!(await exported(call)).includes('Ada was here.'))
      const again = await send(call, part(1, rows), '?merge=true')
      assert.equal(again.body.finished, true, again.text)
    })
  })
}

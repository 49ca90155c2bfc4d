import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, startServer, storagesOfBehaviour, type Tenant, type TestServer } from '../support/server.ts'
import { addBody, memoriesOf } from './memories-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const ndjson = { 'content-type': 'application/x-ndjson' }

/** A file as it would be if these were its lines: the trailer fits. */
function fileOf(lines: readonly string[]): string {
  const before = lines.map((line) => `${line}\n`).join('')
  const sha256 = createHash('sha256').update(before).digest('hex')
  return `${before}${JSON.stringify({ type: 'trailer', lines: lines.length, sha256 })}\n`
}

async function fill(call: Call): Promise<void> {
  const tea = (await call('POST', `${host}/memory/ada/entries`, { content: 'Ada prefers tea.', tags: ['taste'] })).body
  await call('POST', `${host}/memory/ada/entries:batch`, { entries: [{ content: 'One.' }, { content: 'Two.' }] })
  await call('DELETE', `${host}/memory/ada/entries/${tea.id}`)
  const { done } = memoriesOf(call)
  for (const content of ['She likes dark colours.', 'She likes light colours.']) {
    const { body } = await call('POST', '/v1/memories/add', addBody('ada', content))
    await done(body.job_id)
  }
}

for (const storage of storagesOfBehaviour) {
  describe(`export and import on ${storage}`, () => {
    let server: TestServer
    let source: Tenant
    let file: string
    before(async () => {
      server = await startServer({ storage })
      source = await server.tenant()
      await source.call('POST', '/v1/tenant/service-writers', { service_key: 'chat' })
      await fill(source.call)
      file = (await source.call('GET', `${host}/export`)).text
    })
    after(() => server[Symbol.asyncDispose]())

    const send = (call: Call, text: string, query = '') => call('POST', `${host}/import${query}`, text, ndjson)

    test('an export is JSON Lines with a header and a digest, and contains no secret of the tenant', async () => {
      const answer = await source.call('GET', `${host}/export`)
      assert.equal(answer.headers.get('content-type'), 'application/x-ndjson')
      const lines = answer.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      const [header, trailer] = [lines[0], lines.at(-1)]
      assert.equal(header.tenant, source.id)
      for (const [type, count] of [
        ['position', header.counts.positions],
        ['version', header.counts.versions],
        ['claim', 1],
      ]) {
        assert.equal(lines.filter((line) => line.type === type).length, count)
      }
      assert.equal(trailer.lines, lines.length - 1)
      assert.equal(
        lines.some((line) => 'salt' in line || 'apiKeyId' in line),
        false,
      )
      assert.equal(answer.text.includes(source.key), false)
    })

    test('after an import another tenant reads the same, now and as of earlier, and its audit verifies', async () => {
      const target = await server.tenant()
      const { status, body } = await send(target.call, file)
      assert.equal(status, 200)
      // Making the tenant's key took a position.
      assert.deepEqual([body.finished, body.base, body.conflicts], [true, 1, []])
      const list = async (call: Call, query = '') =>
        (await call('GET', `${host}/memory/ada/entries${query}`)).body.entries
      assert.deepEqual(await list(target.call), await list(source.call))
      for (const position of [2, 3, 4, 5]) {
        assert.deepEqual(await list(target.call, `?asOf=${position + 1}`), await list(source.call, `?asOf=${position}`))
      }
      const memories = async (call: Call) => {
        const { data } = (await call('GET', '/v1/memories?external_user_id=ada&include_superseded=true')).body
        return data.map(({ id, content, status, provenance }: Record<string, unknown>) => ({
          id,
          content,
          status,
          provenance,
        }))
      }
      assert.deepEqual(await memories(target.call), await memories(source.call))
      const verdict = (await target.call('GET', '/v1/audit/verify?contents=true')).body
      assert.equal(verdict.chainValid, true, JSON.stringify(verdict))
      const id = (await list(target.call))[0].id
      assert.equal((await target.call('GET', `${host}/memory/ada/entries/${id}/colophon`)).status, 200)
      const found = await target.call('POST', '/v1/memories/retrieve', { external_user_id: 'ada', query: 'colours' })
      assert.equal(found.status, 200)
      // What was ingested is known: ingesting it again is a repeat.
      assert.equal((await target.call('GET', '/v1/tenant/source-events?external_user_id=ada')).status, 200)
      const written = await target.call('POST', `${host}/memory/ada/entries`, { content: 'Three.' })
      assert.equal(written.status, 201)
      assert.equal((await list(target.call))[0].content, 'Three.')
    })

    test('statements about the slot of an imported claim join that claim, and it has one winner', async () => {
      const target = await server.tenant()
      await send(target.call, file)
      const { done, claim } = memoriesOf(target.call)
      const before = await claim('ada')
      for (const content of ['She likes dark colours.', 'She likes red.']) {
        const { body } = await target.call('POST', '/v1/memories/add', addBody('ada', content))
        await done(body.job_id)
      }
      const { claims } = (await target.call('GET', `${host}/claims?subject=ada`)).body
      assert.equal(claims.length, 1)
      assert.equal(claims[0].id, before.id)
      assert.deepEqual(
        claims[0].contents.map(({ content, sources }: Record<string, unknown>) => [content, sources]).toSorted(),
        [
          ['She likes dark colours.', 2],
          ['She likes light colours.', 1],
          ['She likes red.', 1],
        ],
      )
      const { data } = (await target.call('GET', '/v1/memories?external_user_id=ada')).body
      assert.equal(data.length, 1)
      assert.equal((await target.call('GET', '/v1/audit/verify?contents=true')).body.chainValid, true)
    })

    test('the response and the trace show whether the signature is known; a file changed after signing is refused', async () => {
      const target = await server.tenant()
      const key = (await target.call('GET', `${host}/signing-key`)).body
      const lines = file.trimEnd().split('\n')
      const trailer = JSON.parse(lines.pop() ?? '')
      assert.equal(trailer.signature.keyId, key.keyId)
      const forged = fileOf(lines.map((line) => line.replace('"Two."', '"Tvo."')))
        .trimEnd()
        .split('\n')
      const unfit = JSON.stringify({ ...JSON.parse(forged.pop() ?? ''), signature: trailer.signature })
      assertError(await send(target.call, `${[...forged, unfit].join('\n')}\n`), 400, 'import_file_invalid')
      const { body } = await send(target.call, file)
      assert.deepEqual([body.finished, body.signature], [true, { status: 'known', keyId: key.keyId }])
      const id = (await target.call('GET', `${host}/memory/ada/entries`)).body.entries[0].id
      const { story } = (await target.call('GET', `${host}/memory/ada/entries/${id}/colophon`)).body
      const step = story.find((known: { step: string }) => known.step === 'imported')
      assert.deepEqual([step.details.signature, step.details.tenant], [body.signature, source.id])
      const unsigned = await server.tenant()
      assert.deepEqual((await send(unsigned.call, fileOf(lines))).body.signature, { status: 'missing' })
    })

    test('a writer that was bound to a key is imported inactive, and is accepted again once it is bound', async () => {
      const { call, keyId } = await boundTenant()
      const text = (await call('GET', `${host}/export`)).text
      assert.equal(text.includes(keyId), false)
      const target = await server.tenant()
      const { body } = await send(target.call, text)
      assert.deepEqual(body.writersToBind, ['payroll'])
      const listed = async () => {
        const { data } = (await target.call('GET', '/v1/tenant/service-writers')).body
        return data.find((writer: { service_key: string }) => writer.service_key === 'payroll')
      }
      const writer = await listed()
      assert.deepEqual([writer.is_active, writer.api_key_id], [false, null])
      const addAsPayroll = () =>
        target.call('POST', '/v1/memories/add', addBody('bo', 'Bo earns more.', { service: 'payroll' }))
      assert.equal((await addAsPayroll()).status, 422)
      const own = (await target.call('GET', `${host}/keys`)).body.keys[0].id
      const change = { api_key_id: own, is_active: true }
      const changed = await target.call('PATCH', `/v1/tenant/service-writers/${writer.id}`, change)
      assert.equal(changed.status, 200, changed.text)
      assert.equal((await addAsPayroll()).status, 202)
      const made = (await target.call('POST', `${host}/keys`, { name: 'other', scopes: ['memory:admin'] })).body
      const spoken = (await fromPayroll()).text
      assertError(await send(server.as(made.key), spoken, '?merge=true'), 403, 'writer_key_mismatch')
      assert.equal((await send(target.call, spoken, '?merge=true')).body.finished, true)
    })

    /** An export with statements of a writer `payroll`; another tenant has a writer of the same name. */
    async function fromPayroll() {
      const { call } = await server.tenant()
      await call('POST', '/v1/tenant/service-writers', { service_key: 'payroll' })
      const { body } = await call('POST', '/v1/memories/add', addBody('ada', 'Ada earns more.', { service: 'payroll' }))
      await memoriesOf(call).done(body.job_id)
      return call('GET', `${host}/export`)
    }

    async function boundTenant() {
      const tenant = await server.tenant()
      const keyId = (await tenant.call('GET', `${host}/keys`)).body.keys[0].id
      await tenant.call('POST', '/v1/tenant/service-writers', { service_key: 'payroll', api_key_id: keyId })
      return { call: tenant.call, keyId }
    }

    test('a truncated, a changed and a foreign file are refused, and nothing is stored', async () => {
      const target = await server.tenant()
      const wrong = {
        'cut off': file.slice(0, -40),
        'without its last line': `${file.trimEnd().split('\n').slice(0, -1).join('\n')}\n`,
        'a byte changed': file.replace('Two.', 'Tvo.'),
        'a line left out': file
          .split('\n')
          .filter((line) => !line.includes('Two.'))
          .join('\n'),
        'no export': 'hello\n',
        empty: '',
      }
      for (const [what, text] of Object.entries(wrong)) {
        const answer = await send(target.call, text)
        assert.equal(answer.status, 400, what)
        assert.match(answer.body.error, /^(import_file_invalid|validation_error)$/, what)
      }
      assert.deepEqual((await target.call('GET', `${host}/memory`)).body.refs, [])
      assertError(await target.call('POST', `${host}/import`, '{}', {}), 415, 'unsupported_media_type')
    })

    test('lines with a valid digest that are not rows are refused by line and member', async () => {
      const target = await server.tenant()
      const [header = ''] = file.split('\n')
      const empty = JSON.stringify({ ...JSON.parse(header), counts: { ...JSON.parse(header).counts, positions: 1 } })
      const rows = ['{"type":"version","content":1}', '{"type":"key"}', '[]', '{"type":"position","position":0}']
      for (const row of rows) {
        const answer = await send(target.call, fileOf([empty, row]))
        assertError(answer, 400, 'import_file_invalid')
        assert.equal(answer.body.details.line, 1)
      }
      const later = '{"type":"position","position":1,"at":"2999-01-01T00:00:00.000Z","hash":"'
      assertError(await send(target.call, fileOf([empty, `${later}${'0'.repeat(64)}"}`])), 400, 'import_file_invalid')
    })

    test('a tenant with memory refuses an import; merging skips equal rows and names different ones', async () => {
      const target = await server.tenant()
      await target.call('POST', `${host}/memory/ada/entries`, { content: 'Mine.' })
      assertError(await send(target.call, file), 409, 'tenant_not_empty')
      const merged = (await send(target.call, file, '?merge=true')).body
      assert.deepEqual([merged.finished, merged.conflicts], [true, []])
      const contents = async () =>
        (await target.call('GET', `${host}/memory/ada/entries`)).body.entries.map(
          (entry: { content: string }) => entry.content,
        )
      assert.deepEqual((await contents()).sort(), ['Mine.', 'One.', 'Two.'])
      // The same again, exported later: other digest, same rows.
      const later = (await source.call('GET', `${host}/export`)).text
      assert.notEqual(later.split('\n')[0], file.split('\n')[0])
      const again = (await send(target.call, later, '?merge=true')).body
      assert.deepEqual([again.finished, again.conflicts], [true, []])
      assert.deepEqual((await contents()).sort(), ['Mine.', 'One.', 'Two.'])

      const lines = later.trimEnd().split('\n').slice(0, -1)
      const changed = fileOf(lines.map((line) => line.replace('"content":"One."', '"content":"Other."')))
      const { conflicts } = (await send(target.call, changed, '?merge=true')).body
      assert.deepEqual(
        conflicts.map(({ type }: { type: string }) => type),
        ['version'],
      )
      assert.deepEqual((await contents()).sort(), ['Mine.', 'One.', 'Two.'])
      assert.equal((await target.call('GET', '/v1/audit/verify?contents=true')).body.chainValid, true)
    })

    test('imported texts pass the redactor of the importing tenant', async () => {
      const target = await server.tenant()
      await target.call('PUT', `${host}/secrets/colour`, { value: 'dark colours' })
      const { body } = await send(target.call, file)
      assert.equal(body.finished, true)
      const all = (await target.call('GET', `${host}/export`)).text
      assert.equal(all.includes('dark colours'), false)
      assert.ok(all.includes('[REDACTED:colour]'))
    })

    test('conversation and observation time are imported', async () => {
      const { call } = await server.tenant()
      const scope = { session_id: 'monday' }
      await call('POST', '/v1/tenant/service-writers', { service_key: 'chat' })
      const { body } = await call(
        'POST',
        '/v1/memories/add',
        addBody('bo', 'Bo likes long walks.', { source: { scope } }),
      )
      await memoriesOf(call).done(body.job_id)
      const classified = (text: string) =>
        text
          .split('\n')
          .filter((line) => line.includes('"type":"version"'))
          .map((line) => JSON.parse(line).classification)
      const file = (await call('GET', `${host}/export`)).text
      assert.match(classified(file)[0].observedAt, /^\d{4}-/)
      assert.equal(typeof classified(file)[0].sessionId, 'string')
      const target = await server.tenant()
      assert.equal((await send(target.call, file)).body.finished, true)
      assert.deepEqual(classified((await target.call('GET', `${host}/export`)).text), classified(file))
    })

    test('a file cannot claim another origin by its tags, contain a NUL, or exceed its last position', async () => {
      const target = await server.tenant()
      const lines = file.trimEnd().split('\n').slice(0, -1)
      const forged = (change: (line: string) => string) => send(target.call, fileOf(lines.map(change)))
      for (const tag of ['source:service:payroll', 'source:run', 'compacted-from:cmp_1', 'openwop.trusted']) {
        const answer = await forged((line) => line.replace('"tags":["taste",', `"tags":["taste","${tag}",`))
        assertError(answer, 400, 'import_file_invalid')
      }
      const nul = await forged((line) => line.replace('"metadata":{}', '"metadata":{"a":["x\\u0000"]}'))
      assertError(nul, 400, 'import_file_invalid')
      assert.match(nul.body.message, /NUL/)
      const [header = '', ...rows] = lines
      const { counts, position } = JSON.parse(header)
      const ahead = { ...JSON.parse(header), position: position + 9, counts: { ...counts, positions: position + 9 } }
      assertError(await send(target.call, fileOf([JSON.stringify(ahead), ...rows])), 400, 'import_file_invalid')
      const backwards = fileOf([header, ...rows.toReversed()])
      assertError(await send(target.call, backwards), 400, 'import_file_invalid')
      assert.deepEqual((await target.call('GET', `${host}/memory`)).body.refs, [])
    })

    test('a part of a tenant can be exported: one ref, or one subject', async () => {
      const versions = async (query: string) => {
        const { text } = await source.call('GET', `${host}/export?${query}`)
        const lines = text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
        const rows = lines.filter(({ type }) => type === 'version')
        assert.equal(rows.length, lines[0].counts.versions)
        return [...new Set(rows.map(({ memoryRef }) => memoryRef))]
      }
      assert.deepEqual(await versions('memoryRef=ada'), ['ada'])
      assert.deepEqual(await versions('subject=ada'), ['subject:ada'])
      assert.deepEqual(await versions('memoryRef=nobody'), [])
      for (const query of ['memoryRef=%00', 'memoryRef=', 'subject=%00', `subject=${'x'.repeat(999)}`]) {
        assertError(await source.call('GET', `${host}/export?${query}`), 400, 'validation_error')
      }
      const target = await server.tenant()
      const { text } = await source.call('GET', `${host}/export?memoryRef=ada`)
      assert.equal((await send(target.call, text)).body.finished, true)
    })

    test('only keys with an admin scope can export or import', async () => {
      const { body } = await source.call('POST', `${host}/keys`, {
        name: 'reader',
        scopes: ['memory:read', 'memory:write'],
      })
      const reader = server.as(body.key)
      assertError(await reader('GET', `${host}/export`), 403, 'forbidden')
      assertError(await send(reader, file), 403, 'forbidden')
    })
  })
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useServer } from '../support/server.ts'
import { addBody } from './memories-calls.ts'

const host = '/v1/host/colophon'
const hidden = ['\u200b', '\u200d', '\u202e', '\u2067', '\ufeff']

describe('invisible and bidirectional control characters', () => {
  const server = useServer()

  test('no new name can contain one; the error names the field and the character', async () => {
    const { call } = await server.tenant()
    for (const character of hidden) {
      const name = `ada${character}`
      const ref = encodeURIComponent(name)
      const run = { workflowId: 'none', tags: [name] }
      const writer = { service_key: 'crm', display_name: name }
      const calls: [field: string, method: string, path: string, body: object][] = [
        ['memoryRef', 'POST', `${host}/memory/${ref}/entries`, { content: 'tea' }],
        ['memoryRef', 'POST', `${host}/memory/${ref}/entries:batch`, { entries: [{ content: 'tea' }] }],
        ['tags', 'POST', `${host}/memory/notes/entries`, { content: 'tea', tags: [name] }],
        ['subject', 'POST', `${host}/memory/notes/entries`, { content: 'tea', subject: name }],
        ['name', 'POST', `${host}/keys`, { name, scopes: ['memory:read'] }],
        ['external_user_id', 'POST', '/v1/memories/add', addBody(name, 'dark mode', { service: null })],
        ['display_name', 'POST', '/v1/tenant/service-writers', writer],
        ['tags', 'POST', '/v1/runs', run],
      ]
      for (const [field, method, path, body] of calls) {
        const { status, text } = await call(method, path, body)
        assert.ok(status === 400 || status === 422, `${field} ${path}: ${status} ${text}`)
        const code = character.charCodeAt(0).toString(16).toUpperCase()
        assert.ok(text.includes(field) && text.includes(`U+${code}`), `${path}: ${text}`)
      }
    }
  })

  test('contents can contain them, and an existing name with one can be read and forgotten', async () => {
    const { call } = await server.tenant()
    const content = `right\u202eleft\u200b 👩\u200d🚀`
    const put = await call('POST', `${host}/memory/notes/entries`, { content, tags: ['❤\ufe0f'] })
    assert.deepEqual([put.status, put.body.content], [201, content])
    const name = 'ada\u200b'
    const reads = [
      await call('GET', `${host}/memory/${encodeURIComponent(name)}/entries`),
      await call('GET', `/v1/memories?external_user_id=${encodeURIComponent(name)}`),
      await call('POST', `${host}/memory/notes/search`, { query: 'left', subject: name }),
      await call('POST', `${host}/forget`, { subject: name, reason: 'asked', dryRun: true }),
    ]
    for (const { status, text } of reads) assert.equal(status, 200, text)
  })
})

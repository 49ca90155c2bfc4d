import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertProvenanceError } from '../support/envelope.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { memoriesOf } from './memories-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'

for (const storage of storagesOfBehaviour) {
  describe(`changes by keys with few scopes (${storage})`, () => {
    const server = useServer({ storage })

    async function prepare() {
      const { call } = await server.tenant()
      const memories = memoriesOf(call)
      await memories.writer('chat')
      await memories.ingest('ada', 'dark mode', { service: 'chat' })
      const { id } = await memories.winner('ada')
      const keyWith = async (...scopes: string[]) => {
        const made = await call('POST', `${host}/keys`, { name: 'some', scopes })
        return server.as(made.body.key)
      }
      return { ...memories, id, keyWith }
    }

    test('a key with write but not read scope does not get what is stored', async () => {
      const { id, keyWith, winner } = await prepare()
      const blind = await (await keyWith('memory:write'))('PATCH', `/v1/memories/${id}`, { importance: 7 })
      assert.deepEqual([blind.status, blind.body.id, blind.body.importance_score], [200, id, 7])
      assert.ok(!('content' in blind.body))
      const { scope, evidence, payload_hash } = blind.body.provenance
      assert.deepEqual([scope, evidence, payload_hash], [null, undefined, null])
      assert.ok(!blind.text.includes('dark mode'), blind.text)
      const seeing = await (await keyWith('memory:write', 'memory:read'))('PATCH', `/v1/memories/${id}`, {
        importance: 8,
      })
      assert.equal(seeing.body.content, (await winner('ada')).content)
    })

    test('archiving needs memory:delete and memory:write; restoring needs memory:write only', async () => {
      const { id, keyWith, winner, list } = await prepare()
      const writer = await keyWith('memory:write', 'memory:read')
      const refused = await writer('PATCH', `/v1/memories/${id}`, { is_archived: true })
      assertProvenanceError(refused, 403, 'forbidden')
      assert.equal(refused.body.details.requiredScope, 'memory:delete')
      assert.equal((await winner('ada')).id, id)
      const archivist = await keyWith('memory:write', 'memory:delete')
      const archived = await archivist('PATCH', `/v1/memories/${id}`, { is_archived: true })
      assert.deepEqual([archived.status, archived.body.status], [200, 'archived'])
      assert.deepEqual(await list('ada'), [])
      assert.equal((await writer('PATCH', `/v1/memories/${id}`, { is_archived: false })).body.status, 'active')
    })
  })
}

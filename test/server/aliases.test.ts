// Other names of a subject: set by a client or stated in memories, used by searches, and erased with the subject.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { forgotten } from '../forget/calls.ts'
import { tracesOf } from '../forget/traces.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, type Home, startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import { contents, host, prepareReading } from './memories-calls.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`aliases on ${storage}`, () => {
    let home: Home
    let server: TestServer
    before(async () => {
      home = await createHome(storage)
      server = await startServer({ home })
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    })

    test('a search finds what is said under another name, set or inferred, and forgetting erases the names', async () => {
      const { call, ingest, retrieve } = await prepareReading(server)
      const fact = (text: string) => ingest('ada', text, { claim: null, category: 'fact' })
      await fact('Quentin Zarkov likes green tea.')
      await fact('Katharina lives in Graz.')
      await fact('The weather is fine.')
      const found = async (query: string) => contents((await retrieve({ query })).data)
      assert.ok(!(await found('What does Bobbin like?')).includes('Quentin Zarkov likes green tea.'))
      const set = await call('PUT', `${host}/aliases`, { subject: 'ada', aliases: ['Bobbin', 'Quentin Zarkov'] })
      assert.equal(set.status, 200, set.text)
      assert.deepEqual(set.body.aliases[0].names, ['ada', 'Bobbin', 'Quentin Zarkov'])
      assert.ok((await found('What does Bobbin like?')).includes('Quentin Zarkov likes green tea.'))
      await fact('Katharina, genannt Mausi, singt im Chor.')
      const { aliases } = (await call('GET', `${host}/aliases?subject=ada`)).body
      assert.deepEqual(
        aliases.map(({ names, source }: { names: string[]; source: string }) => [source, ...names]),
        [
          ['explicit', 'ada', 'Bobbin', 'Quentin Zarkov'],
          ['inferred', 'Katharina', 'Mausi'],
        ],
      )
      assert.ok((await found('Where does Mausi live?')).includes('Katharina lives in Graz.'))
      const again = await call('PUT', `${host}/aliases`, { subject: 'ada', aliases: ['Bobbinetteville'] })
      assert.deepEqual(again.body.aliases[0].names, ['ada', 'Bobbinetteville'])
      assert.notDeepEqual(await tracesOf(home, 'Bobbinetteville'), [], 'the check can find it')
      const file = (await call('GET', `${host}/export`)).text
      const target = await server.tenant()
      const imported = await target.call('POST', `${host}/import`, file, { 'content-type': 'application/x-ndjson' })
      assert.equal(imported.status, 200, imported.text)
      const moved = (await target.call('GET', `${host}/aliases?subject=ada`)).body.aliases
      assert.deepEqual(moved[0].names, ['ada', 'Bobbinetteville'])
      for (const one of [call, target.call]) await forgotten(one, { subject: 'ada' })
      assert.deepEqual((await call('GET', `${host}/aliases?subject=ada`)).body.aliases, [])
      for (const word of ['Bobbinetteville', 'Quentin Zarkov']) assert.deepEqual(await tracesOf(home, word), [], word)
    })

    test('names are checked, and an empty list removes them', async () => {
      const { call } = await server.tenant()
      const put = (aliases: unknown) => call('PUT', `${host}/aliases`, { subject: 'ada', aliases })
      for (const wrong of [['a"b'], [''], ['x'.repeat(129)], Array(21).fill('x'), 'Bob']) {
        const answer = await put(wrong)
        assert.equal(answer.status, 400, JSON.stringify(wrong))
        assert.match(answer.body.details.field, /^aliases/)
      }
      assert.equal((await put(['Bob'])).body.aliases.length, 1)
      assert.deepEqual((await put([])).body.aliases, [])
    })
  })
}

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/scopes.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertProvenanceError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody } from './memories-calls.ts'
import { chain, ended, put, register, startRun } from './runs-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const memoriesAbout = async (call: Call, user: string) =>
  (await call('GET', `/v1/memories?external_user_id=${user}`)).body.data as { id: string }[]

const copies = `${host}/memory/copies/entries`

for (const storage of storagesOfBehaviour) {
  describe(`readers stay on ${storage}`, () => {
    const server = useServer({ storage })
    const bind = async (call: Call, reader: string) =>
      server.as((await call('POST', `${host}/keys`, { name: reader, scopes, reader })).body.key)

    test('a fork of a child keeps the readers of what its parent had read', async () => {
      const { call } = await server.tenant()
      const config = { workflowId: 'child', inputMapping: { text: 'seen.0.content' } }
      const text = '{{variables.text}}'
      await register(
        call,
        chain('child', [put('copy', text, 'copies')], { variables: [{ name: 'text', type: 'string' }] }),
      )
      await register(
        call,
        chain(
          'parent',
          [
            { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'seen' } },
            { id: 'inside', typeId: 'core.subWorkflow', config },
          ],
          { variables: [{ name: 'seen', type: 'array' }] },
        ),
      )
      await call('POST', `${host}/memory/notes/entries`, { content: 'Only for Ana.', readers: ['ana'] })
      const ana = await bind(call, 'ana')
      const ben = await bind(call, 'ben')
      const parent = await ended(ana, await startRun(ana, 'parent'))
      assert.equal(parent.status, 'completed', JSON.stringify(parent.error))
      const child = parent.nodeStates.inside.childRunId
      const forked = await ana('POST', `/v1/runs/${child}:fork`, { mode: 'branch', fromSeq: 0 })
      assert.equal(forked.status, 201, forked.text)
      await ended(ana, forked.body.runId)
      assert.equal((await ana('GET', copies)).body.entries.length, 2)
      assert.deepEqual((await ben('GET', copies)).body.entries, [])
    })

    test('a text that is stated again after one of its events was forgotten keeps its readers', async () => {
      const { call } = await server.tenant()
      await call('POST', '/v1/tenant/service-writers', { service_key: 'crm' })
      const add = (event: string) =>
        call('POST', '/v1/memories/add', {
          external_user_id: 'ada',
          infer: false,
          messages: [{ role: 'user', content: 'Ada likes tea.', claim_key: 'drink' }],
          source: { service: 'crm', event_id: event },
        })
      await add('e1')
      await eventually('the first is there', async () => (await memoriesAbout(call, 'ada')).length === 1)
      await add('e2')
      const sourceEvents = async () => (await call('GET', '/v1/tenant/source-events')).body.data as { id: string }[]
      await eventually('both are ingested', async () => {
        const { jobs } = (await call('GET', `${host}/jobs?status=completed`)).body
        return (await sourceEvents()).length === 2 && jobs.length >= 2
      })
      const [memory] = await memoriesAbout(call, 'ada')
      await call('PATCH', `/v1/memories/${memory?.id}`, { readers: ['ana'] })
      const ben = await bind(call, 'ben')
      assert.deepEqual(await memoriesAbout(ben, 'ada'), [])
      const first = (await sourceEvents()).at(-1)
      const { id } = (await call('POST', `${host}/forget`, { sourceEvent: first?.id, reason: 'test' })).body
      await eventually('it is forgotten', async () => {
        return (await call('GET', `${host}/forget/${id}`)).body.status === 'completed'
      })
      assert.equal((await memoriesAbout(call, 'ada')).length, 1)
      assert.deepEqual(await memoriesAbout(ben, 'ada'), [])
    })

    test('a bound key neither pins nor erases', async () => {
      const { call } = await server.tenant()
      await call('POST', '/v1/memories/add', addBody('ada', 'Ada likes tea.', { service: null }))
      await eventually('it is there', async () => (await memoriesAbout(call, 'ada')).length === 1)
      const [memory] = await memoriesAbout(call, 'ada')
      const ben = await bind(call, 'ben')
      const path = `/v1/memories/${memory?.id}`
      const edited = await ben('PATCH', path, { content: 'Ada likes gin.', reason: 'because' })
      assert.notEqual(edited.body.trust, 'verified')
      assertProvenanceError(await ben('DELETE', `${path}?hard_delete=true`), 403, 'reader_forbidden')
    })
  })
}

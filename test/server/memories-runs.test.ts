import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { contents, host, memoriesOf } from './memories-calls.ts'

after(releaseServer)

const ref = 'subject:ada'
const node = (id: string, typeId: string, config: object) => ({
  id,
  typeId,
  name: id,
  position: { x: 0, y: 0 },
  config,
  inputs: {},
})

function workflow(id: string, nodes: readonly ReturnType<typeof node>[]) {
  return {
    id,
    name: id,
    version: '1.0',
    nodes,
    edges: nodes.slice(1).map((target, n) => ({ id: `e${n}`, sourceNodeId: nodes[n]?.id, targetNodeId: target.id })),
    triggers: [{ id: 'manual', type: 'manual', enabled: true }],
    variables: [],
    metadata: { tags: [] },
    settings: { timeout: 60_000 },
  }
}

const gate = node('gate', 'core.approvalGate', {
  title: 'Wait',
  description: 'for the test',
  actions: ['accept', 'reject'],
})

for (const storage of storagesOfBehaviour) {
  describe(`runs and memories about people, on ${storage}`, () => {
    const server = useServer({ storage })

    async function prepare() {
      const tenant = await server.tenant()
      const { call } = tenant
      const memories = memoriesOf(call)
      await memories.writer('chat', 50)
      await memories.writer('crm', 80)
      const start = async (definition: { id: string }) => {
        const made = await call('POST', `${host}/workflows`, definition)
        assert.ok(made.status < 300, made.text)
        const begun = await call('POST', '/v1/runs', { workflowId: definition.id, inputs: {} })
        assert.ok(begun.status < 300, begun.text)
        return begun.body.runId as string
      }
      const run = async (runId: string) => (await call('GET', `/v1/runs/${runId}`)).body
      const reaches = (runId: string, status: string) =>
        eventually(`the run is ${status}`, async () => {
          const found = await run(runId)
          assert.ok(found.status !== 'failed' || status === 'failed', JSON.stringify(found))
          return found.status === status
        })
      const approve = async (runId: string) => {
        const answer = await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept' } })
        assert.ok(answer.status < 300, answer.text)
        await reaches(runId, 'completed')
        return run(runId)
      }
      return { ...memories, ...tenant, start, run, reaches, approve }
    }

    test('a run does not see a supersession, a confirmation or a deletion that happens while it runs', async () => {
      const { ingest, start, reaches, approve, list, call } = await prepare()
      await ingest('ada', 'dark mode')
      await ingest('ada', 'a note of its own', { claim: null })
      const runId = await start(
        workflow('reader', [
          node('before', 'colophon.memory.list', { memoryRef: ref, into: 'before' }),
          gate,
          node('after', 'colophon.memory.list', { memoryRef: ref, into: 'after' }),
        ]),
      )
      await reaches(runId, 'waiting-approval')
      await ingest('ada', 'light mode', { service: 'crm' })
      await ingest('ada', 'something new', { claim: null })
      const note = (await list('ada')).find(({ content }: { content: string }) => content.startsWith('a note'))
      await call('DELETE', `/v1/memories/${note.id}`)
      assert.deepEqual(contents(await list('ada')), ['something new', 'light mode'])
      const { variables } = await approve(runId)
      assert.deepEqual(contents(variables.before), ['a note of its own', 'dark mode'])
      assert.deepEqual(variables.after, variables.before)
      const next = await start(
        workflow('later', [node('read', 'colophon.memory.list', { memoryRef: ref, into: 'seen' })]),
      )
      await reaches(next, 'completed')
      assert.deepEqual(contents((await call('GET', `/v1/runs/${next}`)).body.variables.seen), [
        'something new',
        'light mode',
      ])
    })

    test('what a run writes about a person is listed with the run and the node that wrote it', async () => {
      const { start, reaches, list, call, ingest } = await prepare()
      await ingest('ada', 'dark mode')
      const runId = await start(
        workflow('writer', [node('remember', 'colophon.memory.put', { memoryRef: ref, content: 'written by a run' })]),
      )
      await reaches(runId, 'completed')
      const [written, ingested] = await list('ada')
      assert.deepEqual([written.content, ingested.content], ['written by a run', 'dark mode'])
      const { provenance, source_event_id, attribution, category, claim_key, status, sources, writers } = written
      assert.deepEqual(
        [provenance, source_event_id, category, claim_key, status, sources, writers],
        [null, null, 'fact', null, 'active', 0, 1],
      )
      assert.deepEqual([attribution.run_id, attribution.node_id], [runId, 'remember'])
      assert.deepEqual((await call('GET', `/v1/memories/${written.id}`)).body, written)
      const edited = await call('PATCH', `/v1/memories/${written.id}`, { content: 'edited by a person' })
      assert.deepEqual([edited.status, edited.body.id, edited.body.version], [200, written.id, 2])
      assert.deepEqual(Object.keys(edited.body.attribution), ['api_key_id'], 'no word of the run, and not shown as one')
      assert.equal((await call('DELETE', `/v1/memories/${written.id}`)).status, 200)
      assert.deepEqual(contents(await list('ada')), ['dark mode'])
    })

    test('a run that deletes the winner makes the next content the winner, and logs that write; so does a replay', async () => {
      const { start, reaches, ingest, winner, claim, call } = await prepare()
      await ingest('ada', 'dark mode')
      await ingest('ada', 'light mode', { service: 'crm' })
      const { id } = await winner('ada')
      const runId = await start(workflow('deleter', [node('drop', 'colophon.memory.delete', { memoryRef: ref, id })]))
      await reaches(runId, 'completed')
      const now = await winner('ada')
      assert.deepEqual([now.content, now.version, (await claim('ada')).winner], ['dark mode', 2, now.id])
      const written = async (of: string) => {
        const log = await call('GET', `/v1/runs/${of}/events`, undefined, { accept: 'application/json' })
        const writes = log.body.events.filter((event: { type: string }) => event.type === 'memory.written')
        return writes.map(({ payload, nodeId }: Record<string, unknown>) => ({ payload, nodeId }))
      }
      const [revived, summary, ...others] = await written(runId)
      const payload = { memoryRef: ref, memoryId: now.id, nodeId: 'drop', tags: ['source:service:chat'] }
      assert.deepEqual([revived, others], [{ payload, nodeId: 'drop' }, []])
      assert.equal(summary.nodeId, undefined)
      const fork = (await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay' })).body.runId
      await reaches(fork, 'completed')
      assert.deepEqual(await written(fork), [revived, summary])
      assert.equal((await winner('ada')).version, 2)
    })

    test('the colophon of an ingested memory names the secrets that were redacted from it', async () => {
      const { ingest, winner, call } = await prepare()
      await ingest('ada', 'dark mode sk-abcdefghijklmnopqrstuvwx0123456789')
      const { id, content } = await winner('ada')
      assert.match(content, /\[REDACTED:/)
      const { story } = (await call('GET', `${host}/memory/${encodeURIComponent(ref)}/entries/${id}/colophon`)).body
      assert.ok(
        story.some(({ step }: { step: string }) => step === 'redacted'),
        JSON.stringify(story),
      )
    })

    test('the colophon of an entry lists its steps in order, with its audit records', async () => {
      const { ingest, winner, call, claim, start, reaches, list } = await prepare()
      const value = 'sk-abcdefghijklmnopqrstuvwx0123456789'
      const first = await ingest('ada', `dark mode ${value}`, { eventId: 'evt-1' })
      await ingest('ada', `Dark mode ${value}!`, { eventId: 'evt-2' })
      const dark = await winner('ada')
      await ingest('ada', 'light mode', { service: 'crm' })
      await call('POST', `${host}/claims/${(await claim('ada')).id}:resolve`, {
        memoryId: dark.id,
        reason: 'she said so',
      })
      const entry = (id: string) => `${host}/memory/${encodeURIComponent(ref)}/entries/${id}/colophon`
      const { body, status, text } = await call('GET', entry(dark.id))
      assert.equal(status, 200, text)
      const { story } = body
      const steps = story.map(({ step }: { step: string }) => step)
      const positions = story.map(({ position }: { position: number }) => position)
      assert.deepEqual(
        positions,
        [...positions].sort((a, b) => a - b),
        'in the order of positions',
      )
      assert.deepEqual(
        steps.filter((step: string) => step === 'told' || step === 'version' || step === 'ended' || step === 'decided'),
        ['told', 'version', 'told', 'ended', 'version', 'decided'],
      )
      const of = (step: string) => story.filter((one: { step: string }) => one.step === step)
      assert.ok(of('told')[0].text.includes('evt-1') && of('told')[1].text.includes('evt-2'))
      assert.equal(of('told')[0].details.payloadHash, dark.provenance.payload_hash)
      assert.ok(of('job')[0].text.includes(first.job_id))
      assert.ok(of('ended')[0].text.includes('superseded'))
      assert.ok(of('decided')[0].text.includes('she said so'), of('decided')[0].text)
      for (const { details } of [...of('version'), ...of('ended')]) assert.match(details.hash, /^[0-9a-f]{64}$/)
      assert.ok(!text.includes(value))

      const runId = await start(
        workflow('writer', [node('remember', 'colophon.memory.put', { memoryRef: ref, content: 'written by a run' })]),
      )
      await reaches(runId, 'completed')
      const [written] = await list('ada')
      const own = (await call('GET', entry(written.id))).body.story
      assert.deepEqual(
        own.map(({ step }: { step: string }) => step),
        ['written', 'version'],
      )
      assert.ok(own[0].text.includes(runId) && own[0].text.includes('remember'))
    })
  })
}

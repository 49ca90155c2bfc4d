import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { provProblems } from '../../src/core/provenance/prov/constraints.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { chain, ended, host, put, register, startRun } from './runs-calls.ts'

after(releaseServer)

const ndjson = { 'content-type': 'application/x-ndjson' }

async function provOf(call: Call, ref: string, id: string) {
  const path = `${host}/memory/${encodeURIComponent(ref)}/entries/${id}/colophon?format=prov`
  const { status, body, text } = await call('GET', path)
  assert.equal(status, 200, text)
  assert.deepEqual(provProblems(body), [])
  return { document: body, text }
}

const typesOf = ({ activity }: { activity: Record<string, { 'prov:type': { $: string }[] }> }) =>
  Object.values(activity).flatMap((one) => one['prov:type'].map(({ $ }) => $.slice('colophon:'.length)))

/** Starts a job, and waits until it has ended. */
async function finished(call: Call, path: string, body: object) {
  const { status, body: started, text } = await call('POST', path, body)
  assert.equal(status, 202, text)
  const job = async () => (await call('GET', `${host}/jobs/${started.jobId}`)).body
  await eventually('the job has ended', async () => (await job()).status === 'completed')
  return started
}

for (const storage of storagesOfBehaviour) {
  describe(`PROV on ${storage}`, () => {
    const server = useServer({ storage })

    test('a run, a compaction and a later redaction have activities of their own, without any text', async () => {
      const { call } = await server.tenant()
      await register(call, chain('keep', [put('keep', 'plums for Ada')]))
      const runId = await startRun(call, 'keep')
      await ended(call, runId)
      const { entries } = (await call('GET', `${host}/memory/notes/entries`)).body
      await call('POST', `${host}/memory/notes/entries`, { content: 'pears, code word heliotrope7' })

      const written = await provOf(call, 'notes', entries[0].id)
      assert.deepEqual(typesOf(written.document), ['RunNode', 'Write'])
      assert.ok(written.text.includes(runId))

      const plums = { content: 'plums, code word heliotrope7' }
      const { body: revised } = await call('POST', `${host}/memory/revised/entries`, plums)
      await call('PATCH', `${host}/memory/revised/entries/${revised.id}`, { content: 'pears' })

      await call('PUT', `${host}/secrets/late`, { value: 'heliotrope7' })
      await finished(call, `${host}/redactions`, { dryRun: false })
      const pears = (await call('GET', `${host}/memory/notes/entries`)).body.entries[0].id
      const redacted = await provOf(call, 'notes', pears)
      assert.deepEqual(typesOf(redacted.document), ['Write', 'Redaction'])
      const versions = Object.keys(redacted.document.entity).filter((id) => id.includes('.v1'))
      assert.equal(versions.length, 2, 'the version before and after the redaction')
      const gone = Object.values(redacted.document.wasInvalidatedBy as Record<string, Record<string, unknown>>)
      assert.deepEqual(
        gone.map((one) => one['prov:entity']),
        [`tenant:${pears}.v1`],
      )

      const twice = await provOf(call, 'revised', revised.id)
      const generated = Object.values(twice.document.wasGeneratedBy as Record<string, Record<string, unknown>>)
      assert.equal(generated.length, 3, 'version 1, version 2, and version 1 as it was redacted after it had ended')

      const { id: compactionId } = await finished(call, `${host}/compactions`, { memoryRef: 'notes' })
      const output = (await call('GET', `${host}/memory/notes/entries`)).body.entries[0].id
      const compacted = await provOf(call, 'notes', output)
      assert.ok(typesOf(compacted.document).includes('Compaction'))
      for (const source of [entries[0].id, pears]) assert.ok(compacted.text.includes(source))
      const source = await provOf(call, 'notes', pears)
      assert.ok(source.text.includes(output), 'the source leads to the output')
      assert.ok(compactionId)
      for (const { text } of [written, redacted, compacted, source])
        for (const word of ['plums', 'pears', 'heliotrope', 'Ada', 'notes']) assert.ok(!text.includes(word), word)
    })

    test('an imported entry leads to the file', async () => {
      const [from, to] = [await server.tenant(), await server.tenant()]
      const { body } = await from.call('POST', `${host}/memory/notes/entries`, { content: 'One.' })
      const file = (await from.call('GET', `${host}/export`)).text
      assert.equal((await to.call('POST', `${host}/import`, file, ndjson)).status, 200)
      const { document } = await provOf(to.call, 'notes', body.id)
      assert.ok(typesOf(document).includes('Import'))
      assert.ok(Object.keys(document.entity).some((id) => id.startsWith('tenant:export.')))
    })

    test('an unknown format is refused', async () => {
      const { call } = await server.tenant()
      const { body } = await call('POST', `${host}/memory/notes/entries`, { content: 'One.' })
      const answer = await call('GET', `${host}/memory/notes/entries/${body.id}/colophon?format=xml`)
      assertError(answer, 400, 'validation_error')
    })
  })
}

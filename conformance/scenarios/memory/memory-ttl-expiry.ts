import { at, type Check, pauseUntilAfter, type Scenario } from '../../harness.ts'
import { idsOf } from '../../memory/entry.ts'
import { type Extension, entriesPath, openExtension } from '../../memory/extension.ts'
import { listNode, putNode, uniqueRef, workflow } from '../../memory/workflow.ts'

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

async function expectPastRefused(check: Check, host: Extension): Promise<void> {
  const ref = uniqueRef('ttl-past')
  for (const expiresAt of [inMs(-1), inMs(-86_400_000), '2001-01-01T00:00:00.000Z', 'tomorrow']) {
    const answer = await host.tryPut(ref, { content: 'too late', expiresAt })
    check.refused(answer, [400], ['validation_error'], `a put that expires at ${expiresAt}`)
  }
  const entries = [{ content: 'fine' }, { content: 'too late', expiresAt: inMs(-1) }]
  const batch = await host.send('POST', `${entriesPath(ref)}:batch`, { entries })
  check.refused(batch, [400], ['validation_error'], 'a batch with one such entry')

  // The instant comes from the inputs, so that registering the workflow cannot be what refuses it.
  const node = putNode('put', { memoryRef: ref, content: 'too late', expiresAt: '{{inputs.expiresAt}}' })
  const runId = await host.start(workflow('ttl-past', [node]), { expiresAt: inMs(-1) })
  const run = await check.waitFor(runId)
  check.equal(run.status, 'failed', 'a run that writes an expired entry')
  check.equal(at(run, 'error', 'code'), 'validation_error', 'why the run failed')
  check.equal(await host.list(ref), [], 'what the refused puts left behind')
}

async function expectHiddenAtOnce(check: Check, host: Extension): Promise<void> {
  const ref = uniqueRef('ttl-short')
  const expiresAt = inMs(1_500)
  const lasting = await host.put(ref, { content: 'no end in sight' })
  const living = await host.put(ref, { content: 'an hour to go', expiresAt: inMs(3_600_000) })
  const short = await check.before(expiresAt, async () => {
    const entry = await host.put(ref, { content: 'soon over', tags: ['short'], expiresAt })
    check.equal(entry.expiresAt, expiresAt, 'the instant of expiry, as it was given')
    check.equal(idsOf(await host.list(ref)), [entry.id, living.id, lasting.id], 'before it expires')
    check.equal((await host.get(ref, entry.id)).json, entry, 'the entry by its id, before it expires')
    return entry
  })

  await pauseUntilAfter(expiresAt)
  check.equal(idsOf(await host.list(ref)), [living.id, lasting.id], 'after it expired')
  check.equal(await host.list(ref, '?tag=short'), [], 'its tag after it expired')
  check.refused(await host.get(ref, short.id), [404], ['not_found'], 'the entry by its id, after it expired')
  const plain = await host.send('GET', `/v1/memory/${encodeURIComponent(ref)}`)
  check.absent(plain.text, short.id, 'GET /v1/memory/{ref} shows an expired entry')
  const later = await host.start(workflow('ttl-later', [listNode('list', { memoryRef: ref, into: 'seen' })]))
  check.equal((await host.finish(later)).seen, [living, lasting], 'a run that starts after it expired')
}

export const memoryTtlExpiry: Scenario = {
  id: 'memory-ttl-expiry',
  facts: 'memory 5 (named by RFC 0004, never published)',
  title: 'An entry cannot be born expired, and is gone for every reader at the instant it expires',
  async run(check) {
    const host = await openExtension(check)
    await expectPastRefused(check, host)
    await expectHiddenAtOnce(check, host)
  },
}

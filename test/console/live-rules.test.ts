import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CachedQuery, concerns } from '../../console/src/app/live-rules.ts'

const change = { position: 7, at: '', kind: 'memory.written', memoryRef: 'subject:ada', entryIds: ['mem_1'] }
const query = (queryKey: readonly unknown[], data?: unknown): CachedQuery => ({ queryKey, state: { data } })
const of = (...given: Parameters<typeof query>) => concerns(query(...given), [change])

test('a change fetches at once what shows it, sums later, and nothing else', () => {
  assert.equal(of(['live', 'entries', 'subject:ada']), 'now')
  assert.equal(of(['live', 'entries', 'notes']), 'no')
  assert.equal(of(['live', 'memory', 'mem_1']), 'now')
  assert.equal(of(['live', 'memory', 'mem_2']), 'no')
  assert.equal(of(['live', 'claim', 'clm_1'], { subject: 'ada' }), 'now')
  assert.equal(of(['live', 'claim', 'clm_1'], { subject: 'bo' }), 'no')
  assert.equal(of(['live', 'stats']), 'soon')
  assert.equal(of(['live', 'keys']), 'no')
  assert.equal(of(['past', 'entries', 'subject:ada']), 'no')
  assert.equal(concerns(query(['live', 'stats']), []), 'no')
})

test('an ended run and a list of several pages are not fetched again; the feed is patched', () => {
  assert.equal(of(['live', 'run', 'run_1'], { status: 'completed' }), 'no')
  assert.equal(of(['live', 'run', 'run_1'], { status: 'running' }), 'soon')
  assert.equal(of(['live', 'run-events', 'run_1', true]), 'no')
  assert.equal(of(['live', 'refs'], { pages: [{}, {}] }), 'no')
  assert.equal(of(['live', 'refs'], { pages: [{}] }), 'soon')
  assert.equal(of(['live', 'feed', '', {}], { pages: [{}, {}] }), 'soon')
})

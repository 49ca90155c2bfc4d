import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { limits } from '../../core/limits.ts'
import { scanInline } from './inline-scan.ts'
import { createScanThreads } from './thread-pool.ts'

const threads = createScanThreads(2)
after(() => threads.close())

const rules = {
  secrets: [{ id: 'pw', value: 'correct horse battery' }],
  rules: [{ id: 'ticket', pattern: 'TCK-[0-9]+' }],
}
const texts = Array.from(
  { length: 40 },
  (_, at) => `${at} correct horse battery, TCK-${at}, password=Tr0ub4dor&${at} ${'tea '.repeat(2_000)}`,
)

test('threads give the same results as an inline scan, in the order of the texts, for several tenants at once', async () => {
  const found = await Promise.all([
    threads.scan('acme', rules, 'text', texts),
    threads.scan('acme', { secrets: [], rules: [] }, 'text', texts.toReversed()),
    threads.scan('bolt', rules, 'name', texts),
  ])
  assert.deepEqual(found[0], await scanInline(rules, 'text', texts))
  assert.deepEqual(found[1], await scanInline({ secrets: [], rules: [] }, 'text', texts.toReversed()))
  assert.deepEqual(found[2], await scanInline(rules, 'name', texts))
})

test('a tenant above its queue limit gets overloaded, and other tenants do not', async () => {
  const large = 'tea '.repeat(limits.scanQueuePerTenantCharactersMax / 8)
  const [first, second, other] = [large, large, 'tea'].map((text, at) =>
    threads.scan(at === 2 ? 'bolt' : 'acme', rules, 'name', [text, text]),
  )
  await rejectsWith('overloaded', second as Promise<unknown>)
  assert.equal((await other)?.length, 2)
  assert.equal((await first)?.length, 2)
})

test('a thread evicts and reloads the rules of many tenants', async () => {
  const many = Array.from({ length: 20 }, (_, at) => ({
    secrets: [{ id: `s${at}`, value: `correct horse ${at}!` }],
    rules: [],
  }))
  for (const round of [1, 2])
    for (const [at, own] of many.entries()) {
      const [scanned] = await threads.scan('acme', own, 'text', [`correct horse ${at}! ${round}`])
      assert.deepEqual(scanned, { clean: `[REDACTED:s${at}] ${round}`, hits: [`s${at}`] })
    }
})

test('closing the pool rejects queued calls and later calls', async () => {
  const own = createScanThreads(2)
  const waiting = own.scan('acme', rules, 'text', texts)
  const [, refused] = await Promise.all([own.close(), rejectsWith('closed', waiting)])
  assert.equal(refused, undefined)
  await rejectsWith('closed', own.scan('acme', rules, 'text', ['tea']))
})

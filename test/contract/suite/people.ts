import assert from 'node:assert/strict'
import { everySequence } from '../../../src/core/forget/fence.ts'
import { batchOf } from './batch.ts'
import { commit, sourceOf } from './provenance-rows.ts'
import { ensureTenants } from './run-step.ts'
import type { ContractTest } from './world.ts'

const [composed, decomposed] = ['Jos\u00e9', 'Jose\u0301']

/** The spellings of people, by their form in NFC. */
export function peopleContract(test: ContractTest): void {
  test('a commit notes the spellings of people that it names, in entries, refs and source events', async (world) => {
    await ensureTenants(world, 'acme', 'globex')
    const { people } = world.storage
    const put = (entryId: string, memoryRef: string, subject: string | null) =>
      world.storage.commit(
        batchOf({
          tenantId: 'acme',
          puts: [
            {
              entryId,
              memoryRef,
              subject,
              content: 'x',
              tags: [],
              expiresAt: null,
              salt: 's',
              origin: { kind: 'api' },
            },
          ],
        }),
      )
    await put('mem_1', 'notes', decomposed)
    await put('mem_2', `subject:${composed}`, null)
    await put('mem_3', 'notes', 'ada')
    await put('mem_4', 'notes', decomposed)
    await commit(world, { sourceEvents: [{ ...sourceOf('src_1'), subject: '\u212aim' }] })
    assert.deepEqual(await people.spellings('acme', composed), [
      { spelling: decomposed, lastPosition: 4 },
      { spelling: composed, lastPosition: 2 },
    ])
    assert.deepEqual(await people.spellings('acme', 'Kim'), [{ spelling: '\u212aim', lastPosition: 5 }])
    for (const [tenant, name] of [
      ['acme', 'ada'],
      ['globex', composed],
    ] as const)
      assert.deepEqual(await people.spellings(tenant, name), [])
    const twice = [{ folded: composed, spellings: [decomposed, composed] }]
    assert.deepEqual(await people.spelledTwice({ tenantId: 'acme', after: null, limit: 10 }), twice)
    assert.deepEqual(await people.spelledTwice({ tenantId: 'acme', after: composed, limit: 10 }), [])
  })

  test('spellings are found in order and page by page, and erased unless a later commit named them', async (world) => {
    await ensureTenants(world, 'acme')
    const { people } = world.storage
    const events = ['\u00c5sa', 'A\u030asa', '\u212bsa', 'o\u0301', '\u00f3', '\u00e9', 'e\u0301']
    for (const [at, subject] of events.entries())
      await commit(world, { sourceEvents: [{ ...sourceOf(`src_${at}`, { eventId: `e${at}` }), subject }] })
    const page = (after: string | null) => people.spelledTwice({ tenantId: 'acme', after, limit: 2 })
    const first = await page(null)
    assert.deepEqual(first, [
      { folded: '\u00c5sa', spellings: ['\u00c5sa', 'A\u030asa', '\u212bsa'] },
      { folded: '\u00e9', spellings: ['\u00e9', 'e\u0301'] },
    ])
    assert.deepEqual(await page('\u00e9'), [{ folded: '\u00f3', spellings: ['o\u0301', '\u00f3'] }])
    const spellings = events.map((spelling) => ({ spelling, upTo: 6 }))
    const forgetting = {
      spellings,
      fences: [
        {
          forgetId: 'f',
          added: [{ kind: 'subject' as const, value: 'x', position: null, ...everySequence }],
          isRemoved: false,
        },
      ],
    }
    await commit(world, { kind: 'forget.names', forgetting })
    assert.deepEqual(await page(null), [])
    assert.deepEqual(await people.spellings('acme', '\u00e9'), [{ spelling: 'e\u0301', lastPosition: 7 }])
  })
}

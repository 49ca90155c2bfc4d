import assert from 'node:assert/strict'
import type { Assertion, ClaimRecord } from '../../../src/core/provenance/claim.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { assertIntact } from './intact.ts'
import {
  assertionOf,
  claimEntry,
  claimStep,
  commit,
  ending,
  restoringRevision,
  sourceOf,
  subjectRef,
} from './provenance-rows.ts'
import { ensureTenants } from './run-step.ts'
import type { ContractTest, World } from './world.ts'

/** Reads one claim at a time and several at once; both must give the same. */
async function assertionsOf({ storage }: World, claimId = 'clm_1') {
  const alone = await storage.provenance.assertions('acme', claimId)
  const together = await storage.provenance.assertionsOfClaims('acme', ['clm_none', claimId, claimId, 'clm_2', 'clm_3'])
  assert.deepEqual(
    together.filter((assertion) => assertion.claimId === claimId),
    alone,
  )
  assert.deepEqual(await storage.provenance.assertionsOfClaims('unknown', [claimId]), [])
  return alone
}

const pick = (rows: readonly Assertion[], ...fields: (keyof Assertion)[]) =>
  rows.map((row) => fields.map((field) => row[field]))

/** Claims have revisions; a decision on an old revision is not stored. */
export function claimsContract(test: ContractTest): void {
  test('a claim and its assertions are read back exactly as they were decided', async (world) => {
    await ensureTenants(world, 'acme')
    const pin = { contentKey: 'k"ü', actor: 'key:ü', reason: 'because "🦊" \\ \n', at: 1_700_000_000_123 }
    const first = assertionOf(0, {
      content: 'ü 🦊\n"',
      confidence: 0.123456789012345,
      observedAt: -1,
      entryId: 'mem_1',
    })
    const bare = assertionOf(1, { service: null, eventId: null, confidence: 0, priority: 0, importance: 1 })
    const claim = { winner: 'mem_1', isContested: true, pin, claimKey: 'ü.k', category: 'goal' as const }
    const position = await commit(world, { claims: [claimStep('clm_1', { claim, assertions: [first, bare] })] })
    const { claim: asked } = claimStep('clm_1', { claim })
    assert.deepEqual(await world.storage.provenance.claim('acme', 'clm_1'), {
      ...asked,
      revision: 1,
      updatedPosition: position,
    })
    assert.deepEqual(await assertionsOf(world), [
      { ...first, recordedPosition: position, seal: '' },
      { ...bare, recordedPosition: position, seal: '' },
    ])
    assert.equal(await world.storage.provenance.claim('acme', 'clm_2'), null)
    assert.deepEqual(await assertionsOf(world, 'clm_2'), [])
  })

  test('the actor of an assertion is read from its source event, and is null when the event was erased', async (world) => {
    await ensureTenants(world, 'acme')
    await commit(world, {
      sourceEvents: [sourceOf('src_1', { actor: 'key:one' }), sourceOf('src_2', { actor: 'key:two' })],
      claims: [
        claimStep('clm_1', {
          assertions: [
            assertionOf(0),
            assertionOf(1, { sourceEventId: 'src_2' }),
            assertionOf(2, { sourceEventId: 'src_none', actor: 'key:none' }),
          ],
        }),
      ],
    })
    const actors = [['key:one'], ['key:two'], [null]]
    assert.deepEqual(pick(await assertionsOf(world), 'actor'), actors)
    const [stated] = await world.storage.provenance.assertionsOfEvent('acme', 'src_2')
    assert.equal(stated?.actor, 'key:two')
  })

  test('the marks of containments are stored with an assertion, changed by its ordinal, and left out when there are none', async (world) => {
    await ensureTenants(world, 'acme')
    const assertions = [assertionOf(0, { containedBy: ['ctn_"1'] }), assertionOf(1), assertionOf(2)]
    const first = await commit(world, { claims: [claimStep('clm_1', { assertions })] })
    const marksOf = async () =>
      (await assertionsOf(world)).map((row) => [row.containedBy, row.withdrawalContainedBy, row.withdrawnPosition])
    assert.deepEqual(await marksOf(), [
      [['ctn_"1'], undefined, null],
      [undefined, undefined, null],
      [undefined, undefined, null],
    ])
    const step = { expects: 1, before: await assertionsOf(world), withdrawn: ['key 1'] }
    const marked = [
      { ordinal: 0, containedBy: null, withdrawalContainedBy: null },
      { ordinal: 1, containedBy: ['ctn_1', 'ctn_2'], withdrawalContainedBy: ['ctn_3'] },
    ]
    const second = await commit(world, { claims: [claimStep('clm_1', { ...step, marked })] })
    const after = [
      [undefined, undefined, null],
      [['ctn_1', 'ctn_2'], ['ctn_3'], second],
      [undefined, undefined, null],
    ]
    assert.deepEqual(await marksOf(), after)
    // A content whose withdrawal is contained can be withdrawn again. A withdrawal that counts stays as it is.
    const again = { expects: 2, before: await assertionsOf(world), withdrawn: ['key 1', 'key 2'] }
    const third = await commit(world, { claims: [claimStep('clm_1', again)] })
    assert.deepEqual(await marksOf(), [
      [undefined, undefined, null],
      [['ctn_1', 'ctn_2'], undefined, third],
      [undefined, undefined, third],
    ])
    assert.ok(first < second && second < third)
  })

  test('each decision increments the revision; subject, key and category of a claim stay', async (world) => {
    await ensureTenants(world, 'acme')
    await commit(world, { claims: [claimStep('clm_1', { claim: { winner: 'a', isContested: true } })] })
    const other = { winner: 'b', subject: 'bob', category: 'fact' as const, claimKey: null }
    const position = await commit(world, { claims: [claimStep('clm_1', { expects: 1, claim: other })] })
    const stored = await world.storage.provenance.claim('acme', 'clm_1')
    assert.deepEqual(
      [stored?.revision, stored?.winner, stored?.isContested, stored?.updatedPosition, stored?.pin],
      [2, 'b', false, position, null],
    )
  })

  test('a batch with a stale claim revision is refused as a whole', async (world) => {
    await ensureTenants(world, 'acme')
    await commit(world, { claims: [claimStep('clm_1'), claimStep('clm_2')], puts: [claimEntry('mem_1')] })
    await commit(world, { claims: [claimStep('clm_1', { expects: 1, assertions: [assertionOf(0)] })] })
    const before = await world.storage.clock('acme')
    for (const expects of [0, 1, 3]) {
      const batch = {
        puts: [claimEntry('mem_2', { claimId: 'clm_2' })],
        ends: [ending('mem_1')],
        sourceEvents: [sourceOf('src_1')],
        jobs: [{ jobId: 'job_1', kind: 'k', payload: {}, priority: 0, dueAt: null, attemptsMax: 3 }],
        claims: [
          claimStep('clm_2', {
            expects: 1,
            claim: { winner: 'lost' },
            assertions: [assertionOf(0, { claimId: 'clm_2' })],
          }),
          claimStep('clm_1', { expects, withdrawn: ['key 0'], assertions: [assertionOf(1)] }),
        ],
        idempotency: { key: 'op:k', digest: 'd', tombstone: 'erased:k' },
      }
      await rejectsWith('version_conflict', commit(world, batch))
    }
    assert.deepEqual(await world.storage.clock('acme'), before)
    assert.equal((await world.storage.provenance.claim('acme', 'clm_2'))?.revision, 1)
    assert.deepEqual(pick(await assertionsOf(world), 'ordinal', 'withdrawnPosition'), [[0, null]])
    assert.deepEqual(await assertionsOf(world, 'clm_2'), [])
    assert.equal(await world.storage.provenance.sourceEvent('acme', 'src_1'), null)
    assert.equal(await world.storage.jobs.get('acme', 'job_1'), null)
    assert.deepEqual(await world.storage.provenance.entryVersions('acme', 'mem_2'), [])
    assert.equal((await world.storage.provenance.entryVersions('acme', 'mem_1'))[0]?.endedPosition, null)
  })

  test('assertions are listed in order of their place, and those of an event in the order of its messages', async (world) => {
    await ensureTenants(world, 'acme')
    for (let expects = 0; expects < 12; expects++) {
      const at = (ordinal: number) =>
        assertionOf(ordinal, { candidate: 100 - ordinal, sourceEventId: `src_${ordinal % 2}` })
      const assertions = [at(expects * 2 + 1), at(expects * 2)]
      await commit(world, { claims: [claimStep('clm_1', { expects, assertions })] })
    }
    const ordinals = (rows: readonly Assertion[]) => rows.map(({ ordinal }) => ordinal)
    const all = Array.from({ length: 24 }, (_, n) => n)
    assert.deepEqual(ordinals(await assertionsOf(world)), all)
    const stated = await world.storage.provenance.assertionsOfEvent('acme', 'src_1')
    assert.deepEqual(ordinals(stated), all.filter((n) => n % 2 === 1).reverse())
  })

  test('withdrawing, changing the priority and erasing affect only the assertions they name', async (world) => {
    await ensureTenants(world, 'acme')
    const stated = [
      assertionOf(0, { contentKey: 'dark' }),
      assertionOf(1, { contentKey: 'dark', service: 'crm' }),
      assertionOf(2, { contentKey: 'light' }),
      assertionOf(3, { contentKey: 'light', service: null }),
    ]
    const elsewhere = assertionOf(0, { claimId: 'clm_2', contentKey: 'dark' })
    await commit(world, {
      claims: [claimStep('clm_1', { assertions: stated }), claimStep('clm_2', { assertions: [elsewhere] })],
    })
    const first = await commit(world, {
      claims: [
        claimStep('clm_1', {
          expects: 1,
          withdrawn: ['dark', 'none'],
          assertions: [assertionOf(4, { contentKey: 'dark' })],
        }),
      ],
    })
    const withdrawn = async () => (await assertionsOf(world)).map(({ withdrawnPosition }) => withdrawnPosition)
    assert.deepEqual(await withdrawn(), [first, first, null, null, null])
    const second = await commit(world, { claims: [claimStep('clm_1', { expects: 2, withdrawn: ['dark', 'light'] })] })
    assert.deepEqual(await withdrawn(), [first, first, second, second, second], 'what is withdrawn stays so')
    const repriced = [
      { service: 'chat', priority: 7 },
      { service: 'none', priority: 8 },
    ]
    await commit(world, { claims: [claimStep('clm_1', { expects: 3, repriced, assertions: [assertionOf(5)] })] })
    const prices = (await assertionsOf(world)).map(({ priority }) => priority)
    assert.deepEqual(prices, [7, 50, 7, 50, 7, 50])
    const erasing = claimStep('clm_1', {
      expects: 4,
      erased: ['dark'],
      assertions: [assertionOf(6, { contentKey: 'dark' })],
    })
    await commit(world, { claims: [erasing] })
    const texts = (await assertionsOf(world)).map(({ content }) => content)
    assert.deepEqual(texts, ['', '', 'content 2', 'content 3', '', 'content 5', 'content 6'])
    assert.deepEqual(pick(await assertionsOf(world, 'clm_2'), 'withdrawnPosition', 'priority', 'content'), [
      [null, 50, 'content 0'],
    ])
  })

  test('claims are listed by id, by subject and by whether they are contested, in pages', async (world) => {
    await ensureTenants(world, 'acme')
    const all = Array.from({ length: 18 }, (_, n) =>
      claimStep(`clm_${String((n * 7) % 18).padStart(2, '0')}`, {
        claim: { subject: n % 2 ? 'ada' : 'bob', isContested: n % 3 === 0 },
      }),
    )
    await commit(world, { claims: all })
    // One is decided later, and must leave the list of contested claims.
    await commit(world, {
      claims: [claimStep('clm_00', { expects: 1, claim: { subject: 'bob', isContested: false } })],
    })
    const now = all.map(({ claim }) => (claim.claimId === 'clm_00' ? { ...claim, isContested: false } : claim))
    for (const subject of [null, 'ada', 'bob', 'unknown']) {
      for (const isContested of [null, true, false]) {
        const expected = now
          .filter((claim) => (subject ?? claim.subject) === claim.subject)
          .filter((claim) => (isContested ?? claim.isContested) === claim.isContested)
          .map(({ claimId }) => claimId)
          .sort()
        const seen: string[] = []
        for (let after: string | null = null; ; after = seen.at(-1) ?? null) {
          const query = { tenantId: 'acme', subject, isContested, after, limit: 2 }
          const page: readonly ClaimRecord[] = await world.storage.provenance.claims(query)
          seen.push(...page.map(({ claimId }) => claimId))
          if (page.length < 2) break
        }
        assert.deepEqual(seen, expected, `${subject} ${isContested}`)
      }
    }
  })

  test('the store itself refuses a second live entry of a claim', async (world) => {
    await ensureTenants(world, 'acme')
    await commit(world, { puts: [claimEntry('mem_1'), claimEntry('mem_2', { endsAtOnce: 'superseded' })] })
    await commit(world, { puts: [claimEntry('mem_9', { claimId: 'clm_9' })] })
    const before = await world.storage.clock('acme')
    await assert.rejects(commit(world, { puts: [claimEntry('mem_3')] }))
    await assert.rejects(commit(world, { puts: [claimEntry('mem_4'), claimEntry('mem_5')], ends: [ending('mem_1')] }))
    await assert.rejects(commit(world, { revisions: [restoringRevision('mem_2')] }))
    assert.deepEqual(await world.storage.clock('acme'), before)
    await commit(world, { revisions: [restoringRevision('mem_2')], ends: [ending('mem_1')] })
    await commit(world, { puts: [claimEntry('mem_3')], ends: [ending('mem_2')] })
    const { entries } = await world.colophon.memory('acme').list(subjectRef)
    assert.deepEqual(
      entries.map(({ id }) => id),
      ['mem_3', 'mem_9'],
    )
    await assertIntact(world.colophon.memory('acme'))
  })

  test('concurrent decisions of a claim are stored one at a time', async (world) => {
    await ensureTenants(world, 'acme')
    const decide = (n: number, expects: number) =>
      world.storage.commit(
        batchOf({
          tenantId: 'acme',
          puts: [claimEntry(`mem_${n}`)],
          ends: n === 0 ? [] : [ending(`mem_${n - 1}`)],
          claims: [claimStep('clm_1', { expects, claim: { winner: `mem_${n}` }, assertions: [assertionOf(n)] })],
        }),
      )
    // Sent together, they share transactions; each is decided on the one before it.
    await Promise.all(Array.from({ length: 30 }, (_, n) => decide(n, n)))
    const stored = await world.storage.provenance.claim('acme', 'clm_1')
    assert.deepEqual([stored?.revision, stored?.winner, stored?.updatedPosition], [30, 'mem_29', 30])
    assert.deepEqual(
      pick(await assertionsOf(world), 'ordinal', 'recordedPosition'),
      Array.from({ length: 30 }, (_, n) => [n, n + 1]),
    )
    const { entries } = await world.colophon.memory('acme').list(subjectRef)
    assert.deepEqual(
      entries.map(({ id }) => id),
      ['mem_29'],
    )
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        commit(world, { claims: [claimStep('clm_1', { expects: 30, withdrawn: [`key ${n}`] })] }),
      ),
    )
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1)
    const left = (await assertionsOf(world)).filter(({ withdrawnPosition }) => withdrawnPosition !== null)
    assert.equal(left.length, 1)
    await assertIntact(world.colophon.memory('acme'))
  })
}

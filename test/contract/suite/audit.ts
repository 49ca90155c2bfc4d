import assert from 'node:assert/strict'
import { canonicalRecord } from '../../../src/core/audit/audit.ts'
import { sha256 } from '../../../src/core/audit/digest.ts'
import { assertIntact } from './intact.ts'
import type { ContractTest, World } from './world.ts'

async function fill({ colophon }: World): Promise<void> {
  const memory = colophon.memory('acme')
  for (let i = 0; i < 10; i++)
    await memory.put('zoe/notes', { content: `canary text ${i}`, tags: ['canary-tag'], subject: 'zoe-subject' })
  const [newest] = (await memory.list('zoe/notes')).entries
  if (newest) await memory.revise('zoe/notes', newest.id, { content: 'canary revised' })
  if (newest) await memory.delete('zoe/notes', newest.id, { actor: 'key:42' })
}

const tamperings: Readonly<Record<string, { sql: string[]; problem: string; position: number }>> = {
  'an edited record': {
    sql: [
      `update audit set body = replace(body, '"actor":"test"', '"actor":"evil"') where tenant_id = 'acme' and position = 4`,
    ],
    problem: 'edited',
    position: 4,
  },
  'an edited instant': {
    sql: [`update audit set at = at + 1 where tenant_id = 'acme' and position = 5`],
    problem: 'edited',
    position: 5,
  },
  'an edited hash': {
    sql: [
      `update audit set hash = case when hash like 'f%' then 'e' else 'f' end || substr(hash, 2) where tenant_id = 'acme' and position = 6`,
    ],
    problem: 'edited',
    position: 6,
  },
  'a removed record': {
    sql: [`delete from audit where tenant_id = 'acme' and position = 7`],
    problem: 'missing',
    position: 7,
  },
  'a removed first record': {
    sql: [`delete from audit where tenant_id = 'acme' and position = 1`],
    problem: 'missing',
    position: 1,
  },
  'a cut-off tail': {
    sql: [`delete from audit where tenant_id = 'acme' and position >= 11`],
    problem: 'missing',
    position: 11,
  },
  'a tail cut off together with the clock': {
    sql: [
      `delete from audit where tenant_id = 'acme' and position >= 11`,
      `update tenant_clock set position = 10 where tenant_id = 'acme'`,
    ],
    problem: 'tail',
    position: 10,
  },
  'a record behind the end': {
    sql: [
      `insert into audit select tenant_id, 13, at, body, hash, refs from audit where tenant_id = 'acme' and position = 12`,
    ],
    problem: 'tail',
    position: 13,
  },
  'two records in each other’s place': {
    sql: [
      `update audit set position = 100 where tenant_id = 'acme' and position = 8`,
      `update audit set position = 8 where tenant_id = 'acme' and position = 9`,
      `update audit set position = 9 where tenant_id = 'acme' and position = 100`,
    ],
    problem: 'edited',
    position: 8,
  },
  'a record of another tenant': {
    sql: [
      `delete from audit where tenant_id = 'acme' and position = 1`,
      `insert into audit select 'acme', position, at, body, hash, refs from audit where tenant_id = 'other' and position = 1`,
    ],
    problem: 'edited',
    position: 1,
  },
}

/** One content-free, chained record per position. */
export function auditContract(test: ContractTest): void {
  test('the chain verifies as a whole, in part and against an earlier head', async (world) => {
    await fill(world)
    const memory = world.colophon.memory('acme')
    await assertIntact(memory, 12)
    assert.deepEqual(await memory.verify({ from: 5, to: 9 }), { ok: true, from: 5, to: 9, checked: 5 })
    const head = await memory.auditHead()
    await memory.put('zoe/notes', { content: 'later' })
    assert.equal((await memory.verify({ head })).ok, true)
    assert.equal((await memory.verify({ head: { ...head, hash: 'f'.repeat(64) } })).ok, false)
    assert.equal((await memory.verify({ head, from: 13 })).ok, true)
    assert.equal((await memory.verify({ head: { ...head, hash: 'f'.repeat(64) }, from: 13 })).ok, false)
    assert.equal((await memory.verify({ head: { ...head, position: 99 } })).ok, false)
    assert.equal((await memory.verify({ head: { ...head, tenant: 'other' } })).ok, false)
    assert.deepEqual(await world.colophon.memory('unknown').verify(), { ok: true, from: 1, to: 0, checked: 0 })
  })

  test('records contain actor, change and instant, but no text, tag, ref or subject', async (world) => {
    await fill(world)
    const rows = await world.storage.audit({ tenantId: 'acme', from: 1, to: 99, limit: 99 })
    assert.equal(rows.length, 12)
    for (const row of rows) {
      for (const text of ['canary', 'zoe']) assert.ok(!row.body.includes(text), 'the record must be content-free')
    }
    const last = JSON.parse(rows[11]?.body ?? '{}') as { actor: string; kind: string; ended: { reason: string }[] }
    assert.deepEqual(
      [last.actor, last.kind, last.ended.map((end) => end.reason)],
      ['key:42', 'memory.deleted', ['deleted']],
    )
  })

  test('a page ends with the record that reaches its number of characters, and has at least one', async (world) => {
    await fill(world)
    const query = { tenantId: 'acme', from: 2, to: 11, limit: 9 }
    const rows = await world.storage.audit(query)
    const positionsOf = async (charactersMax: number) =>
      (await world.storage.audit({ ...query, charactersMax })).map(({ position }) => position)
    const two = rows.slice(0, 2).reduce((sum, { body }) => sum + body.length, 0)
    assert.deepEqual(await positionsOf(1), [2])
    assert.deepEqual(await positionsOf(two), [2, 3])
    assert.deepEqual(await positionsOf(two + 1), [2, 3, 4])
    assert.equal((await positionsOf(1_000_000)).length, 9)
    const snapshot = await world.storage.snapshot('acme')
    assert.equal((await snapshot.audit({ ...query, charactersMax: two })).length, 2)
    await snapshot.close()
  })

  test('redactions are recorded by rule and field, never by text', async ({ colophon, storage }) => {
    const key = `sk-${'aQ7x'.repeat(6)}`
    await colophon.memory('acme').put('notes', { content: `${key} and ${key}` })
    const [row] = await storage.audit({ tenantId: 'acme', from: 1, to: 1, limit: 1 })
    const record = JSON.parse(row?.body ?? '{}') as { redactions: unknown }
    assert.deepEqual(record.redactions, [{ rule: 'model-provider-key', field: 'content', count: 2 }])
  })

  for (const [name, { sql, problem, position }] of Object.entries(tamperings)) {
    test(
      `verify finds ${name}`,
      async (world) => {
        await fill(world)
        await world.colophon.memory('other').put('notes', { content: 'of another tenant' })
        for (const statement of sql) await world.execute(statement)
        const verdict = await world.colophon.memory('acme').verify()
        assert.deepEqual([verdict.ok, verdict.fault], [false, { position, problem }])
      },
      { sql: true },
    )
  }

  test(
    'verify finds a record that was edited together with its hash, by the record after it',
    async (world) => {
      await fill(world)
      const [before, row] = await world.storage.audit({ tenantId: 'acme', from: 5, to: 6, limit: 2 })
      assert.ok(before && row)
      const body = row.body.replace('"actor":"test"', '"actor":"evil"')
      const hash = sha256(canonicalRecord({ ...row, body }, 'acme', before.hash))
      await world.execute(
        `update audit set body = '${body}', hash = '${hash}' where tenant_id = 'acme' and position = 6`,
      )
      const verdict = await world.colophon.memory('acme').verify()
      assert.deepEqual(verdict.fault, { position: 7, problem: 'edited' })
    },
    { sql: true },
  )

  test(
    'verify with contents finds edited and removed contents',
    async (world) => {
      await fill(world)
      const memory = world.colophon.memory('acme')
      const third = `tenant_id = 'acme' and created_position = 3`
      await world.execute(`update entry_version set content = 'edited' where ${third}`)
      assert.equal((await memory.verify()).ok, true)
      const { fault } = await memory.verify({ contents: true })
      assert.deepEqual([fault?.position, fault?.problem, fault?.what], [3, 'changed', 'version'])
      await world.execute(`delete from entry_version where ${third}`)
      const removed = (await memory.verify({ contents: true })).fault
      assert.deepEqual([removed?.position, removed?.problem, removed?.what], [3, 'gone', 'version'])
    },
    { sql: true },
  )
}

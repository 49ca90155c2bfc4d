import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { useServer } from '../support/server.ts'

const server = useServer()
const entries = '/v1/host/colophon/memory/notes/entries'

/** An attacker with access to the database. */
function tamper(sql: string): void {
  new Database(join(server.dataDir, 'colophon.db')).exec(sql).close()
}

test('verification names what was changed directly in the database, checks a saved head, and trace explains no planted row', async () => {
  const { id } = (await server.call('POST', entries, { content: 'Ada drinks tea.', tags: ['drink'] })).body
  const plain = (await server.call('GET', '/v1/audit/verify')).body
  assert.deepEqual(Object.keys(plain).sort(), ['anomalies', 'chainValid', 'checkpoints', 'fromSeq', 'toSeq'])
  const clean = (await server.call('GET', '/v1/audit/verify?contents=true')).body
  assert.deepEqual(
    [clean.chainValid, clean.anomalies, clean.contents.found, clean.contents.coveredFrom],
    [true, [], 0, 1],
  )
  const { head } = clean.contents
  const verify = async (query: string) => (await server.call('GET', `/v1/audit/verify?${query}`)).body

  for (const kept of [`${head.position}:${head.hash}`, JSON.stringify(head)])
    assert.equal((await verify(`head=${encodeURIComponent(kept)}`)).chainValid, true)
  const other = await verify(`head=${head.position}:${'f'.repeat(64)}&contents=true`)
  assert.deepEqual(
    [other.chainValid, other.anomalies[0].problem, other.anomalies[0].atSeq],
    [false, 'head', head.position],
  )
  assert.equal((await server.call('GET', '/v1/audit/verify?head=yesterday')).status, 400)

  tamper(`update entry_version set content = 'Ada drinks gin.', digest_position = 999 where entry_id = '${id}'`)
  assert.equal((await verify('contents=false')).chainValid, true, 'the chain itself does not cover what is stored')
  const changed = await verify('contents=true')
  assert.equal(changed.chainValid, false)
  const [anomaly] = changed.anomalies
  assert.deepEqual(
    [anomaly.problem, anomaly.what, anomaly.id, anomaly.version],
    ['changed', 'version', id, 1],
    JSON.stringify(changed),
  )
  tamper(`update entry_version set content = 'Ada drinks tea.', digest_position = null where entry_id = '${id}'`)

  tamper(`insert into entry_version (tenant_id, memory_ref, entry_id, version, content, tags, salt, created_at, created_position,
      ordinal, recorded_position, origin) select tenant_id, memory_ref, 'mem_01a1e7fc-ceca-7814-b030-546be1e2c2ba', 1, 'Planted', '[]', salt,
      created_at, created_position, 7, recorded_position, origin from entry_version where entry_id = '${id}'`)
  const planted = await server.call('GET', `${entries}/mem_01a1e7fc-ceca-7814-b030-546be1e2c2ba/colophon`)
  assert.deepEqual([planted.status, planted.body.audit], [200, null])
  assert.deepEqual(
    planted.body.story.map((step: { text: string; details: { actor: unknown } }) => [
      step.text.slice(0, 22),
      step.details.actor,
    ]),
    [['Version 1 is stored, b', null]],
  )
  const honest = (await server.call('GET', `${entries}/${id}/colophon`)).body
  assert.match(honest.story[0].text, /^Version 1 was recorded at position/)
  const unrecorded = (await verify('contents=true')).anomalies[0]
  assert.deepEqual([unrecorded.problem, unrecorded.what, unrecorded.atSeq], ['unrecorded', 'version', 0])
})

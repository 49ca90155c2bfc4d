import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchOf } from '../../../test/contract/suite/batch.ts'
import { genesisHash } from '../../core/audit/audit.ts'
import { ColophonError } from '../../core/errors.ts'
import { createCommitter } from './commit.ts'
import type { SqlStatement } from './connection.ts'
import type { Database } from './database.ts'
import { CommitAnswerLost } from './errors.ts'

const tenantId = 'acme'

function put(entryId: string) {
  const text = { memoryRef: 'notes', entryId, content: 'x', tags: [], expiresAt: null, subject: null }
  return batchOf({ tenantId, puts: [{ ...text, origin: { kind: 'api' }, salt: 's' }] })
}

test('a quick commit that the server hears only after the next try was cut off too is known by its record', async () => {
  const clock = { position: 0, last_hash: genesisHash, last_created_at: 0, redaction_version: 1, history_from: 0 }
  const lost = new CommitAnswerLost('lost')
  /** The record of the quick commit, which is on its way all the time. */
  let late: { position: number; hash: string } | null = null
  let tries = 0
  const stored: string[] = []
  const send = async ({ name }: SqlStatement, values: readonly unknown[]) => {
    if (name === 'colophon_lock_clock') return { rows: [clock] }
    if (name === 'colophon_select_ref_scopes') return { rows: [] }
    if (name === 'colophon_select_audit_hash')
      return { rows: tries === 3 && values[1] === late?.position ? [{ hash: late?.hash }] : [] }
    if (name === 'colophon_advance') Object.assign(clock, { position: values[1], last_hash: values[2] })
    stored.push(name)
    return { rows: [] }
  }
  const database = {
    async write(_tenant: string, _what: SqlStatement, values: readonly unknown[]) {
      late = JSON.parse(String(values[6]))[0]
      throw lost
    },
    async transaction(_tenant: string, _kind: string, work: (tx: object) => Promise<unknown>) {
      tries += 1
      const before = { ...clock }
      const commit = async () => {
        if (tries !== 2) return
        Object.assign(clock, before)
        throw lost
      }
      if (tries === 3) stored.length = 0
      return work({ send, commit })
    },
  }
  let now = 0
  const { commitGroup } = createCommitter(database as unknown as Database, () => ++now)
  await commitGroup([put('mem_1')])
  const [settled] = await commitGroup([put('mem_2')])
  assert.equal(settled?.status, 'fulfilled')
  assert.deepEqual([tries, stored], [3, []], 'nothing is stored twice')
})

test('a group whose commit is overdue is refused as a whole, and no batch of it is sent again', async () => {
  const overdue = new ColophonError('storage_unavailable', 'Overdue.')
  let tries = 0
  const database = {
    async transaction() {
      tries += 1
      throw overdue
    },
  }
  const { commitGroup } = createCommitter(database as unknown as Database, () => 1)
  const settled = await commitGroup([put('mem_1'), put('mem_2')])
  assert.deepEqual(
    settled.map((one) => (one.status === 'rejected' ? one.reason : one)),
    [overdue, overdue],
  )
  assert.equal(tries, 1)
})

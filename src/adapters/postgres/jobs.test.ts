import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../../core/jobs/job.ts'
import type { SqlStatement } from './connection.ts'
import type { Database } from './database.ts'
import { createJobStore } from './jobs.ts'

/** A database whose node of the picked tenant does not answer, and what it was sent. */
function withLostNode(isDistributed: boolean) {
  const sent: [name: string, ...values: unknown[]][] = []
  const send = async ({ name }: SqlStatement, values: readonly unknown[]) => {
    sent.push([name, ...values])
    if (name === 'colophon_pick_tenant') return { rows: [{ tenant_id: 'acme' }] }
    if (name === 'colophon_put_back_turn') return { rows: [] }
    throw Object.assign(new Error('connection to the remote node failed'), { code: '08006' })
  }
  const commit = (...all: Promise<unknown>[]) => Promise.all(all)
  const transaction = (_tenant: string, _kind: string, work: (tx: object) => Promise<unknown>) => work({ send, commit })
  return { sent, database: { isDistributed, transaction } as unknown as Database }
}

test('work of a tenant whose node is down is put back, so that the next claim finds other tenants', async () => {
  const { sent, database } = withLostNode(true)
  const { claim } = createJobStore(database, () => {})
  const asked = { now: 1_000, kinds: ['k'], limit: 1, change: (job: Job) => job }
  await assert.rejects(claim(asked), { code: 'storage_unavailable' })
  assert.deepEqual(sent.at(-1), ['colophon_put_back_turn', 'acme', 1_000, 6_000])
  const plain = withLostNode(false)
  await assert.rejects(createJobStore(plain.database, () => {}).claim(asked), { code: 'storage_unavailable' })
  assert.ok(
    !plain.sent.some(([name]) => name === 'colophon_put_back_turn'),
    'one server that is lost has no other tenants',
  )
})

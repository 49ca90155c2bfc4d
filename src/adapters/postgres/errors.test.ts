import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from '../../core/errors.ts'
import { firstCause, isCollision, toStorageError } from './errors.ts'

/** An error as the driver makes it of the server's answer. */
const answered = (code: string, message: string) => Object.assign(new Error(message), { code })

const codeOf = (error: unknown) => {
  const known = toStorageError(error)
  return isColophonError(known) ? known.code : null
}

test('a node of a distributed database that is down is an outage, however the coordinator reports it', () => {
  const reports = [
    answered('08006', 'connection to the remote node postgres@node-2:5432 failed'),
    answered('57P01', 'terminating connection due to administrator command'),
    answered('XX000', 'could not connect to any active placements'),
    answered('XX000', 'connection to the remote node node-2:5432 failed with the following error: timeout expired'),
    answered('XX000', 'failure on connection marked as essential: node-2:5432'),
    answered('25P02', 'current transaction is aborted, commands ignored until end of transaction block'),
  ]
  for (const report of reports) assert.equal(codeOf(report), 'storage_unavailable', report.message)
  assert.equal(codeOf(answered('XX000', 'cache lookup failed for relation 17')), null, 'a bug stays a bug')
})

test('a row that is there already is recognised, also when the coordinator reports it without its state', () => {
  const hidden = answered('XX000', 'duplicate key value violates unique constraint "job_pkey_102009"')
  assert.ok(isCollision(hidden))
  assert.ok(isCollision(answered('23505', 'duplicate key value violates unique constraint "job_pkey"')))
  assert.ok(!isCollision(answered('XX000', 'cache lookup failed for relation 17')))
})

test('of the errors of a transaction, the first that is not a consequence of another counts', () => {
  const [aborted, full] = [answered('25P02', 'aborted'), answered('53100', 'disk full')]
  assert.equal(firstCause([aborted, full]), full)
  assert.equal(firstCause([aborted]), aborted)
})

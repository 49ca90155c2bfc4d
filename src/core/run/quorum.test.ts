import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isApprover, needsKey, quorumOf } from './quorum.ts'

test('without approversList and requiredApprovals, one resolution by any key or token is enough', () => {
  for (const data of [{}, { approversList: [] }, { requiredApprovals: 1 }]) {
    const quorum = quorumOf(data)
    assert.deepEqual([quorum.required, quorum.approvers, needsKey(quorum)], [1, null, false])
    assert.ok(isApprover(quorum, null))
  }
})

test('an approver is a key by its id or as an actor, and no similar text', () => {
  const quorum = quorumOf({ approversList: ['key_a', 'key:key_b'] })
  for (const by of ['key:key_a', 'key_a', 'key:key_b']) assert.ok(isApprover(quorum, by), by)
  for (const by of [null, 'key:key_c', 'key:key_', 'key:key:key_a', '']) assert.ok(!isApprover(quorum, by), String(by))
})

test('several approvals need keys, and any key counts without approversList', () => {
  const quorum = quorumOf({ requiredApprovals: 2 })
  assert.ok(isApprover(quorum, 'key:key_a'))
  assert.ok(!isApprover(quorum, null))
})

test('a quorum that forget or redaction damaged allows no approval', () => {
  for (const approversList of [null, 'gone', [null], [7]]) {
    const quorum = quorumOf({ approversList })
    assert.ok(!isApprover(quorum, null) && !isApprover(quorum, 'key:key_a'), JSON.stringify(approversList))
  }
  for (const requiredApprovals of [null, 'two', 0, 1.5]) {
    const quorum = quorumOf({ requiredApprovals })
    assert.deepEqual([quorum.required, needsKey(quorum)], [null, true], JSON.stringify(requiredApprovals))
  }
})

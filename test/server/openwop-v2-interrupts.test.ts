import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertError } from '../support/envelope.ts'
import { bare, segment, useRunsOfV2 } from './openwop-v2-calls.ts'

describe('interrupts in version 2', () => {
  const { server, call, start, read, untilStatus, untilEnded } = useRunsOfV2()

  test('an interrupt is resolved by its node; one that ended is refused', async () => {
    const runId = await start('asks')
    await untilStatus(runId, 'waiting-approval')
    const path = `/runs/${segment(runId)}/interrupts/gate`
    assertError(await call('POST', path, { value: {} }), 400, 'validation_error')
    assertError(await call('POST', path, { resumeValue: { action: 'timeout' } }), 400, 'validation_error')
    assertError(await call('POST', `${path}s`, { resumeValue: { action: 'accept' } }), 404, 'not_found')
    const resolved = await call('POST', path, { resumeValue: { action: 'reject' } })
    assert.deepEqual([resolved.status, resolved.body.runId], [200, runId])
    assertError(await call('POST', path, { resumeValue: { action: 'accept' } }), 409, 'interrupt_already_resolved')
    await untilEnded(runId)
    assert.equal((await read(runId)).error.code, 'approval_rejected')
    const open = await start('asks')
    await untilStatus(open, 'waiting-approval')
    await call('POST', `/runs/${segment(open)}/cancel`, {})
    const late = await call('POST', `/runs/${segment(open)}/interrupts/gate`, { resumeValue: { action: 'accept' } })
    assertError(late, 409, 'interrupt_already_resolved')
  })

  test('only named approvers decide, and the run keeps waiting', async () => {
    const runId = await start('named')
    await untilStatus(runId, 'waiting-approval')
    const path = `/runs/${segment(runId)}/interrupts/gate`
    assertError(await call('POST', path, { resumeValue: { action: 'accept' } }), 403, 'forbidden')
    assert.equal((await read(runId)).status, 'waiting-approval')
  })

  test('tokens of version 1 work until they expire; any other token is 401', async () => {
    const runId = await start('asks')
    const run = await untilStatus(runId, 'waiting-approval')
    const token = run.interrupt.interruptToken as string
    const seen = await call('GET', `/interrupts/${token}`)
    assert.deepEqual([seen.status, seen.body.kind], [200, 'approval'])
    for (const wrong of ['ow2.hs256.nokid.x.y', 'ow2.hs512.tenant-1.x.y', `ow2.hs256.tenant-1.${token}`, 'a.b', 'x'])
      assertError(await call('GET', `/interrupts/${wrong}`), 401, 'interrupt_token_invalid')
    const resolved = await call('POST', `/interrupts/${token}`, { resumeValue: { action: 'accept' } })
    assert.deepEqual([resolved.status, resolved.body.runId], [200, runId])
  })

  test('a token of version 2 answers one interrupt once; a gate with approvers has none', async () => {
    const runId = await start('asks')
    await untilStatus(runId, 'waiting-approval')
    const tokenOf = (id: string, node = 'gate') =>
      call('GET', `/v1/host/colophon/runs/${bare(id)}/interrupts/${node}/token`)
    const { token, path } = (await tokenOf(runId)).body
    assert.match(token, /^ow2\.hs256\./)
    const anyone = server.as(null)
    assert.equal((await anyone('GET', path)).body.kind, 'approval')
    assertError(await anyone('GET', `${path}0`), 401, 'interrupt_token_invalid')
    assert.equal((await anyone('POST', path, { resumeValue: { action: 'accept' } })).status, 200)
    assertError(await anyone('GET', path), 409, 'interrupt_already_resolved')
    assertError(await anyone('POST', path, { resumeValue: { action: 'accept' } }), 409, 'interrupt_already_resolved')
    await untilEnded(runId)
    assert.equal((await tokenOf(runId)).status, 404, 'nothing is open')
    const named = await start('named')
    await untilStatus(named, 'waiting-approval')
    assert.equal((await tokenOf(named)).status, 404, 'a token does not say who answers')
  })
})

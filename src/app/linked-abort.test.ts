import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkAbort } from './linked-abort.ts'

test('a signal aborts all controllers that are linked to it, with its reason', () => {
  const stopping = new AbortController()
  const links = [linkAbort(stopping.signal), linkAbort(stopping.signal)]
  stopping.abort('stop')
  assert.deepEqual(
    links.map(({ controller }) => controller.signal.reason),
    ['stop', 'stop'],
  )
})

test('a controller can abort without the signal, and the others go on', () => {
  const stopping = new AbortController()
  const [one, other] = [linkAbort(stopping.signal), linkAbort(stopping.signal)]
  one.controller.abort('lost')
  assert.equal(one.controller.signal.reason, 'lost')
  assert.equal(other.controller.signal.aborted, false)
  assert.equal(stopping.signal.aborted, false)
})

test('a controller that is linked to an aborted signal is aborted', () => {
  assert.equal(linkAbort(AbortSignal.abort('stopped')).controller.signal.reason, 'stopped')
})

test('an unlinked controller is not aborted', () => {
  const stopping = new AbortController()
  const { controller, unlink } = linkAbort(stopping.signal)
  unlink()
  stopping.abort()
  assert.equal(controller.signal.aborted, false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aesCipher } from './aes.ts'

const key = aesCipher.newKey()
const plain = Buffer.from('a value to hide')
const open = (bytes: Uint8Array, boundTo = 'acme/one') =>
  aesCipher.open(key, Buffer.from(bytes).toString('base64'), boundTo)

test('a ciphertext opens only with its key and its additional data, and not after any change', () => {
  const sealed = aesCipher.seal(key, plain, 'acme/one')
  assert.deepEqual(aesCipher.open(key, sealed, 'acme/one'), plain)
  assert.equal(aesCipher.open(key, sealed, 'acme/two'), null)
  assert.equal(aesCipher.open(aesCipher.newKey(), sealed, 'acme/one'), null)
  const bytes = Buffer.from(sealed, 'base64')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.equal(open(changed), null, `byte ${at}`)
  }
})

test('a ciphertext with a shortened tag does not open', () => {
  const bytes = Buffer.from(aesCipher.seal(key, new Uint8Array(), 'acme/one'), 'base64')
  assert.deepEqual(open(bytes), Buffer.alloc(0))
  for (let length = 0; length < bytes.length; length++) assert.equal(open(bytes.subarray(0, length)), null, `${length}`)
})

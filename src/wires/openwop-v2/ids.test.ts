import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WireError } from '../../http/wire-error.ts'
import {
  bindId,
  checkAuthoredId,
  fromSegment,
  openAuthoredId,
  openId,
  openPathId,
  pathSegment,
  toSegment,
} from './ids.ts'

const opaque = 'run_019a8c5e-7d51-7c3a'
const refusedWith = (code: string, status: number) => (error: unknown) =>
  error instanceof WireError && error.code === code && error.status === status

test('a bound id is one segment of a path', () => {
  assert.equal(bindId('acme', opaque), `acme/${opaque}`)
  assert.equal(pathSegment('acme', opaque), `acme~2F${opaque}`)
  assert.equal(toSegment('anon:x/ä~'), 'anon~3Ax~2F~C3~A4~7E')
})

test('any text survives a segment, and a segment has only plain characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
      fc.pre(text.isWellFormed())
      const segment = toSegment(text)
      assert.match(segment, /^(?:[A-Za-z0-9._-]|~[0-9A-F]{2})+$/)
      assert.equal(fromSegment('runId', segment), text)
    }),
  )
})

const part = (min: number) =>
  fc.string({ unit: fc.constantFrom(...'abcXYZ019._-'), minLength: min, maxLength: Math.min(min + 20, 128) })

test('a bound id opens in both encodings for its tenant, and for no other', () => {
  fc.assert(
    fc.property(part(1), part(16), part(1), (tenant, id, other) => {
      for (const sent of [pathSegment(tenant, id), bindId(tenant, id)]) {
        assert.equal(openPathId('runId', tenant, sent), id)
        if (other !== tenant)
          assert.throws(() => openPathId('runId', other, sent), refusedWith('id_tenant_mismatch', 403))
      }
      assert.equal(openId('runId', tenant, id), id, 'an id of version 1')
    }),
  )
})

test('an id that was encoded twice never opens as the id', () => {
  fc.assert(
    fc.property(part(1), part(16), (tenant, id) => {
      const twice = toSegment(pathSegment(tenant, id))
      let opened: string | null = null
      try {
        opened = openPathId('runId', tenant, twice)
      } catch (error) {
        assert.ok(error instanceof WireError)
      }
      assert.notEqual(opened, id)
    }),
  )
})

test('a segment is decoded once: a percent sign in it stays', () => {
  assert.equal(fromSegment('runId', 'acme%2Frun~2E1'), 'acme%2Frun.1')
})

test('what is no id is refused before anything is looked up', () => {
  for (const bad of ['acme~2', 'acme~', `acme~ZZ${opaque}`, 'short', 'acme~2Fshort', `a/b/${opaque}`, '~FF~FE', '']) {
    assert.throws(() => openPathId('runId', 'acme', bad), refusedWith('validation_error', 400), bad)
  }
  assert.equal(openAuthoredId('nodeId', 'a:b~3Ac'), 'a:b:c')
  assert.equal(checkAuthoredId('workflowId', 'a:b~3Ac'), 'a:b~3Ac', 'a body has no encoding')
  for (const bad of ['a b', 'a/b', 'ä', '', 'x'.repeat(129)])
    assert.throws(() => openAuthoredId('nodeId', bad), refusedWith('validation_error', 400), bad)
})

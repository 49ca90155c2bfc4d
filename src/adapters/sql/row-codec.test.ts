import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowCodec } from './row-codec.ts'

type Thing = {
  readonly thingId: string
  readonly ordinal: number
  readonly share: number
  readonly isOpen: boolean
  readonly endedAt: number | null
  readonly pin: { readonly by: string } | null
  readonly payload: unknown
}

const things = rowCodec<Thing>({
  thingId: 'text',
  ordinal: 'bigint',
  share: 'real',
  isOpen: 'flag',
  endedAt: 'bigint',
  pin: 'json',
  payload: 'document',
})

const thing: Thing = { thingId: 't1', ordinal: 3, share: 0.5, isOpen: true, endedAt: null, pin: null, payload: null }

test('a value goes to its row and back', () => {
  const row = things.toRow(thing)
  assert.deepEqual(row, {
    thing_id: 't1',
    ordinal: 3,
    share: 0.5,
    is_open: 1,
    ended_at: null,
    pin: null,
    payload: 'null',
  })
  assert.deepEqual(things.fromRow(row), thing)
  const full: Thing = { ...thing, isOpen: false, endedAt: 9, pin: { by: 'ada' }, payload: { a: [1] } }
  assert.deepEqual(things.fromRow(things.toRow(full)), full)
})

test('columns and their types follow from the members, in their order', () => {
  assert.equal(things.columns, 'thing_id, ordinal, share, is_open, ended_at, pin, payload')
  assert.match(things.types, /^thing_id text, ordinal bigint, share double precision, is_open bigint, /)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlace } from '../place.ts'
import { bleed } from '../properties/bleed.ts'
import { duplicates } from '../properties/duplicates.ts'
import { erasure } from '../properties/erasure.ts'
import { kill } from '../properties/kill.ts'
import { lineOf } from '../report.ts'
import { isNoticed, isPerfect, prove } from '../run.ts'
import { carefulStore, carelessStore } from './file-store.ts'

const options = { seed: 1, scale: 1, databases: null }
const properties = [duplicates, kill, erasure, bleed]

test('a correct store is perfect in the properties that it offers', async () => {
  const results = await prove(carefulStore, properties, options)
  assert.deepEqual(results.filter(({ outcome }) => !isPerfect(outcome)).map(lineOf), [])
})

test('a store that delays writes, hides instead of erasing and compares prefixes is detected', async () => {
  const results = await prove(carelessStore, properties, options)
  const noticed = (id: string, what: string) =>
    results.some(({ property, outcome }) => property.id === id && isNoticed(outcome, what))
  assert.ok(noticed('kill', 'acknowledged and lost'))
  assert.ok(noticed('erasure', 'words left in the bytes'))
  assert.ok(noticed('bleed', 'memories of others'))
  assert.ok(results.some(({ property, outcome }) => property.id === 'duplicates' && isPerfect(outcome)))
})

test('a call to an ended library process is an error, and a failed call gives the reason', async () => {
  const place = await createPlace(null)
  const sessions = [await carefulStore.open(place)]
  const [session] = sessions
  assert.ok(session)
  try {
    const scope = { tenant: 't', user: 'u' }
    await session.ingest({ scope, event: 'e', text: 'kept' })
    await assert.rejects(session.list(null as never), /Cannot destructure/)
    assert.equal(session.search, undefined, 'what a library lacks, its session lacks')
    await session.kill()
    await assert.rejects(session.list(scope), /has ended/)
    const again = await carefulStore.open(place)
    sessions.push(again)
    assert.deepEqual(await again.list(scope), [{ id: 'e', text: 'kept' }])
  } finally {
    for (const one of sessions) await one.stop()
    await place.remove()
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from './errors.ts'
import { changeSettings, defaultSettings } from './settings.ts'

test('an update keeps every setting that it does not name, also within the compaction policy', () => {
  const changed = changeSettings(defaultSettings, { sessionSummary: false, compaction: { tags: ['a', 'b', 'a'] } })
  const compaction = { ...defaultSettings.compaction, tags: ['a', 'b'] }
  assert.deepEqual(changed, { ...defaultSettings, sessionSummary: false, compaction })
  assert.deepEqual(changeSettings(changed, {}), changed)
})

test('minEntries above maxInputEntries is refused, whichever of the two changes', () => {
  const { maxInputEntries, minEntries } = defaultSettings.compaction
  for (const compaction of [{ minEntries: maxInputEntries + 1 }, { maxInputEntries: minEntries - 1 }])
    assert.throws(
      () => changeSettings(defaultSettings, { compaction }),
      (error) => isColophonError(error, 'validation_error'),
    )
  assert.ok(changeSettings(defaultSettings, { compaction: { minEntries: maxInputEntries } }))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snakeName, toCamel, toSnake } from './snake-case.ts'

test('camelCase names become snake_case names, and back', () => {
  const settings = { historyRetentionDays: 90, sessionSummary: true, compaction: { keepNewest: 1 } }
  const shown = { history_retention_days: 90, session_summary: true, compaction: { keepNewest: 1 } }
  assert.deepEqual(toSnake(settings), shown)
  assert.deepEqual(toCamel(shown), settings)
})

test('undefined members are omitted; null is a value', () => {
  assert.deepEqual(toCamel({ display_name: null, api_key_id: undefined }), { displayName: null })
})

test('each part of a field path becomes snake case', () => {
  assert.equal(snakeName('source.observedAt'), 'source.observed_at')
  assert.equal(snakeName('messages[0].claimKey'), 'messages[0].claim_key')
})

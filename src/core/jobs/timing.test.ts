import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTiming, isTimezone, parseTiming, type Timing } from './timing.ts'

test('a timing is read back as it was written', () => {
  const timings: readonly [Timing, string][] = [
    [{ kind: 'cron', cron: '0 9 * * *', timezone: 'UTC' }, '0 9 * * *'],
    [{ kind: 'cron', cron: '@daily', timezone: 'Asia/Tokyo' }, 'CRON_TZ=Asia/Tokyo @daily'],
    [{ kind: 'at', at: Date.parse('2026-03-01T09:00:00Z') }, '@at 2026-03-01T09:00:00.000Z'],
  ]
  for (const [timing, text] of timings) {
    assert.equal(formatTiming(timing), text)
    assert.deepEqual(parseTiming(text), timing)
  }
})

test('a time zone is one by its IANA name', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia']) assert.ok(isTimezone(name), name)
  for (const name of ['', 'Mars/Phobos', 'Europe/Berlin 0', '+01:00']) assert.ok(!isTimezone(name), name)
})

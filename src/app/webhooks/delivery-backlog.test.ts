import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../core/limits.ts'
import { WebhookBacklog } from './delivery-backlog.ts'

test('the free backlog is the limit minus the count, and a count is cached for a moment', async () => {
  const backlog = new WebhookBacklog(5)
  const waiting = new Map([['wh_1', 2]])
  const asked: (readonly string[])[] = []
  const take = async (wanted: Record<string, number>, now: number) => {
    const taken = await backlog.reserve(new Map(Object.entries(wanted)), now, async (webhookIds, countMax) => {
      asked.push(webhookIds)
      assert.equal(countMax, 5)
      return waiting
    })
    return Object.fromEntries(taken)
  }
  assert.deepEqual(await take({ wh_1: 2, wh_2: 9 }, 1_000), { wh_1: 2, wh_2: 5 })
  assert.deepEqual(await take({ wh_1: 2, wh_2: 1 }, 1_001), { wh_1: 1, wh_2: 0 })
  assert.deepEqual(asked, [['wh_1', 'wh_2']])
  waiting.set('wh_1', 7)
  assert.deepEqual(await take({ wh_1: 1 }, 1_000 + limits.webhookBacklogCacheMs), { wh_1: 0 }, 'more than allowed wait')
  waiting.clear()
  const later = 1_000 + 2 * limits.webhookBacklogCacheMs
  assert.deepEqual(await take({ wh_1: 1, wh_2: 1 }, later), { wh_1: 1, wh_2: 1 })
  assert.deepEqual(asked.slice(1), [['wh_1'], ['wh_1', 'wh_2']])
})

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { isThorough } from '../support/thorough.ts'
import { openScene, type Scene } from './run-kill-server.ts'

after(releaseServer)

// Each ends with waiting for leases of killed servers, so they wait side by side.
const deadline = { timeout: 240_000 }

/** Waits until a run that a killed server executed was resumed. */
async function untilTakenUp({ logs, isEnded }: Scene, runIds: readonly string[]): Promise<string> {
  const before = new Map(runIds.map((runId) => [runId, logs.get(runId)?.length ?? 0]))
  let found: string | undefined
  await eventually('a run that was cut off goes on', async () => {
    found = runIds.find((runId) => isEnded(runId) || (logs.get(runId)?.length ?? 0) > (before.get(runId) ?? 0))
    return found !== undefined
  })
  assert.ok(found)
  return found
}

describe('runs on servers that are killed', { concurrency: true }, () => {
  test('SQLite: resume where they stopped when the next server starts', deadline, async (t) => {
    await using scene = await openScene('sqlite')
    const cutOff: string[] = []
    for (const events of isThorough ? [1, 4, 10, 17, 25, 34] : [1, 25]) {
      const server = await scene.start()
      const [first = '', ...others] = await scene.startStories(server, 3)
      await scene.killAtEvent(server, first, events)
      cutOff.push(first, ...others)
    }
    for (const waitMs of (isThorough ? [60, 250] : [150]).map((most) => Math.random() * most)) {
      const server = await scene.start()
      cutOff.push(...(await scene.startStories(server, 3)))
      await delay(waitMs)
      await scene.kill(server)
    }
    // Once more while the first ones are being resumed.
    const server = await scene.start()
    const open = cutOff.filter((runId) => !scene.isEnded(runId))
    t.diagnostic(`${open.length} of ${cutOff.length} runs were cut off`)
    assert.ok(open.length > 0, 'no run was cut off, so this proved nothing')
    await untilTakenUp(scene, open)
    await scene.kill(server)
    await scene.start()
    await scene.finish()
  })

  test('PostgreSQL: are taken over by the remaining server', deadline, async (t) => {
    await using scene = await openScene('postgres')
    let left = await scene.start()
    for (const events of isThorough ? [1, 6, 13, 21, 30] : [1, 13]) {
      const victim = left
      left = await scene.start()
      const [first = ''] = await scene.startStories(victim, 3)
      await scene.startStories(left, 1)
      await scene.killAtEvent(victim, first, events)
    }
    // The runs of the killed servers must end here, although none of those servers restarts.
    const open = [...scene.logs.keys()].filter((runId) => !scene.isEnded(runId))
    t.diagnostic(`${open.length} of ${scene.logs.size} runs were not over when the last victim died`)
    assert.ok(open.length > 0, 'every run was over, so this proved nothing')
    await untilTakenUp(scene, open)
    const next = await scene.start()
    await scene.kill(left)
    assert.equal((await next.call('GET', '/healthz')).status, 200)
    await scene.finish()
  })
})

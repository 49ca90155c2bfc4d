import { after, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { releaseServer } from '../support/databases.ts'
import { openScene } from './run-kill-server.ts'

after(releaseServer)

const deadline = { timeout: 280_000 }
const kills = 20
/** Longer than a lease now and then, so that what was taken up is cut off again. */
const livesMs = (kill: number) => (kill % 5 === 4 ? 11_000 : 0) + Math.random() * 500

describe('runs on servers that are killed repeatedly at random moments', { concurrency: true }, () => {
  test('SQLite: all end', deadline, async () => {
    await using scene = await openScene('sqlite')
    for (let kill = 0; kill < kills; kill++) {
      const server = await scene.start()
      await scene.startStories(server, 4)
      await delay(livesMs(kill))
      await scene.kill(server)
    }
    await scene.start()
    await scene.finish()
  })

  test('PostgreSQL: all end on the remaining servers', deadline, async () => {
    await using scene = await openScene('postgres')
    let left = await scene.start()
    for (let kill = 0; kill < kills; kill++) {
      const next = await scene.start()
      await Promise.all([scene.startStories(left, 3), scene.startStories(next, 2)])
      await delay(livesMs(kill))
      await scene.kill(left)
      left = next
    }
    await scene.finish()
  })
})

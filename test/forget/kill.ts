import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChild } from '../support/child.ts'
import { createHome, startServer } from '../support/server.ts'
import { counted, everyAnswer, person, prepare } from './calls.ts'
import type { KillOptions } from './kill-program.ts'
import { tracesOf } from './traces.ts'

const stepsMax = 60

export function killTest(storage: 'sqlite' | 'postgres'): void {
  test(`on ${storage} a forget that is killed after each of its commits is completed, and counts once`, async () => {
    await using home = await createHome(storage)
    const server = await startServer({ home })
    const tenant = await server.tenant()
    await prepare(tenant)
    const ada = await person(tenant, 'ada-lovelace-1815')
    const bob = await person(tenant, 'bob-babbage-1791')
    const notes = await bob.entries(bob.ref)
    const counts = await counted(tenant.call, { subject: ada.name })
    await server.stop()
    const options: KillOptions = { env: home.env, tenantId: tenant.id, subject: ada.name, aheadMs: 0 }
    const program = new URL('./kill-program.ts', import.meta.url)
    let kills = 0
    for (; kills < stepsMax; kills++) {
      const child = startChild<{ counts: object }>(program, { ...options, aheadMs: kills * 60_000 })
      const { code, signal, stderr } = await child.ended
      if (signal === 'SIGKILL') continue
      assert.equal(code, 0, stderr)
      assert.deepEqual(child.messages[0]?.counts, counts)
      break
    }
    assert.ok(kills >= 8 && kills < stepsMax, `${kills} kills`)
    await using again = await startServer({ home })
    const call = again.as(tenant.key)
    const runs = [ada.ended, ada.held]
    const answers = await everyAnswer(call, { runs, memories: [ada.memory.id, ada.note.id] })
    for (const word of [...Object.values(ada.texts), ada.name]) {
      assert.ok(!answers.includes(word), word)
      assert.deepEqual(await tracesOf(home, word), [], word)
    }
    const { body } = await call('GET', `/v1/host/colophon/memory/${bob.ref}/entries`)
    assert.deepEqual(body.entries, notes)
    assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
  })
}

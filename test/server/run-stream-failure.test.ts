import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadConfig } from '../../src/config/config.ts'
import { drain, listen } from '../../src/server/listen.ts'
import { createServer, type Server } from '../../src/server/serve.ts'
import { callsOf, serverEnv } from '../support/server.ts'
import { openStream } from '../support/sse.ts'
import { segment } from './openwop-v2-calls.ts'
import { chain, gate, register, startWaiting } from './runs-calls.ts'

let server: Server
let given: Awaited<ReturnType<typeof serverEnv>>
let url: string
before(async () => {
  given = await serverEnv({})
  const config = loadConfig(given.env)
  server = await createServer({ config, logTo: { write() {} } })
  url = (await listen(server, config)).url
})
after(async () => {
  await drain(server)
  await given.removeHome()
})

for (const [version, pathOf] of [
  ['1', (runId: string) => `/v1/runs/${runId}/events?streamMode=debug`],
  ['2', (runId: string) => `/runs/${segment(`default/${runId}`)}/events?streamMode=debug`],
] as const) {
  test(`a stream of a run whose log cannot be read ends, so that its client connects again (version ${version})`, async () => {
    const { call } = callsOf(url, given.bootstrapKey, given.operatorKey)
    await register(call, chain(`asks-${version}`, [gate()]))
    const runId = await startWaiting(call, `asks-${version}`)
    const stream = await openStream(`${url}${pathOf(runId)}`, given.bootstrapKey, { 'openwop-version': version })
    await stream.until('its events so far', (events) => events.length > 0)
    const { runs } = server.engine.storage
    const read = runs.events
    let failures = 0
    Object.assign(runs, {
      events: () => {
        failures += 1
        return Promise.reject(new Error('The database cannot be reached.'))
      },
    })
    try {
      await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept' } })
      await stream.ended
    } finally {
      Object.assign(runs, { events: read })
    }
    assert.ok(failures > 0)
  })
}

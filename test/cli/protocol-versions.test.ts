import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isObject } from '../../conformance/harness.ts'
import { type Fault, startProxy } from '../../conformance/proxy/proxy.ts'
import { chain, gate, put } from '../server/runs-calls.ts'
import { runInWorker } from '../support/cli-worker.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { cleanEnv } from '../support/server-process.ts'

const operation = (prefix: string) => new RegExp(`^${prefix}/(runs|interrupts|workflows|agents|webhooks)(?=[/?:]|$)`)
const places = { 1: operation('/v1'), 2: operation('') } as const

/** A host that has one version of the protocol only, and says so. Its host extension is there in both cases. */
function only(version: 1 | 2, reached: string[]): Fault {
  const hidden = places[version === 1 ? 2 : 1]
  const claims = version === 1 ? { protocolVersions: undefined, preferredVersion: undefined } : two
  return {
    request(request) {
      if (places[version].test(request.path)) reached.push(`${request.method} ${request.path}`)
      return hidden.test(request.path) ? { ...request, path: '/nowhere' } : request
    },
    answer: (answer, { path }) =>
      path === '/.well-known/openwop' && isObject(answer.body)
        ? { ...answer, body: { ...answer.body, ...claims } }
        : answer,
  }
}

const two = { protocolVersions: ['2.0'], preferredVersion: '2.0' }

describe('the command line on a host with one version of the protocol', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server[Symbol.asyncDispose]())

  for (const version of [1, 2] as const) {
    test(`version ${version}: a run is started, answered, looked at, forked and cancelled`, async () => {
      const reached: string[] = []
      await using proxy = await startProxy(server.url, only(version, reached))
      const cli = (...args: string[]) =>
        runInWorker({ args: ['--url', proxy.url, '--key', server.key, ...args], env: cleanEnv({}), input: '' })
      const text = async (...args: string[]) => {
        const { code, stdout, stderr } = await cli(...args)
        assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
        return stdout.trim()
      }
      const file = join(server.dataDir, 'visit.json')
      writeFileSync(file, JSON.stringify(chain('visit', [put('put', 'A run was here.'), gate('ask')])))
      await text('workflows', 'add', file)
      assert.match(await text('workflows', 'show', 'visit'), /^ask +core\.approvalGate +put$/m)
      const started = await cli('runs', 'start', 'visit', '--wait')
      const id = started.stdout.trim()
      assert.match(id, version === 1 ? /^run_[0-9a-f-]{36}$/ : /^default\/run_[0-9a-f-]{36}$/)
      assert.ok(started.stderr.includes(`colophon runs answer ${id} ask <json>`), started.stderr)
      assert.match(await text('runs', 'show', id), /^status +waiting-approval$/m)
      await text('runs', 'answer', id, 'ask', '{"action":"accept"}', '--wait')
      assert.match(await text('runs', 'show', id), /^status +completed$/m)
      assert.match(await text('runs', 'events', id), / run\.completed\b/)
      assert.match(await text('runs', 'reads', id), /^snapshot: position \d+/)
      const replay = await text('runs', 'fork', id, '--mode', 'replay', '--wait')
      assert.equal(await text('runs', 'diff', id, replay), 'no difference')
      const second = await text('runs', 'start', 'visit')
      assert.match(await text('runs', 'cancel', second), / is cancell(ed|ing)$/)
      await text('agents', 'list')
      const kinds = new Set(reached.map((call) => /(runs|interrupts|workflows|agents)/.exec(call)?.[1]))
      assert.deepEqual([...kinds].sort(), ['agents', 'runs', 'workflows'])
    })
  }
})

// How scenarios are run: some at a time, alone, again when they came too late; and that no key is in what comes out.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createFolder } from '../test/support/temporary-folder.ts'
import type { Check, Scenario, Target } from './harness.ts'
import { withoutKeys } from './keys.ts'
import { runConformance } from './run.ts'
import { startStubHost, stubKeys } from './stub/host.ts'

const target: Target = {
  url: 'http://127.0.0.1:9',
  key: 'key/of+tenant"a"-0123456789',
  keyB: stubKeys.b,
  lowScopeKey: null,
  revokedKey: null,
  expiredRunId: null,
  degradedAgentId: null,
  webhookReceiver: false,
}

const own = (id: string, run: (check: Check) => Promise<void>, isAlone = false): Scenario => ({
  id,
  facts: 'none',
  title: id,
  isAlone,
  run,
})

async function onStub<T>(use: (target: Target) => Promise<T>, fault: 'bearer-echoed' | null = null): Promise<T> {
  const host = await startStubHost(fault)
  try {
    return await use({ ...target, url: host.url })
  } finally {
    await host.close()
  }
}

test('as many scenarios run at a time as configured, some alone and last, and results keep their order', async () => {
  const running = new Set<string>()
  const together: number[] = []
  const began: string[] = []
  const watched = (id: string, isAlone = false) =>
    own(
      id,
      async (check) => {
        running.add(id)
        began.push(id)
        // Everything that can begin has begun after a turn of the loop.
        for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve))
        together.push(running.size)
        check.ok(!isAlone || running.size === 1, 'nothing else runs')
        running.delete(id)
      },
      isAlone,
    )
  const scenarios = [
    watched('alone-1', true),
    ...['a', 'b', 'c', 'd', 'e'].map((id) => watched(id)),
    watched('alone-2', true),
  ]
  const ended: string[] = []
  const results = await onStub((host) =>
    runConformance(host, scenarios, { jobs: 3, onResult: ({ id }) => ended.push(id) }),
  )
  assert.deepEqual(
    results.map(({ id, outcome }) => `${id} ${outcome}`),
    scenarios.map(({ id }) => `${id} executed-pass`),
  )
  assert.equal(Math.max(...together), 3)
  assert.deepEqual(began.slice(-2), ['alone-1', 'alone-2'])
  assert.deepEqual(ended.toSorted(), scenarios.map(({ id }) => id).toSorted())
})

test('a scenario that was too late starts again, whether it had failed or not, and is blocked in the end', async () => {
  const tries = { once: 0, always: 0, wrong: 0 }
  const past = Date.now() - 1
  const ahead = Date.now() + 3_600_000
  const results = await onStub((host) =>
    runConformance(host, [
      own('once', async (check) => {
        tries.once += 1
        await check.before(tries.once === 1 ? past : ahead, async () => check.ok(tries.once > 1, 'seen in time'))
      }),
      own('always', async (check) => {
        tries.always += 1
        await check.before(past, async () => check.ok(true, 'seen too late'))
      }),
      own('wrong', async (check) => {
        tries.wrong += 1
        await check.before(new Date(ahead).toISOString(), async () => check.ok(false, 'seen in time, and wrong'))
      }),
    ]),
  )
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['executed-pass', 'blocked', 'executed-fail'],
  )
  assert.deepEqual([tries.once, tries.wrong], [2, 1])
  assert.ok(tries.always > 1)
})

test('keys are removed from messages in every form, also where a message was cut inside one', () => {
  const { key } = target
  for (const form of [key, encodeURIComponent(key), JSON.stringify(key), Buffer.from(key).toString('base64')])
    assert.ok(!withoutKeys(target, `the host said ${form} twice`).includes(form.slice(1, 9)), form)
  assert.equal(withoutKeys(target, `got ${key.slice(0, 12)}…`), 'got [key]…')
  assert.equal(withoutKeys(target, `answers (${key.slice(0, 9)})`), 'answers ([key])')
  assert.equal(withoutKeys(target, `got ${stubKeys.b.slice(0, -1)}`), 'got [key]')
  assert.equal(withoutKeys(target, 'a stub-key-less text'), 'a stub-key-less text')
})

async function runCommand(args: readonly string[]): Promise<{ output: string; code: number | null }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { output: out + err, code: await ended }
}

test('no key is in a report, in JSON or in the lines, also when the host repeats it', async () => {
  const { file: fileIn, remove } = createFolder()
  const key = 'a-key-that-the-host-does-not-know'
  const file = fileIn('report.md')
  try {
    const outputs = await onStub(async ({ url }) => {
      const args = ['--url', url, '--key', key, '--filter', 'runs-lifecycle']
      const all = [['--report', file], ['--json'], ['--report', '--jobs', '2']]
      return Promise.all(all.map((more) => runCommand([...args, ...more])))
    }, 'bearer-echoed')
    const [lines, json, report] = outputs
    for (const { output, code } of outputs) {
      assert.equal(code, 1)
      assert.match(output, /no such key: \\?\[key/)
    }
    assert.ok(lines?.output.includes('executed-fail 3'))
    assert.ok(json?.output.includes('"executed-fail": 3'))
    assert.match(report?.output ?? '', /^# OpenWOP conformance report$/m)
    assert.match(report?.output ?? '', /^## Failed \(3\)$/m)
    for (const shown of [...outputs.map(({ output }) => output), readFileSync(file, 'utf8')])
      assert.ok(!shown.includes(key))
  } finally {
    remove()
  }
})

test('a usage error ends with 2 and repeats no value', async () => {
  const calls = [
    ['a-secret'],
    ['--bogus=a-secret'],
    ['--url', 'http://user:a-secret@127.0.0.1', '--key', 'k'],
    ['--jobs', 'a-secret', '--url', 'http://127.0.0.1', '--key', 'k'],
  ]
  for (const { output, code } of await Promise.all(calls.map(runCommand))) {
    assert.equal(code, 2)
    assert.ok(!output.includes('a-secret'), output)
  }
})

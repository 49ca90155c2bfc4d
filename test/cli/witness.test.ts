import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { CliError } from '../../src/cli/exit-codes.ts'
import { witnessLog } from '../../src/cli/witness.ts'
import { createClient } from '../../src/client/index.ts'
import { parseCheckpoint } from '../../src/core/log/checkpoint.ts'
import { isNoteSigned, parseVerifierKey } from '../../src/core/log/note.ts'
import { openWitnessState } from '../../src/operate/witness-state.ts'
import { runCli } from '../support/cli.ts'
import { runInWorker } from '../support/cli-worker.ts'
import { createHome, type Env, startServer, type TestServer } from '../support/server.ts'
import { createFolder } from '../support/temporary-folder.ts'

const folder = createFolder()
after(() => folder.remove())

const entries = '/v1/host/colophon/memory/notes/entries'

async function put({ call }: TestServer, ...contents: readonly string[]): Promise<void> {
  for (const content of contents) assert.equal((await call('POST', entries, { content })).status, 201)
}

const remote = (args: readonly string[]) => runInWorker({ args, env: {}, input: '' })
const stateOf = (name: string) => folder.file(name)

/** The real program, with a state in a folder of that name. */
async function runWitness({ url, key }: TestServer, name: string, ...args: readonly string[]) {
  const own = ['--url', url, '--key', key, '--json', 'witness', '--state', stateOf(name), '--name', name]
  const ended = await remote([...own, ...args])
  return { ...ended, result: ended.code === 0 ? JSON.parse(ended.stdout) : null }
}

type Named = { readonly compare?: readonly string[]; readonly logKey?: string }

/** The same without a process of its own: the error of a refusal is returned. */
async function witness({ url, key }: TestServer, name: string, named: Named = {}) {
  const options = { name, logKey: named.logKey, compare: named.compare ?? [], now: Date.now }
  try {
    const result = await witnessLog(createClient({ url, key }), openWitnessState(stateOf(name)), options)
    return { code: 0, stderr: '', result }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { code: error.exitCode, stderr: error.message, result: null }
  }
}

/** One history up to here, then two: the data folder is copied, as a restored backup would be, and both go on by themselves. */
async function startTwins(name: string) {
  const home = await createHome('sqlite')
  const twin = await createHome('sqlite')
  const env = { COLOPHON_BOOTSTRAP_KEY: `test-${name}-0123456789abcdef0123456789abcdef` }
  const before = await startServer({ home, env })
  await put(before, 'one', 'two', 'three')
  await before.stop()
  cpSync(home.dataDir, twin.dataDir, { recursive: true })
  const [left, right] = [await startServer({ home, env }), await startServer({ home: twin, env })]
  return {
    left,
    right,
    async [Symbol.asyncDispose]() {
      await left[Symbol.asyncDispose]()
      await right[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
      await twin[Symbol.asyncDispose]()
    },
  }
}

test('a witness keeps and cosigns the checkpoints of a log that only grows', async () => {
  await using server = await startServer()
  await put(server, 'one')
  const first = await runWitness(server, 'keeper')
  assert.deepEqual([first.code, first.result?.status, first.result?.previousSize], [0, 'first', null], first.stderr)
  assert.equal((await witness(server, 'keeper')).result?.status, 'same')
  await put(server, 'two', 'three')
  const grown = await runWitness(server, 'keeper')
  assert.deepEqual([grown.result.status, grown.result.size], ['grown', first.result.size + 2])

  const { note } = parseCheckpoint('kept', readFileSync(grown.result.file, 'utf8'))
  assert.ok(isNoteSigned(note, parseVerifierKey('log', grown.result.logKey)))
  assert.ok(isNoteSigned(note, parseVerifierKey('witness', grown.result.witnessKey)))
  assert.equal(first.result.witnessKey, grown.result.witnessKey, 'the key is made once')
  assert.equal(statSync(`${stateOf('keeper')}/witness.key`).mode & 0o777, 0o600)
  assert.equal(readdirSync(`${stateOf('keeper')}/checkpoints`).length, 2)

  // Verification with the cosigned file, on the server and on its data folder.
  const verify = ['audit', 'verify', '--checkpoint', grown.result.file]
  const served = await remote(['--url', server.url, '--key', server.key, ...verify])
  assert.deepEqual([served.code, served.stdout], [0, `intact: ${grown.result.size} records\n`], served.stderr)
  await server.stop()
  const local = await runCli(['--json', ...verify], { env: { COLOPHON_DATA_DIR: server.dataDir } })
  assert.equal(JSON.parse(local.stdout).chainValid, true, local.stderr)
})

test('two histories are found: by the witness that saw both, and by two witnesses that compare', async () => {
  await using twins = await startTwins('split')
  const { left, right } = twins
  const seen = await witness(left, 'left')
  assert.equal(seen.code, 0, seen.stderr)
  assert.equal((await witness(right, 'right')).code, 0)
  await put(left, 'left 1', 'left 2')
  await put(right, 'right 1', 'right 2', 'right 3')
  const [ofLeft, ofRight] = [await witness(left, 'left'), await witness(right, 'right')]
  assert.deepEqual(
    [ofLeft.result?.status, ofRight.result?.status],
    ['grown', 'grown'],
    'each sees a log that only grows',
  )
  assert.ok(ofLeft.result && ofRight.result)
  assert.equal(ofLeft.result.origin, ofRight.result.origin)

  // The same witness is shown the other history.
  const split = await runWitness(right, 'left')
  assert.equal(split.code, 4, split.stdout)
  assert.match(split.stderr, /the log has two histories/)
  for (const { size, root } of [ofLeft.result, ofRight.result])
    assert.ok(split.stderr.includes(`size ${size} root ${root}`), split.stderr)
  assert.equal(readdirSync(`${stateOf('left')}/conflicts`).length, 1, 'the evidence is kept')
  const kept = parseCheckpoint('kept', readFileSync(ofLeft.result.file, 'utf8'))
  assert.equal(kept.size, ofLeft.result.size, 'the kept checkpoint stays')

  // Two witnesses, each of which saw one history, exchange their checkpoints.
  const compared = await witness(right, 'right', { compare: [ofLeft.result.file] })
  assert.equal(compared.code, 4)
  assert.ok(compared.stderr.includes(ofLeft.result.file), compared.stderr)
  const honest = await runWitness(right, 'right', '--compare', ofRight.result.file)
  assert.equal(honest.code, 0, honest.stderr)

  // The operator of one of them sees it too.
  const checkpoint = readFileSync(ofLeft.result.file, 'utf8')
  const verdict = await createClient(right).audit.verify({ checkpoint })
  assert.equal(verdict.anomalies[0]?.problem, 'checkpoint')
})

test('a log that became shorter and was written on is found, although its chain is valid', async () => {
  await using home = await createHome('sqlite')
  await using copy = await createHome('sqlite')
  const env: Env = { COLOPHON_BOOTSTRAP_KEY: 'test-cut-0123456789abcdef0123456789abcdef' }
  const early = await startServer({ home, env })
  await put(early, 'one', 'two')
  await early.stop()
  cpSync(home.dataDir, copy.dataDir, { recursive: true })
  const later = await startServer({ home, env })
  await put(later, 'three', 'four')
  const { result } = await witness(later, 'cut')
  await later.stop()

  await using server = await startServer({ home: copy, env })
  const shorter = await witness(server, 'cut')
  assert.equal(shorter.code, 4)
  assert.match(shorter.stderr, /became shorter/)
  await put(server, 'five', 'six', 'seven', 'eight', 'nine')
  const rewritten = await witness(server, 'cut')
  assert.equal(rewritten.code, 4)
  assert.match(rewritten.stderr, /two histories/)
  const verify = ['audit', 'verify', '--checkpoint', result?.file ?? '']
  const verdict = await remote(['--url', server.url, '--key', server.key, ...verify])
  assert.deepEqual([verdict.code, verdict.stdout.includes('checkpoint')], [4, true], verdict.stdout)
})

test('another key of the log is refused until the operator names it', async () => {
  await using home = await createHome('sqlite')
  const bootstrap = { COLOPHON_BOOTSTRAP_KEY: 'test-key-0123456789abcdef0123456789abcdef' }
  const keyed = (byte: number) => ({ ...bootstrap, COLOPHON_SIGNING_KEY: Buffer.alloc(32, byte).toString('base64') })
  const before = await startServer({ home, env: keyed(1) })
  await put(before, 'one')
  assert.equal((await witness(before, 'rotation')).code, 0)
  await before.stop()
  await using server = await startServer({ home, env: keyed(2) })
  const refused = await witness(server, 'rotation')
  assert.equal(refused.code, 4)
  const newKey = /the server signs with: (\S+)/.exec(refused.stderr)?.[1] ?? ''
  const accepted = await witness(server, 'rotation', { logKey: newKey })
  assert.deepEqual([accepted.code, accepted.result?.status], [0, 'grown'], accepted.stderr)
  assert.equal((await witness(server, 'rotation')).code, 0, 'the new key is kept')
  assert.equal((await server.call('GET', '/v1/host/colophon/log/keys')).body.keys.length, 2)
})

test('wrong arguments and files are named', async () => {
  await using server = await startServer()
  const no = folder.file('no-checkpoint')
  writeFileSync(no, 'yesterday')
  assert.equal((await runWitness(server, 'usage', '--once', '--every', '5')).code, 2)
  assert.equal((await runWitness(server, 'usage', '--every', '0')).code, 2)
  assert.equal((await runWitness(server, 'a b')).code, 2)
  await assert.rejects(witness(server, 'usage', { compare: [no] }), /no-checkpoint/)
  assert.equal((await witness(server, 'usage', { compare: [`${no}.gone`] })).code, 3)
  const badKey = await runWitness(server, 'usage', '--log-key', 'abc')
  assert.deepEqual([badKey.code, badKey.stderr.includes('--log-key')], [4, true], badKey.stderr)
})

test('a checkpoint can be printed into a file and verified later', async () => {
  await using server = await startServer()
  await put(server, 'one')
  const connection = ['--url', server.url, '--key', server.key]
  const printed = await remote([...connection, 'audit', 'checkpoint'])
  const file = folder.file('printed')
  writeFileSync(file, printed.stdout)
  await put(server, 'two')
  const verified = await remote([...connection, 'audit', 'verify', '--contents', '--checkpoint', file])
  assert.equal(verified.code, 0, verified.stderr)
})

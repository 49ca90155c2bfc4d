import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runCli, runCliOnTerminal, runCliProcess, startOtherServer } from '../support/cli.ts'
import { createHome, startServer, type TestServer } from '../support/server.ts'

const notes = '/v1/host/colophon/memory/notes/entries'
// Clears the screen, sets the title, rings, hides what follows, turns the text around.
const hostile = '\u001b[2J\u001b]0;owned\u0007 \u009b31m \u202eevil\u2066 \r\u0008 plain'
const escapes = ['\u001b[2J', '\u001b]', '\u0007', '\u009b', '\u0008', '\u202e']
const hasScript = spawnSync('script', ['--version']).status === 0

describe('what is stored cannot play with the terminal', { concurrency: 2 }, () => {
  let server: TestServer
  let id: string
  let env: Record<string, string>
  before(async () => {
    server = await startServer()
    env = { COLOPHON_URL: server.url, COLOPHON_API_KEY: server.key, TERM: 'xterm' }
    id = (await server.call('POST', notes, { content: hostile, tags: [hostile.replaceAll(/[\u202e\u2066]/g, '')] }))
      .body.id
  })
  after(() => server[Symbol.asyncDispose]())

  function assertHarmless(output: string): void {
    for (const sequence of escapes) assert.ok(!output.includes(sequence), JSON.stringify(output))
  }

  test('a list has no control characters', async () => {
    const { stdout } = await runCli(['list', 'notes'], { env })
    assertHarmless(stdout)
    assert.match(stdout, /plain/)
  })

  test('a pipe gets the text as it is stored', async () => {
    assert.equal((await runCliProcess(['get', 'notes', id], { env })).stdout, `${hostile}\n`)
    assert.equal(JSON.parse((await runCli(['get', 'notes', id, '--json'], { env })).stdout).content, hostile)
  })

  for (const args of [['get'], ['get', '--json'], ['list'], ['list', '--json']]) {
    const skip = hasScript ? false : 'the program "script" is not here to play a terminal'
    test(`${args.join(' ')} on a terminal shows it without control characters`, { skip }, async () => {
      const [command = '', ...options] = args
      const rest = command === 'get' ? ['notes', id] : ['notes']
      const { code, stdout } = await runCliOnTerminal([command, ...rest, ...options], env)
      assert.equal(code, 0, stdout)
      assert.match(stdout, /plain/)
      assertHarmless(stdout)
    })
  }

  test('an error message that comes from elsewhere is printed harmlessly too', async () => {
    const body = JSON.stringify({ error: 'x', message: hostile, details: { hint: hostile, fields: [hostile] } })
    await using other = await startOtherServer(400, body)
    const { stderr } = await runCli(['refs'], { env: { ...env, COLOPHON_URL: other.url } })
    assert.match(stderr, /plain/)
    assertHarmless(stderr)
  })
})

describe('how far long work is', () => {
  const skip = hasScript ? false : 'the program "script" is not here to play a terminal'

  test('is shown as a bar on a terminal, and a pipe gets none of it', { skip }, async () => {
    await using home = await createHome('sqlite')
    const env = { ...home.env, TERM: 'xterm' }
    const lines = join(home.dataDir, '..', 'lines.jsonl')
    writeFileSync(lines, Array.from({ length: 30 }, (_, n) => JSON.stringify({ text: `Line ${n}.` })).join('\n'))
    const plain = ['import', lines, '--plain', '--content', 'text', '--ref']
    const shown = await runCliOnTerminal([...plain, 'notes'], env)
    assert.match(shown.stdout, /\rimported █{24} 100% \(30 of 30\)/)
    const piped = await runCliProcess([...plain, 'other'], { env: home.env })
    assert.deepEqual([piped.code, piped.stderr], [0, ''])

    const copy = join(home.dataDir, '..', 'copy.db')
    assert.match((await runCliOnTerminal(['backup', copy], env)).stdout, /\rpages copied ░+ +0% \(0 of \d+\)/)
    const compacted = await runCliOnTerminal(['compact', 'notes', '--min-age-days', '0', '--wait'], env)
    assert.match(compacted.stdout, /\rjob_\S+ \d+ s, (queued|leased|completed)/)
    assert.equal(compacted.code, 0, compacted.stdout)
  })
})

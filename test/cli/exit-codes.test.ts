import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { runCli, runCliProcess, startOtherServer } from '../support/cli.ts'
import { createHome, type Home } from '../support/server.ts'
import { failToStart, launchServer, type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { isThorough } from '../support/thorough.ts'

describe('the exit code of a command', { concurrency: 2 }, () => {
  let home: Home
  let server: ServerProcess
  before(async () => {
    home = await createHome('sqlite')
    server = await startServerProcess()
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  const codesSeen = new Set<number>()

  /** One sentence on standard error, nothing on standard output, no stack. */
  async function fails(
    code: number,
    args: string[],
    env: Record<string, string> = home.env,
    says = /\w/,
  ): Promise<void> {
    // A process of its own shows that the code is the process's; one for each code is enough.
    const run = codesSeen.has(code) ? runCli : runCliProcess
    codesSeen.add(code)
    const result = await run(args, { env })
    assert.equal(result.code, code, `${args.join(' ')}: ${result.stdout}${result.stderr}`)
    assert.equal(result.stdout, '', args.join(' '))
    assert.match(result.stderr, says)
    assert.doesNotMatch(result.stderr, /\n\s+at /, 'a stack is for programmers')
  }
  const remote = (key: string) => ['--url', server.url, '--key', key]

  test('is 2 for wrong arguments', async () => {
    for (const args of [
      ['remember'],
      ['put', 'notes', 'x', '--colour', 'red'],
      ['put'],
      ['keys', 'make'],
      ['list', 'a', 'b'],
      ['search', 'notes', 'x', '--limit', 'abc'],
      ['list', 'notes', '--limit', '1.5'],
      ['compact', 'notes', '--keep-newest', 'few'],
      ['writers', 'add', 'crm', '--priority', 'high'],
    ]) {
      await fails(2, args)
    }
    await fails(2, ['--url', server.url, 'refs'], {}, /COLOPHON_API_KEY/)
    await fails(2, ['--url', 'nowhere', '--key', 'x'.repeat(24), 'refs'], {}, /--url/)
  })

  test('is the same with --json, where the error is one object on standard error', async () => {
    const cases: readonly (readonly [args: readonly string[], code: number, error: string, says: RegExp])[] = [
      [['remember'], 2, 'usage', /^unknown command 'remember'/],
      [['put'], 2, 'usage', /missing required argument/],
      [['putt', 'notes'], 2, 'usage', /Did you mean put\?/],
      [['keys'], 2, 'usage', /^A command is missing: colophon keys/],
      [['list', 'notes', '--colour', 'red'], 2, 'usage', /^unknown option '--colour'/],
      [['list', 'notes', '--limit', 'x'], 2, 'usage', /whole number/],
      [['--url', server.url, 'refs'], 2, 'usage', /API key is required/],
      [[...remote('x'.repeat(40)), 'refs'], 5, 'unauthenticated', /\w/],
      [[...remote(server.key), 'get', 'notes', 'none'], 3, 'not_found', /\w/],
      [['--url', 'http://127.0.0.1:1', '--key', 'k'.repeat(30), 'refs'], 6, 'unavailable', /No server/],
    ]
    for (const [args, code, error, says] of cases) {
      for (const given of [
        [...args, '--json'],
        ['--json', ...args],
      ]) {
        const result = await runCli(given, { env: { COLOPHON_DATA_DIR: home.dataDir } })
        assert.deepEqual([result.code, result.stdout], [code, ''], `${given.join(' ')}: ${result.stderr}`)
        const shown = JSON.parse(result.stderr) as Record<string, unknown>
        assert.deepEqual([shown.error, shown.exitCode], [error, code], result.stderr)
        assert.match(String(shown.message), says)
      }
    }
    const refused = await runCli([...remote(server.key), '--json', 'put', 'notes', 'x', '--tag', 'a'.repeat(300)])
    const { error, hint, details } = JSON.parse(refused.stderr) as Record<string, unknown>
    assert.deepEqual([refused.code, error, typeof hint, typeof details], [4, 'validation_error', 'string', 'object'])
    const text = await runCli([...remote(server.key), 'list', '--', '--json'])
    assert.doesNotMatch(text.stderr, /^\{/, 'what follows -- is no option')
  })

  test('is 3 when something is not found', async () => {
    await fails(3, ['get', 'notes', 'none'], home.env, /no database in the data folder/)
    assert.equal((await runCli(['put', 'notes', 'x'], { env: home.env })).code, 0)
    await fails(3, ['get', 'notes', 'none'], home.env, /not_found/)
    await fails(3, [...remote(server.key), 'get', 'notes', 'none'], {}, /not_found/)
    const known = remote(server.key)
    await fails(3, [...known, 'keys', 'revoke', 'none'], {})
    for (const more of [[], ['--dry-run']])
      await fails(3, [...known, 'compact', 'mistyped', ...more], {}, /has no entries/)
  })

  test('is 4 when the request is refused', async () => {
    await fails(4, ['put', 'subject:ada', 'x'], home.env, /validation_error.*memoryRef/)
    await fails(4, [...remote(server.key), 'put', 'notes', 'x', '--expires-at', 'tomorrow'], {}, /expiresAt/)
    await fails(4, [...remote(server.key), 'list', 'notes', '--limit', '-1'], {}, /limit/)
    await fails(4, [...remote(server.key), 'keys', 'create', 'x', '--scope', 'everything'], {}, /scopes/)
  })

  test('is 5 when the key is invalid or lacks a scope', async () => {
    await fails(5, [...remote('x'.repeat(24)), 'refs'], {}, /unauthenticated/)
    const made = await runCli([...remote(server.key), 'keys', 'create', 'reader', '--scope', 'memory:read', '--json'])
    await fails(5, [...remote(JSON.parse(made.stdout).key), 'put', 'notes', 'x'], {}, /forbidden/)
    await fails(5, [...remote(server.key), 'tenants', 'list'], {}, /operator/)
  })

  test('is 6 when no server can be reached', async () => {
    await fails(6, ['--url', 'http://127.0.0.1:1', '--key', 'x'.repeat(24), 'refs'], {}, /127\.0\.0\.1:1/)
    await fails(6, ['refs'], { ...home.env, COLOPHON_DATABASE_URL: 'postgres://127.0.0.1:1/none' })
  })

  test('is 0 for help and version', async () => {
    for (const args of [['put', '--help'], ['--version']]) {
      const { code, stdout, stderr } = await runCliProcess(args, { env: home.env })
      assert.deepEqual([code, stderr], [0, ''], args.join(' '))
      assert.notEqual(stdout, '')
    }
  })

  test('is 6 when the server is not Colophon', async () => {
    await using other = await startOtherServer(200, '<html>hello</html>')
    await fails(6, ['--url', other.url, '--key', 'x'.repeat(24), 'refs'], {})
  })
})

describe('beside a running server', () => {
  test('a command on its data folder is refused and names the way to it', async () => {
    await using home = await createHome('sqlite')
    await using server = await startServerProcess({ home })
    for (const args of [
      ['put', 'notes', 'x'],
      ['keys', 'list'],
      ['tenants', 'list'],
      ['audit', 'verify'],
      ['migrate'],
    ]) {
      const { code, stderr } = await runCli(args, { env: home.env })
      assert.equal(code, 6, `${args.join(' ')}: ${stderr}`)
      assert.ok(stderr.includes(server.url), stderr)
      if (args[0] !== 'migrate') assert.match(stderr, /--url/)
    }
    assert.equal((await runCli(['refs'], { env: { COLOPHON_URL: server.url, COLOPHON_API_KEY: server.key } })).code, 0)
    await server.kill()
    assert.equal((await runCli(['refs'], { env: home.env })).code, 0, 'a killed server holds nothing')
  })

  test('commands at the same time do not take each other for a server', async () => {
    await using home = await createHome('sqlite')
    await runCli(['migrate'], { env: home.env })
    const count = isThorough ? 12 : 6
    const puts = Array.from({ length: count }, (_, index) =>
      runCliProcess(['put', 'notes', `entry ${index}`], { env: home.env }),
    )
    for (const { code, stderr } of await Promise.all(puts)) assert.equal(code, 0, stderr)
    const list = await runCli(['list', 'notes', '--json'], { env: home.env })
    assert.equal(JSON.parse(list.stdout).entries.length, count)
  })

  test('commands that look at the folder do not keep a server from starting', async () => {
    await using home = await createHome('sqlite')
    for (const _round of isThorough ? [1, 2, 3] : [1, 2]) {
      const commands = [1, 2, 3].map(() => runCliProcess(['refs'], { env: home.env }))
      const child = launchServer({ ...home.env, COLOPHON_PORT: '0' })
      assert.notEqual(await child.listening, null, child.logs())
      await Promise.all(commands)
      await child.signal('SIGKILL')
    }
  })

  test('a start that fails says why in one sentence', async () => {
    await using home = await createHome('sqlite')
    await using _server = await startServerProcess({ home })
    const { code, logs } = await failToStart(home.env)
    assert.equal(code, 6)
    assert.match(logs, /^colophon: .*\.\n$/)
  })
})

import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { type Cli, runCli } from './cli.ts'
import { createHome, startServer } from './server.ts'
import { isThorough } from './thorough.ts'

export type Way = AsyncDisposable & {
  readonly cli: Cli
  /** Runs a command that must succeed; what it printed, without the last line break. */
  readonly text: (...args: string[]) => Promise<string>
  /** The same with --json. */
  // biome-ignore lint/suspicious/noExplicitAny: the test decides the shape of a response, and checks it.
  readonly json: (...args: string[]) => Promise<any>
  /** Runs a command that must end with this code; returns what it printed on standard error. */
  readonly fails: (exitCode: number, ...args: string[]) => Promise<string>
  readonly dataDir: string
}

/** The same commands, on the data folder itself or through a server. */
export const ways = {
  embedded: async () => {
    const home = await createHome('sqlite')
    mkdirSync(home.dataDir, { recursive: true, mode: 0o700 })
    const cli: Cli = (args, input = '') => runCli(args, { env: home.env, input })
    return toWay(cli, home.dataDir, () => home[Symbol.asyncDispose]())
  },
  'with --url': async () => {
    const server = await startServer()
    const connection = ['--url', server.url, '--key', server.key]
    const cli: Cli = (args, input = '') => runCli([...connection, ...args], { input })
    return toWay(cli, server.dataDir, () => server[Symbol.asyncDispose]())
  },
} satisfies Record<string, () => Promise<Way>>

/**
 * The ways for suites about what commands do. A command makes the same calls either way, but without --url each one starts
 * a server of its own, which takes four times as long: `npm run test:all` runs these suites both ways.
 */
export const waysOfBehaviour = Object.entries(ways).filter(([name]) => name === 'with --url' || isThorough)

function toWay(cli: Cli, dataDir: string, dispose: () => PromiseLike<void>): Way {
  const text = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(args)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout.replace(/\n$/, '')
  }
  return {
    cli,
    dataDir,
    text,
    json: async (...args) => JSON.parse(await text(...args, '--json')),
    async fails(exitCode, ...args) {
      const { code, stdout, stderr } = await cli(args)
      assert.equal(code, exitCode, `${args.join(' ')}: ${stdout}${stderr}`)
      assert.match(stderr, /^(?:colophon|error): \S/)
      assert.doesNotMatch(stderr, /\n\s+at /, 'a stack is for programmers')
      return stderr
    },
    [Symbol.asyncDispose]: async () => dispose(),
  }
}

// Runs every check and suite: formatting and lint, types, dead code, then the tests with a real PostgreSQL.
// Arguments: names or parts of test files to run only those; --all adds the long suites.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres-server.ts'
import { buildConsole } from './build-console.ts'

/** A test that hangs must not stop everything behind it; none comes near this. */
const testTimeoutMs = 300_000

const args = process.argv.slice(2)
const all = args.includes('--all')
const wanted = args.filter((argument) => !argument.startsWith('--'))

function step(name: string, command: string, commandArgs: string[], env: NodeJS.ProcessEnv = process.env): void {
  console.log(`\n— ${name}`)
  const started = Date.now()
  const { status, error } = spawnSync(command, commandArgs, { stdio: 'inherit', env })
  if (error) console.error(error.message)
  if (status !== 0) {
    console.error(`\n${name} failed (${command} ${commandArgs.slice(0, 3).join(' ')} …).`)
    process.exitCode = 1
    throw new Error(name)
  }
  console.log(`  ${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

const testFiles = globSync('{src,test,conformance,prove,chaos}/**/*.test.ts').sort()
const selected = testFiles
  .filter((file) => all || !file.endsWith('.long.test.ts'))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))

try {
  if (wanted.length === 0) {
    step('lint and format', 'biome', ['check', '--error-on-warnings'])
    step('types', 'tsc', ['--project', '.'])
    step('types of the console', 'tsc', ['--project', 'console'])
    step('dead code', 'knip', ['--no-progress'])
  }
  if (selected.length === 0) throw new Error(`No test file matches ${wanted.join(', ')}.`)
  // Once for all files that open it, because they start side by side.
  await buildConsole()
  const given = process.env.COLOPHON_TEST_DATABASE_URL
  // Durability of the server itself is not what these suites test, and a disk's flushes would dominate their time.
  const server = given ? null : await startPostgres({ fsync: 'off' })
  try {
    // Hundreds of processes load the same files: the first of them compiles.
    const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
    const env = { ...compiled, ...process.env, COLOPHON_TEST_DATABASE_URL: given ?? server?.url }
    step('tests', 'node', ['--test', '--test-concurrency=2', `--test-timeout=${testTimeoutMs}`, ...selected], env)
  } finally {
    await server?.stop()
  }
} catch (error) {
  if (process.exitCode === undefined) console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

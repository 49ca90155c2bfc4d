// Runs checks and suites. Without arguments: all checks, then every suite with a real PostgreSQL and a real browser.
//   PART …    only the test files whose path has one of these parts, and no other checks
//   --fast    lint, types, unit tests, tidy, and the storage contract on the model and SQLite
//   --watch   with --fast: run the tests again when a file changes
//   --all     also the long suites (*.long.test.ts), and suites about behaviour on PostgreSQL too
import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackage } from '../test/support/built-package.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { createTemporaryFolder } from '../test/support/temporary-folder.ts'
import { buildConsole } from './build-console.ts'
import { bundleProgram } from './bundle-program.ts'

/** A test that hangs must not stop everything behind it. */
const timeout = '--test-timeout=300000'
/** An import of `colophon/…`, as in an example, gets the source. */
const fromSource = '--conditions=colophon-source'
/** More than cores: many suites wait, for instance until the lease of a killed process has expired. */
const testProcesses = 3

const args = process.argv.slice(2)
const has = (flag: string) => args.includes(flag)
const parts = args.filter((argument) => !argument.startsWith('--'))
const unknown = args.find((argument) => argument.startsWith('--') && !['--fast', '--watch', '--all'].includes(argument))

const unitTests = 'src/**/*.test.ts'
/** They share a few processes: each would take longer to load what it tests than to test it. */
const sharingSuites =
  'test/{server,contract,property,search,forget,mcp,integrations,client,telemetry,retention,compaction,conformance,console,extract,redaction,tidy,cli,consolidation,distillation,upgrade,verify}/*.test.ts'
/** Those of the console share a browser. The others are dealt out into many, so that all end at nearly the same moment. */
const groupOf = (file: string, at: number) => (file.startsWith('test/console/') ? 0 : 1 + (at % 11))
const suites = '{test,conformance,prove,chaos}/**/*.test.ts'
const fastSuites = ['test/tidy/*.test.ts', 'test/contract/{model,sqlite}.test.ts']

/** A step failed. What failed in it is said again at the end: a log of CI often shows its last lines only. */
class StepFailed extends Error {}

const failedLinesMax = 60

/** What the test runner lists as failed, errors after the end of a test, or the last lines. */
function failuresIn(output: string): string {
  const lines = output.split('\n')
  const list = lines.findLastIndex((line) => line.startsWith('✖ failing tests'))
  const late = lines.filter((line) => line.includes('after the test ended'))
  const said =
    list >= 0 ? lines.slice(list, list + failedLinesMax) : late.length > 0 ? late : lines.slice(-failedLinesMax)
  return said.join('\n')
}

const running = new Set<ChildProcess>()

/** Prints the command's output in one piece when it ends, because steps run side by side; `isAlone` prints it as it comes. */
async function step(
  name: string,
  command: string,
  commandArgs: readonly string[],
  { isAlone = false } = {},
): Promise<void> {
  const started = Date.now()
  const child = spawn(command, commandArgs, { stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk))
  const end = await new Promise<number | string>((resolve, reject) =>
    child.once('error', reject).once('close', (code, signal) => resolve(code ?? signal ?? '')),
  )
  running.delete(child)
  process.stdout.write(Buffer.concat(output))
  if (end !== 0) {
    const failures = failuresIn(Buffer.concat(output).toString())
    throw new StepFailed(
      `${name} failed (${command} ${commandArgs.slice(0, 3).join(' ')} … ended with ${end}).\n${failures}`,
    )
  }
  console.log(`— ${name}: ${((Date.now() - started) / 1_000).toFixed(1)} s`)
}

/** One after the other, and continues after a failure: a developer wants to see all of them. */
async function inTurn(...steps: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const run of steps) await run().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures)
}

/** Takes steps from a list until none is left; several can share the list. The longest should be first. Continues after a failure, like `inTurn`. */
const takeFrom = (left: (() => Promise<void>)[]) => async () => {
  const failures: unknown[] = []
  for (let run = left.shift(); run; run = left.shift()) await run().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures)
}

async function sideBySide(...works: Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(works)
  await inTurn(...ends.map((end, at) => async () => (end.status === 'rejected' ? works[at] : undefined)))
}

const lint = () => step('lint and format', 'biome', ['check', '--error-on-warnings'])
const types = () => step('types', 'tsc', ['--project', '.'])
const consoleTypes = () => step('types of the console', 'tsc', ['--project', 'console'])
/** What the adapters are tested with has a lockfile of its own. */
const frameworks = () => step('frameworks of the adapters', 'node', ['scripts/install-frameworks.ts'])
/** The examples with the types of the frameworks: what an adapter gives is what its framework takes. */
const frameworkTypes = () => step('types of the adapters', 'tsc', ['--project', 'examples/frameworks'])
/** Those that take long to install. Only long tests need them. */
const largeFrameworks = () => step('large frameworks', 'node', ['scripts/install-frameworks.ts', '--large'])
const needsLargeFrameworks = (file: string) => file.endsWith('large-frameworks.long.test.ts')
const needsFrameworks = (file: string) => file.startsWith('test/integrations/') || file.startsWith('test/docs/examples')
const deadCode = () => step('dead code', 'knip', ['--no-progress'])

function filesOf(...patterns: string[]): string[] {
  const files = globSync(patterns).sort()
  return has('--all') ? files : files.filter((file) => !file.endsWith('.long.test.ts'))
}

const propertySeed = ['--import', new URL('../test/support/property-seed.ts', import.meta.url).href]

/** All files in one process: quick to start, for tests that share nothing but their imports. */
const oneProcess = ['--test', fromSource, '--test-isolation=none', timeout, '--test-force-exit', ...propertySeed]
const inOneProcess = (name: string, files: readonly string[]) => step(name, 'node', [...oneProcess, ...files])

const endProcess = ['--import', new URL('../test/support/end-process.ts', import.meta.url).href]
const aProcessEach = [
  '--test',
  fromSource,
  `--test-concurrency=${testProcesses}`,
  timeout,
  ...propertySeed,
  ...endProcess,
]

async function runFast(): Promise<void> {
  const files = filesOf(unitTests, ...fastSuites)
  if (has('--watch')) {
    const watching = ['--watch', '--test', '--test-isolation=none', timeout, ...propertySeed]
    return step('tests', 'node', [...watching, ...files], { isAlone: true })
  }
  await sideBySide(inTurn(lint, types), inOneProcess('tests', files))
}

async function runChosen(): Promise<void> {
  const files = filesOf(unitTests, suites).filter((file) => parts.some((part) => file.includes(part)))
  if (files.length === 0) throw new StepFailed(`No test file matches ${parts.join(', ')}.`)
  if (files.some((file) => file.startsWith('test/console/'))) await buildConsole()
  if (files.some(needsFrameworks)) await frameworks()
  if (files.some(needsLargeFrameworks)) await largeFrameworks()
  await step('tests', 'node', [...aProcessEach, ...files], { isAlone: true })
}

async function runWhole(): Promise<void> {
  // The unit tests need no console and no bundle, so they run beside what makes them and beside the suites.
  await sideBySide(inOneProcess('unit tests', filesOf(unitTests)), checkThenRunSuites())
}

async function checkThenRunSuites(): Promise<void> {
  // The network and the processor are busy at different times.
  const installs = filesOf(suites).some(needsLargeFrameworks) ? [frameworks, largeFrameworks] : [frameworks]
  await sideBySide(inTurn(...installs, frameworkTypes), inTurn(lint, types, consoleTypes, deadCode, buildConsole))
  const { main, cliWorker, children } = await bundleProgram()
  const builtFolder = join(folder, 'package')
  await buildPackage(builtFolder)
  Object.assign(process.env, {
    COLOPHON_TEST_PROGRAM: main,
    COLOPHON_TEST_CLI_WORKER: cliWorker,
    COLOPHON_TEST_CHILDREN: children,
    COLOPHON_TEST_PACKAGE: builtFolder,
  })
  const given = process.env.COLOPHON_TEST_DATABASE_URL
  // Durability of the server itself is not what these suites test, and a disk's flushes would dominate their time.
  const server = given ? null : await startPostgres({ fsync: 'off' })
  process.env.COLOPHON_TEST_DATABASE_URL = given ?? server?.url
  try {
    const sharing = filesOf(sharingSuites)
    const others = filesOf(suites).filter((file) => !sharing.includes(file))
    const groups = [...Map.groupBy(sharing, groupOf)].sort(([a], [b]) => a - b)
    const takeGroups = takeFrom(
      groups.map(
        ([, files]) =>
          () =>
            inOneProcess('suites that share a process', files),
      ),
    )
    const otherSuites = () => step('other suites', 'node', [...aProcessEach, ...others])
    // Two groups at a time beside the other suites, and three when those have ended. The first group is the console, for most of the time.
    await sideBySide(takeGroups(), takeGroups(), inTurn(otherSuites, takeGroups))
  } finally {
    await server?.stop()
  }
}

function report(error: unknown): void {
  if (error instanceof AggregateError) error.errors.forEach(report)
  else console.error(error instanceof StepFailed ? `\n${error.message}` : error)
}

// Everything that the run leaves in the system's folder for temporary files is in this one.
const folder = createTemporaryFolder('colophon-run-')
process.env.TMPDIR = folder
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal)
    process.exit(1)
  })
}
// Hundreds of processes load the same files: the first of them compiles, also for the next run.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
if (has('--all')) process.env.COLOPHON_TEST_ALL = '1'
try {
  if (unknown !== undefined) throw new StepFailed(`${unknown} is no flag of this: use --fast, --watch or --all.`)
  await (has('--fast') ? runFast() : parts.length > 0 ? runChosen() : runWhole())
} catch (error) {
  report(error)
  process.exitCode = 1
}

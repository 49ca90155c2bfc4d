import { Readable } from 'node:stream'
import { createProgram } from '../../src/cli/program.ts'
import type { CliResult } from './cli.ts'

/** Runs commands one after the other, each with its own arguments, variables and standard streams. The other end of `cli-worker.ts`. */

export type CliCommand = {
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env: NodeJS.ProcessEnv
  readonly input: string
}

const workingDirectory = process.cwd()

class Exit extends Error {}

/** A timer without a reference does not count as active. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 2).unref())

/** What keeps this process alive while no command runs: the channel to the test. */
let idleResources = 0

async function run({ args, cwd = workingDirectory, env, input }: CliCommand): Promise<CliResult> {
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      printed[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      const done = rest.at(-1)
      if (typeof done === 'function') done()
      return true
    }
  }
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true })
  process.env = env
  process.chdir(cwd)
  process.exitCode = undefined
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    // A process ends when nothing keeps it alive: a command that leaves something open never ends here either.
    while (process.getActiveResourcesInfo().length > idleResources) await pause()
  } catch (error) {
    if (!(error instanceof Exit)) throw error
  }
  return { code: process.exitCode === undefined ? 0 : Number(process.exitCode), ...printed }
}

process.exit = (code) => {
  process.exitCode = code ?? process.exitCode
  throw new Exit()
}

process.on('message', async (command: CliCommand) => {
  idleResources ||= process.getActiveResourcesInfo().length
  process.send?.(await run(command))
})

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { CliResult } from './cli.ts'
import type { CliCommand } from './cli-worker-program.ts'
import { cleanEnv } from './server-process.ts'

const program = process.env.COLOPHON_TEST_CLI_WORKER ?? fileURLToPath(new URL('cli-worker-program.ts', import.meta.url))
const commandMsMax = 60_000

const idle: ChildProcess[] = []

/**
 * Runs a command in a process that has run others before. To start a process for each takes a tenth of a second of CPU, nearly all of it
 * for loading. Commands at the same time have processes of their own.
 */
export async function runInWorker(command: CliCommand): Promise<CliResult> {
  const worker = idle.pop() ?? start()
  worker.channel?.ref()
  let overdue: NodeJS.Timeout | undefined
  try {
    return await new Promise<CliResult>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`colophon ${command.args.join(' ')}: the process ${why}.`))
      overdue = setTimeout(() => {
        worker.kill('SIGKILL')
        fail('did not end')
      }, commandMsMax)
      worker.once('exit', (code, signal) => fail(`crashed (${signal ?? code})`))
      worker.once('message', (result: CliResult) => {
        idle.push(worker)
        resolve(result)
      })
      worker.send(command)
    })
  } finally {
    clearTimeout(overdue)
    worker.removeAllListeners('exit').channel?.unref()
  }
}

/** It ends when its channel closes, so with this process at the latest, and does not keep this process alive. */
function start(): ChildProcess {
  const worker = fork(program, [], { execArgv: [], env: cleanEnv({}), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  worker.unref()
  return worker
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { runInWorker } from './cli-worker.ts'
import type { Env } from './server.ts'
import { cleanEnv, mainProgram } from './server-process.ts'
import { isThorough } from './thorough.ts'

export type CliResult = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

export type CliOptions = { readonly env?: Env; readonly input?: string }

export type Cli = (args: readonly string[], input?: string) => Promise<CliResult>

/** A command of the program; what it printed and how it ended. To start the program is most of its CPU, so only `npm run test:all` does. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { env = {}, input = '' } = options
  return isThorough ? runCliProcess(args, options) : runInWorker({ args, env: cleanEnv(env), input })
}

/** The same in a process of its own, for tests about the process itself. */
export async function runCliProcess(
  args: readonly string[],
  { env = {}, input = '' }: CliOptions = {},
): Promise<CliResult> {
  return follow(process.execPath, [mainProgram, ...args], env, input)
}

/** The same on a terminal, which `script` plays. */
export async function runCliOnTerminal(args: readonly string[], env: Env): Promise<CliResult> {
  const quoted = [process.execPath, mainProgram, ...args].map((part) => `'${part.replaceAll("'", "'\\''")}'`)
  return follow('script', ['-qec', quoted.join(' '), '/dev/null'], env, '')
}

/** A line as a shell runs it. */
export async function runShell(line: string, { env = {}, input = '' }: CliOptions = {}): Promise<CliResult> {
  return follow('sh', ['-c', line], env, input)
}

async function follow(command: string, args: readonly string[], env: Env, input: string): Promise<CliResult> {
  const child = spawn(command, args, { env: cleanEnv(env), stdio: ['pipe', 'pipe', 'pipe'], timeout: 60_000 })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  // A command that does not read its input closes it.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** An HTTP server that is not Colophon and always sends the same response. */
export async function startOtherServer(status: number, body: string): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The servers that are measured, each in a process of its own. */
export const benchKey = 'bench-key-bench-key-bench-key'

export type Running = { readonly url: string; readonly child: ChildProcess }

/** The build, as users run it. */
export function startOurs(folder: string): Promise<Running> {
  return startServer(['dist/cli/main.js', 'serve'], {
    COLOPHON_PORT: '0',
    COLOPHON_DATA_DIR: join(folder, 'http'),
    COLOPHON_BOOTSTRAP_KEY: benchKey,
    COLOPHON_LOG_LEVEL: 'error',
  })
}

/** Ended with this process, whatever ends it. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function startServer(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Running> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)))
    child.stdout.on('data', (chunk: Buffer) => {
      const url = /listening on (http:\S+)/.exec(chunk.toString())?.[1]
      if (url) resolve({ url, child })
    })
  })
}

/** The operating system's figures of a process: CPU time in hundredths of a second, and resident memory. */
export function readProcess({ child }: Running): { cpuTicks: number; residentKb: number } {
  const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
  return { cpuTicks: Number(stat[11]) + Number(stat[12]), residentKb: Number(resident ?? 0) }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A program that prints on its standard output where it listens. */

export type ServerProcess = {
  readonly url: string
  end(signal: NodeJS.Signals): Promise<void>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function keepTrack(child: ChildProcess): Promise<void> {
  running.add(child)
  return once(child, 'close').then(() => void running.delete(child))
}

export async function startServerProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  listens: RegExp,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = keepTrack(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-10_000)
    })
  const url = await new Promise<string | undefined>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = listens.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => resolve(undefined))
  })
  if (url === undefined) throw new Error(`The program ended before it listened: ${output}`)
  return {
    url,
    end: async (signal) => {
      child.kill(signal)
      await ended
    },
  }
}

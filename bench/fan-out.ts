import { execFileSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Recorder } from './recorder.ts'
import { benchKey, type Running, readProcess, startOurs, startServer } from './servers.ts'

const seconds = 6
/** Descriptors that a process needs besides its streams. */
const spareFiles = 1_000
/** About as long as our event of a change. */
const event = JSON.stringify({
  position: 1,
  kind: 'memory.written',
  memoryRef: 'bench',
  entryIds: [`mem_${'0'.repeat(36)}`],
  at: '2026-01-01T00:00:00.000Z',
})

/** Many subscribers of the change stream, one event a second each, beside a bare fan-out. */
export async function benchFanOut(recorder: Recorder, folder: string, streams: number): Promise<void> {
  if (!recorder.wants('streamCpu', 'streamMemory')) return
  const filesMax = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
  if (Number(filesMax) < streams + spareFiles)
    return recorder.skip(['streamCpu', 'streamMemory'], `a process may open only ${filesMax} files here`)
  const bare = await measure(await startServer(['bench/http-servers.ts', 'fan-out']), streams, {
    changes: '/changes',
    put: '/put',
    body: event,
  })
  const ours = await measure(await startOurs(join(folder, 'streams')), streams, {
    changes: '/v1/host/colophon/changes',
    put: '/v1/host/colophon/memory/bench/entries',
    body: JSON.stringify({ content: 'an event' }),
  })
  recorder.note('streamCpu', [ours.cpu / bare.cpu])
  recorder.note('streamMemory', [ours.kilobytes])
}

function subscribe({ url }: Running, path: string, onEvent: () => void): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${benchKey}\r\n\r\n`),
    )
    socket.on('error', reject)
    socket.once('data', () => {
      resolve(socket)
      socket.on('data', (chunk: Buffer) => {
        if (chunk.includes('event: change')) onEvent()
      })
    })
  })
}

async function measure(
  server: Running,
  streams: number,
  paths: { changes: string; put: string; body: string },
): Promise<{ cpu: number; kilobytes: number }> {
  const before = readProcess(server)
  let received = 0
  const sockets: Socket[] = []
  // Some at a time: the queue of a listening socket is short.
  while (sockets.length < streams) {
    const some = Math.min(100, streams - sockets.length)
    sockets.push(
      ...(await Promise.all(Array.from({ length: some }, () => subscribe(server, paths.changes, () => received++)))),
    )
  }
  const opened = readProcess(server)
  const headers = { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' }
  for (let second = 0; second < seconds; second++) {
    const tick = new Promise((resolve) => setTimeout(resolve, 1_000))
    await fetch(`${server.url}${paths.put}`, { method: 'POST', headers, body: paths.body })
    await tick
  }
  const after = readProcess(server)
  for (const socket of sockets) socket.destroy()
  server.child.kill('SIGTERM')
  const lost = sockets.length * seconds - received
  // An event may still be on its way at the end; more than that were not sent.
  if (lost > sockets.length) throw new Error(`${lost} of ${sockets.length * seconds} events did not arrive.`)
  return {
    cpu: (after.cpuTicks - opened.cpuTicks) / seconds,
    kilobytes: (opened.residentKb - before.residentKb) / sockets.length,
  }
}

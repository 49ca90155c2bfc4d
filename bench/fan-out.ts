// Measures many subscribers of the change stream, one event a second each, beside a bare fan-out:
// node bench/fan-out.ts [SUBSCRIBERS]   (5,000 of them need `ulimit -n 20000`)
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchKey, type Running, readProcess, startOurs, startServer } from './servers.ts'

const subscribersWanted = Number(process.argv[2] ?? 5_000)
const seconds = 10
/** About as long as our event of a change. */
const event = JSON.stringify({
  position: 1,
  kind: 'memory.written',
  memoryRef: 'bench',
  entryIds: [`mem_${'0'.repeat(36)}`],
  at: '2026-01-01T00:00:00.000Z',
})

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
  name: string,
  server: Running,
  paths: { changes: string; put: string; body: string },
): Promise<void> {
  const before = readProcess(server)
  let received = 0
  const sockets: Socket[] = []
  // Some at a time: the queue of a listening socket is short.
  while (sockets.length < subscribersWanted) {
    const some = Math.min(100, subscribersWanted - sockets.length)
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
  const cpu = ((after.cpuTicks - opened.cpuTicks) / seconds).toFixed(1)
  const memory = ((opened.residentKb - before.residentKb) / sockets.length).toFixed(1)
  console.log(
    `${name}: ${cpu} % of a core, ${memory} KB a connection, ${received} of ${sockets.length * seconds} events`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-fan-out-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
await measure('bare', await startServer(['bench/http-servers.ts', 'fan-out']), {
  changes: '/changes',
  put: '/put',
  body: event,
})
await measure('ours', await startOurs(folder), {
  changes: '/v1/host/colophon/changes',
  put: '/v1/host/colophon/memory/bench/entries',
  body: JSON.stringify({ content: 'an event' }),
})

import { openLoad } from './http-load.ts'
import type { Recorder } from './recorder.ts'
import { type Running, readProcess, startOurs, startServer } from './servers.ts'

const section = 'HTTP, 32 connections: ours beside bare fastify'
const connections = 32
const requestsPerSlice = 1_600

/** A durable, redacted put over HTTP beside a server that only echoes, and beside one that syncs for every request. */
export async function benchHttp(recorder: Recorder, folder: string): Promise<void> {
  const [echo, oneSync, ours] = await Promise.all([
    startServer(['bench/http-servers.ts', 'echo']),
    startServer(['bench/http-servers.ts', 'one-sync', folder]),
    startOurs(folder),
  ])
  const body = JSON.stringify({ content: 'x'.repeat(290), tags: ['preference', 'bench', 'http'] })
  const ourPath = '/v1/host/colophon/memory/agents%2Fbench/entries'
  const loads = {
    ours: await openLoad(ours.url, connections, { path: ourPath, body }),
    echo: await openLoad(echo.url, connections, { path: '/put', body }),
    oneSync: await openLoad(oneSync.url, connections, { path: '/put', body }),
  }
  const side = (load: (typeof loads)['ours']) => ({ run: () => load.run(requestsPerSlice) })
  const common = { section, entries: 0, shown: 'rate', operations: requestsPerSlice, judged: side(loads.ours) } as const
  try {
    await recorder.compare({
      ...common,
      work: 'durable put, beside an echo',
      target: 0.15,
      reference: side(loads.echo),
    })
    await recorder.compare({
      ...common,
      work: 'durable put, beside one sync per request',
      target: 3,
      reference: side(loads.oneSync),
    })
  } finally {
    for (const load of Object.values(loads)) load.close()
    for (const server of [echo, oneSync, ours]) server.child.kill('SIGTERM')
  }
  await benchStart(recorder, folder)
}

/** The time from the start of the process to its first response, and its memory then. */
async function benchStart(recorder: Recorder, folder: string): Promise<void> {
  const measure = (launch: () => Promise<Running>) => {
    const resident: number[] = []
    const run = async () => {
      const server = await launch()
      await fetch(`${server.url}/healthz`)
      resident.push(readProcess(server).residentKb)
      server.child.kill('SIGTERM')
      await new Promise((resolve) => server.child.once('exit', resolve))
    }
    return { run, resident }
  }
  const ours = measure(() => startOurs(folder))
  const bare = measure(() => startServer(['bench/http-servers.ts', 'echo']))
  const comparison = { section, entries: 0, shown: 'time', operations: 1, judged: ours, reference: bare } as const
  await recorder.compare({ ...comparison, work: 'start to first answer', target: 2 })
  const average = (values: number[]) =>
    Math.round(values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1) / 1_024)
  if (ours.resident.length > 0)
    console.error(`idle memory: ours ${average(ours.resident)} MB, bare fastify ${average(bare.resident)} MB`)
}

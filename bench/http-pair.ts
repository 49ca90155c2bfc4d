import { join } from 'node:path'
import { openConnections, openLoad } from './http-load.ts'
import type { Side } from './pair.ts'
import type { Recorder } from './recorder.ts'
import { type Running, readProcess, startOurs, startServer } from './servers.ts'
import type { WorkId } from './works.ts'

const connections = 32
const requestsPerSlice = 4_800
const listsPerSlice = 800
const entriesPath = '/v1/host/colophon/memory/agents%2Fbench/entries'
const restMs = 12_000
const listPath = '/v1/host/colophon/memory/agents%2Flisted/entries'

/** Puts and lists over HTTP beside servers that only echo, and beside one that syncs for every request. */
export async function benchHttp(recorder: Recorder, folder: string): Promise<void> {
  if (!recorder.wants('httpPutEcho', 'httpPutSync', 'httpList')) return
  const [echo, oneSync, ours] = await Promise.all([
    startServer(['bench/http-servers.ts', 'echo']),
    startServer(['bench/http-servers.ts', 'one-sync', folder]),
    startOurs(folder),
  ])
  const body = JSON.stringify({ content: 'x'.repeat(290), tags: ['preference', 'bench', 'http'] })
  const put = { method: 'POST', body }
  // Opened for each comparison: a server closes connections that are idle for long.
  const compare = async (id: WorkId, requests: number, [judged, reference]: readonly [Target, Target]) => {
    if (!recorder.wants(id)) return
    const loads = await Promise.all(
      [judged, reference].map(({ server, ...asked }) => openLoad(server.url, connections, asked)),
    )
    const [one, other] = loads.map((load) => ({ run: () => load.run(requests) })) as [Side, Side]
    await recorder.compare(id, { operations: requests, judged: one, reference: other })
    for (const load of loads) load.close()
  }
  const ourPut = { ...put, server: ours, path: entriesPath }
  const page = await storeList(ours)
  try {
    await compare('httpPutEcho', requestsPerSlice, [ourPut, { ...put, server: echo, path: '/put' }])
    await compare('httpPutSync', requestsPerSlice, [ourPut, { ...put, server: oneSync, path: '/put' }])
    await fetch(`${echo.url}/store`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: page })
    await compare('httpList', listsPerSlice, [
      { method: 'GET', server: ours, path: `${listPath}?limit=50` },
      { method: 'GET', server: echo, path: '/stored' },
    ])
  } finally {
    for (const server of [echo, oneSync, ours]) server.child.kill('SIGTERM')
  }
}

type Target = { readonly server: Running; readonly method: string; readonly path: string; readonly body?: string }

/** Stores the entries that are listed, and returns the response that the echo repeats. */
async function storeList({ url }: Running): Promise<string> {
  const {
    connections: [connection],
    close,
  } = await openConnections(url, 1)
  const entries = Array.from({ length: 200 }, (_, at) => ({
    content: `${at} ${'x'.repeat(286)}`,
    tags: ['preference', 'bench', 'http'],
  }))
  await connection?.ask('POST', `${listPath}:batch`, JSON.stringify({ entries }))
  const page = (await connection?.ask('GET', `${listPath}?limit=50`)) ?? ''
  close()
  return page
}

/** The time from the start of the process to its first response. */
export async function benchStart(recorder: Recorder, folder: string): Promise<void> {
  if (!recorder.wants('start')) return
  const starts = (launch: () => Promise<Running>) => ({ run: async () => stop(await answered(launch)) })
  const judged = starts(() => startOurs(folder))
  await recorder.compare('start', { operations: 1, judged, reference: starts(startEcho) })
}

/** The memory of a process some time after its first response, of several of each side at once. */
export async function benchRest(recorder: Recorder, folder: string): Promise<void> {
  if (!recorder.wants('idleMemory', 'idleMegabytes')) return
  const folders = Array.from({ length: 3 }, (_, index) => join(folder, `rest-${index}`))
  const ours = await Promise.all(folders.map((own) => answered(() => startOurs(own))))
  const bare = await Promise.all(folders.map(() => answered(startEcho)))
  await new Promise((resolve) => setTimeout(resolve, restMs))
  const [megabytes, reference] = [ours, bare].map((side) =>
    side.map((server) => readProcess(server).residentKb / 1_024),
  )
  await Promise.all([...ours, ...bare].map(stop))
  recorder.note('idleMemory', megabytes?.map((of, at) => of / (reference?.[at] ?? Number.NaN)) ?? [])
  recorder.note('idleMegabytes', megabytes ?? [])
}

const startEcho = () => startServer(['bench/http-servers.ts', 'echo'])

async function answered(launch: () => Promise<Running>): Promise<Running> {
  const server = await launch()
  await fetch(`${server.url}/healthz`)
  return server
}

async function stop({ child }: Running): Promise<void> {
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
}

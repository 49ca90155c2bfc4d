// The servers that ours is measured beside, one per process: node bench/http-servers.ts nothing|echo|one-sync|fan-out|runs FOLDER
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import Fastify from 'fastify'
import type { Draft } from './entries.ts'

const [kind, folder = '.'] = process.argv.slice(2)
const app = Fastify({ logger: false })

if (kind === 'nothing') {
  app.get('*', async () => ({}))
  app.post('*', async () => ({}))
}
if (kind === 'echo') {
  app.post('/put', async (request, reply) => reply.code(201).send(request.body))
  // As large as a response of ours, made anew from an object for each request.
  let stored: unknown = {}
  app.post('/store', async (request) => {
    stored = request.body
    return {}
  })
  app.get('/stored', async () => stored)
}
if (kind === 'one-sync') {
  // Loaded here only: the echo must start as lean as fastify is.
  const { toRawEntries } = await import('./entries.ts')
  const { openRawSqlite } = await import('./raw-sqlite.ts')
  const { fillStore, tenantId } = await import('./sqlite-store.ts')
  // The same rows and the same durability as ours, but a transaction and a sync for every request.
  const path = join(folder, 'one-sync.db')
  await fillStore(path, 10)
  const raw = openRawSqlite(path, tenantId, { audit: true })
  app.post('/put', async (request, reply) => {
    raw.putEach(toRawEntries([request.body as Draft]))
    return reply.code(201).send(request.body)
  })
}
if (kind === 'runs') {
  const { openRawRuns } = await import('./run-raw.ts')
  const { runActor, tenantId } = await import('./run-library.ts')
  // The two commits of a run, shared by concurrent requests, and nothing else.
  const runs = openRawRuns(folder, tenantId, runActor)
  type Draft = { inputs?: unknown }
  app.post('/runs', async (request, reply) => {
    const run = await runs.create((request.body as Draft).inputs ?? {})
    await runs.complete(run)
    return reply.code(201).send({ runId: run.runId, status: 'completed' })
  })
}
if (kind === 'fan-out') {
  const subscribers = new Set<ServerResponse>()
  app.get('/changes', (request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
    reply.raw.write(': connected\n\n')
    subscribers.add(reply.raw)
    request.raw.on('close', () => subscribers.delete(reply.raw))
  })
  app.post('/put', async (request, reply) => {
    const frame = `id: 1\nevent: change\ndata: ${JSON.stringify(request.body)}\n\n`
    for (const subscriber of subscribers) subscriber.write(frame)
    return reply.code(201).send({})
  })
}
await app.listen({ host: '127.0.0.1', port: 0 })
const address = app.server.address()
console.log(`listening on http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`)

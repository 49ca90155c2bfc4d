import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '../support/child.ts'
import type { Call } from '../support/server.ts'
import { host } from './runs-calls.ts'

export type Delivery = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as it was received. */
  readonly raw: string
  // biome-ignore lint/suspicious/noExplicitAny: a delivery is what the test says it is, and the test checks it.
  readonly body: any
}

export type Receiver = AsyncDisposable & {
  readonly url: string
  readonly deliveries: Delivery[]
  /** The deliveries at a path, once they fit. */
  until(path: string, what: string, isSo: (deliveries: readonly Delivery[]) => boolean): Promise<Delivery[]>
  at(path: string): Delivery[]
}

/** Records the deliveries it receives. The path says how it answers: `/500` with that status, `/never` not at all, others with 200. */
export async function startReceiver(): Promise<Receiver> {
  const deliveries: Delivery[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks).toString()
    const path = request.url ?? ''
    deliveries.push({ path, headers: request.headers, raw, body: JSON.parse(raw || 'null') })
    if (path === '/never') return
    const status = Number(/^\/(\d{3})$/.exec(path)?.[1] ?? 200)
    response.writeHead(status, { location: '/redirected' }).end('the answer of the receiver')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = (path: string) => deliveries.filter((delivery) => delivery.path === path)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    at,
    async until(path, what, isSo) {
      await eventually(`the webhook received ${what}`, async () => isSo(at(path)))
      return at(path)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a job is what the test says it is, and the test checks it.
export async function webhookJobs(call: Call, status: string): Promise<any[]> {
  const { body } = await call('GET', `${host}/jobs?status=${status}&limit=500`)
  return body.jobs.filter(({ kind }: { kind: string }) => kind === 'colophon.webhook')
}

/** Waits until no delivery is pending: a delivery that is missing then was never made. */
export async function allDelivered(call: Call): Promise<void> {
  await eventually('everything is delivered', async () => {
    const open = await Promise.all(['queued', 'leased'].map((status) => webhookJobs(call, status)))
    return open.flat().length === 0
  })
}

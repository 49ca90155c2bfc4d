// A small local HTTP server that keeps what it is sent, for the webhook scenarios.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pause } from './harness.ts'

export type Delivery = { readonly headers: IncomingHttpHeaders; readonly raw: string }

export type Receiver = {
  readonly url: string
  readonly deliveries: readonly Delivery[]
  /** Waits until a delivery fits, and returns undefined when none did in time. */
  next(fits: (delivery: Delivery) => boolean, timeoutMs: number): Promise<Delivery | undefined>
  close(): Promise<void>
}

type Judgement = boolean | 'held'

/** A receiver. It answers 503 to the deliveries that it refuses, and nothing to those that it holds. */
export async function startReceiver(
  refuses: (delivery: Delivery, earlier: readonly Delivery[]) => Judgement = () => false,
): Promise<Receiver> {
  const deliveries: Delivery[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const delivery = { headers: request.headers, raw: Buffer.concat(chunks).toString('utf8') }
      const isRefused = refuses(delivery, deliveries)
      deliveries.push(delivery)
      if (isRefused !== 'held') response.writeHead(isRefused ? 503 : 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    deliveries,
    async next(fits, timeoutMs) {
      const deadline = Date.now() + timeoutMs
      for (;;) {
        const found = deliveries.find(fits)
        if (found !== undefined || Date.now() >= deadline) return found
        await pause(20)
      }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

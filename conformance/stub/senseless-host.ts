// Hosts that are wrong everywhere. Nothing a scenario asks of them makes sense, so a scenario that passes there asks
// nothing.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '../harness.ts'

export type Senselessness =
  /** Refuses every call, and after the first one the discovery document as well. */
  | 'refuses'
  /** Agrees to everything and says nothing. */
  | 'nods'
  /** Knows nothing. */
  | 'finds-nothing'
  /** Claims the wrong things. */
  | 'misstates'

type StubAnswer = { readonly status: number; readonly body: unknown }

const nothing = { status: 404, body: { error: 'not_found', message: 'there is nothing here' } }

const answers: Readonly<Record<Senselessness, (method: string) => StubAnswer>> = {
  refuses: () => ({ status: 500, body: { error: 'internal_error', message: 'something went wrong' } }),
  nods: (method) => ({ status: method === 'POST' ? 201 : 200, body: {} }),
  'finds-nothing': () => nothing,
  misstates: () => nothing,
}

/** Every text, number and list becomes a wrong one; what switches a scenario on stays as it is. */
function misstate(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return ['wrong', 'wrong', '']
  if (typeof value === 'string') return `wrong ${depth}`
  if (typeof value === 'number') return -0.5
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).map(([name, member]) => [name, misstate(member, depth + 1)])
  return Object.fromEntries([...members, ['wrong', depth]])
}

export async function startSenselessHost(
  kind: Senselessness,
  discovery: JsonObject,
): Promise<{ url: string } & AsyncDisposable> {
  const document = kind === 'misstates' ? misstate(discovery) : discovery
  let askedForDocument = 0
  const server = createServer((request, response) => {
    const isDocument = request.url === '/.well-known/openwop'
    if (isDocument) askedForDocument += 1
    const isShown = isDocument && (kind !== 'refuses' || askedForDocument === 1)
    const { status, body } = isShown ? { status: 200, body: document } : answers[kind](request.method ?? 'GET')
    request.resume()
    response.writeHead(status, { 'Content-Type': 'application/json', ETag: '"never the same"' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

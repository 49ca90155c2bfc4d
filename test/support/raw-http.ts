import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { eventually } from './child.ts'

/** A connection on which a test may send anything. */
export type RawConnection = {
  readonly socket: Socket
  received(): string
  isClosed(): boolean
  send(bytes: string | Buffer): void
  /** Waits until the received bytes match. */
  until(what: string, isSo: (received: string) => boolean): Promise<void>
  /** Waits until the server closes the connection; returns all received bytes. */
  closed(): Promise<string>
  destroy(): void
}

export async function openRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  let isClosed = false
  socket.on('data', (chunk) => (received += chunk.toString('latin1')))
  socket.on('close', () => (isClosed = true))
  await once(socket, 'connect')
  // The server may break the connection while the test still sends; that is a valid response too.
  socket.on('error', () => {})
  return {
    socket,
    received: () => received,
    isClosed: () => isClosed,
    send: (bytes) => void socket.write(bytes),
    until: (what, isSo) => eventually(what, async () => isSo(received)),
    async closed() {
      await eventually('the server closes the connection', async () => isClosed, 15_000)
      return received
    },
    destroy: () => void socket.destroy(),
  }
}

/** Sends bytes after which the server closes the connection; returns all received bytes. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<string> {
  const connection = await openRaw(url)
  connection.send(bytes)
  try {
    return await connection.closed()
  } finally {
    connection.destroy()
  }
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
}

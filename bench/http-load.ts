import { connect, type Socket } from 'node:net'
import { benchKey } from './servers.ts'

/** Callers on kept-alive connections, each waiting for its response before the next request. Bare sockets: the load costs little. */
export type Load = { run(requests: number): Promise<void>; close(): void }

/** One of those connections; it answers with the body. */
export type Connection = { ask(method: string, path: string, body?: string): Promise<string> }

export async function openLoad(
  url: string,
  count: number,
  { method, path, body }: { method: string; path: string; body?: string },
): Promise<Load> {
  const { connections, close } = await openConnections(url, count)
  return {
    async run(requests) {
      let left = requests
      await Promise.all(
        connections.map(async ({ ask }) => {
          while (left-- > 0) await ask(method, path, body)
        }),
      )
    },
    close,
  }
}

export async function openConnections(url: string, count: number, key = benchKey) {
  const { hostname, port } = new URL(url)
  const sockets = await Promise.all(Array.from({ length: count }, () => open(hostname, Number(port))))
  const shared = `host: ${hostname}:${port}\r\nauthorization: Bearer ${key}\r\n`
  const connections = sockets.map(
    (socket): Connection => ({
      ask(method, path, body) {
        const ofBody =
          body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
        return exchange(socket, `${method} ${path} HTTP/1.1\r\n${shared}${ofBody}\r\n${body ?? ''}`)
      },
    }),
  )
  return {
    connections,
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket.setNoDelay(true)))
    socket.on('error', reject)
  })
}

/** Sends one request and waits for the whole response; anything but success is an error of the benchmark. */
function exchange(socket: Socket, message: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const onData = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      const end = answer.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0)
      if (answer.length < end + 4 + length) return
      socket.off('data', onData)
      if (/^HTTP\/1\.1 20[012]/.test(answer)) resolve(answer.slice(end + 4))
      else reject(new Error(`The server answered ${answer.slice(0, 40)}`))
    }
    socket.on('data', onData)
    socket.write(message)
  })
}

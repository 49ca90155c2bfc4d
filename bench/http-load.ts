import { connect, type Socket } from 'node:net'

/** Callers on kept-alive connections, each waiting for its answer before it asks again. Bare sockets: the load costs little. */
export type Load = { run(requests: number): Promise<void>; close(): void }

export async function openLoad(
  url: string,
  connections: number,
  request: { path: string; key: string; body: string },
): Promise<Load> {
  const { hostname, port } = new URL(url)
  const head = [
    `POST ${request.path} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    `authorization: Bearer ${request.key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(request.body)}`,
  ]
  const message = Buffer.from(`${head.join('\r\n')}\r\n\r\n${request.body}`)
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))))
  return {
    async run(requests) {
      let left = requests
      const ask = async (socket: Socket) => {
        while (left-- > 0) await exchange(socket, message)
      }
      await Promise.all(sockets.map(ask))
    },
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

/** Sends one request and waits for the whole of its answer; anything but success is an error of the benchmark. */
function exchange(socket: Socket, message: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const onData = (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      const end = answer.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0)
      if (answer.length < end + 4 + length) return
      socket.off('data', onData)
      if (/^HTTP\/1\.1 20[01]/.test(answer)) resolve()
      else reject(new Error(`The server answered ${answer.slice(0, 40)}`))
    }
    socket.on('data', onData)
    socket.write(message)
  })
}

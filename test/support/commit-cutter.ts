import { connect, createServer, type Socket } from 'node:net'

/** When to break the connection of a commit: before the server hears of it, or after it has done it. */
export type Cut = 'before commit' | 'after commit'

export type CommitCutter = {
  readonly url: string
  cutNext(cut: Cut): void
  /** Breaks every connection there is, whatever goes on in it. */
  cutAll(): void
  readonly cuts: number
  close(): Promise<void>
}

/** The message of a commit. Not the word alone: values have it too, such as the kinds of jobs that a worker asks for. */
const commitMessage = 'Q\0\0\0\x0bcommit\0'
/** A quick commit is one statement, whose name travels with it. */
const quickCommit = 'colophon_quick'
/** How the server answers each of them, whether it has done it or refused it. A transaction that has ended leaves the connection idle. */
const quickAnswer = /INSERT \d|SERROR\0/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the message has a length in bytes.
const commitAnswer = /Z\0\0\0\x05I/

/** A proxy in front of PostgreSQL that breaks connections at the worst moment. */
export async function startCommitCutter(serverUrl: string): Promise<CommitCutter> {
  const target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let armed: Cut | null = null
  let cuts = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    /** What the server says when it has done it, while its answers are kept from the client. */
    let swallowedUntil: RegExp | null = null
    let swallowed = ''
    const drop = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', drop)
      socket.on('close', drop)
    }
    client.on('data', (chunk) => {
      const isQuick = chunk.includes(quickCommit)
      if (armed !== null && (isQuick || chunk.includes(commitMessage))) {
        const cut = armed
        armed = null
        cuts += 1
        if (cut === 'before commit') return drop()
        swallowedUntil = isQuick ? quickAnswer : commitAnswer
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (swallowedUntil === null) return client.write(chunk)
      // The answer never reaches the client. It may come in two pieces.
      swallowed += chunk.toString('latin1')
      if (swallowedUntil.test(swallowed)) drop()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(serverUrl)
  url.port = String(address !== null && typeof address === 'object' ? address.port : 0)
  return {
    url: url.href,
    cutNext(cut) {
      armed = cut
    },
    cutAll() {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    get cuts() {
      return cuts
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

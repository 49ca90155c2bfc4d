import { connect } from 'node:net'
import { count, note, type Tally } from './tally.ts'
import { type Answer, codeOf, type Target } from './wire.ts'

/** Malformed requests: each must be refused with a code or have its connection closed, and store nothing. */

type Shape = (path: string, head: string) => string

const post = (path: string, head: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\n${head}Content-Type: application/json\r\nConnection: close\r\n${headers}\r\n\r\n${body}`
const sized = (path: string, head: string, body: string) =>
  post(path, head, `Content-Length: ${Buffer.byteLength(body)}`, body)
const entry = (content: string) => JSON.stringify({ content })
const secondRequest = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'

const shapes: Readonly<Record<string, Shape>> = {
  'a body that is cut off': (path, head) => post(path, head, 'Content-Length: 5000', '{"content": "never whole'),
  'a length that is too short': (path, head) => post(path, head, 'Content-Length: 9', entry('cut by its length')),
  'a length that is no number': (path, head) => post(path, head, 'Content-Length: many', entry('x')),
  'two lengths': (path, head) => post(path, head, 'Content-Length: 2\r\nContent-Length: 40', '{}'),
  'a length and chunks': (path, head) =>
    post(path, head, 'Content-Length: 4\r\nTransfer-Encoding: chunked', `0\r\n\r\n${secondRequest}`),
  'a chunk of a wrong length': (path, head) => post(path, head, 'Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
  'headers without an end': (path, head) => `POST ${path} HTTP/1.1\r\n${head}X: ${'x'.repeat(100_000)}`,
  'deep JSON': (path, head) => sized(path, head, `{"content": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
  'no JSON': (path, head) => sized(path, head, '{content: yes}'),
  'no object': (path, head) => sized(path, head, '"a text"'),
  'an unknown member': (path, head) => sized(path, head, JSON.stringify({ content: 'x', owner: 'me' })),
  'a member of the prototype': (path, head) => sized(path, head, '{"content": "x", "__proto__": {"a": 1}}'),
  'a content of another type': (path, head) => sized(path, head, '{"content": 42}'),
  'a content that is too long': (path, head) => sized(path, head, entry('x'.repeat(70_000))),
  'a body that is too long': (path, head) => sized(path, head, entry('x'.repeat(2_000_000))),
  'a NUL in the content': (path, head) => sized(path, head, entry('a\u0000b')),
  'half a character': (path, head) => sized(path, head, '{"content": "\\ud800"}'),
  'a huge number': (path, head) => sized(path, head, '{"content": "x", "expiresAt": 1e400}'),
  'another method': (path, head) => `BREW ${path} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
  'a wrong escape': (_, head) =>
    `GET /v1/host/colophon/memory/%zz/entries HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
  'an idempotency key that is too long': (path, head) =>
    sized(path, `${head}Idempotency-Key: ${'k'.repeat(5_000)}\r\n`, entry('x')),
  'another protocol': () => 'SSH-2.0-chaos\r\n\r\n',
}
const names = Object.keys(shapes)

/** Bodies beyond this are refused unread; set low, so that the load need not carry much. */
export const bodyLimitBytes = 1_048_576
/** An incomplete request gets no response: the client closes the connection soon. */
const unfinished = ['a body that is cut off', 'headers without an end']
const unfinishedMs = 100
const patienceMs = 3_000

/** True: it was sent. The response is checked here. */
export async function sendMalformed(target: Target, choice: number, path: string, tally: Tally): Promise<boolean> {
  const name = names[choice % names.length] ?? ''
  const head = `Host: localhost\r\nAuthorization: Bearer ${target.key}\r\n`
  const waitMs = unfinished.includes(name) ? unfinishedMs : patienceMs
  const received = await exchange(target.url, shapes[name]?.(path, head) ?? '', waitMs)
  const answer = parse(received)
  if (answer === null) {
    count(tally.cuts, 'after a malformed request')
    return true
  }
  const code = codeOf(answer)
  count(tally.codes, code ?? `${answer.status} without a code`)
  const what = `${name}: ${answer.status} ${JSON.stringify(answer.body)}`
  const isOutage = answer.status === 503
  if (answer.status < 400) note(tally, 'what is malformed is refused', what)
  else if (answer.status >= 500 && !isOutage) note(tally, 'no internal error', what)
  else if (code === null) note(tally, 'every failure has a code', what)
  return true
}

/** Everything received until either side closed the connection. */
function exchange(url: string, bytes: string, waitMs: number): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => void socket.write(bytes))
    const timer = setTimeout(() => socket.destroy(), waitMs)
    socket.on('data', (chunk) => (received += chunk.toString('utf8')))
    // A server may be killed in between, or close the connection during the request.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(received)
    })
  })
}

function parse(received: string): Answer | null {
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(received) ?? []
  if (status === undefined) return null
  const [, text = ''] = received.split(/\r\n\r\n/)
  try {
    return { status: Number(status), body: JSON.parse(text) }
  } catch {
    return { status: Number(status), body: null }
  }
}

import assert from 'node:assert/strict'
import * as http from 'node:http'
import * as net from 'node:net'
import { type TestContext, test } from 'node:test'
import { createWebhookSender } from './http-sender.ts'

const publicAddress = { address: '93.184.215.14', family: 4 }
const privateAddress = { address: '10.0.0.7', family: 4 }
const loopback = { address: '127.0.0.1', family: 4 }

async function listen(t: TestContext, server: net.Server): Promise<number> {
  const open = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return (server.address() as net.AddressInfo).port
}

const answering = (t: TestContext, answer: http.RequestListener) => listen(t, http.createServer(answer))

/** Intercepts every connection attempt and records its destination, so that none leaves this machine. */
function catchConnections(t: TestContext): string[] {
  const destinations: string[] = []
  t.mock.method(net.Socket.prototype, 'connect', function (this: net.Socket, options: net.TcpSocketConnectOpts) {
    options.lookup?.(options.host ?? '', { all: true }, (_error, found) => {
      for (const { address } of Array.isArray(found) ? found : []) destinations.push(address)
    })
    process.nextTick(() => this.destroy(new Error('caught by the test')))
    return this
  })
  return destinations
}

const local = createWebhookSender({ allowPrivate: true })
const hook = (port: number, path = '/hook') => ({ url: `http://127.0.0.1:${port}${path}`, headers: {}, body: '{}' })

test('a delivery arrives unchanged, with the host name and headers of the request', async (t) => {
  const seen: {
    url?: string | undefined
    method?: string | undefined
    headers?: http.IncomingHttpHeaders
    body?: string
  } = {}
  const port = await answering(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    Object.assign(seen, { url: request.url, method: request.method, headers: request.headers })
    seen.body = Buffer.concat(chunks).toString('utf8')
    response.writeHead(202).end('thanks')
  })
  const sender = createWebhookSender({ allowPrivate: true, lookup: async () => [loopback] })
  const body = JSON.stringify({ text: 'ä🦊' })
  const url = `http://receiver.example:${port}/hook?a=b#c`
  assert.deepEqual(await sender.send({ url, headers: { 'X-openwop-Webhook-Id': 'wh_1' }, body }), {
    ok: true,
    status: 202,
  })
  assert.equal(seen.method, 'POST')
  assert.equal(seen.url, '/hook?a=b')
  assert.equal(seen.body, body)
  assert.equal(seen.headers?.host, `receiver.example:${port}`)
  assert.equal(seen.headers?.['x-openwop-webhook-id'], 'wh_1')
  assert.equal(seen.headers?.['content-length'], String(Buffer.byteLength(body)))
  assert.equal(seen.headers?.connection, 'close')
})

test('names are resolved by the system by default', async (t) => {
  const port = await answering(t, (_request, response) => response.end())
  assert.deepEqual(await local.send({ ...hook(port), url: `http://localhost:${port}/` }), { ok: true, status: 200 })
})

test('a status outside 2xx is a failure, and a redirect is not followed', async (t) => {
  let visits = 0
  const port = await answering(t, (request, response) => {
    visits += 1
    response.writeHead(Number(request.url?.slice(1)), { Location: '/200' }).end()
  })
  for (const status of [301, 302, 303, 307, 308, 304]) {
    assert.deepEqual(await local.send(hook(port, `/${status}`)), { ok: false, reason: 'redirect', status })
  }
  for (const status of [400, 410, 429, 500, 503]) {
    assert.deepEqual(await local.send(hook(port, `/${status}`)), { ok: false, reason: 'status', status })
  }
  assert.equal(visits, 11)
})

test('a name with one private address is rejected before any connection', async (t) => {
  const destinations = catchConnections(t)
  const request = { url: 'https://receiver.example/', headers: {}, body: '{}' }
  for (const found of [
    [privateAddress],
    [publicAddress, privateAddress],
    [privateAddress, publicAddress],
    [publicAddress, { address: '::ffff:169.254.169.254', family: 6 }],
    [publicAddress, { address: 'nonsense', family: 4 }],
  ]) {
    const sender = createWebhookSender({ allowPrivate: false, lookup: async () => found })
    assert.deepEqual(await sender.send(request), { ok: false, reason: 'rejected_address' })
  }
  assert.deepEqual(destinations, [])
})

test('DNS rebinding between check and connection has no effect', async (t) => {
  const destinations = catchConnections(t)
  let lookups = 0
  const lookup = async () => (lookups++ === 0 ? [publicAddress] : [privateAddress])
  const sender = createWebhookSender({ allowPrivate: false, lookup })
  const request = { url: 'https://rebinding.example/', headers: {}, body: '{}' }
  assert.deepEqual(await sender.send(request), { ok: false, reason: 'connection' })
  assert.equal(lookups, 1)
  assert.deepEqual(destinations, [publicAddress.address])
  assert.deepEqual(await sender.send(request), { ok: false, reason: 'rejected_address' })
  assert.equal(lookups, 2)
  assert.deepEqual(destinations, [publicAddress.address])
})

test('the connection uses the addresses of the single lookup', async (t) => {
  const port = await answering(t, (_request, response) => response.end())
  let lookups = 0
  const lookup = async () => (lookups++ === 0 ? [loopback] : [{ address: '::1', family: 6 }])
  const sender = createWebhookSender({ allowPrivate: true, lookup })
  assert.deepEqual(await sender.send({ ...hook(port), url: `http://rebinding.example:${port}/` }), {
    ok: true,
    status: 200,
  })
  assert.equal(lookups, 1)
})

test('when one checked address does not answer, the others are tried', async (t) => {
  const port = await answering(t, (_request, response) => response.end())
  const lookup = async () => [{ address: '::1', family: 6 }, loopback]
  const sender = createWebhookSender({ allowPrivate: true, lookup })
  assert.deepEqual(await sender.send({ ...hook(port), url: `http://receiver.example:${port}/` }), {
    ok: true,
    status: 200,
  })
})

test('a URL that could not be registered is neither called nor looked up', async (t) => {
  const destinations = catchConnections(t)
  let lookups = 0
  const lookup = async () => {
    lookups += 1
    return [publicAddress]
  }
  const sender = createWebhookSender({ allowPrivate: false, lookup })
  for (const url of [
    'http://receiver.example/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'https://u:p@receiver.example/',
    'https://receiver.example/\r\nX-Injected: 1',
    'https://receiver.example\r\nX-Injected: 1/',
    'not a url',
    '',
  ]) {
    assert.deepEqual(await sender.send({ url, headers: {}, body: '' }), { ok: false, reason: 'rejected_address' }, url)
  }
  assert.equal(lookups, 0)
  assert.deepEqual(destinations, [])
})

test('a URL cannot add headers or a second request', async (t) => {
  const seen: string[] = []
  const port = await answering(t, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['x-injected']}`)
    response.end()
  })
  for (const path of ['/%0d%0aX-Injected:%201', '/?%0D%0A%0D%0AGET%20/b', '/\u560d\u560aX-Injected:1', '/a|"<>`']) {
    assert.deepEqual(await local.send(hook(port, path)), { ok: true, status: 200 })
  }
  assert.deepEqual(seen, [
    'POST /%0d%0aX-Injected:%201 undefined',
    'POST /?%0D%0A%0D%0AGET%20/b undefined',
    'POST /%E5%98%8D%E5%98%8AX-Injected:1 undefined',
    'POST /a|%22%3C%3E%60 undefined',
  ])
  await assert.rejects(
    local.send({ ...hook(port), headers: { 'X-openwop-Event-Type': 'a\r\nX-Injected: 1' } }),
    TypeError,
  )
  assert.equal(seen.length, 4)
})

test('a name without an address fails with dns', async () => {
  const request = { url: 'http://nowhere.example/', headers: {}, body: '' }
  for (const lookup of [
    async () => [],
    () => Promise.reject(new Error('ENOTFOUND nowhere.example')),
    () => {
      throw new Error('no resolver')
    },
  ]) {
    const sender = createWebhookSender({ allowPrivate: true, lookup })
    assert.deepEqual(await sender.send(request), { ok: false, reason: 'dns' })
  }
})

const hasty = createWebhookSender({ allowPrivate: true, timeoutMs: 150 })
const timedOut = { ok: false, reason: 'timeout' }

test('a receiver that sends nothing, or its headers too slowly, times out', async (t) => {
  const silent = await answering(t, () => {})
  assert.deepEqual(await hasty.send(hook(silent)), timedOut)
  const trickling = net.createServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('X-More: 1\r\n'), 10)
    socket.on('close', () => clearInterval(timer))
  })
  assert.deepEqual(await hasty.send(hook(await listen(t, trickling))), timedOut)
})

test('a lookup that never ends times out', async () => {
  const sender = createWebhookSender({ allowPrivate: true, timeoutMs: 50, lookup: () => new Promise(() => {}) })
  assert.deepEqual(await sender.send({ url: 'http://slow.example/', headers: {}, body: '' }), timedOut)
})

test('an abort signal ends a delivery, also before it starts', async (t) => {
  let requests = 0
  const port = await answering(t, () => {
    requests += 1
  })
  const stop = new AbortController()
  const delivery = local.send({ ...hook(port), signal: stop.signal })
  setTimeout(() => stop.abort(), 50)
  assert.deepEqual(await delivery, timedOut)
  assert.equal(requests, 1)
  assert.deepEqual(await local.send({ ...hook(port), signal: stop.signal }), timedOut)
  assert.equal(requests, 1)
})

test('the status decides the outcome, also when the body never ends', async (t) => {
  const stalled = await answering(t, (_request, response) => response.writeHead(200).write('some'))
  assert.deepEqual(await local.send(hook(stalled)), { ok: true, status: 200 })

  let written = 0
  const endless = await answering(t, (_request, response) => {
    response.writeHead(500)
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(1_024))) written += 1_024
    }
    response.on('drain', pour)
    pour()
  })
  // To wait for the rest of the body would take for ever.
  assert.deepEqual(await local.send(hook(endless)), { ok: false, reason: 'status', status: 500 })
  assert.ok(written < 16 * 1_024 * 1_024, 'the rest of the body is not read')
})

test('a broken connection or a protocol other than HTTP fails with connection', async (t) => {
  const broken = { ok: false, reason: 'connection' }
  const answers: ((socket: net.Socket) => void)[] = [
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.once('data', () => socket.resetAndDestroy()),
    (socket) => socket.end(),
    (socket) => socket.end('220 mail.example ESMTP\r\n'),
    (socket) => socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`),
    (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  ]
  for (const answer of answers) {
    assert.deepEqual(await local.send(hook(await listen(t, net.createServer(answer)))), broken, String(answer))
  }
  const closed = net.createServer()
  const port = await listen(t, closed)
  await new Promise((resolve) => closed.close(resolve))
  assert.deepEqual(await local.send(hook(port)), broken)
})

test('a response that breaks off after its status keeps the status', async (t) => {
  const cutting = net.createServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    })
  })
  assert.deepEqual(await local.send(hook(await listen(t, cutting))), { ok: true, status: 204 })
  const resetting = net.createServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', () =>
        setTimeout(() => socket.resetAndDestroy(), 20),
      )
    })
  })
  assert.deepEqual(await local.send(hook(await listen(t, resetting))), { ok: true, status: 200 })
})

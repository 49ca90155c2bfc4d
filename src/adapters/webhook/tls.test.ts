import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import * as https from 'node:https'
import * as net from 'node:net'
import { type TestContext, test } from 'node:test'
import * as tls from 'node:tls'
import { createWebhookSender } from './node.ts'

/** A certificate made on the spot: no private key lies in the repository and none expires. */
function selfSigned(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = (tag: number, ...parts: (Buffer | string)[]) => {
    const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)))
    const size = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255]
    return Buffer.concat([Buffer.from([tag, ...size]), body])
  }
  const sequence = (...parts: (Buffer | string)[]) => der(0x30, ...parts)
  const ecdsaWithSha256 = sequence('06082a8648ce3d040302')
  const commonName = sequence(der(0x31, sequence('0603550403', der(0x0c, Buffer.from(name)))))
  const year = (offset: number) => der(0x18, Buffer.from(`${new Date().getUTCFullYear() + offset}0101000000Z`))
  const alternativeName = sequence('0603551d11', der(0x04, sequence(der(0x82, Buffer.from(name)))))
  const authority = sequence('0603551d13', '0101ff', der(0x04, sequence('0101ff')))
  const unsigned = sequence(
    'a003020102',
    '020101',
    ecdsaWithSha256,
    commonName,
    sequence(year(-1), year(2)),
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeName, authority)),
  )
  const signature = der(0x03, '00', sign('sha256', unsigned, privateKey))
  const base64 = sequence(unsigned, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

const identity = selfSigned('receiver.example')
const sender = createWebhookSender({
  allowPrivate: true,
  timeoutMs: 1_000,
  lookup: async () => [{ address: '127.0.0.1', family: 4 }],
})
const hook = (port: number, name = 'receiver.example') => ({ url: `https://${name}:${port}/`, headers: {}, body: '{}' })
const refused = { ok: false, reason: 'tls' }

async function listen(t: TestContext, server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as net.AddressInfo).port
}

test('a receiver whose certificate nobody vouches for gets nothing', async (t) => {
  let requests = 0
  const port = await listen(
    t,
    https.createServer(identity, () => requests++),
  )
  assert.deepEqual(await sender.send(hook(port)), refused)
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  assert.deepEqual(await sender.send(hook(port)), refused)
  assert.equal(requests, 0)
})

test('a receiver that does not speak TLS, or breaks off the handshake, fails in TLS', async (t) => {
  const plain = net.createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n'))
  assert.deepEqual(await sender.send(hook(await listen(t, plain))), refused)
  const resetting = net.createServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  assert.deepEqual(await sender.send(hook(await listen(t, resetting))), refused)
})

test('a handshake that never ends times out', async (t) => {
  const sockets: net.Socket[] = []
  const port = await listen(
    t,
    net.createServer((socket) => sockets.push(socket.on('error', () => {}))),
  )
  const hasty = createWebhookSender({ allowPrivate: true, timeoutMs: 100 })
  assert.deepEqual(await hasty.send(hook(port, '127.0.0.1')), { ok: false, reason: 'timeout' })
  for (const socket of sockets) socket.destroy()
})

const canTrust = 'setDefaultCACertificates' in tls

test('TLS is with the name, at the pinned address', { skip: !canTrust && 'needs Node 24' }, async (t) => {
  const before = tls.getCACertificates()
  t.after(() => tls.setDefaultCACertificates(before))
  tls.setDefaultCACertificates([identity.cert])
  const names: unknown[] = []
  const port = await listen(
    t,
    https.createServer(identity, (request, response) => {
      names.push((request.socket as tls.TLSSocket).servername, request.headers.host)
      if (request.url === '/') response.end()
      else request.socket.destroy()
    }),
  )
  assert.deepEqual(await sender.send(hook(port)), { ok: true, status: 200 })
  assert.deepEqual(names, ['receiver.example', `receiver.example:${port}`])
  // The handshake was fine: what breaks later is the connection.
  const breaking = { ...hook(port), url: `${hook(port).url}break` }
  assert.deepEqual(await sender.send(breaking), { ok: false, reason: 'connection' })
  // The certificate is trusted, but it is another name's.
  assert.deepEqual(await sender.send(hook(port, 'other.example')), refused)
  assert.deepEqual(await sender.send(hook(port, '127.0.0.1')), refused)
})

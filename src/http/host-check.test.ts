import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAllowedHost } from './host-check.ts'

const passes = (host: string | undefined, ...allowed: string[]) => isAllowedHost(host, new Set(allowed))

test('addresses and loopback names pass, with and without a port, and so does a request without a host', () => {
  const hosts = ['127.0.0.1', '127.0.0.1:4242', '10.1.2.3:80', '127.1:4242', '[::1]', '[::1]:4242', '[fd00::1]:1']
  const names = ['localhost', 'LocalHost:4242', 'localhost.', 'app.localhost:4242', undefined, '']
  for (const host of [...hosts, ...names]) assert.ok(passes(host), String(host))
})

test('other host names are refused in any spelling', () => {
  const names = [
    'evil.example',
    'evil.example:4242',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'notlocalhost',
  ]
  const odd = [
    'evil@127.0.0.1',
    '127.0.0.1/evil',
    '127.0.0.1#evil',
    '127.0.0.1, evil.example',
    'a b',
    '[::1',
    ':4242',
    '%00',
  ]
  for (const host of [...names, ...odd]) assert.ok(!passes(host), host)
})

test('configured names pass: exactly, on one port, below a name, or all', () => {
  assert.ok(passes('memory.example.com', 'memory.example.com'))
  assert.ok(passes('Memory.Example.com.:8443', 'memory.example.com'))
  assert.ok(!passes('other.example.com', 'memory.example.com'))
  assert.ok(passes('memory.example.com:8443', 'memory.example.com:8443'))
  assert.ok(!passes('memory.example.com:8444', 'memory.example.com:8443'))
  assert.ok(passes('a.example.com', '*.example.com'))
  for (const host of ['example.com', 'a.b.example.com', 'aexample.com']) assert.ok(!passes(host, '*.example.com'), host)
  assert.ok(passes('anything.example', '*'))
  assert.ok(passes('bücher.example', 'xn--bcher-kva.example'))
})

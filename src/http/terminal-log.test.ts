import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { describeLine } from './terminal-log.ts'

const shown = (line: object) =>
  stripVTControlCharacters(describeLine(JSON.stringify(line))).replace(/^\d\d:\d\d:\d\d /, '')

test('a request is one short line', () => {
  const req = { method: 'GET', route: '/v1/runs/:runId' }
  const line = { level: 30, time: 1, pid: 1, hostname: 'h', reqId: 'r', req, res: { status: 200 }, responseTime: 3.4 }
  assert.equal(shown({ ...line, msg: 'request completed' }), 'GET /v1/runs/:runId 200 3 ms')
  assert.equal(shown({ ...line, aborted: true, msg: 'request completed' }), 'GET /v1/runs/:runId 200 3 ms aborted=true')
})

test('warnings and errors are marked, and other members stay', () => {
  assert.equal(shown({ level: 40, time: 1, msg: 'seams are on' }), 'warning seams are on')
  assert.equal(shown({ level: 50, time: 1, msg: 'request failed', code: 'x', n: 2 }), 'error request failed code=x n=2')
})

test('a line that is not JSON is shown as it is', () => {
  assert.equal(describeLine('plain\n'), 'plain')
})

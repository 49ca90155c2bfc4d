import assert from 'node:assert/strict'
import type { Answer } from './server.ts'

/** An error of OpenWOP or of the host extension: closed, with this status and this code. */
export function assertError(answer: Answer, status: number, code?: string): void {
  assert.equal(answer.status, status, answer.text)
  assertEnvelope(answer, ['error', 'message', 'details'])
  if (code !== undefined) assert.equal(answer.body.error, code, answer.text)
}

/** An error of the provenance API, whose envelope has more members. */
export function assertProvenanceError(answer: Answer, status: number, code?: string): void {
  assert.equal(answer.status, status, answer.text)
  assertEnvelope(answer, ['error', 'code', 'message', 'request_id', 'details'])
  assert.match(answer.body.code, /^[A-Z]+_\d{3}$/)
  assert.ok(answer.body.request_id)
  if (code !== undefined) assert.equal(answer.body.error, code, answer.text)
}

function assertEnvelope({ body, text }: Answer, known: readonly string[]): void {
  assert.ok(body !== null && typeof body === 'object', `not a JSON object: ${text}`)
  assert.deepEqual(
    Object.keys(body).filter((member) => !known.includes(member)),
    [],
    `not closed: ${text}`,
  )
  assert.ok(typeof body.error === 'string' && /^[a-z][a-z0-9_]*$/.test(body.error), `no code: ${text}`)
  assert.ok(typeof body.message === 'string' && body.message.length > 0, `no message: ${text}`)
  if ('details' in body) assert.ok(body.details !== null && typeof body.details === 'object', text)
}

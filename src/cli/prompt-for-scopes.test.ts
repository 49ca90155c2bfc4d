import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { scopes } from '../core/access/scopes.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { promptForScopes } from './prompt-for-scopes.ts'

const terminal = () => Object.assign(new PassThrough(), { isTTY: true })

test('at a terminal, the command prompts for scopes by name or number until the input is valid', async () => {
  const input = terminal()
  const output = new PassThrough().setEncoding('utf8')
  const asked = promptForScopes(input, output)
  const last = scopes.length
  for (const line of ['', 'everything', `${last + 1}`, `memory:read, ${last}`]) input.write(`${line}\n`)
  assert.deepEqual(await asked, ['memory:read', scopes.at(-1)])
  const shown = String(output.read())
  for (const scope of scopes) assert.ok(shown.includes(scope), scope)
  assert.equal(shown.split('Unknown scope.').length - 1, 3)
})

test('without a terminal, the error lists the scopes', async () => {
  await assert.rejects(promptForScopes(new PassThrough(), new PassThrough()), (error) => {
    assert.ok(error instanceof CliError)
    assert.equal(error.exitCode, exitCodes.usage)
    for (const scope of scopes) assert.ok(error.message.includes(scope), scope)
    return true
  })
})

import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFolder } from '../../test/support/temporary-folder.ts'
import { loadConfig } from './config.ts'
import { readSecret, secretFileVariables } from './secret-files.ts'
import { settings } from './settings.ts'
import { configWarnings } from './warnings.ts'

const secret = 'S3cret'.repeat(5)

function createSecretFile(text: string, mode = 0o600): string {
  const path = createFolder().file('value')
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

test('every secret variable can be a file, and newlines at its end are not part of the value', () => {
  const variables = Object.values(settings).flatMap(({ variable, secret }) => (secret ? [variable] : []))
  assert.deepEqual(
    secretFileVariables,
    [...variables, 'COLOPHON_API_KEY'].map((name) => `${name}_FILE`),
  )
  for (const end of ['', '\n', '\r\n', '\n\n'])
    assert.equal(loadConfig({ COLOPHON_OPERATOR_KEY_FILE: createSecretFile(secret + end) }).operatorKey, secret)
  const url = 'postgres://memory@db/memory'
  assert.equal(loadConfig({ COLOPHON_DATABASE_URL_FILE: createSecretFile(`${url}\n`) }).storage, 'postgres')
  assert.equal(readSecret({ COLOPHON_API_KEY_FILE: createSecretFile(secret) }, 'COLOPHON_API_KEY'), secret)
})

test('a secret file that cannot be the value is refused, with its variable and path, without its contents', () => {
  const path = createSecretFile(secret)
  const wrong: [Record<string, string>, RegExp][] = [
    [{ COLOPHON_OPERATOR_KEY_FILE: path, COLOPHON_OPERATOR_KEY: secret }, /OPERATOR_KEY and .*_FILE are both set/],
    [{ COLOPHON_OPERATOR_KEY_FILE: `${path}.missing` }, /_FILE: the file .*value\.missing cannot be read \(ENOENT\)/],
    [{ COLOPHON_OPERATOR_KEY_FILE: join(path, '..') }, /cannot be read \(EISDIR\)/],
    [{ COLOPHON_OPERATOR_KEY_FILE: createSecretFile('\n') }, /_FILE: the file .* is empty/],
    [{ COLOPHON_OPERATOR_KEY_FILE: createSecretFile('x'.repeat(16_385)) }, /is larger than 16384 bytes/],
    [{ COLOPHON_VAULT_KEY_FILE: path }, /COLOPHON_VAULT_KEY must be 32 bytes/],
    [{ COLOPHON_PORT_FILE: path }, /COLOPHON_PORT_FILE is not a variable/],
  ]
  for (const [env, expected] of wrong)
    assert.throws(
      () => loadConfig(env),
      (error: Error) => {
        assert.equal(error.name, 'ConfigError')
        assert.match(error.message, expected)
        return !error.message.includes(secret)
      },
    )
  assert.equal(loadConfig({ COLOPHON_OPERATOR_KEY_FILE: '', COLOPHON_OPERATOR_KEY: secret }).operatorKey, secret)
})

test('a secret file that every user of the machine can read is a warning', () => {
  const warningsFor = (mode: number) => {
    const env = { COLOPHON_OPERATOR_KEY_FILE: createSecretFile(secret, mode) }
    return configWarnings(env, loadConfig(env))
  }
  assert.deepEqual(warningsFor(0o640), [])
  assert.match(warningsFor(0o644).join(), /^COLOPHON_OPERATOR_KEY_FILE: every user .*chmod o= /)
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { errorDocs } from '../../scripts/write-error-docs.ts'
import { errorTable } from '../../src/core/errors.ts'

const committed = readFileSync(new URL('../../docs/ERRORS.md', import.meta.url), 'utf8')

test('docs/ERRORS.md is what the error table says', () => {
  assert.equal(committed, errorDocs(), 'run: node scripts/bootstrap.mjs scripts/write-error-docs.ts')
})

test('every code of the table stands in docs/ERRORS.md exactly once', () => {
  for (const code of Object.keys(errorTable)) {
    assert.equal(committed.split(`| \`${code}\` |`).length - 1, 1, code)
  }
})

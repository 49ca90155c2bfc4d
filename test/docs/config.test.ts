import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { configDocs } from '../../scripts/write-config-docs.ts'
import { loadConfig } from '../../src/config/config.ts'

const committed = readFileSync(new URL('../../docs/CONFIGURATION.md', import.meta.url), 'utf8')

test('docs/CONFIGURATION.md is generated from the settings', () => {
  assert.equal(committed, configDocs(), 'run: node scripts/bootstrap.mjs scripts/write-config-docs.ts')
})

test('every variable that docs/CONFIGURATION.md names is known to the program', () => {
  const names = new Set(committed.match(/\bCOLOPHON_[A-Z_]*[A-Z]\b/g))
  assert.ok(names.size > 15)
  // Empty means not set, so only an unknown name is refused.
  for (const name of names) assert.doesNotThrow(() => loadConfig({ [name]: '' }), name)
})

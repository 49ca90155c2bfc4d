import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { cliDocs } from '../../scripts/write-cli-docs.ts'
import { createProgram } from '../../src/cli/program.ts'
import { errorTable } from '../../src/core/errors.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/CLI.md is what the commands say', () => {
  assert.equal(read('docs/CLI.md'), cliDocs(), 'run: node scripts/bootstrap.mjs scripts/write-cli-docs.ts')
})

test('every command stands in a group of the help, and what matters first stands first', () => {
  const program = createProgram()
  for (const command of program.commands)
    assert.match(command.helpGroup(), /:$/, `${command.name()}: see src/cli/help.ts`)
  const help = program.helpInformation()
  const heads = [...help.matchAll(/^(\w.*):$/gm)].map(([, head]) => head)
  assert.deepEqual(heads, [
    'Options',
    'Start here',
    'Memory',
    'Who told it',
    'Workflows',
    'Access and secrets',
    'Running it',
  ])
  const start = /^Start here:\n([\s\S]*?)\n\n/m.exec(help)?.[1] ?? ''
  const names = [...start.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)
  assert.deepEqual(names, ['serve', 'demo', 'doctor', 'put', 'list', 'search', 'add', 'memories', 'trace', 'mcp'])
})

test('docs/guides/troubleshooting.md names codes that exist', () => {
  const codes = [...read('docs/guides/troubleshooting.md').matchAll(/^\| `([a-z_]+)` \|/gm)].map(
    ([, code]) => code ?? '',
  )
  assert.ok(codes.length > 10)
  for (const code of codes) assert.ok(code in errorTable, code)
})

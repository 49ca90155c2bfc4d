import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Command } from 'commander'
import { cliDocs, helpTree } from '../../scripts/write-cli-docs.ts'
import { exampleOf } from '../../src/cli/examples.ts'
import { createProgram } from '../../src/cli/program.ts'
import { errorTable } from '../../src/core/errors.ts'
import { runCliProcess } from '../support/cli.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/CLI.md is generated from the commands', () => {
  assert.equal(read('docs/CLI.md'), cliDocs(), 'run: node scripts/bootstrap.mjs scripts/write-cli-docs.ts')
})

test('test/cli/help.txt is the output of --help, of every command', async () => {
  const golden = read('test/cli/help.txt')
  assert.equal(
    golden,
    helpTree(),
    'look at the difference, then run: node scripts/bootstrap.mjs scripts/write-cli-docs.ts',
  )
  for (const path of [[], ['runs', 'fork']]) {
    const { stdout, code } = await runCliProcess([...path, '--help'])
    assert.equal(code, 0)
    assert.ok(golden.includes(`$ ${['colophon', ...path].join(' ')} --help\n${stdout}`), stdout)
  }
})

test('every command is in a group of the help, and the most important groups come first', () => {
  const program = createProgram()
  for (const command of program.commands)
    assert.match(command.helpGroup(), /:$/, `${command.name()}: see src/cli/help.ts`)
  const help = program.helpInformation()
  const heads = [...help.matchAll(/^(\w.*):$/gm)].map(([, head]) => head)
  assert.deepEqual(heads, [
    'Options',
    'Start here',
    'Memory',
    'Provenance',
    'Workflows',
    'Access and secrets',
    'Operation',
  ])
  const start = /^Start here:\n([\s\S]*?)\n\n/m.exec(help)?.[1] ?? ''
  const names = [...start.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)
  assert.deepEqual(names, ['serve', 'demo', 'doctor', 'put', 'list', 'search', 'add', 'memories', 'trace', 'mcp'])
})

test('the help of every command has an example, which is a valid call of that command', () => {
  const globals = createProgram().options
  const visit = (command: Command, words: readonly string[]): void => {
    const name = words.join(' ')
    const example = exampleOf(words)
    if (command.commands.length === 0) assert.ok(example, `${name}: add an example to src/cli/examples.ts`)
    if (example !== undefined) {
      const call = /colophon (.*?)(?: [<>] .*|\))?$/.exec(example)?.[1] ?? ''
      assert.ok(call === name || call.startsWith(`${name} `), example)
      const known = [...command.options, ...globals].map(({ long }) => long)
      for (const [flag] of call.matchAll(/--[a-z][a-z-]*/g)) assert.ok(known.includes(flag), `${example}: ${flag}`)
      for (const { flags, long } of command.options.filter(({ mandatory }) => mandatory))
        assert.ok(call.includes(`${long} `), `${example}: ${flags}`)
      const given = call.slice(name.length).match(/'[^']*'|\S+/g) ?? []
      const needed = command.registeredArguments.filter(({ required }) => required).length
      assert.ok(given.length >= needed, `${example}: ${needed} arguments`)
    }
    for (const child of command.commands) visit(child, [...words, child.name()])
  }
  for (const command of createProgram().commands) visit(command, [command.name()])
  assert.match(read('test/cli/help.txt'), /Example:\n {2}colophon trace mem_…/)
})

test('docs/guides/troubleshooting.md names codes that exist', () => {
  const codes = [...read('docs/guides/troubleshooting.md').matchAll(/^\| `([a-z_]+)` \|/gm)].map(
    ([, code]) => code ?? '',
  )
  assert.ok(codes.length > 10)
  for (const code of codes) assert.ok(code in errorTable, code)
})

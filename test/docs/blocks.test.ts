import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program.ts'
import { connectStdio } from '../mcp/connect.ts'
import { createHome, startServer } from '../support/server.ts'

/**
 * Blocks of `ts` and `sh` are run by other tests. What cannot be run as it stands, because it belongs to another program or
 * to another machine, is looked at here: settings are started from, and commands must exist.
 */

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Block = { readonly place: string; readonly language: string; readonly code: string }

const blocks: Block[] = [
  'README.md',
  'docs/OPERATIONS.md',
  ...globSync('docs/guides/*.md', { cwd: root }).sort(),
].flatMap((guide) =>
  [...read(guide).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = '', 2: code = '', index }) => ({
    place: `${guide}:${read(guide).slice(0, index).split('\n').length}`,
    language,
    code,
  })),
)
const of = (language: string) => blocks.filter((block) => block.language === language)

test('every block has a language that is tested', () => {
  for (const { place, language } of blocks) {
    assert.ok(['ts', 'sh', 'json', 'toml', 'console', 'text'].includes(language), `${place} is fenced as "${language}"`)
  }
})

/** A command with its words, as far as they name commands and options that exist. */
function assertExists(place: string, words: readonly string[]): void {
  let command: Command = createProgram()
  for (const word of words) {
    if (word.startsWith('-')) {
      const known = [...command.options, ...createProgram().options].flatMap(({ short, long }) => [short, long])
      assert.ok(known.includes(word), `${place}: ${command.name()} has no ${word}`)
      continue
    }
    command = command.commands.find((child) => child.name() === word) ?? command
  }
  assert.notEqual(command.name(), 'colophon', `${place}: ${words.join(' ')} is no command`)
}

test('commands in transcripts exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  let seen = 0
  for (const { place, code } of of('console')) {
    for (const [, line = ''] of code.matchAll(/^\$ (.*)$/gm)) {
      const [, script] = /\bnpm (?:run )?([\w:]+)/.exec(line) ?? []
      if (script !== undefined && !['install', 'pack'].includes(script))
        assert.ok(script in scripts, `${place}: npm ${script}`)
      const [, rest] =
        /(?:^|\s)(?:npx )?colophon ((?:[a-z]|--).*)$/.exec(line.replace(/^claude mcp add .*? -- /, '')) ?? []
      if (rest === undefined || line.includes('--transport')) continue
      seen += 1
      assertExists(
        place,
        rest
          .replace(/[<>|].*$/, '')
          .trim()
          .split(/\s+/),
      )
    }
  }
  assert.ok(seen >= 4)
})

test('no block runs the command line with the extra output of npm', () => {
  for (const file of ['README.md', ...globSync('docs/**/*.md')])
    assert.doesNotMatch(read(file), /npm run colophon/, file)
})

type Settings = { readonly command?: string; readonly args?: readonly string[]; readonly url?: string }

/** Every server that a JSON document names, however deep its program hides it. */
function serversIn(value: unknown): Settings[] {
  if (value === null || typeof value !== 'object') return []
  const { command, url } = value as Settings
  return typeof command === 'string' || typeof url === 'string' ? [value] : Object.values(value).flatMap(serversIn)
}

test('settings for MCP clients start a server with its tools', async () => {
  await using home = await createHome('sqlite')
  await using server = await startServer()
  const toml = of('toml').map(({ code, place }) => ({
    place,
    args: JSON.parse(/^args = (.*)$/m.exec(code)?.[1] ?? '[]'),
  }))
  const json = of('json').flatMap(({ code, place }) =>
    serversIn(JSON.parse(code)).map((settings) => ({ place, ...settings })),
  )
  const started = new Set<string>()
  for (const { place, args, url } of [...json, ...toml] as (Settings & { place: string })[]) {
    if (args === undefined) {
      assert.equal(new URL(url ?? '').pathname, '/mcp', place)
      continue
    }
    const [program, command, ...rest] = args
    assert.deepEqual([program, command], ['colophon', 'mcp'], place)
    const local = rest.map((word) => (word.startsWith('http') ? server.url : word))
    if (started.has(local.join(' '))) continue
    started.add(local.join(' '))
    await using mcp = await connectStdio(local, { ...home.env, COLOPHON_API_KEY: server.key })
    const { tools } = await mcp.client.listTools()
    assert.ok(
      tools.some(({ name }) => name === 'recall'),
      place,
    )
  }
  assert.ok(started.size >= 1)
})

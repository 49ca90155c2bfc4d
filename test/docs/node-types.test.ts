import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createNodeRegistry } from '../../src/nodes/registry.ts'

const guide = readFileSync(new URL('../../docs/guides/runs.md', import.meta.url), 'utf8')

/** The types that the first cell of a row names, with the second cell. */
function rowsUnder(title: string): Map<string, string> {
  const table =
    guide
      .slice(guide.indexOf(title))
      .split('\n\n')
      .find((block) => block.startsWith('| type |')) ?? ''
  const rows = table
    .split('\n')
    .slice(2)
    .map((line) => line.split(' | '))
  return new Map(
    rows.flatMap(([types = '', cell = '']) => [...types.matchAll(/`([^`]+)`/g)].map(([, type = '']) => [type, cell])),
  )
}

test('the guide names every node type, its config, and what a replay does with it', () => {
  const types = [...createNodeRegistry().values()]
  assert.deepEqual([...rowsUnder('## Types of nodes').keys()].sort(), types.map(({ typeId }) => typeId).sort())
  const configs = rowsUnder('## Types of nodes')
  for (const { typeId, config } of types) {
    const named = [...(configs.get(typeId) ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    // Types of OpenWOP also have members that the guide does not recommend.
    const declared = Object.keys(config).filter((name) => named.includes(name) || typeId.startsWith('colophon.'))
    assert.deepEqual(named.sort(), declared.sort(), typeId)
  }
  const inReplay = rowsUnder('What a replay does with each type of node')
  assert.deepEqual([...inReplay.keys()].sort(), types.map(({ typeId }) => typeId).sort())
  for (const { typeId, replay } of types) assert.match(inReplay.get(typeId) ?? '', new RegExp(`^${replay}\\b`), typeId)
})

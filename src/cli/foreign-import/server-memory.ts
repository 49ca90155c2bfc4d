import { basename } from 'node:path'
import { linesIn } from '../export-file.ts'
import { type ForeignItem, type ForeignSource, itemOf, objectOf, textOf, wrong } from './source.ts'

/** The knowledge graph of the MCP reference memory server: one entity or relation per line. */

const ref = 'server-memory'

export function openServerMemory(file: string): ForeignSource {
  return {
    service: ref,
    label: `the MCP server-memory file ${basename(file)}`,
    async *items() {
      let number = 0
      for await (const bytes of linesIn(file)) {
        number += 1
        const line = bytes.toString('utf8')
        if (line.trim() !== '') yield toItem(line, `line ${number}`)
      }
    },
    close: async () => {},
  }
}

function toItem(line: string, at: string): ForeignItem {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    return { at, kind: 'lines', problem: 'It is not JSON.' }
  }
  const { type } = (parsed ?? {}) as { type?: unknown }
  const kind = type === 'entity' ? 'entities' : type === 'relation' ? 'relations' : 'lines'
  return itemOf({ at, kind }, () => {
    const item = objectOf(parsed, 'The line')
    if (type === 'entity') return { document: { ref, scope: {}, ...entityOf(item) } }
    if (type === 'relation') return { document: { ref, scope: {}, ...relationOf(item) } }
    throw wrong('type must be entity or relation.')
  })
}

function entityOf(item: Readonly<Record<string, unknown>>) {
  const name = textOf(item.name, 'name')
  const entityType = textOf(item.entityType, 'entityType')
  if (!Array.isArray(item.observations)) throw wrong('observations must be a list.')
  const observations = item.observations.map((text) => textOf(text, 'an observation'))
  const value = { type: 'entity', name, entityType, observations }
  return { name: `entity:${name}`, tags: ['entities', `entity-type:${entityType}`], value }
}

function relationOf(item: Readonly<Record<string, unknown>>) {
  const [from, to] = [textOf(item.from, 'from'), textOf(item.to, 'to')]
  const relationType = textOf(item.relationType, 'relationType')
  // As JSON, so that no two relations have the same name.
  const name = `relation:${JSON.stringify([from, relationType, to])}`
  const tags = ['relations', ...new Set([`relation-of:${from}`, `relation-of:${to}`])]
  return { name, tags, value: { type: 'relation', from, to, relationType } }
}

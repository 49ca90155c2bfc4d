import { basename } from 'node:path'
import { type Entity, entityDrafts, type Relation, relationDraft } from '../../mcp/server-memory/graph.ts'
import { linesIn } from '../export-file.ts'
import { type ForeignItem, type ForeignSource, itemOf, objectOf, textOf, wrong } from './source.ts'

/** The knowledge graph of the MCP reference memory server, one entity or relation per line: as its tools store it here. */

export function openServerMemory(file: string): ForeignSource {
  return {
    service: 'server-memory',
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
    if (type === 'entity') return { graph: entityDrafts(entityOf(item)) }
    if (type === 'relation') return { graph: [relationDraft(relationOf(item))] }
    throw wrong('type must be entity or relation.')
  })
}

function entityOf(item: Readonly<Record<string, unknown>>): Entity {
  const name = textOf(item.name, 'name')
  const entityType = textOf(item.entityType, 'entityType')
  if (!Array.isArray(item.observations)) throw wrong('observations must be a list.')
  return { name, entityType, observations: item.observations.map((text) => textOf(text, 'an observation')) }
}

function relationOf(item: Readonly<Record<string, unknown>>): Relation {
  const [from, to] = [textOf(item.from, 'from'), textOf(item.to, 'to')]
  return { from, to, relationType: textOf(item.relationType, 'relationType') }
}

import type { EntryDraft, MemoryEntry } from '../../client/index.ts'
import { markOf } from '../../core/provenance/said-by.ts'

/** The knowledge graph of the MCP reference memory server, and how its parts are memories. */

export type Entity = { name: string; entityType: string; observations: string[] }
export type Relation = { from: string; to: string; relationType: string }
export type Graph = { entities: Entity[]; relations: Relation[] }

/** The ref of the graph, unless a connection is bound to another. */
export const graphRef = 'knowledge-graph'

type StoredEntry = Pick<MemoryEntry, 'content' | 'tags'>

// Names are in tags: a secret in one is refused, not rewritten. Observations are texts.
const entityTag = (name: string) => `graph:entity:${name}`
const typeTag = (type: string) => `graph:type:${type}`
const observationTag = (name: string) => `graph:observation:${name}`
const relationTag = ({ from, to, relationType }: Relation) =>
  `graph:relation:${JSON.stringify([from, relationType, to])}`

/** A graph is what a model wrote down. */
const said = markOf('model').tags

function entityDraft({ name, entityType }: Entity): EntryDraft {
  return { content: `${name} (${entityType})`, tags: [entityTag(name), typeTag(entityType), ...said] }
}

/** An entity with its observations. */
export function entityDrafts(entity: Entity): EntryDraft[] {
  return [entityDraft(entity), ...entity.observations.map((text) => observationDraft(entity.name, text))]
}

export function observationDraft(name: string, content: string): EntryDraft {
  return { content, tags: [observationTag(name), ...said] }
}

export function relationDraft(relation: Relation): EntryDraft {
  const { from, to, relationType } = relation
  return { content: `${from} ${relationType} ${to}`, tags: [relationTag(relation), ...said] }
}

/** One memory as a part of the graph; null for memories that are none. */
type Part =
  | { readonly kind: 'entity'; readonly name: string; readonly entityType: string }
  | { readonly kind: 'observation'; readonly name: string; readonly content: string }
  | ({ readonly kind: 'relation' } & Relation)

export function partOf({ content, tags }: StoredEntry): Part | null {
  const tagged = (prefix: string) => tags.find((tag) => tag.startsWith(prefix))?.slice(prefix.length)
  const name = tagged(entityTag(''))
  if (name !== undefined) return { kind: 'entity', name, entityType: tagged(typeTag('')) ?? '' }
  const observed = tagged(observationTag(''))
  if (observed !== undefined) return { kind: 'observation', name: observed, content }
  const relation = tagged('graph:relation:')
  if (relation === undefined) return null
  const [from, relationType, to] = textsIn(relation)
  if (from === undefined || relationType === undefined || to === undefined) return null
  return { kind: 'relation', from, to, relationType }
}

/** Every writer of the ref can set tags: one that is no relation must not break the graph. */
function textsIn(json: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) && value.every((text) => typeof text === 'string') ? value : []
  } catch {
    return []
  }
}

/** Names what the graph has once: an entity of a name, a text about an entity, a relation. Memories that are no part have no name. */
export function partKey(
  entry: Pick<StoredEntry, 'content'> & { readonly tags?: readonly string[] | undefined },
): string {
  const part = partOf({ content: entry.content, tags: entry.tags ?? [] })
  if (part === null) return ''
  if (part.kind === 'relation') return relationTag(part)
  return part.kind === 'entity' ? entityTag(part.name) : JSON.stringify([observationTag(part.name), part.content])
}

/** The graph of entries, oldest first. Observations of an entity that is gone are not part of it. */
export function graphOf(entries: readonly StoredEntry[]): Graph {
  const entities = new Map<string, Entity>()
  const relations = new Map<string, Relation>()
  const parts = entries.map(partOf)
  for (const part of parts) {
    if (part?.kind === 'entity' && !entities.has(part.name))
      entities.set(part.name, { name: part.name, entityType: part.entityType, observations: [] })
    if (part?.kind !== 'relation') continue
    const { from, to, relationType } = part
    relations.set(relationTag(part), { from, to, relationType })
  }
  for (const part of parts) if (part?.kind === 'observation') entities.get(part.name)?.observations.push(part.content)
  return { entities: [...entities.values()], relations: [...relations.values()] }
}

/** These entities, and the relations with one of them at either end. */
function graphWith({ entities, relations }: Graph, isWanted: (entity: Entity) => boolean): Graph {
  const wanted = entities.filter(isWanted)
  const names = new Set(wanted.map(({ name }) => name))
  return { entities: wanted, relations: relations.filter(({ from, to }) => names.has(from) || names.has(to)) }
}

/** The entities whose name, type or observations contain a text. */
export function searchGraph(graph: Graph, query: string): Graph {
  const wanted = query.toLowerCase()
  const has = (text: string) => text.toLowerCase().includes(wanted)
  return graphWith(graph, ({ name, entityType, observations }) => [name, entityType, ...observations].some(has))
}

export function openGraph(graph: Graph, names: readonly string[]): Graph {
  const wanted = new Set(names)
  return graphWith(graph, ({ name }) => wanted.has(name))
}

/** A test for relations that are among these. */
export function isRelationOf(relations: readonly Relation[]): (relation: Relation) => boolean {
  const known = new Set(relations.map(relationTag))
  return (relation) => known.has(relationTag(relation))
}

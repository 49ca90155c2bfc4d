import type { EntryColophon } from '../../../../src/client/index.ts'

export type LineageNode = {
  readonly id: string
  readonly column: number
  readonly row: number
  readonly title: string
  readonly note: string
}

export type Lineage = {
  readonly nodes: readonly LineageNode[]
  readonly edges: readonly (readonly [from: string, to: string])[]
}

/** The maximum number of source nodes. The others become one node with their number. */
const sourcesMax = 8

/** The graph of an entry: its sources on the left, the entry in the middle, compactions of it on the right. */
export function lineageOf({ id, version, story, derivedFrom, claimId }: EntryColophon): Lineage {
  const origins: Omit<LineageNode, 'row' | 'column'>[] = []
  for (const { step, details } of story) {
    const facts = details as Readonly<Record<string, unknown>>
    if (step === 'told') {
      const source = facts.provenance as { service?: string; event_id?: string } | null
      origins.push({
        id: String(facts.sourceEventId),
        title: source?.service ?? 'an API call',
        note: source?.event_id ?? 'no event id',
      })
    } else if (step === 'edited') {
      origins.push({ id: `edit-${String(facts.sourceEventId)}`, title: String(facts.actor), note: 'edit' })
    } else if (step === 'written') {
      origins.push({ id: String(facts.runId), title: 'run', note: String(facts.nodeId ?? 'the run itself') })
    }
  }
  for (const source of derivedFrom?.sourceIds ?? [])
    origins.push({ id: source, title: 'entry', note: source.slice(-12) })
  const shown = origins.slice(0, sourcesMax)
  if (origins.length > shown.length)
    shown.push({ id: 'more', title: `${origins.length - shown.length} more`, note: 'sources' })
  const into = story.flatMap(({ details }) => {
    const output = (details as { outputId?: unknown }).outputId
    return typeof output === 'string' ? [output] : []
  })
  const middle = claimId === null ? [] : [{ id: claimId, title: 'claim', note: 'decides the winner' }]
  const columns = [
    shown,
    middle,
    [{ id, title: 'this memory', note: `version ${version}` }],
    into.map((output) => ({ id: output, title: 'compacted into', note: output.slice(-12) })),
  ].filter((column) => column.length > 0)
  const nodes = columns.flatMap((column, index) => column.map((node, row) => ({ ...node, column: index, row })))
  const edges = columns
    .slice(1)
    .flatMap((column, index) => (columns[index] ?? []).flatMap((from) => column.map((to) => [from.id, to.id] as const)))
  return { nodes, edges }
}

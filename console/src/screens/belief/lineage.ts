import type { EntryColophon, EntryUses } from '../../../../src/client/index.ts'
import type { StepEdge, StepNode } from '../../ui/step-graph.tsx'

/** Where a click on a node leads. */
type LineageTarget =
  | { readonly kind: 'event' | 'memory' | 'run' | 'claim'; readonly id: string }
  | { readonly kind: 'none' }

export type LineageNode = StepNode & { readonly target: LineageTarget }
type Lineage = { readonly nodes: readonly LineageNode[]; readonly edges: readonly StepEdge[] }

/** Nodes of one kind that are shown. The others become one node with their number. */
const shownMax = 6

/** The graph of an entry: event → assertion → claim → memory → compaction and run, with rivals, edits and pins. */
export function lineageOf(colophon: EntryColophon, uses: EntryUses | undefined): Lineage {
  const nodes = new Map<string, LineageNode>()
  const edges: StepEdge[] = []
  const { id, version, story, claimId, resolution, derivedFrom } = colophon
  const add = (node: LineageNode, to?: { readonly id: string; readonly label?: string }) => {
    nodes.set(node.id, node)
    if (to !== undefined)
      edges.push({ from: node.id, to: to.id, ...(to.label === undefined ? {} : { label: to.label }) })
  }
  add({ id, title: 'this memory', note: `version ${version}`, target: { kind: 'none' }, tone: 'own' })
  const decides = claimId ?? id
  if (claimId !== null)
    add(
      {
        id: claimId,
        title: 'claim',
        note: resolution?.claimKey ?? 'decides the winner',
        target: { kind: 'claim', id: claimId },
        tone: 'plain',
      },
      { id },
    )
  for (const { step, details } of story) {
    const facts = details as Readonly<Record<string, unknown>>
    if (step === 'told' || step === 'edited') {
      const event = String(facts.sourceEventId)
      const source = facts.provenance as { service?: string; event_id?: string } | null
      const title = source?.service ?? (step === 'edited' ? 'an edit' : 'an API call')
      const note = source?.event_id ?? String(facts.actor ?? '')
      add({ id: event, title, note, target: { kind: 'event', id: event }, tone: 'plain' })
      if (claimId === null) edges.push({ from: event, to: id })
    } else if (step === 'asserted') {
      const event = String(facts.sourceEventId)
      const assertion = `assertion ${event} ${String(facts.candidate)}`
      add(
        {
          id: assertion,
          title: 'stated',
          note: `confidence ${String(facts.confidence)}`,
          target: { kind: 'none' },
          tone: 'plain',
        },
        { id: decides, label: `priority ${String(facts.priority)}` },
      )
      edges.push({ from: event, to: assertion })
    } else if (step === 'written') {
      const run = String(facts.runId)
      add(
        {
          id: `by ${run}`,
          title: 'run',
          note: String(facts.nodeId ?? 'the run itself'),
          target: { kind: 'run', id: run },
          tone: 'plain',
        },
        { id },
      )
    }
  }
  if (resolution?.pin)
    add(
      { id: 'pin', title: 'pin', note: resolution.pin.reason, target: { kind: 'none' }, tone: 'plain' },
      { id: decides },
    )
  const others =
    resolution === undefined
      ? []
      : resolution.isCurrent
        ? resolution.losers
        : resolution.rival === null
          ? []
          : [resolution.rival]
  for (const { memoryId, content, source, priority } of others.slice(0, shownMax)) {
    const target: LineageTarget = memoryId === null ? { kind: 'none' } : { kind: 'memory', id: memoryId }
    const tone = resolution?.isCurrent === false ? ('plain' as const) : ('rival' as const)
    add(
      { id: memoryId ?? content, title: source, note: content, target, tone },
      { id: decides, label: `priority ${priority}` },
    )
  }
  for (const source of (derivedFrom?.sourceIds ?? []).slice(0, shownMax))
    add(
      {
        id: source,
        title: 'memory',
        note: 'source of the summary',
        target: { kind: 'memory', id: source },
        tone: 'plain',
      },
      { id },
    )
  for (const { outputId } of uses?.derived.slice(0, shownMax) ?? []) {
    add({
      id: outputId,
      title: 'summary',
      note: 'derived from it',
      target: { kind: 'memory', id: outputId },
      tone: 'plain',
    })
    edges.push({ from: id, to: outputId })
  }
  for (const { runId, workflowId, nodeId } of uses?.runs.slice(0, shownMax) ?? []) {
    add({
      id: runId,
      title: workflowId,
      note: `read it in ${nodeId}`,
      target: { kind: 'run', id: runId },
      tone: 'plain',
    })
    edges.push({ from: id, to: runId })
  }
  return { nodes: [...nodes.values()], edges: edges.filter(({ from, to }) => nodes.has(from) && nodes.has(to)) }
}

import { Graph, layout } from '@dagrejs/dagre'
import { Controls, type Edge, Handle, type Node, Position, ReactFlow } from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { EntryColophon, EntryUses } from '../../../../src/client/index.ts'
import { useTheme } from '../../app/theme.ts'
import { classNames } from '../../ui/class-names.ts'
import { type Lineage, type LineageNode, lineageOf } from './lineage.ts'

const size = { width: 168, height: 52 } as const

type LineageGraphProps = { readonly colophon: EntryColophon; readonly uses: EntryUses | undefined }

/** The lineage as a graph that can be moved and zoomed; a click on a node opens it. "Every step" has the same as text. */
export default function LineageGraph({ colophon, uses }: LineageGraphProps) {
  const theme = useTheme()
  const lineage = useMemo(() => lineageOf(colophon, uses), [colophon, uses])
  const { nodes, edges } = useMemo(() => arrange(lineage), [lineage])
  const words = lineage.nodes.map(({ title, note }) => `${title} ${note}`).join(', ')
  return (
    <section aria-label={`Lineage: ${words}`} className="h-80">
      <ReactFlow
        className="bg-transparent!"
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        colorMode={theme}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.08 }}
        minZoom={0.2}
      >
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  )
}

type StepNode = Node<{ readonly node: LineageNode }, 'step'>
const nodeTypes = { step: Step }

/** Lays the nodes out from left to right. */
function arrange({ nodes, edges }: Lineage): { nodes: StepNode[]; edges: Edge[] } {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: 84 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) graph.setNode(id, { ...size })
  for (const { from, to } of edges) graph.setEdge(from, to)
  layout(graph)
  return {
    nodes: nodes.map((node) => {
      const { x, y } = graph.node(node.id) as { x: number; y: number }
      const position = { x: x - size.width / 2, y: y - size.height / 2 }
      return { id: node.id, type: 'step', position, data: { node }, ...size }
    }),
    edges: edges.map(({ from, to, label }) => ({
      id: `${from} ${to}`,
      source: from,
      target: to,
      ...(label === undefined ? {} : { label }),
    })),
  }
}

function Step({ data: { node } }: { readonly data: { readonly node: LineageNode } }) {
  return (
    <div
      className={classNames(
        'flex h-full w-full flex-col justify-center overflow-hidden rounded-md border bg-raised px-3 text-left text-ink',
        node.tone === 'own' ? 'border-2 border-accent' : 'border-line',
        node.tone === 'rival' && 'border-dashed bg-sunken text-muted line-through',
      )}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} className="opacity-0" />
      <Target node={node}>
        <span className="block truncate font-medium text-xs">{node.title}</span>
        <span className="block truncate text-[11px] text-muted">{node.note}</span>
      </Target>
      <Handle type="source" position={Position.Right} isConnectable={false} className="opacity-0" />
    </div>
  )
}

function Target({
  node: { target, note },
  children,
}: {
  readonly node: LineageNode
  readonly children: React.ReactNode
}) {
  const looks = { className: 'nodrag nopan pointer-events-auto block hover:underline', title: note }
  switch (target.kind) {
    case 'memory':
      return (
        <Link to="/memories/$id" params={{ id: target.id }} {...looks}>
          {children}
        </Link>
      )
    case 'run':
      return (
        <Link to="/runs/$runId" params={{ runId: target.id }} {...looks}>
          {children}
        </Link>
      )
    case 'event':
      return (
        <Link to="/sources" search={{ tab: 'events', event: target.id }} {...looks}>
          {children}
        </Link>
      )
    case 'claim':
      return (
        <Link to="/claims" search={{ claim: target.id }} {...looks}>
          {children}
        </Link>
      )
    case 'none':
      return <div title={note}>{children}</div>
  }
}

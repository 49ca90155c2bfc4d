import { Graph, layout } from '@dagrejs/dagre'
import { Controls, type Edge, Handle, type Node, Position, ReactFlow } from '@xyflow/react'
import '@xyflow/react/dist/style.css'
import { type ReactNode, useMemo } from 'react'
import { useTheme } from '../app/theme.ts'
import { classNames } from './class-names.ts'

const size = { width: 168, height: 52 } as const

export type StepNode = {
  readonly id: string
  readonly title: string
  readonly note: string
  /** `own` is the one that the graph is about; a rival is greyed. */
  readonly tone: 'own' | 'plain' | 'rival'
}
export type StepEdge = { readonly from: string; readonly to: string; readonly label?: string }

type StepGraphProps<Step extends StepNode> = {
  /** What a screen reader says instead of the picture. */
  readonly label: string
  readonly nodes: readonly Step[]
  readonly edges: readonly StepEdge[]
  /** Puts the texts of a node into a link. */
  readonly link?: (node: Step, texts: ReactNode) => ReactNode
}

/** Steps from left to right, as a graph that can be moved and zoomed. */
export function StepGraph<Step extends StepNode>({ label, nodes: steps, edges: arrows, link }: StepGraphProps<Step>) {
  const theme = useTheme()
  const { nodes, edges } = useMemo(() => arrange(steps, arrows, link), [steps, arrows, link])
  return (
    <section aria-label={label} className="h-80">
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

type BoxNode = Node<{ readonly tone: StepNode['tone']; readonly content: ReactNode }, 'step'>
const nodeTypes = { step: Box }

function arrange<Step extends StepNode>(
  steps: readonly Step[],
  arrows: readonly StepEdge[],
  link: StepGraphProps<Step>['link'],
): { nodes: BoxNode[]; edges: Edge[] } {
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: 84 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id } of steps) graph.setNode(id, { ...size })
  for (const { from, to } of arrows) graph.setEdge(from, to)
  layout(graph)
  return {
    nodes: steps.map((step) => {
      const { x, y } = graph.node(step.id) as { x: number; y: number }
      const position = { x: x - size.width / 2, y: y - size.height / 2 }
      const data = { tone: step.tone, content: contentOf(step, link) }
      return { id: step.id, type: 'step', position, data, ...size }
    }),
    edges: arrows.map(({ from, to, label }) => ({
      id: `${from} ${to}`,
      source: from,
      target: to,
      ...(label === undefined ? {} : { label }),
    })),
  }
}

function contentOf<Step extends StepNode>(step: Step, link: StepGraphProps<Step>['link']): ReactNode {
  const texts = (
    <>
      <span className="block truncate font-medium text-xs">{step.title}</span>
      <span className="block truncate text-[11px] text-muted">{step.note}</span>
    </>
  )
  return link === undefined ? <div title={step.note}>{texts}</div> : link(step, texts)
}

function Box({ data: { tone, content } }: { readonly data: BoxNode['data'] }) {
  return (
    <div
      className={classNames(
        'flex h-full w-full flex-col justify-center overflow-hidden rounded-md border bg-raised px-3 text-left text-ink',
        tone === 'own' ? 'border-2 border-accent' : 'border-line',
        tone === 'rival' && 'border-dashed bg-sunken text-muted line-through',
      )}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} className="opacity-0" />
      {content}
      <Handle type="source" position={Position.Right} isConnectable={false} className="opacity-0" />
    </div>
  )
}

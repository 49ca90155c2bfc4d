import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { EntryColophon, EntryUses } from '../../../../src/client/index.ts'
import { StepGraph } from '../../ui/step-graph.tsx'
import { type LineageNode, lineageOf } from './lineage.ts'

type LineageGraphProps = { readonly colophon: EntryColophon; readonly uses: EntryUses | undefined }

/** The lineage as a graph; a click on a node opens it. "Every step" has the same as text. */
export default function LineageGraph({ colophon, uses }: LineageGraphProps) {
  const { nodes, edges } = useMemo(() => lineageOf(colophon, uses), [colophon, uses])
  const words = nodes.map(({ title, note }) => `${title} ${note}`).join(', ')
  return <StepGraph label={`Lineage: ${words}`} nodes={nodes} edges={edges} link={linkTo} />
}

function linkTo({ target, note }: LineageNode, texts: ReactNode) {
  const looks = { className: 'nodrag nopan pointer-events-auto block hover:underline', title: note }
  switch (target.kind) {
    case 'memory':
      return (
        <Link to="/memories/$id" params={{ id: target.id }} {...looks}>
          {texts}
        </Link>
      )
    case 'run':
      return (
        <Link to="/runs/$runId" params={{ runId: target.id }} {...looks}>
          {texts}
        </Link>
      )
    case 'event':
      return (
        <Link to="/sources" search={{ tab: 'events', event: target.id }} {...looks}>
          {texts}
        </Link>
      )
    case 'claim':
      return (
        <Link to="/claims" search={{ claim: target.id }} {...looks}>
          {texts}
        </Link>
      )
    case 'none':
      return <div title={note}>{texts}</div>
  }
}

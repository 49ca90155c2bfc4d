import type { EntryColophon } from '../../../../src/client/index.ts'
import { type LineageNode, lineageOf } from './lineage.ts'

const size = { width: 140, height: 46, gapX: 44, gapY: 14 } as const

/** The lineage as a graph. The steps below it have the same information as text. */
export function LineageGraph({ colophon }: { readonly colophon: EntryColophon }) {
  const { nodes, edges } = lineageOf(colophon)
  if (edges.length === 0) return null
  const columns = Math.max(...nodes.map(({ column }) => column)) + 1
  const rows = Math.max(...nodes.map(({ row }) => row)) + 1
  const width = columns * size.width + (columns - 1) * size.gapX
  const height = rows * size.height + (rows - 1) * size.gapY
  const rowsOf = (column: number) => nodes.filter((node) => node.column === column).length
  // Columns with fewer nodes are centred.
  const x = ({ column }: LineageNode) => column * (size.width + size.gapX)
  const y = ({ column, row }: LineageNode) => (row + (rows - rowsOf(column)) / 2) * (size.height + size.gapY)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return (
    <div className="relative mb-5 overflow-x-auto">
      <svg
        role="img"
        aria-label={`Lineage: ${nodes.map(({ title, note }) => `${title} ${note}`).join(', ')}`}
        viewBox={`-2 -2 ${width + 4} ${height + 4}`}
        width={width + 4}
        height={height + 4}
      >
        {edges.map(([from, to]) => {
          const [a, b] = [byId.get(from), byId.get(to)]
          if (a === undefined || b === undefined) return null
          const [startX, startY] = [x(a) + size.width, y(a) + size.height / 2]
          const [endX, endY] = [x(b), y(b) + size.height / 2]
          const middle = (startX + endX) / 2
          return (
            <path
              key={`${from} ${to}`}
              d={`M${startX} ${startY} C${middle} ${startY} ${middle} ${endY} ${endX} ${endY}`}
              fill="none"
              stroke="var(--muted)"
            />
          )
        })}
        {nodes.map((node) => (
          <g key={node.id} transform={`translate(${x(node)} ${y(node)})`}>
            <rect width={size.width} height={size.height} rx="6" fill="var(--raised)" stroke="var(--accent)" />
            <text x="10" y="19" fontSize="12" fill="var(--ink)">
              {shorten(node.title)}
            </text>
            <text x="10" y="35" fontSize="10" fill="var(--muted)">
              {shorten(node.note)}
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}

function shorten(text: string): string {
  return text.length <= 20 ? text : `${text.slice(0, 19)}…`
}

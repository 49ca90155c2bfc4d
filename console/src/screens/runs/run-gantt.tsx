import { Link } from '@tanstack/react-router'
import type { RunSnapshot } from '../../../../src/client/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { durationInWords } from './duration.ts'
import { toneOf } from './status.ts'

type NodeState = RunSnapshot['nodeStates'][string]

/** When each node was executed, in order of start, and the runs that it started. */
export function RunGantt({ run }: { readonly run: RunSnapshot }) {
  const nodes = Object.entries(run.nodeStates).sort(([, a], [, b]) => a.startedAt.localeCompare(b.startedAt))
  if (nodes.length === 0) return null
  const first = Date.parse(nodes[0]?.[1].startedAt ?? '')
  const last = Math.max(...nodes.map(([, node]) => endOf(node, run)))
  const total = Math.max(1, last - first)
  return (
    <Panel title="Nodes" className="mb-4">
      <ol aria-label="Nodes" className="divide-y divide-line">
        {nodes.map(([id, node]) => {
          const start = Date.parse(node.startedAt) - first
          const ms = Math.max(0, endOf(node, run) - Date.parse(node.startedAt))
          return (
            <li
              key={id}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-1.5 sm:grid-cols-[12rem_auto_minmax(0,1fr)_5rem]"
            >
              <span className="truncate font-medium">{id}</span>
              <Badge tone={toneOf(node.status)}>{node.status}</Badge>
              <span aria-hidden="true" className="relative hidden h-2 rounded bg-sunken sm:block">
                <span
                  className="absolute top-0 h-2 min-w-1 rounded bg-accent"
                  style={{ left: `${(start / total) * 99}%`, width: `${(ms / total) * 99}%` }}
                />
              </span>
              <span className="hidden text-right font-mono text-muted text-xs sm:block">{durationInWords(ms)}</span>
              {node.childRunId !== undefined && (
                <Link
                  to="/runs/$runId"
                  params={{ runId: node.childRunId }}
                  className="text-accent text-xs underline sm:col-start-3"
                >
                  the run it started
                </Link>
              )}
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}

function endOf({ completedAt }: NodeState, run: RunSnapshot): number {
  return Date.parse(completedAt ?? run.completedAt ?? new Date().toISOString())
}

import { useQuery } from '@tanstack/react-query'
import type { AgentInventoryEntry } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'

/** Installed agents, and what each requests that this host lacks. */
export function Agents() {
  const agents = useQuery({ queryKey: ['live', 'agents'], queryFn: ({ signal }) => api.agents.list({ signal }) })
  const items = agents.data?.agents ?? []
  return (
    <Panel title="Agents">
      {agents.isPending && <Loading />}
      {agents.isError && <Failure error={agents.error} onRetry={() => agents.refetch()} />}
      {agents.isSuccess && items.length === 0 && (
        <Empty title="No agents.">
          <code className="font-mono text-xs">colophon agents add FILE</code> installs one.
        </Empty>
      )}
      {items.length > 0 && (
        <Table<AgentInventoryEntry>
          caption="Agents"
          items={items}
          keyOf={({ agentId }) => agentId}
          columns={[
            {
              name: 'Agent',
              cell: ({ agentId, label, description }) => (
                <div className="min-w-40">
                  <span className="font-medium break-words">{label}</span>{' '}
                  <span className="font-mono text-muted text-xs break-all">{agentId}</span>
                  {description !== undefined && <p className="text-muted break-words">{description}</p>}
                </div>
              ),
            },
            { name: 'Model class', cell: ({ modelClass }) => modelClass },
            { name: 'Memory', cell: ({ memoryShape }) => requested(memoryShape) },
            { name: 'Tools', cell: ({ toolAllowlist }) => toolAllowlist.join(', ') || 'none' },
            { name: 'Missing on this server', cell: (agent) => <Missing agent={agent} /> },
          ]}
        />
      )}
    </Panel>
  )
}

function requested(shape: AgentInventoryEntry['memoryShape']): string {
  const kinds = Object.entries(shape ?? {}).flatMap(([kind, isWanted]) => (isWanted ? [kind] : []))
  return kinds.join(', ') || 'none'
}

function Missing({ agent: { degraded = [], degradedMemoryDimensions = [] } }: { readonly agent: AgentInventoryEntry }) {
  if (degraded.length + degradedMemoryDimensions.length === 0) return <Badge tone="good">nothing</Badge>
  return (
    <span className="flex flex-wrap gap-1">
      {degradedMemoryDimensions.map((dimension) => (
        <Badge key={dimension} tone="warn">
          memory: {dimension}
        </Badge>
      ))}
      {degraded.map((capability) => (
        <Badge key={capability} tone="warn">
          {capability}
        </Badge>
      ))}
    </span>
  )
}

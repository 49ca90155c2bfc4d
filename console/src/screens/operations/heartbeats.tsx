import { useQuery } from '@tanstack/react-query'
import type { Heartbeat } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** What is observed at an interval, what was seen last, and when. */
export function Heartbeats() {
  const heartbeats = useQuery({
    queryKey: ['live', 'heartbeats'],
    queryFn: ({ signal }) => api.heartbeats.list({ signal }),
  })
  const items = heartbeats.data?.heartbeats ?? []
  return (
    <Panel title="Heartbeats">
      {heartbeats.isPending && <Loading />}
      {heartbeats.isError && <Failure error={heartbeats.error} onRetry={() => heartbeats.refetch()} />}
      {heartbeats.isSuccess && items.length === 0 && <Empty title="No heartbeats." />}
      {items.length > 0 && (
        <Table<Heartbeat>
          caption="Heartbeats"
          items={items}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Status',
              cell: ({ isPaused, status }) => <Badge>{isPaused ? 'paused' : (status ?? 'new')}</Badge>,
            },
            { name: 'Observes', cell: observed },
            { name: 'Seen last', cell: ({ state }) => stateOf(state) },
            { name: 'Every', cell: ({ intervalSec }) => `${intervalSec} s` },
            { name: 'Runs', cell: ({ workflowId }) => workflowId ?? 'nothing' },
            { name: 'Last', cell: ({ lastTickAt }) => <Time at={lastTickAt} short /> },
            { name: 'Next', cell: ({ nextTickAt }) => <Time at={nextTickAt} short /> },
          ]}
        />
      )}
    </Panel>
  )
}

function observed({ predicate, memoryRef, tag, claimId }: Heartbeat): string {
  const of = claimId ?? memoryRef
  return `${predicate}${of === undefined ? '' : ` of ${of}`}${tag === undefined ? '' : ` with tag ${tag}`}`
}

function stateOf(state: Heartbeat['state']): string {
  const members = Object.entries(state).map(([name, value]) => `${name} ${value}`)
  return members.length === 0 ? 'nothing yet' : members.join(', ')
}

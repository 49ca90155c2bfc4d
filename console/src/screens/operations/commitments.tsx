import { useQuery } from '@tanstack/react-query'
import type { Commitment } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const shownMax = 200

/** Which commitments wait, from which entry, and which fired when. */
export function Commitments() {
  const commitments = useQuery({
    queryKey: ['live', 'commitments'],
    queryFn: ({ signal }) => api.commitments.list({ limit: shownMax }, { signal }),
  })
  const items = commitments.data?.commitments ?? []
  return (
    <Panel title="Commitments">
      {commitments.isPending && <Loading />}
      {commitments.isError && <Failure error={commitments.error} onRetry={() => commitments.refetch()} />}
      {commitments.isSuccess && items.length === 0 && <Empty title="No commitments." />}
      {items.length > 0 && (
        <Table<Commitment>
          caption="Commitments"
          items={items}
          keyOf={({ id }) => id}
          columns={[
            { name: 'Status', cell: ({ status, reason }) => <Badge>{reason ? `${status}: ${reason}` : status}</Badge> },
            { name: 'Intention', cell: ({ intention }) => intention },
            {
              name: 'Due',
              cell: ({ at, statement }) => (at === undefined ? `when ${statement}` : <Time at={at} short />),
            },
            { name: 'Ref', cell: ({ memoryRef }) => memoryRef },
            {
              name: 'From',
              cell: ({ memoryId }) => <code className="font-mono text-xs">{memoryId ?? 'by hand'}</code>,
            },
            { name: 'Fired', cell: ({ firedAt }) => <Time at={firedAt} short /> },
          ]}
        />
      )}
    </Panel>
  )
}

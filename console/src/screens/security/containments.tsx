import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Containment } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ContainDialog } from './contain-dialog.tsx'

/** Containments with their release, and a form to contain a source. */
export function Containments() {
  const [isAdding, setAdding] = useState(false)
  const containments = useInfiniteQuery({
    queryKey: ['live', 'containments'],
    queryFn: ({ pageParam, signal }) => api.containments.list({ cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  return (
    <Panel
      title="Containments"
      actions={
        <ScopedButton scope="memory:admin" small onClick={() => setAdding(true)}>
          Contain a source
        </ScopedButton>
      }
    >
      {containments.isPending && <Loading />}
      {containments.isError && <Failure error={containments.error} onRetry={() => containments.refetch()} />}
      {containments.isSuccess && (
        <Table<Containment>
          caption="Containments"
          items={containments.data.pages.flatMap((page) => page.containments)}
          keyOf={({ id }) => id}
          columns={[
            { name: 'Source', cell: ({ selector }) => selector.kind },
            { name: 'Id', cell: ({ selector }) => <Identifier value={selector.value} /> },
            {
              name: 'Status',
              cell: ({ status }) => <Badge tone={status === 'applied' ? 'warn' : 'neutral'}>{status}</Badge>,
            },
            { name: 'Entries', cell: ({ counts }) => String(counts.entries) },
            { name: 'Claims', cell: ({ counts }) => String(counts.claims) },
            { name: 'Runs', cell: ({ counts }) => String(counts.runs) },
            { name: 'Reason', cell: ({ reason }) => reason ?? '' },
            { name: 'At', cell: ({ at }) => <Time at={at} short /> },
            { name: 'Actions', isNameHidden: true, cell: (item) => <Release item={item} /> },
          ]}
        />
      )}
      {containments.hasNextPage && (
        <div className="p-3 text-center">
          <Button small disabled={containments.isFetchingNextPage} onClick={() => containments.fetchNextPage()}>
            More containments
          </Button>
        </div>
      )}
      {isAdding && <ContainDialog onClose={() => setAdding(false)} />}
    </Panel>
  )
}

function Release({ item }: { readonly item: Containment }) {
  const queries = useQueryClient()
  const [isSure, setSure] = useState(false)
  const release = useMutation({
    mutationFn: () => api.containments.release(item.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  if (item.status !== 'applied') return null
  return (
    <div className="flex justify-end gap-2">
      {isSure ? (
        <Button small kind="danger" disabled={release.isPending} onClick={() => release.mutate()}>
          Confirm: release {item.selector.value}
        </Button>
      ) : (
        <ScopedButton scope="memory:admin" small onClick={() => setSure(true)}>
          Release
        </ScopedButton>
      )}
      {release.isError && <Failure error={release.error} />}
    </div>
  )
}

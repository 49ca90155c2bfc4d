import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeyList, NewKey } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { NewKeyDialog } from './new-key.tsx'

type Key = KeyList['keys'][number]

export function Keys() {
  const [isAdding, setAdding] = useState(false)
  const [shown, setShown] = useState<NewKey | null>(null)
  const keys = useInfiniteQuery({
    queryKey: ['live', 'keys'],
    queryFn: ({ pageParam, signal }) => api.keys.list({ cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  return (
    <Panel
      title="API keys"
      actions={
        <Button small onClick={() => setAdding(true)}>
          New key
        </Button>
      }
    >
      {keys.isPending && <Loading />}
      {keys.isError && <Failure error={keys.error} onRetry={() => keys.refetch()} />}
      {keys.isSuccess && (
        <Table<Key>
          caption="API keys"
          items={keys.data.pages.flatMap((page) => page.keys)}
          keyOf={({ id }) => id}
          columns={[
            { name: 'Name', cell: ({ name }) => name },
            { name: 'Id', cell: ({ id }) => <Identifier value={id} /> },
            {
              name: 'Status',
              cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'neutral'}>{status}</Badge>,
            },
            { name: 'Scopes', cell: ({ scopes }) => <span className="text-xs">{scopes.join(', ')}</span> },
            { name: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} short /> },
            { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} short /> },
            { name: 'Actions', isNameHidden: true, cell: (key) => <KeyActions item={key} onShow={setShown} /> },
          ]}
        />
      )}
      {keys.hasNextPage && (
        <div className="p-3 text-center">
          <Button small disabled={keys.isFetchingNextPage} onClick={() => keys.fetchNextPage()}>
            More keys
          </Button>
        </div>
      )}
      {isAdding && <NewKeyDialog onClose={() => setAdding(false)} onMade={setShown} />}
      {shown !== null && <ShownOnce made={shown} onClose={() => setShown(null)} />}
    </Panel>
  )
}

function KeyActions({ item, onShow }: { readonly item: Key; readonly onShow: (made: NewKey) => void }) {
  const queries = useQueryClient()
  const [isSure, setSure] = useState(false)
  const refresh = () => queries.invalidateQueries({ queryKey: ['live', 'keys'] })
  const rotate = useMutation({
    mutationFn: () => api.keys.rotate(item.id),
    onSuccess: async (made) => {
      onShow(made)
      await refresh()
    },
  })
  const revoke = useMutation({ mutationFn: () => api.keys.revoke(item.id), onSuccess: refresh })
  if (item.status !== 'active') return null
  return (
    <div className="flex justify-end gap-2">
      <Button small disabled={rotate.isPending} onClick={() => rotate.mutate()}>
        Rotate
      </Button>
      {isSure ? (
        <Button small kind="danger" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
          Confirm: revoke {item.name}
        </Button>
      ) : (
        <Button small kind="danger" onClick={() => setSure(true)}>
          Revoke
        </Button>
      )}
      {revoke.isError && <Failure error={revoke.error} />}
      {rotate.isError && <Failure error={rotate.error} />}
    </div>
  )
}

/** The server stores only the hash of a key, so it is shown once, here. */
function ShownOnce({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={`The key “${made.name}”`} description="Copy it now. It is not shown again.">
      <p className="rounded-md border border-line bg-sunken p-3 font-mono text-xs break-all">{made.key}</p>
    </Dialog>
  )
}

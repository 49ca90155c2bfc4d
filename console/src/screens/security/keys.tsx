import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeyList, NewKey } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { useIsOwnKey, useScope } from '../../app/caller.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { NewKeyDialog } from './new-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { ShownKey } from './shown-key.tsx'

type Key = KeyList['keys'][number]
type Shown = { readonly made: NewKey; readonly isAdopted: boolean }

export function Keys() {
  const [isAdding, setAdding] = useState(false)
  const [shown, setShown] = useState<Shown | null>(null)
  const isOwnKey = useIsOwnKey()
  const show = (made: NewKey, isAdopted = false) => setShown({ made, isAdopted })
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
        <Button small {...useScope('keys:manage')} onClick={() => setAdding(true)}>
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
            {
              name: 'Name',
              cell: ({ id, name }) => (
                <>
                  {name} {isOwnKey(id) && <Badge tone="accent">this session</Badge>}
                </>
              ),
            },
            { name: 'Id', cell: ({ id }) => <Identifier value={id} /> },
            {
              name: 'Status',
              cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'neutral'}>{status}</Badge>,
            },
            { name: 'Scopes', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
            { name: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} short /> },
            { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} short /> },
            { name: 'Actions', isNameHidden: true, cell: (key) => <KeyActions item={key} onShow={show} /> },
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
      {isAdding && <NewKeyDialog onClose={() => setAdding(false)} onMade={show} />}
      {shown !== null && <ShownKey {...shown} onClose={() => setShown(null)} />}
    </Panel>
  )
}

/** A row is a few lines high, on a narrow screen too: more scopes than this are opened. */
const scopesShown = 4

function Scopes({ scopes }: Pick<Key, 'scopes'>) {
  if (scopes.length <= scopesShown) return <span className="text-xs">{scopes.join(', ')}</span>
  return (
    <details className="min-w-28 text-xs">
      <summary className="cursor-pointer">{scopes.length} scopes</summary>
      {scopes.join(', ')}
    </details>
  )
}

type KeyActionsProps = { readonly item: Key; readonly onShow: (made: NewKey, isAdopted: boolean) => void }

function KeyActions({ item, onShow }: KeyActionsProps) {
  const [doing, setDoing] = useState<'rotate' | 'revoke' | null>(null)
  const close = () => setDoing(null)
  if (item.status !== 'active') return null
  return (
    <div className="flex justify-end gap-2">
      <ScopedButton scope="keys:manage" small onClick={() => setDoing('rotate')}>
        Rotate
      </ScopedButton>
      <ScopedButton scope="keys:manage" small kind="danger" onClick={() => setDoing('revoke')}>
        Revoke
      </ScopedButton>
      {doing === 'rotate' && (
        <RotateKey
          item={item}
          onClose={close}
          onMade={(made, isAdopted) => {
            close()
            onShow(made, isAdopted)
          }}
        />
      )}
      {doing === 'revoke' && <RevokeKey item={item} onClose={close} />}
    </div>
  )
}

function RevokeKey({ item, onClose }: { readonly item: Key; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const isOwn = useIsOwnKey()(item.id)
  const revoke = useMutation({
    mutationFn: () => api.keys.revoke(item.id),
    onSuccess: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: ['live', 'keys'] })
    },
  })
  return (
    <ConfirmDialog
      title={`Revoke the key “${item.name}”?`}
      action={`Revoke ${item.name}`}
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Every request with it is refused from now on. A revoked key cannot be restored.
      {isOwn && (
        <strong className="mt-2 block text-bad">
          You are logged in with this key: revoking it ends this session. To replace it, rotate it instead.
        </strong>
      )}
    </ConfirmDialog>
  )
}

import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Client, createClient, type NewTenant, type Tenant } from '../../../../src/client/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** The tenants of this server. A session belongs to one tenant, so this asks for the operator key, and keeps it only while the tab is open. */
export function Tenants() {
  const [key, setKey] = useState('')
  const [operator, setOperator] = useState<Client | null>(null)
  if (operator !== null) return <TenantList operator={operator} onLeave={() => setOperator(null)} />
  return (
    <Panel title="Tenants">
      <form
        className="max-w-md space-y-3 p-4"
        onSubmit={(event) => {
          event.preventDefault()
          setOperator(createClient({ url: '', key: key.trim(), retry: { retries: 0 } }))
          setKey('')
        }}
      >
        <TextField
          label="Operator key"
          hint="(of this server; it is not stored)"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <Button kind="primary" type="submit">
          Show the tenants
        </Button>
      </form>
    </Panel>
  )
}

/** A wrong operator key is shown here. It does not end the session of the tenant. */
const onError = () => {}

function TenantList({ operator, onLeave }: { readonly operator: Client; readonly onLeave: () => void }) {
  const queries = useQueryClient()
  const [id, setId] = useState('')
  const [made, setMade] = useState<NewTenant | null>(null)
  const pages = useInfiniteQuery({
    queryKey: ['tenants'],
    queryFn: ({ pageParam, signal }) =>
      operator.tenants.list({ limit: 100, cursor: pageParam }, { signal }).catch(withoutStatus),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    gcTime: 0,
  })
  const create = useMutation({
    mutationFn: () => operator.tenants.create(id.trim()),
    onError,
    onSuccess: async (tenant) => {
      setId('')
      setMade(tenant)
      await queries.invalidateQueries({ queryKey: ['tenants'] })
    },
  })
  return (
    <Panel
      title="Tenants"
      actions={
        <Button small onClick={onLeave}>
          Forget the operator key
        </Button>
      }
    >
      {pages.isPending && <Loading />}
      {pages.isError && <Failure error={pages.error} />}
      {pages.isSuccess && (
        <>
          <form
            className="flex flex-wrap items-end gap-2 p-4"
            onSubmit={(event) => {
              event.preventDefault()
              create.mutate()
            }}
          >
            <TextField label="New tenant" required value={id} onChange={(event) => setId(event.target.value)} />
            <Button type="submit" disabled={create.isPending}>
              Create
            </Button>
          </form>
          {create.isError && <Failure error={create.error} />}
          <Table<Tenant>
            caption="Tenants"
            items={pages.data.pages.flatMap(({ tenants }) => tenants)}
            keyOf={(tenant) => tenant.id}
            columns={[
              { name: 'Tenant', cell: (tenant) => <span className="break-all">{tenant.id}</span> },
              {
                name: 'Status',
                cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'warn'}>{status}</Badge>,
              },
              { name: 'Since', cell: ({ createdAt }) => <Time at={createdAt} short /> },
              {
                name: 'Actions',
                isNameHidden: true,
                cell: (tenant) => <TenantActions operator={operator} tenant={tenant} />,
              },
            ]}
          />
        </>
      )}
      {pages.hasNextPage && (
        <div className="p-3 text-center">
          <Button small disabled={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
            More tenants
          </Button>
        </div>
      )}
      {made !== null && (
        <ShownOnce
          title={`The first key of ${made.id}, with every scope`}
          secret={made.key.key}
          onClose={() => setMade(null)}
        />
      )}
    </Panel>
  )
}

/** A refused operator key is not the end of the tenant's session, which a 401 of another call is. */
function withoutStatus(error: unknown): never {
  throw new Error(error instanceof Error ? error.message : String(error))
}

function TenantActions({ operator, tenant }: { readonly operator: Client; readonly tenant: Tenant }) {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const change = useMutation({
    mutationFn: (what: 'enable' | 'disable') => operator.tenants[what](tenant.id),
    onError,
    onSuccess: async () => {
      setAsking(false)
      await queries.invalidateQueries({ queryKey: ['tenants'] })
    },
  })
  if (tenant.status === 'disabled')
    return (
      <div className="text-right">
        <Button small disabled={change.isPending} onClick={() => change.mutate('enable')}>
          Enable
        </Button>
        {change.isError && <Failure error={change.error} />}
      </div>
    )
  return (
    <div className="text-right">
      <Button small kind="danger" onClick={() => setAsking(true)}>
        Disable
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Disable the tenant ${tenant.id}?`}
          action={`Disable ${tenant.id}`}
          isBusy={change.isPending}
          error={change.error}
          onConfirm={() => change.mutate('disable')}
          onClose={() => setAsking(false)}
        >
          Requests with its keys are refused until it is enabled again. Its data is kept.
        </ConfirmDialog>
      )}
    </div>
  )
}

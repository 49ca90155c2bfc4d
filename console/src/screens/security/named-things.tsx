import { type UseQueryResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

type Named = { readonly id: string; readonly updatedAt: string }

type NamedThingsProps<Item extends Named> = {
  readonly title: string
  readonly actions?: ReactNode
  /** The name of the list in the query cache. */
  readonly name: string
  readonly query: UseQueryResult<unknown>
  readonly items: readonly Item[] | undefined
  readonly put: (id: string, value: string) => Promise<unknown>
  readonly remove: (id: string) => Promise<unknown>
  /** The question before a deletion says this. */
  readonly removal: ReactNode
  /** Stores a deleted item again. Without it, a deletion cannot be undone. */
  readonly restore?: (item: Item) => Promise<unknown>
  /** The input field for the value, and the label of the button. */
  readonly field: Omit<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'required'>
  readonly button: string
  readonly empty: ReactNode
  readonly caption: string
  /** Columns between the name and the time of the last change. */
  readonly columns: readonly Column<Item>[]
}

/** A list of named values, such as secrets or rules: a form to store one, and a table to delete from. */
export function NamedThings<Item extends Named>(props: NamedThingsProps<Item>) {
  const { title, actions, name, query, items, put, field, button, empty, caption, columns } = props
  const queries = useQueryClient()
  const [id, setId] = useState('')
  const [value, setValue] = useState('')
  const refresh = () => queries.invalidateQueries({ queryKey: ['live', name] })
  const store = useMutation({
    mutationFn: () => put(id.trim(), value),
    onSuccess: async () => {
      setId('')
      setValue('')
      await refresh()
    },
  })
  const [removing, setRemoving] = useState<Item | null>(null)
  const [removed, setRemoved] = useState<Item | null>(null)
  const remove = useMutation({
    mutationFn: (item: Item) => props.remove(item.id),
    onSuccess: async (_, item) => {
      setRemoving(null)
      setRemoved(item)
      await refresh()
    },
  })
  const restore = useMutation({
    mutationFn: async (item: Item) => props.restore?.(item),
    onSuccess: async () => {
      setRemoved(null)
      await refresh()
    },
  })
  const deletion: Column<Item> = {
    name: 'Actions',
    isNameHidden: true,
    cell: (item) => (
      <ScopedButton
        scope="memory:admin"
        small
        kind="danger"
        aria-label={`Delete ${item.id}`}
        onClick={() => {
          remove.reset()
          setRemoving(item)
        }}
      >
        Delete
      </ScopedButton>
    ),
  }
  return (
    <Panel title={title} actions={actions}>
      <form
        className="flex flex-wrap items-end gap-2 border-line border-b p-4"
        onSubmit={(event) => {
          event.preventDefault()
          store.mutate()
        }}
      >
        <TextField label="Name" required value={id} onChange={(event) => setId(event.target.value)} />
        <TextField {...field} required value={value} onChange={(event) => setValue(event.target.value)} />
        <ScopedButton
          scope="memory:admin"
          kind="primary"
          type="submit"
          disabled={store.isPending || id.trim() === '' || value === ''}
        >
          {button}
        </ScopedButton>
      </form>
      {store.isError && <Failure error={store.error} />}
      {removing !== null && (
        <ConfirmDialog
          title={`Delete “${removing.id}”?`}
          action={`Delete ${removing.id}`}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(removing)}
          onClose={() => setRemoving(null)}
        >
          {props.removal}
        </ConfirmDialog>
      )}
      {removed !== null && (
        <p role="status" className="flex flex-wrap items-center gap-3 border-line border-b px-4 py-2">
          <span className="break-all">“{removed.id}” was deleted.</span>
          {props.restore !== undefined && (
            <Button small disabled={restore.isPending} onClick={() => restore.mutate(removed)}>
              Undo
            </Button>
          )}
        </p>
      )}
      {restore.isError && <Failure error={restore.error} />}
      {query.isPending && <Loading />}
      {query.isError && <Failure error={query.error} onRetry={() => query.refetch()} />}
      {items?.length === 0 && empty}
      {items !== undefined && items.length > 0 && (
        <Table
          caption={caption}
          items={items}
          keyOf={(item) => item.id}
          columns={[
            { name: 'Name', cell: (item) => <code className="font-mono text-xs">{item.id}</code> },
            ...columns,
            { name: 'Changed', cell: (item) => <Time at={item.updatedAt} short /> },
            deletion,
          ]}
        />
      )}
    </Panel>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** Own rules beside the built-in ones, and a place to try them that stores nothing. */
export function RedactionRules() {
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <TryIt />
      <Rules />
      <Hits />
    </div>
  )
}

function TryIt() {
  const [text, setText] = useState('')
  const trial = useMutation({ mutationFn: () => api.rules.test({ text }) })
  return (
    <Panel title="Try it">
      <div className="space-y-3 p-4">
        <TextAreaField
          label="Text"
          hint="(nothing of it is stored)"
          value={text}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <Button kind="primary" disabled={trial.isPending || text === ''} onClick={() => trial.mutate()}>
          What would be stored?
        </Button>
        {trial.isError && <Failure error={trial.error} />}
        {trial.isSuccess && (
          <div role="status">
            <p className="rounded-md border border-line bg-sunken p-3 break-words whitespace-pre-wrap">
              {trial.data.text}
            </p>
            <p className="mt-2 flex flex-wrap gap-1.5">
              {trial.data.hits.map(({ rule, count }) => (
                <Badge key={rule} tone="warn">
                  {rule} × {count}
                </Badge>
              ))}
              {trial.data.hits.length === 0 && <Badge tone="good">nothing found</Badge>}
            </p>
          </div>
        )}
      </div>
    </Panel>
  )
}

/** What was found in seven days, most first: rules of every kind, and secrets of the vault by their names. */
function Hits() {
  const stats = useQuery({ queryKey: ['live', 'stats'], queryFn: ({ signal }) => api.stats({ signal }) })
  const hits = Object.entries(stats.data?.redactions ?? {}).sort((a, b) => b[1] - a[1])
  return (
    <Panel title="Found in seven days" className="xl:col-span-2">
      {stats.isPending && <Loading />}
      {stats.isError && <Failure error={stats.error} onRetry={() => stats.refetch()} />}
      {stats.isSuccess && hits.length === 0 && <Empty title="Nothing had to be taken out." />}
      {hits.length > 0 && (
        <Table
          caption="How often each rule found something"
          items={hits}
          keyOf={([rule]) => rule}
          columns={[
            { name: 'Rule or secret', cell: ([rule]) => <code className="font-mono text-xs">{rule}</code> },
            { name: 'Times', cell: ([, count]) => count.toLocaleString() },
          ]}
        />
      )}
    </Panel>
  )
}

function Rules() {
  const queries = useQueryClient()
  const [id, setId] = useState('')
  const [pattern, setPattern] = useState('')
  const rules = useQuery({ queryKey: ['live', 'rules'], queryFn: ({ signal }) => api.rules.list({ signal }) })
  const refresh = () => queries.invalidateQueries({ queryKey: ['live', 'rules'] })
  const store = useMutation({
    mutationFn: () => api.rules.put(id.trim(), { pattern }),
    onSuccess: async () => {
      setId('')
      setPattern('')
      await refresh()
    },
  })
  const remove = useMutation({ mutationFn: (name: string) => api.rules.delete(name), onSuccess: refresh })
  return (
    <Panel title="Rules" actions={rules.isSuccess && <Badge>{rules.data.builtIn.length} built in</Badge>}>
      <form
        className="flex flex-wrap items-end gap-2 border-line border-b p-4"
        onSubmit={(event) => {
          event.preventDefault()
          store.mutate()
        }}
      >
        <TextField label="Name" required value={id} onChange={(event) => setId(event.target.value)} />
        <TextField
          label="Pattern"
          hint="(RE2)"
          required
          spellCheck={false}
          value={pattern}
          onChange={(event) => setPattern(event.target.value)}
        />
        <Button kind="primary" type="submit" disabled={store.isPending || id.trim() === '' || pattern === ''}>
          Add
        </Button>
      </form>
      {store.isError && <Failure error={store.error} />}
      {rules.isPending && <Loading />}
      {rules.isError && <Failure error={rules.error} onRetry={() => rules.refetch()} />}
      {rules.data?.rules.length === 0 && (
        <Empty title="No rules of your own.">The built-in ones find keys and tokens of a few hundred kinds.</Empty>
      )}
      {rules.data !== undefined && rules.data.rules.length > 0 && (
        <Table
          caption="Own rules"
          items={rules.data.rules}
          keyOf={(rule) => rule.id}
          columns={[
            { name: 'Name', cell: (rule) => rule.id },
            { name: 'Pattern', cell: (rule) => <code className="font-mono text-xs break-all">{rule.pattern}</code> },
            { name: 'Changed', cell: (rule) => <Time at={rule.updatedAt} short /> },
            {
              name: 'Actions',
              isNameHidden: true,
              cell: (rule) => (
                <Button small kind="danger" onClick={() => remove.mutate(rule.id)}>
                  Delete {rule.id}
                </Button>
              ),
            },
          ]}
        />
      )}
    </Panel>
  )
}

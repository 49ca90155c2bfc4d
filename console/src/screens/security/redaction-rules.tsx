import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { NamedThings } from './named-things.tsx'

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
  const rules = useQuery({ queryKey: ['live', 'rules'], queryFn: ({ signal }) => api.rules.list({ signal }) })
  return (
    <NamedThings
      title="Rules"
      actions={rules.isSuccess && <Badge>{rules.data.builtIn.length} built in</Badge>}
      name="rules"
      query={rules}
      items={rules.data?.rules}
      put={(id, pattern) => api.rules.put(id, { pattern })}
      remove={(id) => api.rules.delete(id)}
      field={{ label: 'Pattern', hint: '(RE2)', spellCheck: false }}
      button="Add"
      empty={
        <Empty title="No rules of your own.">The built-in ones find keys and tokens of a few hundred kinds.</Empty>
      }
      caption="Own rules"
      columns={[
        { name: 'Pattern', cell: (rule) => <code className="font-mono text-xs break-all">{rule.pattern}</code> },
      ]}
    />
  )
}

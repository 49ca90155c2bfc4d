import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { NamedThings } from './named-things.tsx'

/** The redaction rules of the tenant, a form to test them, and how often each rule matched. */
export function RedactionRules() {
  return (
    <div className="grid gap-4 xl:grid-cols-2">
      <RedactionTest />
      <Rules />
      <Hits />
    </div>
  )
}

function RedactionTest() {
  const [text, setText] = useState('')
  const test = useMutation({ mutationFn: () => api.rules.test({ text }) })
  return (
    <Panel title="Test redaction">
      <div className="space-y-3 p-4">
        <TextAreaField
          label="Text"
          hint="(not stored)"
          value={text}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <ScopedButton
          scope="memory:admin"
          kind="primary"
          disabled={test.isPending || text === ''}
          onClick={() => test.mutate()}
        >
          Preview redaction
        </ScopedButton>
        {test.isError && <Failure error={test.error} />}
        {test.isSuccess && (
          <div role="status">
            <p className="rounded-md border border-line bg-sunken p-3 break-words whitespace-pre-wrap">
              {test.data.text}
            </p>
            <p className="mt-2 flex flex-wrap gap-1.5">
              {test.data.hits.map(({ rule, count }) => (
                <Badge key={rule} tone="warn">
                  {rule} × {count}
                </Badge>
              ))}
              {test.data.hits.length === 0 && <Badge tone="good">no match</Badge>}
            </p>
          </div>
        )}
      </div>
    </Panel>
  )
}

/** How often each rule and each secret matched in seven days, most first. */
function Hits() {
  const stats = useQuery({ queryKey: ['live', 'stats'], queryFn: ({ signal }) => api.stats({ signal }) })
  const hits = Object.entries(stats.data?.redactions ?? {}).sort((a, b) => b[1] - a[1])
  return (
    <Panel title="Redactions in seven days" className="xl:col-span-2">
      {stats.isPending && <Loading />}
      {stats.isError && <Failure error={stats.error} onRetry={() => stats.refetch()} />}
      {stats.isSuccess && hits.length === 0 && <Empty title="Nothing was redacted." />}
      {hits.length > 0 && (
        <Table
          caption="Number of matches of each rule"
          items={hits}
          keyOf={([rule]) => rule}
          columns={[
            { name: 'Rule or secret', cell: ([rule]) => <code className="font-mono text-xs">{rule}</code> },
            { name: 'Matches', cell: ([, count]) => count.toLocaleString() },
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
      restore={({ id, pattern }) => api.rules.put(id, { pattern })}
      removal="What the rule matches is no longer redacted in what is written. Markers that replaced it stay."
      field={{ label: 'Pattern', hint: '(RE2)', spellCheck: false }}
      button="Add"
      empty={<Empty title="No custom rules.">The built-in rules match a few hundred kinds of keys and tokens.</Empty>}
      caption="Custom rules"
      columns={[
        { name: 'Pattern', cell: (rule) => <code className="font-mono text-xs break-all">{rule.pattern}</code> },
      ]}
    />
  )
}

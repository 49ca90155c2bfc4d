import { useState } from 'react'
import type { Writer } from '../../../../src/client/index.ts'
import { categories } from '../../../../src/core/provenance/category.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { AuthorityEditor } from './authority-editor.tsx'
import { NewWriter } from './new-writer.tsx'
import { useWriters } from './use-writers.ts'

/** The priority of each writer (rows) in each category (columns). Darker is higher. */
export function AuthorityGrid() {
  const [editing, setEditing] = useState<Writer | null>(null)
  const [isAdding, setAdding] = useState(false)
  const writers = useWriters()
  return (
    <Panel
      title="Authority"
      actions={
        <ScopedButton scope="memory:admin" small onClick={() => setAdding(true)}>
          Register a writer
        </ScopedButton>
      }
    >
      {writers.isPending && <Loading />}
      {writers.isError && <Failure error={writers.error} onRetry={() => writers.refetch()} />}
      {writers.data?.length === 0 && (
        <Empty title="No writers.">
          A writer is a source service with an authority. When writers disagree, the higher priority wins.
        </Empty>
      )}
      {writers.data?.some(isUnbound) && (
        <p role="note" className="border-line border-b px-4 py-2 text-sm">
          Every key with the scope memory:write can send events as a writer that is not bound to a key. Bind it by its
          api_key_id, and set require_bound_writers to refuse unbound writers.
        </p>
      )}
      {writers.data !== undefined && writers.data.length > 0 && (
        <div className="relative overflow-x-auto">
          <table className="w-full min-w-[46rem] text-left">
            <caption className="sr-only">Priority of each writer in each category, 0 to 100</caption>
            <thead>
              <tr className="border-line border-b text-muted text-xs">
                <th scope="col" className="px-4 py-2 font-medium">
                  Writer
                </th>
                <th scope="col" className="px-2 py-2 text-center font-medium">
                  default
                </th>
                {categories.map((category) => (
                  <th key={category} scope="col" className="px-2 py-2 text-center font-medium">
                    {category}
                  </th>
                ))}
                <th scope="col">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {writers.data.map((writer) => (
                <WriterRow key={writer.id} writer={writer} onEdit={() => setEditing(writer)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {editing !== null && <AuthorityEditor writer={editing} onClose={() => setEditing(null)} />}
      {isAdding && <NewWriter onClose={() => setAdding(false)} />}
    </Panel>
  )
}

function isUnbound({ api_key_id, is_active }: Writer): boolean {
  return api_key_id === null && is_active
}

function WriterRow({ writer, onEdit }: { readonly writer: Writer; readonly onEdit: () => void }) {
  const { default_priority, categories: own } = writer.authority_rules
  return (
    <tr className="border-line border-b">
      <th scope="row" className="px-4 py-2 text-left font-medium">
        {writer.display_name ?? writer.service_key}
        <span className="ml-2 font-mono font-normal text-muted text-xs">{writer.service_key}</span>{' '}
        {!writer.is_active && <Badge tone="warn">deactivated</Badge>}
        {isUnbound(writer) && <Badge tone="warn">not bound to a key</Badge>}
        {writer.api_key_id !== null && <Badge>bound to a key</Badge>}
      </th>
      <PriorityCell priority={default_priority} isOwn />
      {categories.map((category) => (
        <PriorityCell key={category} priority={own[category] ?? default_priority} isOwn={own[category] !== undefined} />
      ))}
      <td className="px-3 text-right">
        <ScopedButton
          scope="memory:admin"
          small
          onClick={onEdit}
          aria-label={`Edit the authority of ${writer.service_key}`}
        >
          Edit
        </ScopedButton>
      </td>
    </tr>
  )
}

/** An inherited default is paler and in parentheses, so that colour is not the only sign. */
function PriorityCell({ priority, isOwn }: { readonly priority: number; readonly isOwn: boolean }) {
  const strength = `color-mix(in srgb, var(--accent) ${Math.round(priority * 0.35)}%, transparent)`
  return (
    <td className="px-2 py-2 text-center font-mono" style={{ backgroundColor: strength }}>
      {isOwn ? priority : <span className="opacity-80">({priority})</span>}
    </td>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Writer } from '../../../../src/client/index.ts'
import { categories } from '../../../../src/core/provenance/category.ts'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Failure, Loading } from '../../ui/states.tsx'

type Draft = Readonly<Record<string, string>>

/** Edits the authority of a writer. The preview shows which claims would get another winner. */
export function AuthorityEditor({ writer, onClose }: { readonly writer: Writer; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [draft, setDraft] = useState<Draft>(() => toDraft(writer))
  const [isActive, setActive] = useState(writer.is_active)
  const [reresolves, setReresolves] = useState(true)
  const [isAsking, setAsking] = useState(false)
  const rules = readDraft(draft)
  const isDeactivated = writer.is_active && !isActive
  const save = useMutation({
    mutationFn: async () => {
      if (rules === null) return
      await api.writers.patch(writer.id, { authority_rules: rules, is_active: isActive })
      if (reresolves) await api.writers.reresolve(writer.id)
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onClose()
    },
  })
  return (
    <Dialog
      side
      open
      onClose={onClose}
      title={`Authority of ${writer.service_key}`}
      description="Priorities from 0 to 100. An empty field uses the default."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isDeactivated) setAsking(true)
          else save.mutate()
        }}
      >
        <div className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-3">
          {['default', ...categories].map((name) => (
            <TextField
              key={name}
              label={name}
              inputMode="numeric"
              value={draft[name] ?? ''}
              onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
            />
          ))}
        </div>
        <label className="mb-2 flex items-center gap-2">
          <input type="checkbox" checked={isActive} onChange={(event) => setActive(event.target.checked)} />
          active: accept new events
        </label>
        <label className="mb-4 flex items-center gap-2">
          <input type="checkbox" checked={reresolves} onChange={(event) => setReresolves(event.target.checked)} />
          also decide the existing claims of this writer again
        </label>
        <Preview writer={writer} rules={rules} />
        {save.isError && !isAsking && <Failure error={save.error} />}
        {isAsking && (
          <ConfirmDialog
            title={`Deactivate the writer “${writer.service_key}”?`}
            action={`Deactivate ${writer.service_key}`}
            isBusy={save.isPending}
            error={save.error}
            onConfirm={() => save.mutate()}
            onClose={() => setAsking(false)}
          >
            New events of it are refused. Its earlier statements stay, with priority 0 when claims are decided again. It
            can be activated again here.
          </ConfirmDialog>
        )}
        <Button kind="primary" type="submit" disabled={rules === null || save.isPending}>
          Save
        </Button>
      </form>
    </Dialog>
  )
}

type Rules = Writer['authority_rules']

function Preview({ writer, rules }: { readonly writer: Writer; readonly rules: Rules | null }) {
  const preview = useQuery({
    queryKey: ['live', 'preview', writer.id, rules],
    queryFn: ({ signal }) => api.writers.preview(writer.id, rules as Rules, { signal }),
    enabled: rules !== null,
  })
  if (rules === null) return <p className="mb-4 text-bad">Priorities are whole numbers from 0 to 100.</p>
  if (preview.isPending) return <Loading label="Computing the preview" />
  if (hasFailed(preview)) return <Failure error={preview.error} />
  const { claims, changed, changes } = preview.data
  return (
    <section aria-label="Preview" className="mb-4 rounded-md border border-line p-3">
      <p className="font-medium">
        {changed === 0 ? 'No claim would change' : `${changed} of ${claims} claims would have another winner`}
      </p>
      <ul className="mt-2 space-y-2 text-sm">
        {changes.map(({ claimId, subject, claimKey, from, to }) => (
          <li key={claimId}>
            <span className="text-muted">
              {subject}: {claimKey}
            </span>
            <br />
            <del className="text-bad">{from ?? 'nothing'}</del> → <ins className="text-good">{to ?? 'nothing'}</ins>
          </li>
        ))}
      </ul>
    </section>
  )
}

function toDraft({ authority_rules }: Writer): Draft {
  const own = Object.entries(authority_rules.categories).map(([name, priority]) => [name, String(priority)])
  return { default: String(authority_rules.default_priority), ...Object.fromEntries(own) }
}

/** The rules of a draft; null if one of its values is not a priority. */
function readDraft(draft: Draft): Rules | null {
  const isPriority = (text: string) => /^\d{1,3}$/.test(text) && Number(text) <= 100
  const { default: fallback = '', ...own } = draft
  const given = Object.entries(own).filter(([, text]) => text.trim() !== '')
  if (!isPriority(fallback) || !given.every(([, text]) => isPriority(text))) return null
  return {
    default_priority: Number(fallback),
    categories: Object.fromEntries(given.map(([name, text]) => [name, Number(text)])),
  }
}

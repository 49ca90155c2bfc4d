import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ImportResult } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveAs } from '../../ui/save-as.ts'
import { Failure } from '../../ui/states.tsx'

/** The memory of the tenant as a file, and back. */
export function Portable() {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Export />
      <Import />
    </div>
  )
}

function Export() {
  const [memoryRef, setMemoryRef] = useState('')
  const [subject, setSubject] = useState('')
  const save = useMutation({
    mutationFn: async () => {
      const query = {
        ...(memoryRef.trim() === '' ? {} : { memoryRef: memoryRef.trim() }),
        ...(subject.trim() === '' ? {} : { subject: subject.trim() }),
      }
      const chunks: string[] = []
      for await (const chunk of api.export(query)) chunks.push(chunk)
      const text = chunks.join('')
      saveAs('colophon-export.ndjson', 'application/x-ndjson', text)
      return text.split('\n').filter((line) => line !== '').length
    },
  })
  return (
    <Panel title="Export">
      <form
        className="space-y-3 p-4"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <p className="text-muted">
          Memories with their sources and history, one JSON document per line, signed by this server. Keys, secrets and
          webhooks are not exported.
        </p>
        <TextField
          label="Only this memory ref"
          value={memoryRef}
          onChange={(event) => setMemoryRef(event.target.value)}
        />
        <TextField label="Only this subject" value={subject} onChange={(event) => setSubject(event.target.value)} />
        {save.isError && <Failure error={save.error} />}
        {save.isSuccess && (
          <p role="status" className="text-good">
            Saved {save.data.toLocaleString()} lines.
          </p>
        )}
        <ScopedButton scope="memory:admin" kind="primary" type="submit" disabled={save.isPending}>
          {save.isPending ? 'Exporting …' : 'Save the export'}
        </ScopedButton>
      </form>
    </Panel>
  )
}

function Import() {
  const queries = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [isMerge, setMerge] = useState(false)
  const load = useMutation({
    mutationFn: async (from: File) => api.import(await from.text(), isMerge ? { merge: 'true' } : {}),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  return (
    <Panel title="Import">
      <form
        className="space-y-3 p-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (file !== null) load.mutate(file)
        }}
      >
        <p className="text-muted">
          An export of Colophon. What is stored already is skipped, so a repeat is safe. For a file of several
          megabytes, or of another product, use <code className="font-mono text-xs">colophon import FILE</code>.
        </p>
        <TextField
          label="File"
          type="file"
          required
          accept=".ndjson,.jsonl,application/x-ndjson"
          onChange={(event) => {
            setFile(event.target.files?.[0] ?? null)
            load.reset()
          }}
        />
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={isMerge} onChange={(event) => setMerge(event.target.checked)} />
          Also import into a tenant that has memory
        </label>
        {load.isError && <Failure error={load.error} />}
        {load.isSuccess && <Outcome result={load.data} />}
        <ScopedButton scope="memory:admin" kind="primary" type="submit" disabled={load.isPending || file === null}>
          {load.isPending ? 'Importing …' : 'Import'}
        </ScopedButton>
      </form>
    </Panel>
  )
}

const signatures = {
  known: 'This server signed the file.',
  unknown: 'Another key signed the file, so its memories are at most untrusted.',
  missing: 'The file is not signed, so its memories are at most untrusted.',
  pending: 'Parts of the file are missing.',
} as const

function Outcome({ result }: { readonly result: ImportResult }) {
  const { imported, skipped, conflicts, signature, writersToBind, unmarked } = result
  return (
    <div role="status" className="space-y-1">
      <p className="text-good">
        Imported {imported.toLocaleString()} lines; {skipped.toLocaleString()} were stored already.
      </p>
      <p>{signatures[signature.status]}</p>
      {conflicts.length > 0 && (
        <p className="text-warn">
          {conflicts.length} lines were left out, because other rows have their ids: {conflicts[0]?.type}{' '}
          {conflicts[0]?.id}
          {conflicts.length > 1 && ' and others'}.
        </p>
      )}
      {unmarked.length > 0 && (
        <p className="text-warn break-words">
          These memories are no longer always included, because their subject has as many as it may:{' '}
          {unmarked.join(', ')}.
        </p>
      )}
      {writersToBind.length > 0 && (
        <p className="text-warn break-words">
          These writers are inactive until a key is bound to them: {writersToBind.join(', ')}.
        </p>
      )}
    </div>
  )
}

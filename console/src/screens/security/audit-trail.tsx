import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AuditPage } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Named, useNames } from '../../app/names.tsx'
import { useAddress } from '../../app/use-address.ts'
import { ApplyingField } from '../../ui/applying-field.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveAs } from '../../ui/save-as.ts'
import { Empty, Failure } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ChainState } from './chain-state.tsx'

type AuditRecord = AuditPage['records'][number]
const pageSize = 100

/** The audit log, the newest record first: one for each commit, with its actor and the hash that chains it to the one before. */
export function AuditTrail() {
  const [search, change] = useAddress()
  const head = useQuery({
    queryKey: ['live', 'audit-head'],
    queryFn: async ({ signal }) => (await api.audit.list({ limit: 1 }, { signal })).head,
  })
  const newest = head.data?.position
  const pages = useInfiniteQuery({
    queryKey: ['live', 'audit', newest],
    enabled: newest !== undefined,
    // The API lists the oldest first: a page before another begins one page lower.
    queryFn: async ({ pageParam: below, signal }) => {
      const after = Math.max(0, below - pageSize)
      const records: AuditRecord[] = []
      // A page of long records is shorter than its limit.
      for await (const record of api.audit.each({ limit: Math.max(1, below - after), after }, { signal })) {
        if (record.position <= below) records.push(record)
        if (record.position >= below) break
      }
      return { records: records.toReversed(), after }
    },
    initialPageParam: newest ?? 0,
    getNextPageParam: ({ after }) => (after === 0 ? undefined : after),
    placeholderData: (before) => before,
  })
  const download = useMutation({
    mutationFn: async () => {
      const lines: string[] = []
      for await (const record of api.audit.each({ limit: 1_000 })) lines.push(JSON.stringify(record))
      saveAs('colophon-audit.ndjson', 'application/x-ndjson', `${lines.join('\n')}\n`)
    },
  })
  const has = (text: string, wanted: string | undefined) =>
    wanted === undefined || text.toLowerCase().includes(wanted.toLowerCase())
  const all = pages.data?.pages.flatMap((page) => page.records) ?? []
  // Actors are looked for by the names that are shown, and by their ids.
  const nameOf = useNames(search.actor === undefined ? [] : all.map(({ actor }) => actor))
  const records = all.filter(
    ({ kind, actor }) => has(kind, search.kind) && (has(actor, search.actor) || has(nameOf(actor), search.actor)),
  )
  return (
    <Panel
      title="Audit chain"
      actions={
        <div className="flex flex-wrap items-center gap-2">
          {head.data !== undefined && (
            <span className="text-muted text-xs">
              head at {head.data.position} <Identifier value={head.data.hash} />
            </span>
          )}
          <Button small disabled={download.isPending} onClick={() => download.mutate()}>
            Export
          </Button>
        </div>
      }
    >
      <ChainState />
      <div className="flex flex-wrap gap-2 border-line border-b p-2">
        <ApplyingField label="Kind" value={search.kind} onApply={(kind) => change({ kind })} />
        <ApplyingField label="Actor" value={search.actor} onApply={(actor) => change({ actor })} />
      </div>
      {head.isError && <Failure error={head.error} onRetry={() => head.refetch()} />}
      {download.isError && <Failure error={download.error} />}
      {!head.isError && (
        <PagedList
          pages={pages}
          className="h-[60vh]"
          label="Audit records"
          items={records}
          empty={<Empty title="No record matches." />}
          keyOf={({ position }) => String(position)}
          rowHeight={40}
          render={(record) => <RecordRow record={record} />}
        />
      )}
    </Panel>
  )
}

function RecordRow({ record: { position, at, kind, actor, hash, body } }: { readonly record: AuditRecord }) {
  return (
    <details className="px-4 py-2">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3">
        <span className="w-14 font-mono text-xs">{position}</span>
        <Badge tone="accent">{kind}</Badge>
        <Time at={at} />
        <Named text={actor} isPlain className="text-muted text-xs break-all" />
      </summary>
      <p className="mt-2 flex flex-wrap items-center gap-3 text-sm">
        <Named text={actor} />
        <Identifier value={hash} length={40} />
        <Link to="/memories" search={{ asOf: String(position) }} className="text-accent underline">
          Memory at this moment
        </Link>
      </p>
      <pre className="mt-2 max-h-60 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap break-all">
        {JSON.stringify(body, null, 2)}
      </pre>
    </details>
  )
}

import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Panel } from '../../ui/panel.tsx'
import { saveAs } from '../../ui/save-as.ts'
import { Failure } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

/** The audit log: one record for each commit, with its actor and the hash that chains it to the previous record. */
export function AuditTrail() {
  const pages = useInfiniteQuery({
    queryKey: ['live', 'audit'],
    queryFn: ({ pageParam, signal }) => api.audit.list({ limit: 100, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  const verify = useMutation({ mutationFn: () => api.audit.verify() })
  const download = useMutation({
    mutationFn: async () => {
      const lines: string[] = []
      for await (const record of api.audit.each({ limit: 1_000 })) lines.push(JSON.stringify(record))
      saveAs('colophon-audit.ndjson', 'application/x-ndjson', `${lines.join('\n')}\n`)
    },
  })
  const records = pages.data?.pages.flatMap((page) => page.records) ?? []
  const head = pages.data?.pages[0]?.head
  return (
    <Panel
      title="Audit chain"
      actions={
        <div className="flex flex-wrap items-center gap-2">
          {head !== undefined && (
            <span className="text-muted text-xs">
              head at {head.position} <Identifier value={head.hash} />
            </span>
          )}
          <Button small disabled={verify.isPending} onClick={() => verify.mutate()}>
            {verify.isPending ? 'Verifying …' : 'Verify'}
          </Button>
          <Button small disabled={download.isPending} onClick={() => download.mutate()}>
            Export
          </Button>
        </div>
      }
    >
      {verify.isError && <Failure error={verify.error} />}
      {download.isError && <Failure error={download.error} />}
      {verify.isSuccess && (
        <p role="status" className={verify.data.chainValid ? 'px-4 py-2 text-good' : 'px-4 py-2 text-bad'}>
          {verify.data.chainValid
            ? `The chain is intact from ${verify.data.fromSeq} to ${verify.data.toSeq}.`
            : `The chain is broken: ${verify.data.anomalies.length} anomalies.`}
        </p>
      )}
      <PagedList
        pages={pages}
        className="h-[60vh]"
        label="Audit records"
        items={records}
        keyOf={({ position }) => String(position)}
        rowHeight={40}
        render={({ position, at, kind, actor, hash }) => (
          <div className="flex flex-wrap items-center gap-x-3 px-4 py-2">
            <span className="w-14 font-mono text-xs">{position}</span>
            <Badge tone="accent">{kind}</Badge>
            <Time at={at} />
            <span className="text-muted text-xs">{actor}</span>
            <Identifier value={hash} />
          </div>
        )}
      />
    </Panel>
  )
}

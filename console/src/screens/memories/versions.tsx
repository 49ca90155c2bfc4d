import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { useAsOf, useMoment } from '../../app/moment.ts'
import { Named } from '../../app/names.tsx'
import { Badge } from '../../ui/badge.tsx'
import { TextDiff } from '../../ui/diff.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

/** Every version, newest first, with the difference to the previous one. */
export function Versions({ entryId }: { readonly entryId: string }) {
  const asOf = useAsOf()
  const moment = useMoment(asOf)
  const history = useQuery({
    queryKey: ['live', 'history', entryId],
    queryFn: ({ signal }) => api.memories.history(entryId, { signal }),
  })
  if (history.isPending) return <Loading />
  if (hasFailed(history)) return <Failure error={history.error} onRetry={() => history.refetch()} />
  const until = asOf === undefined ? undefined : moment.data?.at
  if (asOf !== undefined && until === undefined) return <Loading />
  const steps = history.data.data.filter(({ created_at }) => until === undefined || created_at <= until)
  return (
    <ol aria-label="Versions" className="space-y-3">
      {steps
        .map((step, index) => ({ ...step, before: steps[index - 1]?.content, key: index }))
        .reverse()
        .map(({ key, before, content, version_number, change_type, change_reason, actor, created_at }) => (
          <li key={key} className="rounded-md border border-line bg-raised p-3">
            <p className="mb-1 flex flex-wrap items-center gap-2 text-xs">
              <Badge tone="accent">version {version_number}</Badge>
              <Badge>{change_type}</Badge>
              <Time at={created_at} />
              <Named text={actor} className="text-muted" />
            </p>
            {change_reason !== null && <p className="text-muted">{change_reason}</p>}
            <TextDiff before={before ?? content} after={content} />
          </li>
        ))}
    </ol>
  )
}

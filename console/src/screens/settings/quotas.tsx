import { useQuery } from '@tanstack/react-query'
import type { Stats } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { hasFailed } from '../../ui/has-failed.ts'
import { Failure, Loading } from '../../ui/states.tsx'

type QuotaName = keyof Stats['quotas']

const words: Readonly<Record<QuotaName, string>> = {
  entries: 'Entries',
  bytes: 'Text of the entries',
  keys: 'API keys',
  streams: 'Open event streams',
  runsPending: 'Runs that have not ended',
  jobsPending: 'Jobs that have not ended',
  requestsInFlight: 'Requests in flight',
}

/** How much of each quota the tenant uses. The operator sets the limits. */
export function Quotas() {
  const stats = useQuery({ queryKey: ['live', 'stats'], queryFn: ({ signal }) => api.stats({ signal }) })
  if (stats.isPending) return <Loading />
  if (hasFailed(stats)) return <Failure error={stats.error} onRetry={() => stats.refetch()} />
  return (
    <>
      <dl className="grid grid-cols-[minmax(8rem,auto)_1fr] gap-x-4 gap-y-2 p-4">
        {(Object.keys(words) as QuotaName[]).map((name) => (
          <Use key={name} name={name} quotas={stats.data.quotas} />
        ))}
      </dl>
      <p className="border-line border-t px-4 py-2 text-muted">
        The operator of the server sets the limits. Streams and requests are those of the process that answers.
      </p>
    </>
  )
}

function Use({ name, quotas }: { readonly name: QuotaName; readonly quotas: Stats['quotas'] }) {
  const quota = quotas[name]
  if (quota === undefined) return null
  const { used, limit } = quota
  const show = name === 'bytes' ? inBytes : (amount: number) => amount.toLocaleString('en')
  const isNear = used >= limit * 0.8
  return (
    <>
      <dt className="text-muted">{words[name]}</dt>
      <dd className={isNear ? 'text-warn' : undefined}>
        {show(used)} of {show(limit)}
        {isNear && (used >= limit ? ': used up' : ': nearly used up')}
      </dd>
    </>
  )
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

function inBytes(amount: number): string {
  const power = amount < 1 ? 0 : Math.min(Math.floor(Math.log(amount) / Math.log(1024)), units.length - 1)
  const value = amount / 1024 ** power
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${units[power]}`
}

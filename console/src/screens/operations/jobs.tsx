import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Job, JobQuery } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { useAddress } from '../../app/use-address.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { countsOf, decisionsOf } from './job-words.ts'

const statuses: readonly Job['status'][] = ['queued', 'leased', 'completed', 'dead', 'cancelled']
const tones: Readonly<Record<Job['status'], Tone>> = {
  queued: 'neutral',
  leased: 'accent',
  completed: 'good',
  dead: 'bad',
  cancelled: 'neutral',
}

/** The change stream does not report jobs, so the list is also fetched periodically. */
const refetchMs = 3_000

export function Jobs() {
  const [search, change] = useAddress()
  return search.job === undefined ? <JobList /> : <OneJob id={search.job} onAll={() => change({ job: undefined })} />
}

/** The job that the address names. */
function OneJob({ id, onAll }: { readonly id: string; readonly onAll: () => void }) {
  const job = useQuery({
    queryKey: ['live', 'jobs', 'one', id],
    queryFn: ({ signal }) => api.jobs.get(id, { signal }),
    refetchInterval: refetchMs,
  })
  return (
    <Panel
      title="Job"
      actions={
        <Button small onClick={onAll}>
          All jobs
        </Button>
      }
    >
      {job.isError && <Failure error={job.error} />}
      {job.data !== undefined && <JobRow job={job.data} />}
      {job.data?.status === 'completed' && <Decisions result={job.data.result} />}
    </Panel>
  )
}

const outcomeTones: Readonly<Record<string, Tone>> = { current: 'good', overruled: 'bad' }

/** What became of each content of a source event. */
function Decisions({ result }: { readonly result: unknown }) {
  const { decided = [], why } = decisionsOf(result)
  if (decided.length === 0) return why === undefined ? null : <p className="px-4 py-2 text-xs">{why}</p>
  return (
    <ul aria-label="What became of each content" className="px-4 py-2 text-xs">
      {decided.map((item, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two contents can be of one memory, and their order is fixed.
        <li key={nth} className="flex flex-wrap items-center gap-x-3 py-1">
          <Badge tone={outcomeTones[item.outcome] ?? 'neutral'}>{item.outcome}</Badge>
          {item.memory_id !== null && <Identifier value={item.memory_id} />}
          <span>{item.why}</span>
        </li>
      ))}
    </ul>
  )
}

function JobList() {
  const [search, change] = useAddress()
  const status = search.status as JobQuery['status']
  const pages = useInfiniteQuery({
    queryKey: ['live', 'jobs', status],
    queryFn: ({ pageParam, signal }) => api.jobs.list({ status, limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    refetchInterval: refetchMs,
  })
  const jobs = pages.data?.pages.flatMap((page) => page.jobs) ?? []
  return (
    <Panel
      title="Jobs"
      actions={
        <SelectField
          label="Status"
          hideLabel
          value={status ?? ''}
          onChange={(event) => change({ status: event.target.value || undefined })}
        >
          <option value="">every status</option>
          {statuses.map((name) => (
            <option key={name} value={name}>
              {name === 'dead' ? 'dead letters' : name}
            </option>
          ))}
        </SelectField>
      }
    >
      <PagedList
        pages={pages}
        empty={<Empty title="No jobs." />}
        className="h-[60vh]"
        label="List of jobs"
        items={jobs}
        keyOf={({ id }) => id}
        rowHeight={48}
        render={(job) => <JobRow job={job} />}
      />
    </Panel>
  )
}

function JobRow({ job }: { readonly job: Job }) {
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (what: 'retry' | 'cancel') => api.jobs[what](job.id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['live', 'jobs'] }),
  })
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <Badge tone={tones[job.status]}>{job.status}</Badge>
      <span className="font-medium">{job.kind}</span>
      <Identifier value={job.id} />
      <span className="text-muted text-xs">
        <Time at={job.endedAt ?? job.startedAt ?? job.createdAt} short /> · attempt {job.attempts} of {job.attemptsMax}
      </span>
      {job.status === 'completed' && <span className="text-xs">{countsOf(job.result)}</span>}
      {job.error !== null && (
        <span className="text-bad text-xs">
          {job.error.code}: {job.error.message}
        </span>
      )}
      {job.status === 'dead' && (
        <ScopedButton scope="memory:admin" small disabled={change.isPending} onClick={() => change.mutate('retry')}>
          Retry
        </ScopedButton>
      )}
      {job.status === 'queued' && (
        <ScopedButton scope="memory:admin" small disabled={change.isPending} onClick={() => change.mutate('cancel')}>
          Cancel
        </ScopedButton>
      )}
      {change.isError && <Failure error={change.error} />}
    </div>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ScheduleList } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { outcomeOf } from './job-words.ts'

type Schedule = ScheduleList['schedules'][number]

export function Schedules() {
  const queries = useQueryClient()
  const schedules = useQuery({
    queryKey: ['live', 'schedules'],
    queryFn: ({ signal }) => api.schedules.list({ signal }),
  })
  const change = useMutation({
    mutationFn: async ({ what, id }: { what: 'pause' | 'resume'; id: string }) => {
      await api.schedules[what](id)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  const run = useMutation({
    mutationFn: async ({ id, isDry }: { id: string; isDry: boolean }) => {
      const { jobId } = await (isDry ? api.schedules.dryRun(id) : api.schedules.run(id))
      return api.jobs.wait(jobId)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  return (
    <Panel title="Schedules">
      {change.isError && <Failure error={change.error} />}
      {run.isError && <Failure error={run.error} />}
      {run.variables !== undefined && !run.isError && (
        <p role="status" className="px-4 py-2">
          {run.variables.isDry ? 'Dry run of' : 'Run of'} {run.variables.id}:{' '}
          {run.isPending ? 'running …' : run.isSuccess && outcomeOf(run.data)}
          {run.variables.isDry && run.isSuccess && '. Nothing was stored.'}
        </p>
      )}
      {schedules.isPending && <Loading />}
      {schedules.isError && <Failure error={schedules.error} onRetry={() => schedules.refetch()} />}
      {schedules.data?.schedules.length === 0 && <Empty title="No schedules." />}
      {schedules.data !== undefined && schedules.data.schedules.length > 0 && (
        <Table<Schedule>
          caption="Schedules"
          items={schedules.data.schedules}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Name',
              cell: ({ id, isHosts }) =>
                isHosts ? (
                  id
                ) : (
                  <>
                    {id} <Badge>custom</Badge>
                  </>
                ),
            },
            { name: 'When (UTC)', cell: ({ cron }) => <code className="font-mono text-xs">{cron}</code> },
            { name: 'Job', cell: ({ kind }) => kind },
            { name: 'Next', cell: ({ nextDueAt }) => <Time at={nextDueAt} short /> },
            { name: 'Last', cell: ({ lastDueAt }) => <Time at={lastDueAt} short /> },
            {
              name: 'Actions',
              isNameHidden: true,
              cell: ({ id, status, hasDryRun }) => (
                <span className="flex justify-end gap-2">
                  {hasDryRun ? (
                    <ScopedButton
                      scope="memory:admin"
                      small
                      disabled={run.isPending}
                      onClick={() => run.mutate({ id, isDry: true })}
                    >
                      Dry run
                    </ScopedButton>
                  ) : (
                    <span className="self-center text-muted text-xs">no dry run</span>
                  )}
                  <ScopedButton
                    scope="memory:admin"
                    small
                    disabled={run.isPending}
                    onClick={() => run.mutate({ id, isDry: false })}
                  >
                    Run now
                  </ScopedButton>
                  <ScopedButton
                    scope="memory:admin"
                    small
                    onClick={() => change.mutate({ what: status === 'paused' ? 'resume' : 'pause', id })}
                  >
                    {status === 'paused' ? 'Resume' : 'Pause'}
                  </ScopedButton>
                </span>
              ),
            },
          ]}
        />
      )}
      <p className="border-line border-t px-4 py-2 text-muted">
        A dry run reads what the job would read and says what it would do. Nothing is stored. A schedule that starts
        runs has none: it would have to execute their nodes.
      </p>
    </Panel>
  )
}

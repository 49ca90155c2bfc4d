import { useAddress } from '../../app/use-address.ts'
import { ScreenTitle } from '../../ui/panel.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Commitments } from './commitments.tsx'
import { Compactions } from './compactions.tsx'
import { Distillations } from './distillations.tsx'
import { Heartbeats } from './heartbeats.tsx'
import { Jobs } from './jobs.tsx'
import { Retention } from './retention.tsx'
import { Schedules } from './schedules.tsx'

/** Compactions, distillations, commitments, schedules, heartbeats, jobs and retention. */
export function OperationsScreen() {
  const [search, change] = useAddress()
  return (
    <>
      <ScreenTitle title="Operations">
        Compactions, distillations, commitments, schedules, heartbeats, jobs and retention.
      </ScreenTitle>
      <Tabs
        value={search.tab ?? 'compactions'}
        onChange={(tab) => change({ tab })}
        tabs={[
          { id: 'compactions', name: 'Compactions', content: <Compactions /> },
          { id: 'distillations', name: 'Distillations', content: <Distillations /> },
          { id: 'commitments', name: 'Commitments', content: <Commitments /> },
          { id: 'schedules', name: 'Schedules', content: <Schedules /> },
          { id: 'heartbeats', name: 'Heartbeats', content: <Heartbeats /> },
          { id: 'jobs', name: 'Jobs', content: <Jobs /> },
          { id: 'retention', name: 'Retention', content: <Retention /> },
        ]}
      />
    </>
  )
}

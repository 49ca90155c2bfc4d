import { useAddress } from '../../app/use-address.ts'
import { ScreenTitle } from '../../ui/panel.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Agents } from './agents.tsx'
import { Commitments } from './commitments.tsx'
import { Compactions } from './compactions.tsx'
import { Distillations } from './distillations.tsx'
import { Embeddings } from './embeddings.tsx'
import { Heartbeats } from './heartbeats.tsx'
import { Jobs } from './jobs.tsx'
import { Portable } from './portable.tsx'
import { Retention } from './retention.tsx'
import { Schedules } from './schedules.tsx'
import { Tenants } from './tenants.tsx'
import { Webhooks } from './webhooks.tsx'
import { Workflows } from './workflows.tsx'

/** Everything that keeps the server going, one tab each. */
export function OperationsScreen() {
  const [search, change] = useAddress()
  return (
    <>
      <ScreenTitle title="Operations">
        Background work and its settings, webhooks, export and import, workflows and agents.
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
          { id: 'webhooks', name: 'Webhooks', content: <Webhooks /> },
          { id: 'embeddings', name: 'Embeddings', content: <Embeddings /> },
          { id: 'portable', name: 'Export and import', content: <Portable /> },
          { id: 'workflows', name: 'Workflows', content: <Workflows /> },
          { id: 'agents', name: 'Agents', content: <Agents /> },
          { id: 'tenants', name: 'Tenants', content: <Tenants /> },
        ]}
      />
    </>
  )
}

import type { Tab } from '../../ui/tabs.tsx'
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

/** Some tabs under one name. The address names only the tab, so a tab keeps its address when it changes its group. */
export type OperationGroup = { readonly id: string; readonly name: string; readonly tabs: readonly [Tab, ...Tab[]] }

export const operationGroups: readonly [OperationGroup, ...OperationGroup[]] = [
  {
    id: 'work',
    name: 'Work',
    tabs: [
      { id: 'jobs', name: 'Jobs', content: <Jobs /> },
      { id: 'schedules', name: 'Schedules', content: <Schedules /> },
      { id: 'commitments', name: 'Commitments', content: <Commitments /> },
      { id: 'heartbeats', name: 'Heartbeats', content: <Heartbeats /> },
    ],
  },
  {
    id: 'care',
    name: 'Memory care',
    tabs: [
      { id: 'compactions', name: 'Compactions', content: <Compactions /> },
      { id: 'distillations', name: 'Distillations', content: <Distillations /> },
      { id: 'retention', name: 'Retention', content: <Retention /> },
      { id: 'embeddings', name: 'Embeddings', content: <Embeddings /> },
    ],
  },
  {
    id: 'connections',
    name: 'Connections',
    tabs: [
      { id: 'webhooks', name: 'Webhooks', content: <Webhooks /> },
      { id: 'portable', name: 'Export and import', content: <Portable /> },
    ],
  },
  {
    id: 'programs',
    name: 'Agents & workflows',
    tabs: [
      { id: 'agents', name: 'Agents', content: <Agents /> },
      { id: 'workflows', name: 'Workflows', content: <Workflows /> },
    ],
  },
  { id: 'tenants', name: 'Tenants', tabs: [{ id: 'tenants', name: 'Tenants', content: <Tenants /> }] },
]

/** The group and the tab that an address names. An address without a tab may still name what one of them shows. */
export function shownIn(search: Readonly<Record<string, string | undefined>>): { group: OperationGroup; tab: string } {
  const wanted =
    search.tab ??
    (search.compaction === undefined
      ? search.distillation === undefined
        ? undefined
        : 'distillations'
      : 'compactions')
  const group = operationGroups.find(({ tabs }) => tabs.some(({ id }) => id === wanted))
  if (group !== undefined && wanted !== undefined) return { group, tab: wanted }
  const [first] = operationGroups
  return { group: first, tab: first.tabs[0].id }
}

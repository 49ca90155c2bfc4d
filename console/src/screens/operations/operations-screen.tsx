import { useAddress } from '../../app/use-address.ts'
import { ScreenTitle } from '../../ui/panel.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { operationGroups, shownIn } from './operation-groups.tsx'

const nothingSelected = {
  compaction: undefined,
  distillation: undefined,
  job: undefined,
  workflow: undefined,
  webhook: undefined,
  status: undefined,
}

/** Everything that keeps the server going: groups of tabs. */
export function OperationsScreen() {
  const [search, change] = useAddress()
  const shown = shownIn(search)
  // What one tab selects says nothing to another.
  const open = (tab: string) => change({ ...nothingSelected, tab })
  return (
    <>
      <ScreenTitle title="Operations">
        Background work and its settings, webhooks, export and import, workflows and agents.
      </ScreenTitle>
      <Tabs
        label="Groups"
        value={shown.group.id}
        onChange={(id) => {
          const group = operationGroups.find((each) => each.id === id)
          if (group !== undefined) open(group.tabs[0].id)
        }}
        tabs={operationGroups.map(({ id, name, tabs }) => ({
          id,
          name,
          content:
            tabs.length === 1 ? (
              tabs[0].content
            ) : (
              <Tabs label={name} isInner tabs={tabs} value={shown.tab} onChange={open} />
            ),
        }))}
      />
    </>
  )
}

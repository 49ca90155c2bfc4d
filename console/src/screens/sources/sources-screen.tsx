import { useAddress } from '../../app/use-address.ts'
import { ScreenTitle } from '../../ui/panel.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AuthorityGrid } from './authority-grid.tsx'
import { SourceEvents } from './source-events.tsx'

/** Who may tell memories, how much each one's word counts, and what they told. */
export function SourcesScreen() {
  const [search, change] = useAddress()
  return (
    <>
      <ScreenTitle title="Sources">Services that tell memories, and the events they told them in.</ScreenTitle>
      <Tabs
        value={search.tab ?? 'writers'}
        onChange={(tab) => change({ tab, event: undefined })}
        tabs={[
          { id: 'writers', name: 'Writers and authority', content: <AuthorityGrid /> },
          { id: 'events', name: 'Source events', content: <SourceEvents /> },
        ]}
      />
    </>
  )
}

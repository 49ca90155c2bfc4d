import { useAddress } from '../../app/use-address.ts'
import { ScreenTitle } from '../../ui/panel.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AuthorityGrid } from './authority-grid.tsx'
import { AuthoritySimulator } from './authority-simulator.tsx'
import { SourceEvents } from './source-events.tsx'

/** The writers, their authority, and their source events. */
export function SourcesScreen() {
  const [search, change] = useAddress()
  return (
    <>
      <ScreenTitle title="Sources">Source services, their authority (0–100), and their events.</ScreenTitle>
      <Tabs
        value={search.tab ?? 'writers'}
        onChange={(tab) => change({ tab, event: undefined })}
        tabs={[
          { id: 'writers', name: 'Writers and authority', content: <AuthorityGrid /> },
          { id: 'simulator', name: 'Simulator', content: <AuthoritySimulator /> },
          { id: 'events', name: 'Source events', content: <SourceEvents /> },
        ]}
      />
    </>
  )
}

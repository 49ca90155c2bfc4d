import { useAddress } from '../../app/use-address.ts'
import { ScreenTitle } from '../../ui/panel.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AuditTrail } from './audit-trail.tsx'
import { Containments } from './containments.tsx'
import { Keys } from './keys.tsx'
import { RedactionRules } from './redaction-rules.tsx'
import { Secrets } from './secrets.tsx'

export function SecurityScreen() {
  const [search, change] = useAddress()
  return (
    <>
      <ScreenTitle title="Security & audit">
        API keys, secrets, redaction rules, containments and the audit log.
      </ScreenTitle>
      <Tabs
        value={search.tab ?? 'keys'}
        onChange={(tab) => change({ tab })}
        tabs={[
          { id: 'keys', name: 'Keys', content: <Keys /> },
          { id: 'vault', name: 'Vault', content: <Secrets /> },
          { id: 'redaction', name: 'Redaction', content: <RedactionRules /> },
          { id: 'containments', name: 'Containment', content: <Containments /> },
          { id: 'audit', name: 'Audit', content: <AuditTrail /> },
        ]}
      />
    </>
  )
}

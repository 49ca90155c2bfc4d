import { useCaller } from '../../app/caller.ts'
import { logOut } from '../../app/session.ts'
import { toggleTheme, useTheme } from '../../app/theme.ts'
import { Button } from '../../ui/button.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Panel, ScreenTitle } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Quotas } from './quotas.tsx'

/** Who you are for this server, and how this browser shows it. */
export function SettingsScreen() {
  return (
    <>
      <ScreenTitle title="Settings">
        Your key, what it can do, the quotas of its tenant, and how this browser shows the console.
      </ScreenTitle>
      <div className="grid max-w-4xl gap-4">
        <Panel title="Your key">
          <YourKey />
        </Panel>
        <Panel title="Quotas of the tenant">
          <Quotas />
        </Panel>
        <Panel title="This browser">
          <ThisBrowser />
        </Panel>
      </div>
    </>
  )
}

function YourKey() {
  const caller = useCaller()
  if (caller.isPending) return <Loading />
  if (hasFailed(caller)) return <Failure error={caller.error} onRetry={() => caller.refetch()} />
  const { tenant, name, scopes } = caller.data
  return (
    <dl className="grid grid-cols-[6rem_1fr] gap-x-4 gap-y-2 p-4">
      <dt className="text-muted">Tenant</dt>
      <dd className="break-all">{tenant}</dd>
      <dt className="text-muted">Key</dt>
      <dd className="break-all">{name ?? 'configured key'}</dd>
      <dt className="text-muted">Scopes</dt>
      <dd className="flex flex-wrap gap-2">
        {scopes.map((scope) => (
          <code key={scope} className="rounded bg-sunken px-1.5 font-mono text-xs">
            {scope}
          </code>
        ))}
      </dd>
    </dl>
  )
}

function ThisBrowser() {
  const theme = useTheme()
  return (
    <div className="flex flex-wrap items-center gap-2 p-4">
      <Button onClick={toggleTheme}>Use the {theme === 'dark' ? 'light' : 'dark'} colours</Button>
      <Button onClick={() => void logOut()}>End this session</Button>
      <p className="text-muted">The key itself is not kept: this browser has a session, which ends with its key.</p>
    </div>
  )
}

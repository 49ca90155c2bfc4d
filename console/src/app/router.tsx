import { createRootRoute, createRoute, createRouter, redirect, retainSearchParams } from '@tanstack/react-router'
import { BeliefScreen } from '../screens/belief/belief-screen.tsx'
import { ClaimsScreen } from '../screens/claims/claims-screen.tsx'
import { CompareScreen } from '../screens/compare/compare-screen.tsx'
import { InboxScreen } from '../screens/inbox/inbox-screen.tsx'
import { MemoriesScreen } from '../screens/memories/memories-screen.tsx'
import { OperationsScreen } from '../screens/operations/operations-screen.tsx'
import { OverviewScreen } from '../screens/overview/overview-screen.tsx'
import { PrivacyScreen } from '../screens/privacy/privacy-screen.tsx'
import { RunScreen } from '../screens/runs/run-screen.tsx'
import { RunsScreen } from '../screens/runs/runs-screen.tsx'
import { SecurityScreen } from '../screens/security/security-screen.tsx'
import { SettingsScreen } from '../screens/settings/settings-screen.tsx'
import { SourcesScreen } from '../screens/sources/sources-screen.tsx'
import { SubjectScreen } from '../screens/subjects/subject-screen.tsx'
import { Empty, Failure } from '../ui/states.tsx'
import { Shell } from './shell.tsx'

/** Selection and filters are in the URL: every view can be linked, and a reload shows the same. */
type Search = Readonly<Record<string, string | undefined>>

function readSearch(given: Record<string, unknown>): Search {
  const texts = Object.entries(given).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  )
  return Object.fromEntries(texts)
}

const root = createRootRoute({
  validateSearch: readSearch,
  // Every link keeps the moment, until it is left.
  search: { middlewares: [retainSearchParams(['asOf'])] },
  component: Shell,
  errorComponent: ({ error, reset }) => <Failure error={error} onRetry={reset} />,
  notFoundComponent: () => <Empty title="Page not found." />,
})

const screen = <Path extends string>(path: Path, component: () => React.ReactNode) =>
  createRoute({ getParentRoute: () => root, path, component, validateSearch: readSearch })

/** An old address, which goes on to the new one with what it selects. */
const moved = <Path extends string>(path: Path, to: (search: Search) => string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: readSearch,
    beforeLoad: ({ search }) => {
      throw redirect({ to: to(search), search, replace: true } as never)
    },
  })

const routeTree = root.addChildren([
  screen('/', OverviewScreen),
  screen('/inbox', InboxScreen),
  screen('/memories', MemoriesScreen),
  screen('/memories/$id', BeliefScreen),
  screen('/subjects/$subject', SubjectScreen),
  screen('/runs', RunsScreen),
  screen('/runs/$runId', RunScreen),
  screen('/sources', SourcesScreen),
  screen('/compare', CompareScreen),
  screen('/claims', ClaimsScreen),
  screen('/operations', OperationsScreen),
  screen('/privacy', PrivacyScreen),
  screen('/security', SecurityScreen),
  screen('/settings', SettingsScreen),
  // Addresses of earlier versions, which people have saved.
  moved('/conflicts', () => '/claims'),
  moved('/time', ({ tab }) => (tab === 'forgetting' ? '/privacy' : '/operations')),
])

/** Plain values in the URL, so that people can read and edit it: ?q=tea&tag=drinks. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))
function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

export const router = createRouter({ routeTree, basepath: '/console', parseSearch, stringifySearch })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

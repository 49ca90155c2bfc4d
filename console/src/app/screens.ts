type Screen = {
  readonly path: string
  readonly name: string
  readonly key: string
  readonly about: string
  /** Screens that belong to this one: its entry of the navigation is the current one there. */
  readonly parts?: readonly string[]
}

/** The screens of the navigation; also for the palette and the keyboard shortcuts. */
export const screens = [
  { path: '/inbox', name: 'Inbox', key: 'i', about: 'what waits for your decision' },
  {
    path: '/memories',
    name: 'Memories',
    key: 'm',
    about: 'memories and their sources',
    parts: ['/subjects', '/compare', '/claims'],
  },
  { path: '/runs', name: 'Runs', key: 'r', about: 'what a run read and wrote' },
  { path: '/sources', name: 'Sources', key: 's', about: 'writers, authority, source events' },
  {
    path: '/operations',
    name: 'Operations',
    key: 'o',
    about: 'jobs, schedules, compactions, retention, webhooks, export and import, workflows',
  },
  { path: '/privacy', name: 'Privacy', key: 'p', about: 'erasures and their receipts' },
  { path: '/security', name: 'Security & audit', key: 'x', about: 'keys, vault, redaction, containment, audit' },
  { path: '/settings', name: 'Settings', key: ',', about: 'your key, its scopes, quotas, the theme' },
] as const satisfies readonly Screen[]

/** Screens that others link to. */
const linkedScreens = [
  { path: '/', name: 'Overview', key: 'h', about: 'counts, rates, health, live activity' },
  { path: '/claims', name: 'Claims', key: 'c', about: 'all claims, and quarantined memories' },
] as const

/** Every screen that the palette and the keyboard open. */
export const allScreens = [...screens, ...linkedScreens]

/** Whether a path belongs to a screen without being below its own path. */
export function isPartOf({ parts = [] }: Screen, path: string): boolean {
  return parts.some((part) => path === part || path.startsWith(`${part}/`))
}

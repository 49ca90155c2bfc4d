/** The screens, for the navigation, the palette and the keyboard shortcuts. */
export const screens = [
  { path: '/', name: 'Overview', key: 'o', about: 'counts, rates, health, live activity' },
  { path: '/inbox', name: 'Inbox', key: 'i', about: 'what waits for your decision' },
  { path: '/memories', name: 'Memories', key: 'm', about: 'memories and their sources' },
  { path: '/runs', name: 'Runs', key: 'r', about: 'what a run read and wrote' },
  { path: '/sources', name: 'Sources', key: 's', about: 'writers, authority, source events' },
  { path: '/conflicts', name: 'Conflicts', key: 'c', about: 'claims that need a decision' },
  { path: '/time', name: 'Time', key: 't', about: 'compactions, distillations, schedules, jobs, erasures, retention' },
  { path: '/security', name: 'Security', key: 'x', about: 'keys, vault, redaction, audit' },
] as const

export type ScreenPath = (typeof screens)[number]['path']

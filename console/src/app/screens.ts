/** The seven screens: what the navigation, the palette and the keyboard know of them. */
export const screens = [
  { path: '/', name: 'Overview', key: 'o', about: 'counts, rates, health, live activity' },
  { path: '/memories', name: 'Memories', key: 'm', about: 'what is remembered, and who told it' },
  { path: '/runs', name: 'Runs', key: 'r', about: 'what a run saw and wrote' },
  { path: '/sources', name: 'Sources', key: 's', about: 'writers, authority, source events' },
  { path: '/conflicts', name: 'Conflicts', key: 'c', about: 'claims that need a decision' },
  { path: '/time', name: 'Time', key: 't', about: 'compactions, schedules, jobs, forgetting' },
  { path: '/security', name: 'Security', key: 'x', about: 'keys, vault, redaction, audit' },
] as const

export type ScreenPath = (typeof screens)[number]['path']

import type { MemoryChange } from '../../../src/client/index.ts'

/** As far as the rules look at a query of the cache. */
export type CachedQuery = { readonly queryKey: readonly unknown[]; readonly state: { readonly data: unknown } }

/**
 * How a change of memory concerns a query: `now`, because it shows what changed; `soon`, because it sums up the whole tenant; `no`.
 * Without this, one write would fetch everything on the screen again.
 */
export function concerns({ queryKey, state }: CachedQuery, changes: readonly MemoryChange[]): 'now' | 'soon' | 'no' {
  const [scope, name, first] = queryKey
  if (scope !== 'live' || typeof name !== 'string' || changes.length === 0) return 'no'
  if (administered.has(name)) return 'no'
  const ofRef = (ref: unknown) => (changes.some(({ memoryRef }) => memoryRef === ref) ? 'now' : 'no')
  if (byRef.has(name)) return ofRef(first)
  if (byEntry.has(name)) return changes.some(({ entryIds }) => entryIds.includes(String(first))) ? 'now' : 'no'
  if (name === 'claim') return ofRef(`subject:${(state.data as { subject?: string } | undefined)?.subject}`)
  if (name.startsWith('run-') || name === 'run') return isEndedRun(queryKey, state.data) ? 'no' : 'soon'
  if (aboutPeople.has(name)) return changes.some(({ memoryRef }) => memoryRef.startsWith('subject:')) ? 'soon' : 'no'
  // A long list that was scrolled is not fetched again page by page: it is when the window gets the focus.
  return pagesOf(state.data) > 1 && name !== 'feed' ? 'no' : 'soon'
}

/** Records that people change, not writers of memory. */
const administered = new Set([
  'keys',
  'rules',
  'secrets',
  'settings',
  'writers',
  'schedules',
  'source-event',
  'preview',
])
/** The third part of the key is a ref. */
const byRef = new Set(['entries', 'search', 'colophon', 'not-visible'])
/** The third part of the key is the id of an entry. */
const byEntry = new Set(['memory', 'history', 'archive'])
const aboutPeople = new Set(['claims', 'source-events'])

function isEndedRun(queryKey: readonly unknown[], data: unknown): boolean {
  const { status } = (data ?? {}) as { status?: unknown }
  return queryKey[3] === true || ['completed', 'failed', 'cancelled'].includes(String(status))
}

function pagesOf(data: unknown): number {
  const { pages } = (data ?? {}) as { pages?: unknown }
  return Array.isArray(pages) ? pages.length : 0
}

import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { MemoryChange, TenantSearchAnswer, TenantSearchMore } from '../../../src/client/index.ts'
import { api } from './api.ts'

type Feed = InfiniteData<TenantSearchAnswer, string | undefined>

/** One page of the feed of memories. What is in quarantine is shown, with its class: here a person looks for everything. */
export function fetchFeed(
  query: string,
  filter: TenantSearchMore,
  { cursor, signal }: { readonly cursor?: string | undefined; readonly signal?: AbortSignal },
): Promise<TenantSearchAnswer> {
  const more = { ...filter, kinds: ['memories'] as const, trustMin: 'untrusted' as const, limit: 50, cursor }
  return api.memory.searchAll(query, { ...more, kinds: [...more.kinds] }, { signal })
}

/**
 * The feed has the last change first, so its first page has what changed. Its rows replace those that are shown, and changed rows
 * that are not in it are gone. It is one request, however many pages are loaded.
 */
export async function patchFeed(
  queries: QueryClient,
  queryKey: readonly unknown[],
  changes: readonly MemoryChange[],
): Promise<void> {
  const [, , query, filter] = queryKey as [string, string, string, TenantSearchMore]
  const fresh = await fetchFeed(query, filter, {})
  queries.setQueryData<Feed>(queryKey, (shown) => shown && mergeFeed(shown, fresh, changes))
}

function mergeFeed(shown: Feed, fresh: TenantSearchAnswer, changes: readonly MemoryChange[]): Feed {
  const replaced = new Set([
    ...changes.flatMap(({ entryIds }) => entryIds),
    ...(fresh.memories ?? []).map(({ id }) => id),
  ])
  const [first, ...others] = shown.pages.map((page) => ({
    ...page,
    memories: (page.memories ?? []).filter(({ id }) => !replaced.has(id)),
  }))
  if (first === undefined) return shown
  return { ...shown, pages: [{ ...first, memories: [...(fresh.memories ?? []), ...first.memories] }, ...others] }
}

import assert from 'node:assert/strict'
import { fullAccess } from '../../../src/core/entries/access.ts'
import { limits } from '../../../src/core/limits.ts'
import { lookupTerms } from '../../../src/core/search/indexed-terms.ts'
import { parseQuery } from '../../../src/core/search/query.ts'
import type { FindQuery, FoundCandidates } from '../../../src/ports/search-store.ts'
import type { Storage } from '../../../src/ports/storage.ts'
import type { World } from './world.ts'

export const tenantId = 'acme'
export const memoryRef = 'notes'

type FindOptions = Partial<Omit<FindQuery, 'terms' | 'phrases'>> & { readonly withRelated?: boolean }

export async function find(
  storage: Storage,
  text: string,
  { withRelated, ...options }: FindOptions = {},
): Promise<FoundCandidates> {
  const { terms, phrases } = lookupTerms(parseQuery(text))
  const wanted = withRelated ? terms : terms.filter(({ related }) => related === undefined)
  const position = (await storage.clock(options.tenantId ?? tenantId))?.position ?? 0
  const found = await storage.search.find({
    tenantId,
    memoryRef,
    position,
    now: Date.parse('2026-01-01T00:00:00Z'),
    access: fullAccess,
    terms: wanted,
    phrases,
    filter: {},
    postingsMax: limits.searchPostingsMax,
    examinedMax: limits.searchExaminedMax,
    foundMax: limits.searchFoundMax,
    unindexedMax: limits.searchUnindexedRowsMax,
    ...options,
  })
  assert.ok(found)
  return found
}

export const texts = ({ rows }: FoundCandidates) => rows.map(({ version }) => version.content)
export const figures = ({ entries, frequencies }: FoundCandidates) => ({ entries, frequencies })

/** Searches before, during and after indexing: indexing must change nothing but the cost. */
export async function whileIndexing(
  storage: Storage,
  search: () => Promise<void>,
  refs: readonly string[] = [memoryRef],
) {
  await search()
  for (const ref of refs) await storage.search.index(tenantId, ref, 2)
  await search()
  for (const ref of refs) while ((await storage.search.index(tenantId, ref, 100)) > 0);
  await search()
}

export async function putAll({ colophon }: World, contents: readonly string[], ref = memoryRef) {
  const put = []
  for (const content of contents) put.push(await colophon.memory(tenantId).put(ref, { content }))
  return put
}

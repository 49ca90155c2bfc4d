import { listRefs } from '../../app/entries/read.ts'
import { createTimeSlice } from '../../app/event-loop.ts'
import { listMemories, refOf } from '../../app/provenance/find-memories.ts'
import type { Memory } from '../../app/provenance/memory-view.ts'
import type { Tenant } from '../../app/tenant.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { subjectOf } from '../../core/provenance/mem0-entities.ts'
import type { RefSummary } from '../../ports/storage.ts'
import { type Filter, parseFilter } from './filters.ts'
import { type MemoryView, toMemoryViews } from './views.ts'

/** Lists of mem0 are counted and numbered by page. The engine has cursors, so a list is read as a whole, up to a limit. */

const step = 500
const pageSizeDefault = 100

type PageQuery = { readonly page?: number | undefined; readonly page_size?: number | undefined }

export function pageOf<T>(items: readonly T[], query: PageQuery, path: string) {
  const { page = 1, page_size: size = pageSizeDefault } = query
  const to = (number: number) => `${path}/?page=${number}&page_size=${size}`
  const results = items.slice((page - 1) * size, page * size)
  return {
    results,
    paging: {
      count: items.length,
      next: page * size < items.length ? to(page + 1) : null,
      previous: page > 1 ? to(page - 1) : null,
    },
  }
}

/** A filter, and the conditions that a request has beside it. */
export function filterOf(
  filters: unknown,
  more: { readonly categories?: readonly string[] | undefined; readonly metadata?: unknown } = {},
): Filter & { readonly subject: string } {
  const extra = [
    ...(more.categories === undefined || more.categories.length === 0 ? [] : [{ categories: more.categories }]),
    ...(more.metadata === undefined ? [] : [{ metadata: more.metadata }]),
  ]
  const parsed = parseFilter(extra.length === 0 ? (filters ?? {}) : { AND: [filters ?? {}, ...extra] })
  const { user_id: _user, ...others } = parsed.entities
  const subject = subjectOf(parsed.entities, 'filters')
  const isMore = parsed.isMore || Object.keys(others).length > (parsed.entities.user_id === undefined ? 1 : 0)
  return { ...parsed, subject, isMore }
}

/** All memories of a subject, newest first. More than a list may have are refused, not cut. */
export async function allMemories(
  tenant: Tenant,
  subject: string,
  options: { readonly includeSuperseded?: boolean; readonly trustMin?: Trust } = {},
): Promise<Memory[]> {
  const found: Memory[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await listMemories(tenant, { subject, limit: step, cursor, ...options })
    found.push(...page.memories)
    if (page.cursor === undefined) return found
    checkListed(found.length, 'Page through GET /v1/memories with its cursor instead')
    cursor = page.cursor
  }
}

/** The memories that a filter selects, whose views are only made for a page if nothing else depends on them. */
export async function findAll(
  tenant: Tenant,
  filter: Filter & { readonly subject: string },
  query: PageQuery,
  options: { readonly includeSuperseded?: boolean; readonly path: string },
): Promise<ReturnType<typeof pageOf<MemoryView>>> {
  const memories = await allMemories(tenant, filter.subject, options)
  if (filter.isMore) {
    const views = await toMemoryViews(tenant, memories)
    return pageOf(await matching(views, filter), query, options.path)
  }
  const { results, paging } = pageOf(memories, query, options.path)
  return { results: await toMemoryViews(tenant, results), paging }
}

/** The memories that a filter selects. Many of them are compared with many values, so other requests get their turn in between. */
export async function matching<T extends MemoryView>(views: readonly T[], { isMatch }: Filter): Promise<T[]> {
  const slice = createTimeSlice()
  const found: T[] = []
  for (const view of views) {
    await slice()
    if (isMatch(view)) found.push(view)
  }
  return found
}

/** The refs of all subjects that have memories. */
export async function allSubjects(tenant: Tenant): Promise<RefSummary[]> {
  const prefix = refOf('')
  const found: RefSummary[] = []
  for (let after = prefix; ; ) {
    const page = await listRefs(tenant, { after, limit: step })
    const own = page.filter(({ memoryRef }) => memoryRef.startsWith(prefix))
    found.push(...own)
    if (own.length < step) return found
    checkListed(found.length, 'Page through GET /v1/host/colophon/memory with its cursor instead')
    after = own.at(-1)?.memoryRef ?? prefix
  }
}

function checkListed(count: number, wayOut: string): void {
  if (count <= limits.mem0ListMax) return
  throw invalid('page', `cannot be counted: there are more than ${limits.mem0ListMax}. ${wayOut}`, {
    limit: 'mem0ListMax',
    max: limits.mem0ListMax,
  })
}

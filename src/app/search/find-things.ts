import type { EntryVersion } from '../../core/entries/entry.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { SourceEventRecord } from '../../core/provenance/source-event.ts'
import type { RunSummary } from '../../core/run/run.ts'
import { hasWords, justAfter, justBefore, type SearchKind, wordsOfQuery } from '../../core/search/tenant-search.ts'
import type { RefSummary } from '../../ports/storage.ts'
import { listRefs } from '../entries/read.ts'
import { mayRead } from '../entries/read-access.ts'
import { type ClaimView, getClaim } from '../provenance/claims.ts'
import { listSourceEvents } from '../provenance/source-events.ts'
import { listRuns } from '../runs/inspect-runs.ts'
import type { Tenant } from '../tenant.ts'

/** What a search over the tenant finds beside memories. A kind that was not asked for is missing. */
export type FoundThings = {
  readonly refs?: readonly RefSummary[]
  readonly sources?: readonly SourceEventRecord[]
  readonly claims?: readonly ClaimView[]
  readonly runs?: readonly RunSummary[]
}

const max = limits.tenantSearchThingsMax
/** Rows of each kind that are examined, the newest first: enough for what a person still remembers by its name. */
const examinedMax = limits.pageEntriesMax

/** Things by the beginning of their name or id, and among the newest ones by any words of their names. */
export async function findThings(tenant: Tenant, query: string, kinds: readonly SearchKind[]): Promise<FoundThings> {
  const wants = (kind: SearchKind) => kinds.includes(kind)
  const [refs, sources, claims, runs] = await Promise.all([
    wants('refs') ? findRefs(tenant, query) : null,
    wants('sources') ? findSources(tenant, query) : null,
    wants('claims') ? findClaims(tenant, query) : null,
    wants('runs') ? findRuns(tenant, query) : null,
  ])
  return {
    ...(refs && { refs }),
    ...(sources && { sources }),
    ...(claims && { claims }),
    ...(runs && { runs }),
  }
}

/** Current memories whose id begins with the query. */
export async function memoriesByIdPrefix(tenant: Tenant, query: string): Promise<readonly EntryVersion[]> {
  if (!isIdPrefix(query, 'mem_')) return []
  const after = { entryId: justBefore(query), version: 0 }
  const page = await tenant.storage.scanVersions({ tenantId: tenant.id, after, limit: limits.pageEntriesDefault })
  const newest = new Map(page.filter(({ entryId }) => entryId.startsWith(query)).map((row) => [row.entryId, row]))
  return [...newest.values()].filter(({ readers }) => mayRead(tenant, readers)).slice(0, max)
}

/** A few characters after the prefix of the kind, so that the word "run" is no id. */
function isIdPrefix(query: string, prefix: string): boolean {
  return query.startsWith(prefix) && query.length <= limits.entryIdCharactersMax && !/\s/u.test(query)
}

/** Refs by the beginning of their name, and people by that of theirs. */
async function findRefs(tenant: Tenant, query: string): Promise<readonly RefSummary[]> {
  const prefixes = new Set([query, query.toLowerCase()].flatMap((name) => [name, `subject:${name}`]))
  const pages = await Promise.all(
    [...prefixes].map(async (prefix) => {
      const page = await listRefs(tenant, { after: justBefore(prefix), limit: max })
      return page.filter(({ memoryRef }) => memoryRef.startsWith(prefix))
    }),
  )
  const found = new Map(pages.flat().map((ref) => [ref.memoryRef, ref]))
  return [...found.values()].slice(0, max)
}

async function findSources(tenant: Tenant, query: string): Promise<readonly SourceEventRecord[]> {
  const all = { subject: null, service: null }
  if (isIdPrefix(query, 'src_')) {
    const page = await listSourceEvents(tenant, { ...all, after: justAfter(query), limit: max })
    return page.filter(({ sourceEventId }) => sourceEventId.startsWith(query))
  }
  const words = wordsOfQuery(query)
  const page = await listSourceEvents(tenant, { ...all, after: null, limit: examinedMax })
  return page
    .filter(({ isErased, eventId, service, subject }) => !isErased && hasWords(words, [eventId, service, subject]))
    .slice(0, max)
}

async function findClaims(tenant: Tenant, query: string): Promise<readonly ClaimView[]> {
  const { provenance } = tenant.storage
  const all = { tenantId: tenant.id, isContested: null }
  const words = wordsOfQuery(query)
  const isId = isIdPrefix(query, 'clm_')
  const [ofSubject, some] = await Promise.all([
    isId ? [] : provenance.claims({ ...all, subject: query, after: null, limit: max }),
    provenance.claims({ ...all, subject: null, after: isId ? justBefore(query) : null, limit: examinedMax }),
  ])
  const isNamed = ({ claimId, subject, claimKey, category }: (typeof some)[number]) =>
    isId ? claimId.startsWith(query) : hasWords(words, [subject, claimKey, category])
  const ids = new Set([...ofSubject, ...some.filter(isNamed)].map(({ claimId }) => claimId))
  const views = await Promise.all([...ids].slice(0, max).map((id) => getClaim(tenant, id).catch(nullIfUnreadable)))
  return views.filter((view) => view !== null)
}

function nullIfUnreadable(error: unknown): null {
  if (isColophonError(error, 'claim_not_found')) return null
  throw error
}

async function findRuns(tenant: Tenant, query: string): Promise<readonly RunSummary[]> {
  const all = { status: null, workflowId: null }
  if (isIdPrefix(query, 'run_')) {
    const page = await listRuns(tenant, { ...all, after: justAfter(query), limit: max })
    return page.filter(({ runId }) => runId.startsWith(query))
  }
  const words = wordsOfQuery(query)
  const page = await listRuns(tenant, { ...all, after: null, limit: examinedMax })
  return page.filter(({ workflowId, status, tags }) => hasWords(words, [workflowId, status, ...tags])).slice(0, max)
}

import { isOlder, newestFirst } from '../../core/entries/as-of.ts'
import type { Place } from '../../core/entries/entry.ts'
import type { EntryFilter } from '../../core/filter/filter.ts'
import { foldName, hasOtherSpellings, namesSpelled, refOfPerson } from '../../core/people/spelling.ts'
import type { SearchFilter } from '../../core/search/filter.ts'
import type { MatchingPage, Storage } from '../../ports/storage.ts'

/** Ids of people are compared in NFC and stored as they came. Here an id that a request names becomes the spellings that are stored. */

type People = Pick<Storage, 'people'>

/** The stored spellings of a person, the first one first; the given one if none is stored. */
export async function spellingsOf({ people }: People, tenantId: string, name: string): Promise<readonly string[]> {
  if (!hasOtherSpellings(name)) return [name]
  const stored = await people.spellings(tenantId, foldName(name))
  return stored.length === 0 ? [name] : stored.map(({ spelling }) => spelling)
}

/** The same for a ref about a person. Any other ref is itself. */
export async function spelledRefs(store: People, tenantId: string, memoryRef: string): Promise<readonly string[]> {
  const [prefix] = hasOtherSpellings(memoryRef) ? (refOfPerson.exec(memoryRef) ?? []) : []
  if (prefix === undefined) return [memoryRef]
  return (await spellingsOf(store, tenantId, memoryRef.slice(prefix.length))).map((name) => prefix + name)
}

type OfTenant = { readonly id: string; readonly storage: Storage }

/** The id under which new memory about a person is stored. */
export async function storedName({ id, storage }: OfTenant, name: string): Promise<string> {
  const [first = name] = await spellingsOf(storage, id, name)
  return first
}

/** The ref in which new memory is stored. */
async function storedRef({ id, storage }: OfTenant, memoryRef: string): Promise<string> {
  const [first = memoryRef] = await spelledRefs(storage, id, memoryRef)
  return first
}

/** A ref that is stored in this spelling, or else the stored one: for work that changes the entries of one ref. */
export async function ownRef({ id, storage }: OfTenant, memoryRef: string): Promise<string> {
  const refs = await spelledRefs(storage, id, memoryRef)
  return refs.includes(memoryRef) ? memoryRef : (refs[0] ?? memoryRef)
}

/** New entries under the id and in the ref that are stored for their person. A promise only if ids have to be looked up. */
export function underStoredNames<Entry extends { readonly memoryRef: string; readonly subject: string | null }>(
  tenant: OfTenant,
  entries: readonly Entry[],
): readonly Entry[] | Promise<readonly Entry[]> {
  return entries.some(namesSpelled) ? Promise.all(entries.map((entry) => underStoredName(tenant, entry))) : entries
}

/** The same for one entry. */
export async function underStoredName<Entry extends { readonly memoryRef: string; readonly subject: string | null }>(
  tenant: OfTenant,
  entry: Entry,
): Promise<Entry> {
  const { memoryRef, subject } = entry
  const name = subject === null ? null : await storedName(tenant, subject)
  return { ...entry, memoryRef: await storedRef(tenant, memoryRef), subject: name }
}

/** The filter of a search with the stored spellings of its subject. */
export async function withSpelledSubject(
  { id, storage }: OfTenant,
  { subject, ...filter }: SearchFilter,
): Promise<SearchFilter> {
  if (subject === undefined) return filter
  const [first, ...others] = await spellingsOf(storage, id, subject)
  if (others.length === 0) return { ...filter, subject: first ?? subject }
  const named: EntryFilter = { kind: 'text', field: 'subject', in: [first ?? subject, ...others] }
  return { ...filter, where: filter.where === undefined ? named : { kind: 'and', of: [named, filter.where] } }
}

type OfRef = { readonly tenantId: string; readonly memoryRef: string }

/**
 * A storage whose reads by person find all stored spellings. Nearly every person has one, and then it is the same read of another ref. Where
 * several are stored, the results are those of one ref with the entries of all.
 */
export function withSpellings(storage: Storage): Storage {
  const { compactions, provenance, search, vectors } = storage

  /** Reads once for each stored spelling of the ref. */
  function overRefs<Query extends OfRef, Result>(
    query: Query,
    read: (query: Query) => Promise<Result>,
    merge: (results: readonly Result[]) => Result,
  ): Promise<Result> {
    return hasOtherSpellings(query.memoryRef) ? overSpelled(query, read, merge) : read(query)
  }

  async function overSpelled<Query extends OfRef, Result>(
    query: Query,
    read: (query: Query) => Promise<Result>,
    merge: (results: readonly Result[]) => Result,
  ): Promise<Result> {
    const refs = await spelledRefs(storage, query.tenantId, query.memoryRef)
    const [first, ...others] = await Promise.all(refs.map((memoryRef) => read({ ...query, memoryRef })))
    return others.length === 0 ? (first as Result) : merge([first as Result, ...others])
  }

  async function overSubjects<Query extends { readonly tenantId: string; readonly subject: string | null }, Row>(
    query: Query & { readonly limit: number },
    read: (query: Query) => Promise<readonly Row[]>,
    compare: (a: Row, b: Row) => number,
  ): Promise<readonly Row[]> {
    const { tenantId, subject, limit } = query
    if (subject === null || !hasOtherSpellings(subject)) return read(query)
    const names = await spellingsOf(storage, tenantId, subject)
    return firstBy(await Promise.all(names.map((name) => read({ ...query, subject: name }))), limit, compare)
  }

  const filterOf = async (tenantId: string, filter: EntryFilter | undefined) =>
    filter && (await spelledFilter(storage, tenantId, filter))

  return {
    ...storage,
    get: (query) => overRefs(query, storage.get, (found) => found.find((version) => version !== null) ?? null),
    list: (query) => overRefs(query, storage.list, (pages) => mergedPages(pages, query.limit)),
    listShown: (query) => overRefs(query, storage.listShown, (pages) => mergedPages(pages, query.limit)),
    async listMatching(query) {
      const filter = await spelledFilter(storage, query.tenantId, query.filter)
      return overRefs({ ...query, filter }, storage.listMatching, (steps) => mergedSteps(steps, query.limit))
    },
    async versions(tenantId, keys, filter, position) {
      const spelled = keys.map(async (key) =>
        (await spelledRefs(storage, tenantId, key.memoryRef)).map((memoryRef) => ({ ...key, memoryRef })),
      )
      const isPlain = !keys.some(({ memoryRef }) => hasOtherSpellings(memoryRef))
      const all = isPlain ? keys : (await Promise.all(spelled)).flat()
      return storage.versions(tenantId, all, await filterOf(tenantId, filter), position)
    },
    compactions: {
      ...compactions,
      list: ({ memoryRef, ...query }) =>
        memoryRef === null
          ? compactions.list({ ...query, memoryRef })
          : overRefs({ ...query, memoryRef }, compactions.list, (lists) =>
              firstBy(lists, query.limit, (a, b) => (a.compactionId < b.compactionId ? 1 : -1)),
            ),
    },
    provenance: {
      ...provenance,
      listAll: (query) => overRefs(query, provenance.listAll, (lists) => firstBy(lists, query.limit, newestFirst)),
      claims: (query) => overSubjects(query, provenance.claims, (a, b) => (a.claimId < b.claimId ? -1 : 1)),
      sourceEvents: (query) =>
        overSubjects(query, provenance.sourceEvents, (a, b) => (a.sourceEventId < b.sourceEventId ? 1 : -1)),
    },
    search: {
      ...search,
      async find(query) {
        const where = await filterOf(query.tenantId, query.filter.where)
        const narrowed = where === undefined ? query : { ...query, filter: { ...query.filter, where } }
        return overRefs(narrowed, search.find, mergedCandidates)
      },
      around: (query) => overRefs(query, search.around, mergedNeighbours),
      index: (tenantId, memoryRef, rowsMax) =>
        overRefs(
          { tenantId, memoryRef },
          (one) => search.index(tenantId, one.memoryRef, rowsMax),
          (counts) => counts.reduce((sum, count) => sum + count, 0),
        ),
    },
    vectors: {
      ...vectors,
      async nearest(query) {
        const where = await filterOf(query.tenantId, query.where)
        return overRefs({ ...query, where }, vectors.nearest, (lists) =>
          firstBy(lists, query.limit, (a, b) => b.similarity - a.similarity),
        )
      },
      similarities: (query) =>
        overRefs(query, vectors.similarities, (lists) =>
          query.places.map((_, at) => lists.map((values) => values[at] ?? null).find((one) => one !== null) ?? null),
        ),
    },
  }
}

type Page<Row> = { readonly position: number; readonly versions: readonly Row[] }

/** At the position of the first page: a list that continues reads all refs there. */
function mergedPages<Row extends Place>(pages: readonly Page<Row>[], limit: number): Page<Row> {
  const versions = firstBy(
    pages.map((page) => page.versions),
    limit,
    newestFirst,
  )
  return { position: pages[0]?.position ?? 0, versions }
}

/** The rows of several lists in one order. One list has its order already. */
function firstBy<Row>(lists: readonly (readonly Row[])[], limit: number, compare: (a: Row, b: Row) => number) {
  const [only = [], ...others] = lists
  return others.length === 0 ? only : lists.flat().sort(compare).slice(0, limit)
}

/**
 * One step of a filtered list over several refs. A ref whose step ended early has more rows behind its last place, so no row behind the newest of
 * those places is returned yet.
 */
export function mergedSteps(steps: readonly MatchingPage[], limit: number): MatchingPage {
  const all = steps.flatMap(({ versions }) => versions).sort(newestFirst)
  const ends = steps.flatMap(({ versions, examinedTo }) => {
    const last = versions.at(-1)
    const isFull = versions.length >= limit && last !== undefined
    return isFull ? [last] : (examinedTo ?? [])
  })
  const [end] = ends.sort(newestFirst)
  const known = end === undefined ? all : all.filter((version) => !isOlder(version, end))
  const versions = known.slice(0, limit)
  return { versions, examinedTo: versions.length === limit || end === undefined ? null : toPlace(end) }
}

function toPlace({ createdPosition, ordinal }: Place): Place {
  return { createdPosition, ordinal }
}

type Candidates = Awaited<ReturnType<Storage['search']['find']>>

function mergedCandidates(found: readonly Candidates[]): Candidates {
  return found.reduce((one, other) => {
    // Some of its rows have to be indexed first.
    if (one === null || other === null) return null
    return {
      entries: one.entries + other.entries,
      frequencies: one.frequencies.map((count, at) => count + (other.frequencies[at] ?? 0)),
      rows: [...one.rows, ...other.rows],
      isCutShort: one.isCutShort || other.isCutShort,
      unindexed: one.unindexed + other.unindexed,
    }
  })
}

type Neighbours = Awaited<ReturnType<Storage['search']['around']>>

function mergedNeighbours(found: readonly Neighbours[]): Neighbours {
  return (found[0] ?? []).map((_, at) =>
    found.flatMap((rows) => rows[at] ?? []).sort((a, b) => newestFirst(b.version, a.version)),
  )
}

async function spelledFilter(store: People, tenantId: string, filter: EntryFilter): Promise<EntryFilter> {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { ...filter, of: await Promise.all(filter.of.map((one) => spelledFilter(store, tenantId, one))) }
    case 'not':
      return { ...filter, of: await spelledFilter(store, tenantId, filter.of) }
    case 'text': {
      if (filter.field !== 'subject' || !filter.in.some(hasOtherSpellings)) return filter
      const names = await Promise.all(filter.in.map((name) => spellingsOf(store, tenantId, name)))
      return { ...filter, in: [...new Set(names.flat())] }
    }
    default:
      return filter
  }
}

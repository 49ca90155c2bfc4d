/** The page of a list, as Mastra asks for it. `perPage: false` is everything. */
type Page = {
  readonly page?: number
  readonly perPage?: number | false
  readonly orderBy?: { readonly field?: string; readonly direction?: 'ASC' | 'DESC' } | undefined
}

type DateRange = {
  readonly start?: Date
  readonly end?: Date
  readonly startExclusive?: boolean
  readonly endExclusive?: boolean
}

export type ThreadQuery = Page & {
  readonly filter?: { readonly resourceId?: string; readonly metadata?: Readonly<Record<string, unknown>> }
}

type Included = { readonly id: string; readonly withPreviousMessages?: number; readonly withNextMessages?: number }

export type MessageQuery = Page & {
  readonly include?: readonly Included[]
  readonly filter?:
    | { readonly dateRange?: DateRange; readonly metadata?: Readonly<Record<string, unknown>> }
    | undefined
}

type Dated = { readonly id: string; readonly createdAt: Date; readonly updatedAt?: Date }
type Defaults = { readonly perPageDefault: number; readonly directionDefault: 'ASC' | 'DESC' }

/** The items of a page in order. Items of the same instant keep the order in which they were stored. */
export function pageOf<Item extends Dated>(all: readonly Item[], defaults: Defaults, query: Page) {
  const { page = 0, perPage = defaults.perPageDefault, orderBy } = query
  if (page < 0) throw new Error('page must be >= 0')
  const size = perPage === false ? all.length : perPage
  const field = orderBy?.field === 'updatedAt' ? 'updatedAt' : 'createdAt'
  const sign = (orderBy?.direction ?? defaults.directionDefault) === 'ASC' ? 1 : -1
  const timeOf = (item: Item) => (item[field] ?? item.createdAt).getTime()
  const sorted = all.toSorted((a, b) => sign * (timeOf(a) - timeOf(b)))
  const from = perPage === false ? 0 : page * size
  const total = size === 0 ? 0 : all.length
  return { items: sorted.slice(from, from + size), total, page, perPage, hasMore: from + size < total }
}

/** Whether a message is within the dates and has the metadata of a filter. */
export function isListed(
  { createdAt, content }: Dated & { readonly content: Readonly<Record<string, unknown>> },
  filter: MessageQuery['filter'],
): boolean {
  const { start, end, startExclusive, endExclusive } = filter?.dateRange ?? {}
  const at = createdAt.getTime()
  const [from, to] = [start && new Date(start).getTime(), end && new Date(end).getTime()]
  if (from !== undefined && (at < from || (startExclusive && at === from))) return false
  if (to !== undefined && (at > to || (endExclusive && at === to))) return false
  const metadata = content.metadata as Readonly<Record<string, unknown>> | undefined
  return Object.entries(filter?.metadata ?? {}).every(
    ([name, value]) => JSON.stringify(metadata?.[name]) === JSON.stringify(value),
  )
}

/** A message of a thread with those before and after it. */
export function withNeighbours<Item extends Dated>(thread: readonly Item[], included: Included): Item[] {
  const sorted = thread.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
  const at = sorted.findIndex(({ id }) => id === included.id)
  const { withPreviousMessages: before = 0, withNextMessages: after = 0 } = included
  return at === -1 ? [] : sorted.slice(Math.max(0, at - before), at + after + 1)
}

import { limits } from '../core/limits.ts'

/** Which page of a list a client requested. */
export type PageRequest = { readonly limit?: number | undefined; readonly cursor?: string | undefined }

/** How many items a page has at most. A limit of 0 is the default. */
export function pageSize(limit = 0, itemsMax: number = limits.pageEntriesMax): number {
  return Math.min(limit > 0 ? limit : limits.pageEntriesDefault, itemsMax)
}

/**
 * One page of a list. It reads one item more than it shows, so that a page has a cursor exactly when another page follows.
 * A limit of 0 is the default.
 */
export async function page<T extends object>(
  { limit = 0, cursor }: PageRequest,
  /** The member that the list is sorted by. */
  orderedBy: keyof T,
  read: (query: { readonly after: string | null; readonly limit: number }) => Promise<readonly T[]>,
  itemsMax: number = limits.pageEntriesMax,
  /** The items that fit on a page of long ones. What was read beyond them follows by cursor. */
  fitting: (items: readonly T[]) => readonly T[] = (items) => items,
): Promise<{ readonly items: readonly T[]; readonly next: { readonly cursor?: string } }> {
  const size = pageSize(limit, itemsMax)
  const found = await read({ after: cursor ?? null, limit: size + 1 })
  const items = fitting(found.slice(0, size))
  const last = items.at(-1)
  return { items, next: found.length > items.length && last !== undefined ? { cursor: String(last[orderedBy]) } : {} }
}

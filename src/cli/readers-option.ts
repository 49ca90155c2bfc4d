/** The option of commands that store something. */
export const readersOption = [
  '--readers <ids>',
  'who inside the tenant may read it, separated by commas; without this, everyone',
] as const

/** The readers of a request. An empty text is everyone: null. */
export function parseReaders(readers: string | undefined): { readers?: string[] | null } {
  if (readers === undefined) return {}
  const ids = readers
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean)
  return { readers: ids.length === 0 ? null : ids }
}

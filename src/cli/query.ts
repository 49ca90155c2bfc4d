/** A path with the parameters that were given; the others are left out. */
export function withQuery(path: string, given: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return present.length === 0 ? path : `${path}?${new URLSearchParams(present)}`
}

/** The line under a list that goes on. */
export function moreLine(cursor: string | undefined): string[] {
  return cursor === undefined ? [] : [`more: --cursor ${cursor}`]
}

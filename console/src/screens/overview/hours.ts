import type { Stats } from '../../../../src/client/index.ts'

const hourMs = 3_600_000
const hoursShown = 7 * 24

export type Hour = { readonly at: number; readonly changes: number; readonly redacted: number }

/** Every hour of the last seven days, including those without changes. */
export function hoursOf({ at, activity }: Stats): readonly Hour[] {
  const now = Date.parse(at)
  const last = now - (now % hourMs)
  const known = new Map(activity.map((span) => [Date.parse(span.at), span]))
  return Array.from({ length: hoursShown }, (_, index) => {
    const start = last - (hoursShown - 1 - index) * hourMs
    const span = known.get(start)
    return { at: start, changes: span?.changes ?? 0, redacted: span?.redacted ?? 0 }
  })
}

import type { CommitOptions } from '../commit.ts'

export const redactionJobKind = 'colophon.re-redact'

/** One pass over everything stored. */
export type RedactionPass = {
  readonly dryRun: boolean
  /** Who asked for the pass; the host itself by default. */
  readonly actor?: string
  readonly signal: AbortSignal
  readonly onProgress: (progress: { scanned: number; changed: number }) => void
}

/** How each commit of a pass is recorded. */
export function commitOptions({ actor }: Pick<RedactionPass, 'actor'>): CommitOptions {
  return { call: { operation: 're-redact' }, ...(actor === undefined ? {} : { actor }) }
}

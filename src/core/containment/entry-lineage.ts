import type { EntryVersion, Origin } from '../entries/entry.ts'

/** Why a version is affected: the contained source wrote it, a compaction or a run derived it from such a version. */
export type Why =
  | { readonly kind: 'written' }
  | { readonly kind: 'derived'; readonly compactionId: string }
  | { readonly kind: 'run'; readonly runId: string }

/** Everything that is known to be affected so far. */
export type AffectedSources = {
  /** The contained key; null for other selectors. */
  readonly keyId: string | null
  readonly agentId: string | null
  /** The first position that counts for what the selector itself wrote. */
  readonly from: number
  readonly events: ReadonlySet<string>
  /** By run, the sequence from which on its writes are affected. */
  readonly runs: ReadonlyMap<string, number>
  readonly compactions: ReadonlySet<string>
  /** The run that the selector names: of it, writes before `from` do not count. */
  readonly seedRun: string | null
  /** Whether a commit of the contained key wrote this version. */
  readonly isWrittenByKey: (entryId: string, version: number) => boolean
}

/**
 * The affected versions of an entry, from all its stored versions in their order. A version is affected if its text or its tags came from
 * an affected source. A later version that only repeats an affected text (its tags were changed, it was restored) is affected too.
 */
export function affectedVersions(
  versions: readonly EntryVersion[],
  sources: AffectedSources,
): ReadonlyMap<number, Why> {
  const affected = new Map<number, Why>()
  const texts: { readonly version: EntryVersion; readonly why: Why }[] = []
  for (const [index, version] of versions.entries()) {
    const before = versions[index - 1]
    const direct = sourceOf(version, before, sources)
    const repeated = texts.find((text) => isSameText(text.version, version, sources.keyId))
    const why = direct ?? repeated?.why ?? null
    if (why === null) continue
    affected.set(version.version, why)
    // A change of tags only is undone, but a later version that repeats the text repeats that of its first author.
    if (repeated || before === undefined || before.content !== version.content) texts.push({ version, why })
  }
  return affected
}

function sourceOf(version: EntryVersion, before: EntryVersion | undefined, sources: AffectedSources): Why | null {
  const { origin } = version
  if ('sourceEventId' in origin && origin.sourceEventId !== undefined && sources.events.has(origin.sourceEventId))
    return { kind: 'written' }
  if (origin.kind === 'compaction') {
    const { compactionId } = origin
    return sources.compactions.has(compactionId) ? { kind: 'derived', compactionId } : null
  }
  if (origin.kind === 'run' || origin.kind === 'session') {
    const { runId, sequence } = origin
    const from = sources.runs.get(runId)
    const isSeed = runId === sources.seedRun
    if (from !== undefined && sequence >= from && (!isSeed || version.createdPosition >= sources.from))
      return isSeed ? { kind: 'written' } : { kind: 'run', runId }
  }
  return isWrittenBySelector(version, before, sources) ? { kind: 'written' } : null
}

function isWrittenBySelector(
  version: EntryVersion,
  before: EntryVersion | undefined,
  { keyId, agentId, from, isWrittenByKey }: AffectedSources,
): boolean {
  const { origin } = version
  // The host itself writes the summary of a run, also if the key ended the run.
  if (origin.kind === 'session' || !differs(version, before)) return false
  const isOfEvent = 'sourceEventId' in origin && origin.sourceEventId !== undefined
  // The text of a source event is judged by the event. A later change of its tags or importance is the key's own.
  if (isOfEvent && before?.content !== version.content) return false
  if (keyId !== null) return isWrittenByKey(version.entryId, version.version)
  return (
    agentId !== null &&
    !isOfEvent &&
    'agentId' in origin &&
    origin.agentId === agentId &&
    version.recordedPosition >= from
  )
}

/** Whether a version says something else than the one before it. A restored version says the same. */
function differs(version: EntryVersion, before: EntryVersion | undefined): boolean {
  return before === undefined || said(version) !== said(before)
}

function said({ content, tags, classification, trust }: EntryVersion): string {
  return JSON.stringify([content, [...tags].sort(), classification, trust])
}

/** Whether a later version has the text of an earlier one from the same source. The key may have been added since: see `originOfContent`. */
function isSameText(earlier: EntryVersion, later: EntryVersion, keyId: string | null): boolean {
  if (earlier.content !== later.content) return false
  const [own, other] = [keyOf(earlier.origin) ?? keyId, keyOf(later.origin)]
  return sourceText(earlier.origin) === sourceText(later.origin) && (other === null || own === null || own === other)
}

function keyOf(origin: Origin): string | null {
  return ('keyId' in origin ? origin.keyId : undefined) ?? null
}

function sourceText(origin: Origin): string {
  return JSON.stringify(
    Object.entries(origin)
      .filter(([name]) => name !== 'keyId')
      .sort(),
  )
}

import type { EntryVersion } from '../../core/entries/entry.ts'
import { areSameReaders } from '../../core/entries/readers.ts'
import { ColophonError } from '../../core/errors.ts'
import { type LineOf, lineId, type PortableLine } from '../../core/portable/import-line.ts'
import type { Assertion, ClaimRecord } from '../../core/provenance/claim.ts'
import type { Engine } from '../engine.ts'
import type { TenantContext } from '../tenant-context.ts'

/** A line that was not imported, because another row with the same id is stored. */
export type ImportConflict = { readonly line: number; readonly type: string; readonly id: string }

type Verdict = 'fresh' | 'same' | 'conflict'

/**
 * Finds the lines that are stored in the tenant already. Equal rows are skipped; a different row with the same id is a conflict. Stored
 * rows never change.
 */
export async function findExisting(
  { storage }: Engine,
  context: TenantContext,
  lines: readonly PortableLine[],
  { base, firstLine }: { readonly base: number; readonly firstLine: number },
) {
  const { tenantId, redaction } = context
  const versions = lines.filter((line) => line.type === 'version')
  const stored = new Map((await storage.versions(tenantId, versions)).map((row) => [lineId(asLine(row)), row]))
  const ids = [...new Set(versions.map(({ entryId }) => entryId))]
  const heads = new Map((await storage.provenance.newestVersions(tenantId, ids)).map((row) => [row.entryId, row]))

  const claims = await claimsOf(storage, tenantId, versions)

  async function judge(line: PortableLine): Promise<Verdict> {
    switch (line.type) {
      case 'position':
        return 'fresh'
      case 'writer': {
        const record = await storage.record(tenantId, 'writer', line.serviceKey)
        if (record === null) return 'fresh'
        const facts = record.body.facts as { authorityRules?: unknown; isActive?: unknown } | undefined
        // A writer that was bound was imported as inactive, and may have been bound and activated here since.
        const isAsActive = line.isBound !== false || facts?.isActive === line.isActive
        const isSame = same(facts?.authorityRules, line.authorityRules) && isAsActive
        return isSame ? 'same' : 'conflict'
      }
      case 'sourceEvent': {
        const { service, eventId } = line
        const named =
          service === null || eventId === null
            ? null
            : await storage.provenance.sourceEventNamed(tenantId, service, eventId)
        const event = (await storage.provenance.sourceEvent(tenantId, line.sourceEventId)) ?? named
        if (event === null) return 'fresh'
        const isSame = event.sourceEventId === line.sourceEventId && event.payloadHash === line.payloadHash
        return isSame ? 'same' : 'conflict'
      }
      case 'claim':
        return judgeClaim(line)
      case 'version':
        return judgeVersion(line)
      case 'compaction': {
        const compaction = await storage.compactions.get(tenantId, line.compactionId)
        if (compaction === null) return 'fresh'
        return compaction.outputId === line.outputId ? 'same' : 'conflict'
      }
    }
  }

  async function judgeClaim(line: LineOf<'claim'>): Promise<Verdict> {
    const claim = await storage.provenance.claim(tenantId, line.claimId)
    if (claim !== null) return claim.winner === line.winner && claim.subject === line.subject ? 'same' : 'conflict'
    // A file can have two claims for one slot, if its tenant imported one of them with a version that did not merge them.
    if (claims.has(line.claimId)) return 'conflict'
    claims.set(line.claimId, line)
    return 'fresh'
  }

  async function judgeVersion(line: LineOf<'version'>): Promise<Verdict> {
    const row = stored.get(lineId(line))
    if (row !== undefined)
      return (await redaction.redact(({ scan }) => isSameText(row, line, (text) => scan(text, () => {}))))
        ? 'same'
        : 'conflict'
    // An entry that was stored before this import has another history.
    const head = heads.get(line.entryId)
    const isSecond = head?.endedPosition === null && line.endedPosition === null && head.createdPosition > base
    if (isSecond) throw new ColophonError('import_file_invalid', 'The file has two live versions of an entry.')
    if (head !== undefined && (head.createdPosition <= base || head.memoryRef !== line.memoryRef)) return 'conflict'
    // Earlier parts stored it with other readers, or they were changed since.
    if (head !== undefined && !areSameReaders(head.readers, line.readers)) return 'conflict'
    const claimId = line.classification?.claimId ?? null
    const claim = claimId === null ? undefined : claims.get(claimId)
    if (claim === undefined) return 'fresh'
    // A claim has one winner and the contents that were asserted for it. A version that does not belong to them is a conflict.
    const isStated = claim.assertions.some(({ entryId }) => entryId === line.entryId)
    return isStated && (line.endedPosition !== null || claim.winner === line.entryId) ? 'fresh' : 'conflict'
  }

  const known = new Set<PortableLine>()
  const conflicts: ImportConflict[] = []
  let skipped = 0
  for (const [index, line] of lines.entries()) {
    const verdict = await judge(line)
    if (verdict === 'fresh') continue
    known.add(line)
    if (verdict === 'same') skipped += 1
    else conflicts.push({ line: firstLine + index, type: line.type, id: lineId(line) })
  }
  return { lines: known, skipped, conflicts }
}

type KnownClaim = Pick<ClaimRecord, 'winner'> & { readonly assertions: readonly Pick<Assertion, 'entryId'>[] }

/** The stored claims that these versions belong to. */
async function claimsOf(
  { provenance }: Engine['storage'],
  tenantId: string,
  versions: readonly LineOf<'version'>[],
): Promise<Map<string, KnownClaim>> {
  const ids = [...new Set(versions.flatMap(({ classification }) => classification?.claimId ?? []))]
  const known = new Map<string, Pick<ClaimRecord, 'winner'> & { assertions: Assertion[] }>()
  for (const id of ids) {
    const claim = await provenance.claim(tenantId, id)
    if (claim !== null) known.set(id, { winner: claim.winner, assertions: [] })
  }
  const stated = known.size === 0 ? [] : await provenance.assertionsOfClaims(tenantId, [...known.keys()])
  for (const item of stated) known.get(item.claimId)?.assertions.push(item)
  return known
}

/**
 * Refuses a live version that is not the winner of its claim, whether the claim is among these lines or stored already. `own` are the
 * same lines with the ids of this tenant.
 */
export async function checkWinners(
  { storage }: Engine,
  tenantId: string,
  lines: readonly PortableLine[],
  own: readonly PortableLine[],
): Promise<void> {
  const winners = new Map(
    lines.flatMap((line) => (line.type === 'claim' ? [[line.claimId, line.winner] as const] : [])),
  )
  const here = new Set(own.flatMap((line) => (line.type === 'claim' ? [line.claimId] : [])))
  for (const [index, line] of lines.entries()) {
    const [named, claimId] = [claimOf(line), claimOf(own[index])]
    if (line.type !== 'version' || line.endedPosition !== null || named === null || claimId === null) continue
    const isLoser = winners.has(named) && winners.get(named) !== line.entryId
    // The claim is in this part, or an earlier part stored it.
    const isStored = async () => (await storage.provenance.claim(tenantId, claimId)) !== null
    const hasClaim = winners.has(named) ? here.has(claimId) : !here.has(claimId) && (await isStored())
    if (isLoser || !hasClaim)
      throw new ColophonError('import_file_invalid', 'The file has a live version that is not the winner of its claim.')
  }
}

function claimOf(line: PortableLine | undefined): string | null {
  return line?.type === 'version' ? (line.classification?.claimId ?? null) : null
}

/** Compares a line with a stored row as it would be stored: secrets of this tenant are redacted first. */
function isSameText(row: EntryVersion, line: LineOf<'version'>, scan: (text: string) => string): boolean {
  const comparable = ({ memoryRef, createdAt, expiresAt, subject, origin }: EntryVersion | LineOf<'version'>) => [
    memoryRef,
    createdAt,
    expiresAt,
    subject,
    // The import removes ids of keys of this tenant.
    { ...origin, keyId: null },
  ]
  return same(comparable(row), comparable(line)) && row.content === scan(line.content)
}

function asLine({ salt: _salt, digestPosition: _digest, ...row }: EntryVersion): LineOf<'version'> {
  return { type: 'version', ...row }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

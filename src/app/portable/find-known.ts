import type { EntryVersion } from '../../core/entry.ts'
import { ColophonError } from '../../core/errors.ts'
import { idOf, type LineOf, type PortableLine } from '../../core/portable/line.ts'
import type { Engine } from '../engine.ts'
import type { TenantContext } from '../tenant-context.ts'

/** A line that was left out, because something else is there under the same id. */
export type Conflict = { readonly line: number; readonly type: string; readonly id: string }

type Verdict = 'fresh' | 'same' | 'conflict'

/**
 * Which lines are in the tenant already: the same, which are skipped, or something else under the same id. What is
 * there always stays as it is.
 */
export async function findKnown(
  { storage }: Engine,
  context: TenantContext,
  lines: readonly PortableLine[],
  { base, firstLine }: { readonly base: number; readonly firstLine: number },
) {
  const { tenantId, redaction } = context
  const scan = (text: string) => redaction.scan(text, () => {})
  const versions = lines.filter((line) => line.type === 'version')
  const stored = new Map((await storage.versions(tenantId, versions)).map((row) => [idOf(asLine(row)), row]))
  const ids = [...new Set(versions.map(({ entryId }) => entryId))]
  const heads = new Map((await storage.provenance.newestVersions(tenantId, ids)).map((row) => [row.entryId, row]))

  async function judge(line: PortableLine): Promise<Verdict> {
    switch (line.type) {
      case 'position':
        return 'fresh'
      case 'writer': {
        const record = await storage.record(tenantId, 'writer', line.serviceKey)
        if (record === null) return 'fresh'
        const facts = record.body.facts as { authorityRules?: unknown; isActive?: unknown } | undefined
        const isSame = same(facts?.authorityRules, line.authorityRules) && facts?.isActive === line.isActive
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
      case 'claim': {
        const claim = await storage.provenance.claim(tenantId, line.claimId)
        if (claim === null) return 'fresh'
        return claim.winner === line.winner && claim.subject === line.subject ? 'same' : 'conflict'
      }
      case 'version':
        return judgeVersion(line)
      case 'compaction': {
        const compaction = await storage.compactions.get(tenantId, line.compactionId)
        if (compaction === null) return 'fresh'
        return compaction.outputId === line.outputId ? 'same' : 'conflict'
      }
    }
  }

  async function judgeVersion(line: LineOf<'version'>): Promise<Verdict> {
    const row = stored.get(idOf(line))
    if (row !== undefined) return isSameText(row, line, scan) ? 'same' : 'conflict'
    // An entry that was there before this import has a history of its own.
    const head = heads.get(line.entryId)
    const isSecond = head?.endedPosition === null && line.endedPosition === null && head.createdPosition > base
    if (isSecond) throw new ColophonError('import_file_invalid', 'The file has two live versions of an entry.')
    if (head !== undefined && (head.createdPosition <= base || head.memoryRef !== line.memoryRef)) return 'conflict'
    const claimId = line.classification?.claimId ?? null
    if (claimId === null || line.endedPosition !== null) return 'fresh'
    // A claim has one winner, and the one that is there stays.
    const claim = await storage.provenance.claim(tenantId, claimId)
    return claim === null || claim.winner === line.entryId ? 'fresh' : 'conflict'
  }

  const known = new Set<PortableLine>()
  const conflicts: Conflict[] = []
  let skipped = 0
  for (const [index, line] of lines.entries()) {
    const verdict = await judge(line)
    if (verdict === 'fresh') continue
    known.add(line)
    if (verdict === 'same') skipped += 1
    else conflicts.push({ line: firstLine + index, type: line.type, id: idOf(line) })
  }
  return { lines: known, skipped, conflicts }
}

/** The winner of a claim is what the claim says, whether it stands in these lines or is stored already. */
export async function checkWinners(
  { storage }: Engine,
  tenantId: string,
  lines: readonly PortableLine[],
): Promise<void> {
  const told = new Map(lines.flatMap((line) => (line.type === 'claim' ? [[line.claimId, line.winner] as const] : [])))
  for (const line of lines) {
    const claimId = line.type === 'version' && line.endedPosition === null ? line.classification?.claimId : null
    if (line.type !== 'version' || claimId === null || claimId === undefined) continue
    const isTold = told.has(claimId)
    const isWrong = isTold
      ? told.get(claimId) !== line.entryId
      : (await storage.provenance.claim(tenantId, claimId)) === null
    if (isWrong) throw new ColophonError('import_file_invalid', 'A line of the file wins a claim that says otherwise.')
  }
}

/** Compared as it would be stored: a secret that is known here is not in the stored text. */
function isSameText(row: EntryVersion, line: LineOf<'version'>, scan: (text: string) => string): boolean {
  const told = ({ memoryRef, createdAt, expiresAt, subject, origin }: EntryVersion | LineOf<'version'>) => [
    memoryRef,
    createdAt,
    expiresAt,
    subject,
    origin,
  ]
  return same(told(row), told(line)) && row.content === scan(line.content)
}

function asLine({ salt: _salt, digestPosition: _digest, ...row }: EntryVersion): LineOf<'version'> {
  return { type: 'version', ...row }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

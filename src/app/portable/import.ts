import type { AdminChange } from '../../core/admin.ts'
import { defaultTrust, type Trust, writeTrust } from '../../core/entries/trust.ts'
import { ColophonError, isColophonError, UniqueViolationError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { ExportHeader } from '../../core/portable/export-lines.ts'
import type { ExportSignature, SignatureVerdict } from '../../core/portable/export-signature.ts'
import {
  checkLine,
  checkReadersOfEntries,
  checkUniqueLines,
  type LineOf,
  type PortableLine,
  toImportedRows,
  withTrustMax,
} from '../../core/portable/import-line.ts'
import { refuseSecretsInImport } from '../../core/portable/refuse-secrets.ts'
import type { Change } from '../commit.ts'
import type { Engine } from '../engine.ts'
import { createTimeSlice } from '../event-loop.ts'
import { findWriter } from '../provenance/writers.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { checkBoundWriters } from './check-bound-writers.ts'
import { checkNotForgotten } from './check-not-forgotten.ts'
import { checkSignature, linksOf } from './check-signature.ts'
import { checkWinners, findExisting, type ImportConflict } from './find-existing.ts'
import { fitMarks } from './fit-marks.ts'
import { type ImportFacts, type ImportProgress, interrupted, startOrResume } from './import-progress.ts'
import { remapClaimIds } from './remap-claim-ids.ts'
import { stripOtherKeyIds } from './strip-key-ids.ts'

/** A file, or a part of one. Lines are numbered from 1; the header is line 0. */
export type ImportPart = {
  readonly header: ExportHeader
  /** The digest of the whole file. Parts with the same digest belong to one import. */
  readonly file: string
  readonly from: number
  readonly lines: readonly PortableLine[]
  /** Digests of the header and of every line, as they are in the file. */
  readonly digests: { readonly header: string; readonly lines: readonly string[] }
  /** Null when the file is not signed. */
  readonly signature: ExportSignature | null
}

/** The result of importing one part. */
export type ImportResult = {
  readonly file: string
  readonly nextLine: number
  readonly finished: boolean
  readonly base: number
  readonly imported: number
  readonly skipped: number
  readonly conflicts: readonly ImportConflict[]
  readonly signature: SignatureVerdict
  /** Writers of these lines that are inactive until they are bound: in the other tenant they were bound to one of its keys. */
  readonly writersToBind: readonly string[]
  /** Memories of these lines that are no longer always included: their subject has as many as it may. */
  readonly unmarked: readonly string[]
}

type ImportOptions = {
  readonly merge: boolean
  readonly actor: string
  /** The API key of the call; null for a call within the process. */
  readonly keyId?: string | null
  /** The highest class of what a file may bring whose signature is not known: `untrusted`, unless the operator vouches for it. */
  readonly trust?: Trust | undefined
}

/**
 * Imports the lines of a part that are not stored yet. An interrupted import is resumed by sending the same parts again. All texts are
 * redacted, and every commit adds an audit record to the tenant's own chain.
 */
export async function importPart(
  tenant: Tenant,
  part: ImportPart,
  { merge, actor, keyId = null, trust }: ImportOptions,
): Promise<ImportResult> {
  const { header, file, from, digests } = part
  const vouched = writeTrust(defaultTrust, trust ?? 'untrusted')
  const total = Object.values(header.counts).reduce((sum, count) => sum + count, 0)
  // All lines are validated before any is stored: a refused part stores nothing.
  const bounds = { position: header.position, now: tenant.now() }
  const slice = createTimeSlice()
  for (const [index, line] of part.lines.entries()) {
    await slice()
    checkLine(line, { ...bounds, number: from + index })
  }
  for (const _line of checkUniqueLines(part.lines)) await slice()
  for (const _line of checkReadersOfEntries(part.lines)) await slice()
  const context = await freshContext(tenant)
  // Read before the check for fences: a forget that starts after this line makes the commits below fail.
  const { version: redactionVersion } = context.redaction
  await checkNotForgotten(tenant, header)
  const started = await startOrResume(tenant, { file, header: digests.header, merge })
  let { revision } = started
  let progress = started.progress
  const { base } = progress
  await slice()
  const attributed = await stripOtherKeyIds(tenant, part.lines, keyId)
  await slice()
  const remapped = await remapClaimIds(tenant, context, attributed, base)
  if (from > progress.nextLine) throw interrupted('Lines before this part are missing.')
  if (from + part.lines.length - 1 > total) throw wrongFile('The file has more lines than its header says.')
  await slice()
  const links = linksOf(part, progress)
  const isLast = from + part.lines.length - 1 === total
  const signature =
    progress.signature ??
    checkSignature(part, { rows: total, end: isLast ? links?.at(-1) : null, signer: tenant.host.signer })
  // Only a signature over all lines proves them. Of a file in parts, no line is proven before the last part has come.
  const isProven = signature.status === 'known' && from === 1
  const lines = remapped.map((line) => (isProven ? line : withTrustMax(line, vouched)))
  // In steps, and in time slices like the checks above: a part may have so many lines that they would block the event loop.
  for (let at = 0; at < lines.length; at += limits.importStepLinesMax) {
    await slice()
    const step = lines.slice(at, at + limits.importStepLinesMax)
    const named = {
      imported: toImportedRows(step, { base: 0, firstLine: from + at, newSalt: () => '' }),
      admin: step.filter((line) => line.type === 'writer').map(toWriterChange),
    }
    await context.redaction.redact(({ scan, scanNames }) => refuseSecretsInImport(named, scan, scanNames))
  }
  await checkWinners(tenant.engine, tenant.id, part.lines, lines)
  await checkBoundWriters(tenant, lines, keyId)

  const commit = async (change: Omit<Change, 'kind'>, next: ImportProgress) => {
    const body = { text: {}, facts: next, sealed: {} }
    const admin: AdminChange[] = [...(change.admin ?? []), { kind: 'import', id: 'current', body, expects: revision }]
    const call = { operation: 'import' }
    const imported = { ...change, kind: 'memory.imported' as const, admin }
    await tenant.commit(imported, { actor, call, redactionVersionRead: redactionVersion }).catch((error: unknown) => {
      // Duplicates within a part were refused above. This one is in another part.
      if (error instanceof UniqueViolationError)
        throw wrongFile('Two lines of the file have the same position and ordinal.')
      if (!isColophonError(error, 'reads_stale')) throw error
      throw interrupted('Data was forgotten, or secrets changed, during the import: send the file again.')
    })
    revision += 1
    progress = next
  }

  const conflicts: ImportConflict[] = []
  const unmarked: string[] = []
  const skippedBefore = Math.min(progress.nextLine - from, lines.length)
  const linkAt = (line: number) => links?.[line - started.progress.nextLine]
  let skipped = skippedBefore
  for (let done = skippedBefore; done < lines.length; ) {
    const firstLine = from + done
    const step = nextStep(lines.slice(done, done + limits.importStepLinesMax))
    const known = await findExisting(tenant.engine, context, step, { base, firstLine })
    const { lines: fresh, unmarked: beyond } = await fitMarks(
      tenant,
      step.filter((line) => !known.lines.has(line)),
    )
    const imported = toImportedRows(fresh, { base, firstLine, newSalt: tenant.system.newSalt })
    const admin = fresh.filter((line) => line.type === 'writer').map(toWriterChange)
    const nextLine = firstLine + step.length
    await commit({ imported, admin }, { ...progress, nextLine, chain: linkAt(nextLine) })
    skipped += known.skipped
    conflicts.push(...known.conflicts)
    unmarked.push(...beyond)
    done += step.length
  }
  if (progress.nextLine > total && !progress.finished)
    await finish(tenant.engine, header, { ...progress, signature }, commit)
  const imported = lines.length - skipped - conflicts.length
  const { nextLine, finished } = progress
  return {
    file,
    nextLine,
    finished,
    base,
    imported,
    skipped,
    conflicts: conflicts.slice(0, limits.importConflictsShownMax),
    signature,
    writersToBind: await writersToBind(tenant, lines),
    unmarked: unmarked.slice(0, limits.importConflictsShownMax),
  }
}

/** Stores the record of the finished import: the chain that the file came from, and the verdict on its signature. */
async function finish(
  engine: Engine,
  { tenant, position, head, historyFrom, counts }: ExportHeader,
  progress: ImportProgress & { readonly signature: SignatureVerdict },
  commit: (change: Omit<Change, 'kind'>, next: ImportProgress) => Promise<void>,
): Promise<void> {
  const { base, nextLine, file, signature } = progress
  const rows = toImportedRows([], { base, firstLine: nextLine, newSalt: engine.system.newSalt })
  const facts: ImportFacts = { file, base, to: base + position, tenant, signature }
  const body = { text: {}, facts, sealed: {} }
  const change = {
    imported: { ...rows, source: { tenant, position, head, signature } },
    admin: [{ kind: 'import' as const, id: `at-${base}`, body, expects: null }],
    counts,
  }
  await commit(historyFrom > 0 ? { ...change, historyFrom: base + historyFrom } : change, {
    ...progress,
    finished: true,
  })
}

/** The lines of the next commit. Position lines get commits of their own, before the lines that refer to them. */
function nextStep(lines: readonly PortableLine[]): readonly PortableLine[] {
  const isPosition = lines[0]?.type === 'position'
  const end = lines.findIndex((line) => (line.type === 'position') !== isPosition)
  return end === -1 ? lines : lines.slice(0, end)
}

/**
 * An imported writer is inactive until it is bound to a key of this tenant, if it was bound in the other one: otherwise any key could
 * write in its name. A file that does not state whether a writer was bound counts as bound.
 */
function toWriterChange(line: LineOf<'writer'>): AdminChange {
  const { type: _type, serviceKey, displayName, isBound, ...known } = line
  const text = displayName === null ? {} : { displayName }
  const facts = { ...known, apiKeyId: null, isActive: known.isActive && isBound === false }
  return { kind: 'writer', id: serviceKey, body: { text, facts, sealed: {} }, expects: 0 }
}

async function writersToBind(tenant: Tenant, lines: readonly PortableLine[]): Promise<string[]> {
  const wereActive = lines.filter((line) => line.type === 'writer').filter(({ isActive }) => isActive)
  const found = await Promise.all(wereActive.map(({ serviceKey }) => findWriter(tenant, serviceKey)))
  return found.flatMap((writer) => (writer && !writer.isActive && writer.apiKeyId === null ? [writer.serviceKey] : []))
}

function wrongFile(message: string): ColophonError {
  return new ColophonError('import_file_invalid', message)
}

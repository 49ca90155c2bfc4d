import type { AdminChange } from '../../core/admin.ts'
import { ColophonError, isColophonError, RowsCollide } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { ExportHeader } from '../../core/portable/encode.ts'
import { checkLine, checkTogether, type LineOf, type PortableLine, toImported } from '../../core/portable/line.ts'
import { refuseSecretsInImport } from '../../core/portable/refuse-secrets.ts'
import type { Change } from '../commit.ts'
import type { Engine } from '../engine.ts'
import { freshContext } from '../redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { type Conflict, checkWinners, findKnown } from './find-known.ts'
import { checkNotForgotten, newestFence } from './forgotten.ts'

/** A file, or a part of one. Lines are numbered from 1; the header is line 0. */
export type ImportPart = {
  readonly header: ExportHeader
  /** The digest of the whole file: by it the parts belong together. */
  readonly file: string
  readonly from: number
  readonly lines: readonly PortableLine[]
}

export type ImportResult = {
  readonly file: string
  readonly nextLine: number
  readonly finished: boolean
  readonly base: number
  readonly imported: number
  readonly skipped: number
  readonly conflicts: readonly Conflict[]
}

/** How far an import is. It is a record of the tenant, changed by each commit that brings lines: both are true, or neither. */
type Progress = { readonly file: string; readonly base: number; readonly nextLine: number; readonly finished: boolean }

/**
 * Stores the lines of a part that are not stored yet. An import that was cut off goes on by sending the same parts
 * again. Everything passes the redactor; every commit leaves its record in the tenant's own chain.
 */
export async function importPart(
  tenant: Tenant,
  part: ImportPart,
  { merge, actor }: { readonly merge: boolean; readonly actor: string },
): Promise<ImportResult> {
  const { header, file, from, lines } = part
  const total = Object.values(header.counts).reduce((sum, count) => sum + count, 0)
  // All of them before any is stored: a part that is refused leaves nothing behind.
  const bounds = { position: header.position, now: tenant.now() }
  for (const [index, line] of lines.entries()) checkLine(line, { ...bounds, number: from + index })
  checkTogether(lines)
  const context = await freshContext(tenant)
  // Read before it is looked for what was forgotten: whatever is forgotten from here on makes the commits below fail.
  const { version: readUnder } = context.redaction
  refuseSecretsInImport(
    {
      imported: toImported(lines, { base: 0, firstLine: from, newSalt: () => '' }),
      admin: lines.filter((line) => line.type === 'writer').map(toWriterChange),
    },
    context.redaction.scan,
    context.redaction.scanNames,
  )
  await checkWinners(tenant.engine, tenant.id, lines)
  await checkNotForgotten(tenant, header)
  const started = await startOrResume(tenant, file, merge)
  let { revision } = started
  let progress = started.progress
  if (from > progress.nextLine) throw interrupted('Lines before this part are missing.')
  if (from + lines.length - 1 > total) throw wrongFile('The file has more lines than its header says.')

  const commit = async (change: Omit<Change, 'kind'>, next: Progress) => {
    const body = { text: {}, facts: next, sealed: {} }
    const admin: AdminChange[] = [...(change.admin ?? []), { kind: 'import', id: 'current', body, expects: revision }]
    const call = { operation: 'import' }
    const imported = { ...change, kind: 'memory.imported' as const, admin }
    await tenant.commit(imported, { actor, call, readUnder }).catch((error: unknown) => {
      // Within a part that was found before; here it is with a line of another part.
      if (error instanceof RowsCollide) throw wrongFile('Two lines of the file stand in the same place.')
      if (!isColophonError(error, 'reads_stale')) throw error
      throw interrupted('Something was forgotten, or secrets changed, meanwhile: send the file again.')
    })
    revision += 1
    progress = next
  }

  const conflicts: Conflict[] = []
  const skippedBefore = Math.min(progress.nextLine - from, lines.length)
  let skipped = skippedBefore
  for (let done = skippedBefore; done < lines.length; ) {
    const firstLine = from + done
    const step = nextStep(lines.slice(done, done + limits.importStepLinesMax))
    const { base } = progress
    const known = await findKnown(tenant.engine, context, step, { base, firstLine })
    const fresh = step.filter((line) => !known.lines.has(line))
    const imported = toImported(fresh, { base, firstLine, newSalt: tenant.system.newSalt })
    const admin = fresh.filter((line) => line.type === 'writer').map(toWriterChange)
    await commit({ imported, admin }, { ...progress, nextLine: firstLine + step.length })
    skipped += known.skipped
    conflicts.push(...known.conflicts)
    done += step.length
  }
  if (progress.nextLine > total && !progress.finished) await finish(tenant.engine, header, progress, commit)
  const imported = lines.length - skipped - conflicts.length
  const { nextLine, finished, base } = progress
  return {
    file,
    nextLine,
    finished,
    base,
    imported,
    skipped,
    conflicts: conflicts.slice(0, limits.importConflictsShownMax),
  }
}

/** The record that ends an import names the chain that it came from. */
async function finish(
  engine: Engine,
  { tenant, position, head, historyFrom, counts }: ExportHeader,
  progress: Progress,
  commit: (change: Omit<Change, 'kind'>, next: Progress) => Promise<void>,
): Promise<void> {
  const { base, nextLine } = progress
  const rows = toImported([], { base, firstLine: nextLine, newSalt: engine.system.newSalt })
  const change = { imported: { ...rows, source: { tenant, position, head } }, counts }
  await commit(historyFrom > 0 ? { ...change, historyFrom: base + historyFrom } : change, {
    ...progress,
    finished: true,
  })
}

async function startOrResume(
  tenant: Tenant,
  file: string,
  merge: boolean,
): Promise<{ revision: number; progress: Progress }> {
  const record = await tenant.storage.record(tenant.id, 'import', 'current')
  const revision = record?.revision ?? 0
  const last = record?.body.facts as Progress | undefined
  // Rows of a file stand at positions that came before the fence: an erasing that is over would never see them.
  const isOvertaken = last !== undefined && !last.finished && (await newestFence(tenant.engine, tenant.id)) > last.base
  if (last?.file === file && isOvertaken && !merge)
    throw interrupted('Something was forgotten while this import was under way: begin it again, with merge.')
  if (last?.file === file && !isOvertaken) return { revision, progress: last }
  if (last !== undefined && !last.finished && !merge) throw interrupted('Another import is not finished.')
  if (!merge && !(await isEmpty(tenant.engine, tenant.id))) {
    throw new ColophonError('tenant_not_empty', 'The tenant has memory already.')
  }
  const base = (await tenant.storage.clock(tenant.id))?.position ?? 0
  return { revision, progress: { file, base, nextLine: 1, finished: false } }
}

/** Keys, settings and rules do not count: a tenant needs a key before anybody can import into it. */
async function isEmpty({ storage }: Engine, tenantId: string): Promise<boolean> {
  const snapshot = await storage.snapshot()
  try {
    const counts = await snapshot.counts(tenantId, { memoryRef: null, subject: null, about: null })
    return Object.values(counts).every((count) => count === 0)
  } finally {
    await snapshot.close()
  }
}

/** Positions are commits of their own: what refers to them may only follow them. */
function nextStep(lines: readonly PortableLine[]): readonly PortableLine[] {
  const isPosition = lines[0]?.type === 'position'
  const end = lines.findIndex((line) => (line.type === 'position') !== isPosition)
  return end === -1 ? lines : lines.slice(0, end)
}

/** The key that the writer was bound to belongs to another tenant: whoever runs this one binds it anew. */
function toWriterChange({ type: _type, serviceKey, displayName, ...facts }: LineOf<'writer'>): AdminChange {
  const text = displayName === null ? {} : { displayName }
  return { kind: 'writer', id: serviceKey, body: { text, facts: { ...facts, apiKeyId: null }, sealed: {} }, expects: 0 }
}

function interrupted(message: string): ColophonError {
  return new ColophonError('import_interrupted', message)
}

function wrongFile(message: string): ColophonError {
  return new ColophonError('import_file_invalid', message)
}

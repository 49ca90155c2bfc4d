import { incrementalSha256 } from '../../core/audit/digest.ts'
import { canonicalJson } from '../../core/canonical.ts'
import { checkLookup, toInstant } from '../../core/check.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { ColophonError } from '../../core/errors.ts'
import { publicKeyId } from '../../core/forget/receipt.ts'
import { limits } from '../../core/limits.ts'
import { checkMemoryRef } from '../../core/names.ts'
import { personOfRef } from '../../core/people/spelling.ts'
import {
  claimLine,
  claimName,
  compactionLine,
  type ExportHeader,
  exportFormat,
  exportVersion,
  positionLine,
  sourceEventLine,
  versionLine,
  writerLine,
} from '../../core/portable/export-lines.ts'
import {
  type ExportSignature,
  exportBytes,
  lineDigest,
  nextLink,
  type SignedExport,
} from '../../core/portable/export-signature.ts'
import type { SnapshotScope, StorageSnapshot } from '../../ports/database-snapshot.ts'
import type { ScanPlace } from '../../ports/storage.ts'
import type { Engine, Signer } from '../engine.ts'
import { ownRef } from '../people/stored-spellings.ts'
import { refOf } from '../provenance/find-memories.ts'
import { toWriter } from '../provenance/writers.ts'
import type { Tenant } from '../tenant.ts'

/** What to export; without any member, all memory of the tenant. */
export type ExportFilter = { readonly memoryRef?: string | undefined; readonly subject?: string | undefined }

/** An open export. The caller must close it, also when it read no line: it holds a database snapshot. */
export type Export = { readonly lines: AsyncGenerator<string>; close(): Promise<void> }

/** The number of open exports of this process, by tenant. */
const openExports = new WeakMap<Engine, Map<string, number>>()

/**
 * Exports the memory of a tenant as lines of JSON, all read from one database snapshot. The last line has a digest of all others: a file
 * without it, or with another digest, is incomplete. Resolves when the snapshot is open.
 */
export async function openExport(tenant: Tenant, filter: ExportFilter = {}): Promise<Export> {
  const { memoryRef, subject } = filter
  if (memoryRef !== undefined) checkMemoryRef(memoryRef)
  if (subject !== undefined) checkLookup('subject', subject, 'subjectCharactersMax', limits.subjectCharactersMax)
  const exports = openExports.get(tenant.engine) ?? new Map<string, number>()
  openExports.set(tenant.engine, exports)
  const own = exports.get(tenant.id) ?? 0
  const all = [...exports.values()].reduce((sum, count) => sum + count, 0)
  if (own >= limits.exportsPerTenantMax || all >= limits.exportsAtOnceMax)
    throw new ColophonError('overloaded', 'Too many exports are running in this process.')
  exports.set(tenant.id, own + 1)
  const release = () => {
    const left = (exports.get(tenant.id) ?? 1) - 1
    if (left > 0) exports.set(tenant.id, left)
    else exports.delete(tenant.id)
  }
  try {
    const scope = await storedScope(tenant, filter)
    const snapshot = await tenant.storage.snapshot(tenant.id)
    let isOpen = true
    const close = async () => {
      if (!isOpen) return
      isOpen = false
      release()
      await snapshot.close()
    }
    return { lines: sealed(linesOf(tenant.engine, snapshot, tenant.id, scope), tenant.host.signer), close }
  } catch (error) {
    release()
    throw error
  }
}

/** The filter with the spelling in which a person is stored. If several are, an export is of the one that is asked for. */
async function storedScope(tenant: Tenant, { memoryRef, subject }: ExportFilter): Promise<ExportFilter> {
  const refOfSubject = subject === undefined ? undefined : await ownRef(tenant, refOf(subject))
  return {
    ...(memoryRef === undefined ? {} : { memoryRef: await ownRef(tenant, memoryRef) }),
    ...(refOfSubject === undefined ? {} : { subject: personOfRef(refOfSubject) ?? '' }),
  }
}

/** The lines as text, followed by the trailer: the digest of all lines, signed with the key of the host if it has one. */
async function* sealed(rows: AsyncGenerator<object>, signer: Signer | null): AsyncGenerator<string> {
  const hash = incrementalSha256()
  let lines = 0
  let chain = ''
  for await (const row of rows) {
    // Canonical JSON: equal rows give equal lines, whatever the order of their members.
    const text = canonicalJson(row)
    hash.add(`${text}\n`)
    chain = nextLink(chain, lineDigest(text))
    lines += 1
    yield `${text}\n`
  }
  const file = { lines, sha256: hash.hex() }
  const signature = signer === null ? {} : { signature: signatureOf({ ...file, chain }, signer) }
  yield `${canonicalJson({ type: 'trailer', ...file, ...signature })}\n`
}

function signatureOf(file: SignedExport, { publicKey, sign }: Signer): ExportSignature {
  const value = Buffer.from(sign(exportBytes(file))).toString('base64')
  return { algorithm: 'Ed25519', keyId: publicKeyId(publicKey), publicKey, chain: file.chain, value }
}

async function* linesOf(
  engine: Engine,
  snapshot: StorageSnapshot,
  tenantId: string,
  { memoryRef, subject }: ExportFilter,
): AsyncGenerator<object> {
  const isAll = memoryRef === undefined && subject === undefined
  // Source events and claims belong to a person, and so to the one ref of that person.
  const person = subject ?? personOfRef(memoryRef ?? '') ?? ''
  const scope = { memoryRef: memoryRef ?? null, subject: subject ?? null, about: isAll ? null : person }
  const clock = await snapshot.clock(tenantId)
  const position = clock?.position ?? 0
  const counts = await snapshot.counts(tenantId, scope)
  const writers = isAll
    ? await snapshot.records({ tenantId, kind: 'writer', after: null, limit: limits.writersPerTenantMax })
    : []
  const header: ExportHeader = {
    type: 'header',
    format: exportFormat,
    version: exportVersion,
    tenant: tenantId,
    exportedAt: toInstant(engine.system.now()),
    position,
    head: clock?.lastHash ?? '',
    historyFrom: clock?.historyFrom ?? 0,
    ...(memoryRef === undefined ? {} : { memoryRef }),
    ...(subject === undefined ? {} : { subject }),
    counts: { positions: position, writers: writers.length, ...counts },
  }
  yield header
  yield* positions(snapshot, tenantId, position)
  for (const { id, body } of writers) yield writerLine(toWriter(id, body))
  yield* sourceEventsAndClaims(snapshot, tenantId, scope)
  yield* versions(snapshot, tenantId, scope)
  yield* compactions(snapshot, tenantId, scope)
}

const limit = limits.exportPageRowsMax

async function* positions(snapshot: StorageSnapshot, tenantId: string, last: number): AsyncGenerator<object> {
  for (let from = 1; from <= last; ) {
    const page = await snapshot.audit({ tenantId, from, to: last, limit })
    for (const row of page) yield positionLine(row)
    from = (page.at(-1)?.position ?? last) + 1
  }
}

async function* sourceEventsAndClaims(
  snapshot: StorageSnapshot,
  tenantId: string,
  { about }: SnapshotScope,
): AsyncGenerator<object> {
  for (let after: string | null = null; ; ) {
    const page = await snapshot.sourceEvents({ tenantId, about, after, limit })
    for (const event of page) yield sourceEventLine(event)
    after = page.at(-1)?.sourceEventId ?? null
    if (after === null) break
  }
  for (let after: string | null = null; ; ) {
    const page = await snapshot.claims({ tenantId, subject: about, isContested: null, after, limit })
    for (const claim of page) yield claimLine(claim, await snapshot.assertions(tenantId, claim.claimId))
    after = page.at(-1)?.claimId ?? null
    if (after === null) break
  }
}

async function* versions(snapshot: StorageSnapshot, tenantId: string, scope: SnapshotScope): AsyncGenerator<object> {
  const { memoryRef, subject } = scope
  for (let after: ScanPlace | null = null; ; ) {
    const page = await snapshot.scanVersions({ tenantId, after, limit })
    const isIn = (version: EntryVersion) =>
      (memoryRef === null || version.memoryRef === memoryRef) && (subject === null || version.subject === subject)
    const wanted = page.filter(isIn)
    const nameOf = await claimNames(snapshot, tenantId, wanted)
    for (const version of wanted) yield versionLine(version, nameOf(version))
    const last = page.at(-1)
    if (last === undefined) break
    after = { entryId: last.entryId, version: last.version }
  }
}

/** The names that claims of these versions have in the file. */
async function claimNames(
  snapshot: StorageSnapshot,
  tenantId: string,
  versions: readonly EntryVersion[],
): Promise<(version: EntryVersion) => string | null> {
  const isNameless = ({ classification }: EntryVersion) => classification?.claimKey === null && classification.claimId
  const ids = [...new Set(versions.flatMap((version) => isNameless(version) || []))]
  const assertions = ids.length === 0 ? [] : await snapshot.assertionsOfClaims(tenantId, ids)
  const byClaim = Map.groupBy(assertions, ({ claimId }) => claimId)
  return ({ subject, classification }) => {
    const { claimId = null, category, claimKey = null } = classification ?? {}
    if (claimId === null || category === undefined) return null
    return claimName({ claimId, subject: subject ?? '', category, claimKey }, byClaim.get(claimId) ?? [])
  }
}

async function* compactions(
  snapshot: StorageSnapshot,
  tenantId: string,
  { memoryRef }: SnapshotScope,
): AsyncGenerator<object> {
  for (let after: string | null = null; ; ) {
    const page = await snapshot.compactions({ tenantId, memoryRef, after, limit })
    for (const compaction of page) {
      yield compactionLine(compaction, await snapshot.compactionSources(tenantId, compaction.compactionId))
    }
    after = page.at(-1)?.compactionId ?? null
    if (after === null) break
  }
}

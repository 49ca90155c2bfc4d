import { keyOfActor } from '../../core/access/actor.ts'
import { checkText, toInstant } from '../../core/check.ts'
import type { Expectation, VersionKey } from '../../core/commit/batch.ts'
import type { Capacity } from '../../core/commit/parts/capacities.ts'
import { refuseIndexPath } from '../../core/distillation/memory-index.ts'
import { fullAccess } from '../../core/entries/access.ts'
import { currentView, type ReadView } from '../../core/entries/as-of.ts'
import type { EntryVersion, Origin, Place } from '../../core/entries/entry.ts'
import { sourceTag } from '../../core/entries/tags.ts'
import { defaultTrust, type Trust } from '../../core/entries/trust.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import {
  checkContentType,
  checkFileSize,
  checkPath,
  defaultContentType,
  isMatch,
  isPath,
  refOfWorkspace,
  tagsOfFile,
  toFile,
  type WorkspaceFile,
} from '../../core/workspace/workspace-file.ts'
import { type Change, findOutcome, type WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { repeatedVersions } from '../entries/repeated-call.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'

/** A file with the instant of the write that made this version. */
export type StoredFile = WorkspaceFile & { readonly updatedAt: string }

export type FileDraft = { readonly content: string; readonly contentType?: string | undefined }

/** The files of a workspace in order of path, as of a position or now. */
export async function listFiles(
  tenant: Tenant,
  workspace: string,
  { prefix = '', position = null }: { readonly prefix?: string; readonly position?: number | null } = {},
): Promise<StoredFile[]> {
  const found: EntryVersion[] = []
  const view: ReadView = { position, own: [], access: fullAccess }
  const query = { tenantId: tenant.id, memoryRef: refOfWorkspace(workspace), tag: null, view, now: tenant.expiryNow() }
  const limit = limits.pageEntriesDefault
  for (let before: Place | null = null; ; ) {
    const { versions } = await tenant.storage.list({ ...query, before, limit })
    found.push(...versions)
    before = versions.at(-1) ?? null
    if (before === null || versions.length < limit) break
  }
  const files = await withInstants(tenant, found)
  return files.filter(({ path }) => path.startsWith(prefix)).sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** A version with the etag that it had: numbers begin again when a file is deleted, etags never do. */
export type FilePin = Pick<WorkspaceFile, 'version' | 'etag'>

/** One file: its newest version, or an earlier one of the same file; with a pin, only if the file was not deleted since. */
export async function getFile(
  tenant: Tenant,
  workspace: string,
  path: string,
  wanted?: number | FilePin,
): Promise<StoredFile> {
  const current = isPath(path) ? await findCurrent(tenant, workspace, path) : null
  if (current === null) throw noSuchFile()
  const pin = typeof wanted === 'number' ? { version: wanted } : wanted
  const found = pin === undefined ? current : await findVersion(tenant, current, pin)
  const [file] = found === undefined ? [] : await withInstants(tenant, [found])
  if (file === undefined) throw noSuchFile()
  return file
}

/** The newest version of a file; null when there is none. */
export async function findFile(tenant: Tenant, workspace: string, path: string): Promise<WorkspaceFile | null> {
  const current = await findCurrent(tenant, workspace, path)
  return current && toFile(current)
}

/** An earlier version since the file was created. Versions of a file that was deleted before it are not part of it. */
async function findVersion(
  tenant: Tenant,
  current: EntryVersion,
  { version: wanted, etag }: Pick<FilePin, 'version'> & Partial<FilePin>,
): Promise<EntryVersion | undefined> {
  const newest = toFile(current).version
  if (wanted > newest || wanted <= newest - limits.workspaceVersionsMax) return undefined
  const versions = await tenant.storage.provenance.entryVersions(tenant.id, current.entryId)
  const created = versions.findLastIndex(({ endedReason }) => endedReason === 'deleted') + 1
  const own = versions.slice(created)
  if (etag !== undefined && !own.some((version) => toFile(version).etag === etag)) return undefined
  // The newest of that number: a containment and its release add versions that repeat a number.
  return own.findLast((version) => toFile(version).version === wanted && version.endedReason !== 'contained')
}

/** Creates or replaces a file. `ifMatch` is the etag that the caller has read: with another one, nothing is stored. */
export async function putFile(
  tenant: Tenant,
  workspace: string,
  path: string,
  draft: FileDraft,
  { ifMatch, ...options }: WriteOptions & { readonly ifMatch?: string | undefined } = {},
): Promise<{ readonly file: StoredFile; readonly repeated: boolean }> {
  const { content, contentType } = await checkFile(tenant, path, draft)
  const call = { operation: 'workspace.put', workspace, path, content, contentType, ifMatch: ifMatch ?? null }
  const write = { ...options, call }
  const first = await findOutcome(tenant, write)
  if (first !== null) return { file: await storedBy(tenant, await repeatedVersions(tenant, first)), repeated: true }
  return decideAndCommit(async () => {
    const { actor } = options
    const file = { path, content, contentType }
    const { change } = await planPut(tenant, workspace, file, { ifMatch }, actor === undefined ? {} : { actor })
    const committed = await tenant.commit(change, write)
    const { repeated, outcome } = committed
    const versions = repeated ? await repeatedVersions(tenant, outcome) : committed.versions
    return { file: await storedBy(tenant, versions), repeated }
  })
}

/** Refuses a file that cannot be stored, or that only the host writes. */
export async function checkFile(
  tenant: Tenant,
  path: string,
  { content, contentType = defaultContentType }: FileDraft,
): Promise<Pick<WorkspaceFile, 'path' | 'content' | 'contentType'>> {
  checkPath(path)
  refuseIndexPath(path)
  checkText('content', content)
  if (content === '') throw invalid('content', 'must not be empty')
  checkFileSize(content)
  checkContentType(contentType)
  const { redaction } = await freshContext(tenant)
  await redaction.redact(({ scan }) => refuseSecrets({ path, contentType }, scan))
  return { path, content, contentType }
}

async function storedBy(tenant: Tenant, versions: readonly EntryVersion[]): Promise<StoredFile> {
  const [file] = await withInstants(tenant, versions)
  if (file === undefined) throw new ColophonError('content_erased', 'The file that the first call stored was erased.')
  return file
}

/** Who writes a file; by default the API. */
type FileAuthor = { readonly actor?: string; readonly origin?: Origin; readonly trust?: Trust }

/** The commit of a new version of a file, the number of the version, and the version of its entry. */
type PlannedFile = { readonly change: Change; readonly version: number; readonly key: VersionKey }

/**
 * Decides the commit of a new version of a file. It follows `read`, what the caller has read of the file, and by default what is stored now:
 * a commit that another one preceded is refused as outdated.
 */
export async function planPut(
  tenant: Tenant,
  workspace: string,
  { path, content, contentType }: Pick<WorkspaceFile, 'path' | 'content' | 'contentType'>,
  { ifMatch, read }: { readonly ifMatch?: string | undefined; readonly read?: EntryVersion | null },
  { actor = tenant.engine.actor, origin = { kind: 'api', ...keyOfActor(actor) }, trust = defaultTrust }: FileAuthor,
): Promise<PlannedFile> {
  const current = read === undefined ? await findCurrent(tenant, workspace, path) : read
  const key = {
    memoryRef: refOfWorkspace(workspace),
    entryId: current?.entryId ?? (await newId(tenant, workspace, path)),
  }
  const [last] = current === null ? await tenant.storage.provenance.newestVersions(tenant.id, [key.entryId]) : []
  checkMatch(ifMatch, current)
  const version = current === null ? 1 : toFile(current).version + 1
  const tags = [...tagsOfFile({ path, contentType, version }), sourceTag(origin)]
  // The whole text is of this author, whatever the file had before: so it has the class of the author alone.
  const text = { ...key, content, tags, origin, trust, salt: tenant.system.newSalt() }
  if (current !== null) {
    const expects = [{ ...key, version: current.version }]
    const change: Change = { kind: 'workspace.updated', revisions: [{ ...text, revives: false }], expects }
    return { change, version, key: { ...key, version: current.version + 1 } }
  }
  await checkFileCount(tenant, workspace)
  const capacities = [capacityOf(tenant, workspace)]
  if (last === undefined) {
    const expects: Expectation[] = [{ ...key, version: 0 }]
    const puts = [{ ...text, expiresAt: null, subject: null }]
    const change: Change = { kind: 'workspace.updated', puts, expects, capacities }
    return { change, version, key: { ...key, version: 1 } }
  }
  const expects = [{ ...key, version: last.version, isEnded: true as const }]
  const change: Change = { kind: 'workspace.updated', revisions: [{ ...text, revives: true }], expects, capacities }
  return { change, version, key: { ...key, version: last.version + 1 } }
}

/** Deletes a file. Its versions stay readable by runs that began before. */
export async function deleteFile(
  tenant: Tenant,
  workspace: string,
  path: string,
  { ifMatch, ...options }: WriteOptions & { readonly ifMatch?: string | undefined } = {},
): Promise<{ readonly repeated: boolean }> {
  checkPath(path)
  refuseIndexPath(path)
  const call = { operation: 'workspace.delete', workspace, path, ifMatch: ifMatch ?? null }
  const write = { ...options, call }
  const first = await findOutcome(tenant, write)
  if (first !== null && first.ended.length === 0) throw noSuchFile()
  if (first !== null) return { repeated: true }
  return decideAndCommit(async () => {
    const current = await findCurrent(tenant, workspace, path)
    checkMatch(ifMatch, current)
    if (current === null) throw noSuchFile()
    const { memoryRef, entryId, version } = current
    const key = { memoryRef, entryId }
    const expects = [{ ...key, version }]
    const change: Change = { kind: 'workspace.updated', ends: [{ ...key, reason: 'deleted' }], expects }
    const { repeated, outcome } = await tenant.commit(change, write)
    if (outcome.ended.length === 0) throw noSuchFile()
    return { repeated }
  })
}

/** The newest version as it is stored. By its path: the file of another tenant keeps its id when it is imported. */
export async function findCurrent(tenant: Tenant, workspace: string, path: string): Promise<EntryVersion | null> {
  const query = { tenantId: tenant.id, memoryRef: refOfWorkspace(workspace), tag: path, view: currentView }
  const { versions } = await tenant.storage.list({ ...query, now: tenant.expiryNow(), before: null, limit: 1 })
  return versions[0] ?? null
}

/** The id of a file, by which all its versions are found. */
export async function idOfFile(tenant: Tenant, workspace: string, path: string): Promise<string> {
  return (await findCurrent(tenant, workspace, path))?.entryId ?? newId(tenant, workspace, path)
}

/** A keyed digest: the audit names entries by id for ever, and a path may contain the name of a person. */
async function newId(tenant: Tenant, workspace: string, path: string): Promise<string> {
  const { digest } = await tenant.context()
  return `wsf_${digest(`workspace.${workspace}\n${path}`).slice(0, 22)}`
}

function checkMatch(ifMatch: string | undefined, current: EntryVersion | null): void {
  const file = current === null ? null : toFile(current)
  if (ifMatch === undefined || isMatch(ifMatch, file?.etag ?? null)) return
  throw new ColophonError('workspace_conflict', 'The file has another version than If-Match names.', {
    details: { currentVersion: file?.version ?? 0 },
  })
}

/** The limit as the commit checks it again: files may be created at the same time. */
function capacityOf(tenant: Tenant, workspace: string): Capacity {
  const of = { memoryRef: refOfWorkspace(workspace), tag: null, now: tenant.expiryNow() }
  return { of, max: limits.workspaceFilesMax }
}

async function checkFileCount(tenant: Tenant, workspace: string): Promise<void> {
  const max = limits.workspaceFilesMax
  const query = { tenantId: tenant.id, memoryRef: refOfWorkspace(workspace), tag: null, view: currentView }
  const { versions } = await tenant.storage.list({ ...query, now: tenant.expiryNow(), before: null, limit: max })
  if (versions.length < max) return
  throw new ColophonError('workspace_too_large', `The workspace has ${max} files already.`, {
    details: { limit: 'workspaceFilesMax', max },
  })
}

async function withInstants(tenant: Tenant, versions: readonly EntryVersion[]): Promise<StoredFile[]> {
  const positions = versions.map(({ recordedPosition }) => recordedPosition)
  const instants = positions.length === 0 ? null : await tenant.storage.provenance.instants(tenant.id, positions)
  return versions.map((version) => ({
    ...toFile(version),
    updatedAt: toInstant(instants?.get(version.recordedPosition) ?? version.createdAt),
  }))
}

function noSuchFile(): ColophonError {
  return new ColophonError('not_found', 'There is no such file.')
}

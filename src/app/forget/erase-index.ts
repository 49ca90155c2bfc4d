import { formatIndex, memoryIndexPath, parseIndex } from '../../core/distillation/memory-index.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import { defaultWorkspace } from '../../core/workspace/workspace-file.ts'
import type { Tenant } from '../tenant.ts'
import { idOfFile } from '../workspace/files.ts'
import type { ForgetProcess } from './forget-process.ts'

/**
 * Removes erased archives from every version of the memory index: it names their refs, and a ref may be the name of a person. Earlier
 * versions are stored again without them.
 */
export async function eraseFromIndex(erasure: ForgetProcess): Promise<void> {
  if (erasure.isDryRun) return
  const { tenant } = erasure
  const entryId = await idOfFile(tenant, defaultWorkspace, memoryIndexPath)
  const versions = await tenant.storage.provenance.entryVersions(tenant.id, entryId)
  const stored = await storedArchives(tenant, versions)
  for (const version of versions) {
    await erasure.nextPage()
    const index = parseIndex(version.content)
    const left = Object.fromEntries(Object.entries(index).filter(([, { archiveId }]) => stored.has(archiveId)))
    if (Object.keys(left).length === Object.keys(index).length) continue
    const { memoryRef, tags, salt: readSalt } = version
    const key = { memoryRef, entryId, version: version.version }
    const rewrite = { ...key, tags, readSalt, content: formatIndex(left), salt: tenant.system.newSalt() }
    await erasure.step({ rewrites: [rewrite] }, {})
  }
}

async function storedArchives(tenant: Tenant, versions: readonly EntryVersion[]): Promise<ReadonlySet<string>> {
  const named = new Set(
    versions.flatMap(({ content }) => Object.values(parseIndex(content)).map(({ archiveId }) => archiveId)),
  )
  const ids = [...named]
  const stored = new Set<string>()
  for (let at = 0; at < ids.length; at += limits.forgetPageMax) {
    const found = await tenant.storage.provenance.newestVersions(tenant.id, ids.slice(at, at + limits.forgetPageMax))
    for (const { entryId } of found) stored.add(entryId)
  }
  return stored
}

import { ColophonError } from '../../core/errors.ts'
import type { SignatureVerdict } from '../../core/portable/export-signature.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { newestFence } from './check-not-forgotten.ts'

/** The progress of an import. It is a record of the tenant that is changed in the same commit as the imported lines. */
export type ImportProgress = {
  readonly file: string
  readonly base: number
  readonly nextLine: number
  readonly finished: boolean
  /** The digest of the header, equal in all parts. Missing, like the chain, if an older program version began the import. */
  readonly header?: string | undefined
  /** The chain link of the lines before `nextLine`. */
  readonly chain?: string | undefined
  /** Set when the import is finished. */
  readonly signature?: SignatureVerdict | undefined
}

/** The record of a finished import. It explains the provenance of the imported versions. */
export type ImportFacts = {
  readonly file: string
  /** The imported positions begin after `base` and end at `to`. */
  readonly base: number
  readonly to: number
  readonly tenant: string
  readonly signature: SignatureVerdict
}

/** Starts an import, or resumes the one of the same file. Refused if the tenant is not empty, unless `merge` is set. */
export async function startOrResume(
  tenant: Tenant,
  { file, header, merge }: { readonly file: string; readonly header: string; readonly merge: boolean },
): Promise<{ revision: number; progress: ImportProgress }> {
  const record = await tenant.storage.record(tenant.id, 'import', 'current')
  const revision = record?.revision ?? 0
  const last = record?.body.facts as ImportProgress | undefined
  // Imported rows have positions before a fence that was stored during the import. A forget that has completed would not erase them.
  const isOvertaken = last !== undefined && !last.finished && (await newestFence(tenant.engine, tenant.id)) > last.base
  if (last?.file === file && isOvertaken && !merge)
    throw interrupted('Data was forgotten while this import was running: start it again with merge.')
  if (last?.file === file && !isOvertaken) {
    if (last.header !== undefined && last.header !== header)
      throw new ColophonError('import_file_invalid', 'The parts of the file have different headers.')
    return { revision, progress: last }
  }
  if (last !== undefined && !last.finished && !merge) throw interrupted('Another import is not finished.')
  if (!merge && !(await isEmpty(tenant.engine, tenant.id))) {
    throw new ColophonError('tenant_not_empty', 'The tenant has memory already.')
  }
  const base = (await tenant.storage.clock(tenant.id))?.position ?? 0
  return { revision, progress: { file, base, nextLine: 1, finished: false, header } }
}

/** Keys, settings and rules do not count: a tenant needs a key before a client can import into it. */
async function isEmpty({ storage }: Engine, tenantId: string): Promise<boolean> {
  const snapshot = await storage.snapshot(tenantId)
  try {
    const counts = await snapshot.counts(tenantId, { memoryRef: null, subject: null, about: null })
    return Object.values(counts).every((count) => count === 0)
  } finally {
    await snapshot.close()
  }
}

export function interrupted(message: string): ColophonError {
  return new ColophonError('import_interrupted', message)
}

import { ColophonError } from '../../core/errors.ts'
import type { SignatureVerdict } from '../../core/portable/signature.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { newestFence } from './forgotten.ts'

/** How far an import is. It is a record of the tenant, changed by each commit that brings lines: both are true, or neither. */
export type Progress = {
  readonly file: string
  readonly base: number
  readonly nextLine: number
  readonly finished: boolean
  /** The digest of the header: all parts have the same. Like the chain, an older program kept none. */
  readonly header?: string | undefined
  /** The digest of the lines before `nextLine`, line by line. */
  readonly chain?: string | undefined
  /** Once it is finished. */
  readonly signature?: SignatureVerdict | undefined
}

/** What is kept of an import that is finished, to explain what it brought. */
export type ImportFacts = {
  readonly file: string
  /** It brought the positions after `base`, up to `to`. */
  readonly base: number
  readonly to: number
  readonly tenant: string
  readonly signature: SignatureVerdict
}

export async function startOrResume(
  tenant: Tenant,
  { file, header, merge }: { readonly file: string; readonly header: string; readonly merge: boolean },
): Promise<{ revision: number; progress: Progress }> {
  const record = await tenant.storage.record(tenant.id, 'import', 'current')
  const revision = record?.revision ?? 0
  const last = record?.body.facts as Progress | undefined
  // Rows of a file stand at positions that came before the fence: an erasing that is over would never see them.
  const isOvertaken = last !== undefined && !last.finished && (await newestFence(tenant.engine, tenant.id)) > last.base
  if (last?.file === file && isOvertaken && !merge)
    throw interrupted('Something was forgotten while this import was under way: begin it again, with merge.')
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
  const snapshot = await storage.snapshot()
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

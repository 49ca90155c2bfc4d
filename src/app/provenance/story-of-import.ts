import type { EntryVersion } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import type { SignatureVerdict } from '../../core/portable/export-signature.ts'
import type { ImportFacts } from '../portable/import-progress.ts'
import type { Tenant } from '../tenant.ts'
import { auditRecordAt } from './audit-record-at.ts'
import type { StoryStep } from './story.ts'

/** The steps of imported versions: the tenant that the file came from and the verdict on its signature, once per import. */
export async function importedSteps(tenant: Tenant, versions: readonly EntryVersion[]): Promise<StoryStep[]> {
  const seen = new Set<number>()
  const steps: StoryStep[] = []
  for (const version of versions) {
    const { imported } = await auditRecordAt(tenant, version.recordedPosition)
    if (imported === undefined) continue
    const facts = await importOf(tenant, version.recordedPosition)
    const base = version.recordedPosition - imported.position
    if (seen.has(base)) continue
    seen.add(base)
    steps.push(await toStep(tenant, version, { ...imported, facts }))
  }
  return steps
}

type ImportedFrom = {
  readonly at: string
  readonly position: number
  readonly hash: string
  /** Null while the import is not finished. */
  readonly facts: ImportFacts | null
}

async function toStep(tenant: Tenant, version: EntryVersion, { facts, ...there }: ImportedFrom): Promise<StoryStep> {
  const digested = await auditRecordAt(tenant, version.digestPosition)
  // If the text was redacted since the import, its digest is in the record of the redaction instead.
  const isImport = digested.kind === 'memory.imported' && digested.imported === undefined
  const position = isImport ? version.digestPosition : version.recordedPosition
  const { at, actor } = isImport ? digested : await auditRecordAt(tenant, position)
  const signature = facts?.signature ?? null
  return {
    step: 'imported',
    at,
    position,
    text: `Imported${facts === null ? '' : ` from tenant ${facts.tenant}`} by ${actor}, recorded there at position ${there.position} (${there.at}); ${signatureText(signature)}.`,
    details: { tenant: facts?.tenant ?? null, file: facts?.file ?? null, recordedThere: there, actor, signature },
  }
}

function signatureText(signature: SignatureVerdict | null): string {
  if (signature === null) return 'the import is not finished, so its signature is not checked'
  const { status, keyId } = signature
  if (keyId === undefined) return 'the file was not signed'
  return `the signature of the file is ${status} (key ${keyId})`
}

/** The finished import that a position came with; null when there is none. */
async function importOf(tenant: Tenant, position: number): Promise<ImportFacts | null> {
  const limit = limits.pageEntriesMax
  for (let after: string | null = null; ; ) {
    const page = await tenant.storage.records({ tenantId: tenant.id, kind: 'import', after, limit })
    const imports = page.map(({ body }) => body.facts as Partial<ImportFacts>)
    const found = imports.find(
      ({ base, to }) => base !== undefined && to !== undefined && base < position && position <= to,
    )
    if (found !== undefined) return found as ImportFacts
    after = page.at(-1)?.id ?? null
    if (after === null || page.length < limit) return null
  }
}

import { type ExportFilter, openExport } from '../../src/app/portable/export.ts'
import type { Tenant } from '../../src/app/tenant.ts'

/** The text of an export. */
export async function exportText(tenant: Tenant, filter: ExportFilter = {}): Promise<string> {
  const { lines, close } = await openExport(tenant, filter)
  let text = ''
  for await (const line of lines) text += line
  await close()
  return text
}

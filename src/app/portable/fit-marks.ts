import { isAlwaysIncluded, markTags } from '../../core/entries/always-include.ts'
import type { PortableLine } from '../../core/portable/import-line.ts'
import { roomForMarks } from '../provenance/always-include.ts'
import type { Tenant } from '../tenant.ts'

type Fitted = { readonly lines: readonly PortableLine[]; readonly unmarked: readonly string[] }

/**
 * The lines of a step, with at most as many always-included memories of a ref as it may have. Further ones are imported without the mark. Past versions
 * keep theirs: they are in no prompt.
 */
export async function fitMarks(tenant: Tenant, lines: readonly PortableLine[]): Promise<Fitted> {
  const rooms = new Map<string, number>()
  const unmarked: string[] = []
  const now = tenant.expiryNow()
  const fitted: PortableLine[] = []
  for (const line of lines) {
    const isCurrent = line.type === 'version' && line.endedPosition === null && (line.expiresAt ?? now + 1) > now
    if (!isCurrent || !isAlwaysIncluded(line)) {
      fitted.push(line)
      continue
    }
    const room = rooms.get(line.memoryRef) ?? (await roomForMarks(tenant, line.memoryRef))
    rooms.set(line.memoryRef, room - 1)
    if (room <= 0) unmarked.push(line.entryId)
    fitted.push(room > 0 ? line : { ...line, tags: markTags(line.tags, false) })
  }
  return { lines: fitted, unmarked }
}

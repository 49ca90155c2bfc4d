import { invalid } from '../errors.ts'
import type { AuditHead } from './audit.ts'
import { genesisHash } from './audit.ts'

/** An audit head as one line, `POSITION:HASH`. */
export function formatAuditHead({ position, hash }: Pick<AuditHead, 'position' | 'hash'>): string {
  return `${position}:${hash}`
}

/** Parses an audit head that the operator kept: `POSITION:HASH`, or JSON with both. Without a tenant it is one of the given tenant. */
export function parseAuditHead(text: string, tenant: string): AuditHead {
  const line = /^\s*(\d{1,15}):([0-9a-f]{64})\s*$/.exec(text)
  if (line) return checked({ tenant, position: Number(line[1]), hash: line[2] as string })
  try {
    const value: unknown = JSON.parse(text)
    const { tenant: named = tenant, position, hash } = value as Partial<AuditHead>
    if (typeof named === 'string' && typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash))
      if (typeof position === 'number' && Number.isSafeInteger(position) && position >= 0)
        return checked({ tenant: named, position, hash })
  } catch {
    // Not JSON: refused below.
  }
  throw invalid('head', 'must be POSITION:HASH, or JSON with "position" and "hash" (64 hexadecimal digits)')
}

function checked(head: AuditHead): AuditHead {
  if (head.position > 0 || head.hash === genesisHash) return head
  throw invalid('head', 'must have a position: at 0 there is no record yet')
}

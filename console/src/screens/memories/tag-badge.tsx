import { alwaysIncludeTag } from '../../../../src/core/entries/always-include.ts'
import { Badge } from '../../ui/badge.tsx'

/** A tag of a memory. The mark of a memory that is always included is shown in words. */
export function TagBadge({ tag }: { readonly tag: string }) {
  return tag === alwaysIncludeTag ? <Badge tone="accent">in every prompt</Badge> : <Badge>{tag}</Badge>
}

/** The statements that count for limits, which both databases share. Each stops at the limit. */

type Parameters = Readonly<Record<'tenant' | 'ref' | 'to' | 'tag' | 'now' | 'limit', string>>

export function countRecords({ tenant, kind }: { readonly tenant: string; readonly kind: string }): string {
  return `
    select count(*) as count
      from admin_record
     where tenant_id = ${tenant}
       and kind = ${kind}`
}

/**
 * Counts current entries of a ref, or of all refs from one to another; with a tag, through the index of tags. `tagged` has the versions `v` with the tag, if
 * the database finds them in another way than by the names of ref and tag.
 */
export function countEntries(
  by: { readonly isPrefix: boolean; readonly hasTag: boolean },
  { tenant, ref, to, tag, now, limit }: Parameters,
  notFenced: string,
  tagged?: string,
): string {
  const ofRef = (row: string) =>
    by.isPrefix
      ? `${row}.memory_ref >= ${ref}
               and ${row}.memory_ref < ${to}`
      : `${row}.memory_ref = ${ref}`
  const from = by.hasTag
    ? (tagged ??
      `entry_tag t
              join entry_version v
                on v.tenant_id = ${tenant}
               and v.memory_ref = t.memory_ref
               and v.created_position = t.created_position
               and v.ordinal = t.ordinal
               and v.version = t.version
             where t.tenant_id = ${tenant}
               and ${ofRef('t')}
               and t.tag = ${tag}
               and t.ended_position is null`)
    : `entry_version v
             where v.tenant_id = ${tenant}
               and ${ofRef('v')}`
  return `
    select count(*) as count
      from (select 1
              from ${from}
               and v.ended_position is null
               and (v.expires_at is null or v.expires_at > ${now})
               and ${notFenced}
             limit ${limit}) counted`
}

/** The first text after all that begin with a prefix. */
export function refAfter(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1)
  return prefix.slice(0, -1) + String.fromCharCode(last + 1)
}

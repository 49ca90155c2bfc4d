/** What the two databases say differently. */
type Dialect = {
  /** How a statement names the tenant of its call, unless it says otherwise. */
  readonly tenant: string
  readonly originMember: (row: string, name: string) => string
  /** A table of the values of a JSON list, and how a value of it is named. */
  readonly tagsOf: (list: string) => string
  readonly tag: string
}

/**
 * What fences hide, in SQL; `src/core/forget/fence.ts` says the same in TypeScript. `f` is a line of a fence, from the table or
 * given with the query.
 */
export function createFenceSql({ tenant: ofCall, originMember, tagsOf, tag }: Dialect) {
  const hasTag = (row: string, f: string) => `exists (
               select 1
                 from entry_version any_version, ${tagsOf('any_version.tags')}
                where any_version.tenant_id = ${row}.tenant_id
                  and any_version.entry_id = ${row}.entry_id
                  and ${tag} = ${f}.value)`

  const fencesVersion = (v: string, f = 'f') => `
        ${v}.created_position <= ${f}.position
    and case ${f}.kind
          when 'subject' then ${v}.subject = ${f}.value
          when 'ref'     then ${v}.memory_ref = ${f}.value
          when 'entry'   then ${v}.entry_id = ${f}.value
          when 'run'     then ${v}.run_id = ${f}.value
                          and ${v}.run_sequence >= ${f}.from_sequence
                          and ${v}.run_sequence < ${f}.to_sequence
          when 'writer'  then ${originMember(v, 'service')} = ${f}.value
          when 'event'   then ${originMember(v, 'sourceEventId')} = ${f}.value
          when 'tag'     then ${hasTag(v, f)}
        end`

  const fencesEvent = (e: string, f = 'f') => `
        ${e}.recorded_position <= ${f}.position
    and case ${f}.kind
          when 'ref'    then ${f}.value = 'subject:' || ${e}.subject
          when 'writer' then ${f}.value = ${e}.service
          when 'event'  then ${f}.value = ${e}.source_event_id
        end`

  const fencesClaim = (c: string, f = 'f') => `${f}.kind = 'ref' and ${f}.value = 'subject:' || ${c}.subject`

  const fencesAssertion = (a: string, f = 'f') => `
        ${a}.recorded_position <= ${f}.position
    and case ${f}.kind
          when 'writer' then ${f}.value = ${a}.service
          when 'event'  then ${f}.value = ${a}.source_event_id
          when 'entry'  then ${f}.value = ${a}.entry_id
          when 'tag'    then ${hasTag(a, f)}
        end`

  /**
   * The first half does not depend on the row: where there is no fence, a statement evaluates it once. The second names the tenant and
   * not that of the row: a planner may read all fences first, which are then those of one tenant.
   */
  const unlessFenced = (tenant: string, condition: string) => `(
       not exists (select 1 from fence where tenant_id = ${tenant})
    or not exists (select 1 from fence f where f.tenant_id = ${tenant} and ${condition}))`

  return {
    fencesVersion,
    fencesEvent,
    fencesClaim,
    fencesAssertion,
    notFenced: (v: string, tenant = ofCall) => unlessFenced(tenant, fencesVersion(v)),
    eventNotFenced: (e: string, tenant = ofCall) => unlessFenced(tenant, fencesEvent(e)),
    claimNotFenced: (c: string, tenant = ofCall) => unlessFenced(tenant, fencesClaim(c)),
    assertionNotFenced: (a: string, tenant = ofCall) => unlessFenced(tenant, fencesAssertion(a)),
    /** Whether an event that was received after a fence has to wait until the fence is removed. */
    holdsUp: (e: string) => `exists (
     select 1
       from fence f
      where f.tenant_id = ${e}.tenant_id
        and f.kind <> 'run'
        and ${e}.recorded_position > f.position
        and (f.kind <> 'ref' or f.value = 'subject:' || ${e}.subject)
        and (f.kind <> 'subject' or f.value = ${e}.subject))`,
  }
}

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
 * given with the query. Rows of other tables are those of the call's tenant, and not of the tenant of `f` or of the row: where tables are
 * distributed by tenant, the statement then asks one shard. For the same reason it is `case when f.kind = …`.
 */
export function createFenceSql({ tenant: ofCall, originMember, tagsOf, tag }: Dialect) {
  const hasTag = (row: string, tenant: string) => `exists (
               select 1
                 from entry_version any_version, ${tagsOf('any_version.tags')}
                where any_version.tenant_id = ${tenant}
                  and any_version.entry_id = ${row}.entry_id
                  and ${tag} = f.value)`

  const fencesVersion = (v: string, tenant = ofCall) => `
        ${v}.created_position <= f.position
    and case when f.kind = 'subject' then ${v}.subject = f.value
             when f.kind = 'ref'     then ${v}.memory_ref = f.value
             when f.kind = 'entry'   then ${v}.entry_id = f.value
             when f.kind = 'run'     then ${v}.run_id = f.value
                                      and ${v}.run_sequence >= f.from_sequence
                                      and ${v}.run_sequence < f.to_sequence
             when f.kind = 'writer'  then ${originMember(v, 'service')} = f.value
             when f.kind = 'event'   then ${originMember(v, 'sourceEventId')} = f.value
             when f.kind = 'tag'     then ${hasTag(v, tenant)}
        end`

  const fencesEvent = (e: string) => `
        ${e}.recorded_position <= f.position
    and case when f.kind = 'ref'    then f.value = 'subject:' || ${e}.subject
             when f.kind = 'writer' then f.value = ${e}.service
             when f.kind = 'event'  then f.value = ${e}.source_event_id
        end`

  const fencesClaim = (c: string) => `f.kind = 'ref' and f.value = 'subject:' || ${c}.subject`

  const fencesAssertion = (a: string, tenant = ofCall) => `
        ${a}.recorded_position <= f.position
    and case when f.kind = 'writer' then f.value = ${a}.service
             when f.kind = 'event'  then f.value = ${a}.source_event_id
             when f.kind = 'entry'  then f.value = ${a}.entry_id
             when f.kind = 'tag'    then ${hasTag(a, tenant)}
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
    notFenced: (v: string, tenant = ofCall) => unlessFenced(tenant, fencesVersion(v, tenant)),
    eventNotFenced: (e: string, tenant = ofCall) => unlessFenced(tenant, fencesEvent(e)),
    claimNotFenced: (c: string, tenant = ofCall) => unlessFenced(tenant, fencesClaim(c)),
    assertionNotFenced: (a: string, tenant = ofCall) => unlessFenced(tenant, fencesAssertion(a, tenant)),
    /** Whether an event that was received after a fence has to wait until the fence is removed. */
    holdsUp: (e: string, tenant = ofCall) => `exists (
     select 1
       from fence f
      where f.tenant_id = ${tenant}
        and f.kind <> 'run'
        and ${e}.recorded_position > f.position
        and (f.kind <> 'ref' or f.value = 'subject:' || ${e}.subject)
        and (f.kind <> 'subject' or f.value = ${e}.subject))`,
  }
}

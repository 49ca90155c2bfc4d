/**
 * What fences hide, in SQL; `src/core/forget/fence.ts` says the same in words. `f` is a line of a fence, from the table or
 * given with the query.
 */

export const fencesVersion = (v: string, f = 'f') => `
      ${v}.created_position <= ${f}.position
  and case ${f}.kind
        when 'subject' then ${v}.subject = ${f}.value
        when 'ref'     then ${v}.memory_ref = ${f}.value
        when 'entry'   then ${v}.entry_id = ${f}.value
        when 'run'     then ${v}.run_id = ${f}.value
                        and ${v}.run_sequence >= ${f}.from_sequence
                        and ${v}.run_sequence < ${f}.to_sequence
        when 'writer'  then ${v}.origin::json ->> 'service' = ${f}.value
        when 'event'   then ${v}.origin::json ->> 'sourceEventId' = ${f}.value
        when 'tag'     then exists (
               select 1
                 from entry_version any_version, json_array_elements_text(any_version.tags::json) as tag
                where any_version.tenant_id = ${v}.tenant_id
                  and any_version.entry_id = ${v}.entry_id
                  and tag = ${f}.value)
      end`

export const fencesEvent = (e: string, f = 'f') => `
      ${e}.recorded_position <= ${f}.position
  and case ${f}.kind
        when 'ref'    then ${f}.value = 'subject:' || ${e}.subject
        when 'writer' then ${f}.value = ${e}.service
        when 'event'  then ${f}.value = ${e}.source_event_id
      end`

export const fencesClaim = (c: string, f = 'f') => `${f}.kind = 'ref' and ${f}.value = 'subject:' || ${c}.subject`

export const fencesAssertion = (a: string, f = 'f') => `
      ${a}.recorded_position <= ${f}.position
  and case ${f}.kind
        when 'writer' then ${f}.value = ${a}.service
        when 'event'  then ${f}.value = ${a}.source_event_id
        when 'entry'  then ${f}.value = ${a}.entry_id
        when 'tag'    then exists (
               select 1
                 from entry_version any_version, json_array_elements_text(any_version.tags::json) as tag
                where any_version.tenant_id = ${a}.tenant_id
                  and any_version.entry_id = ${a}.entry_id
                  and tag = ${f}.value)
      end`

/**
 * The first half does not depend on the row: where no fence is up, a statement asks once. The second names the tenant and
 * not that of the row: the planner may read all fences first, which are then those of one tenant.
 */
const unlessFenced = (tenant: string, condition: string) => `(
       not exists (select 1 from fence where tenant_id = ${tenant})
    or not exists (select 1 from fence f where f.tenant_id = ${tenant} and ${condition}))`

export const notFenced = (v: string, tenant = '$1') => unlessFenced(tenant, fencesVersion(v))
export const eventNotFenced = (e: string, tenant = '$1') => unlessFenced(tenant, fencesEvent(e))
export const claimNotFenced = (c: string, tenant = '$1') => unlessFenced(tenant, fencesClaim(c))
export const assertionNotFenced = (a: string, tenant = '$1') => unlessFenced(tenant, fencesAssertion(a))

/** The lines given with a query. */
export const givenFences = (parameter: string) => `
  select kind collate "C" as kind, value collate "C" as value, position, "fromSequence" as from_sequence, "toSequence" as to_sequence
    from json_to_recordset(${parameter}::json)
      as r (kind text, value text, position bigint, "fromSequence" bigint, "toSequence" bigint)`

/** Whether an event that came after a fence has to wait for it. */
export const holdsUp = (e: string) => `exists (
     select 1
       from fence f
      where f.tenant_id = ${e}.tenant_id
        and f.kind <> 'run'
        and ${e}.recorded_position > f.position
        and (f.kind <> 'ref' or f.value = 'subject:' || ${e}.subject)
        and (f.kind <> 'subject' or f.value = ${e}.subject))`

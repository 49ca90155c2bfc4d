import {
  actorOfAssertion,
  assertionRows,
  claimRows,
  sourceEventHeadRows,
  sourceEventRows,
  sourceRewriteRows,
  withoutWords,
} from '../sql/provenance-rows.ts'
import { versionColumns } from '../sql/version-rows.ts'
import { accessible } from './access.ts'
import { lists, statement, tenantOfCall } from './connection.ts'
import { assertionNotFenced, claimNotFenced, eventNotFenced, holdsUp, notFenced } from './fence.ts'
import { firstEventsUpTo } from './first-up-to.ts'
import { type NarrowedList, narrowed } from './list-statements.ts'
import { bothHalves } from './live-and-ended.ts'

/** The statements of provenance. */

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

/** What a read of an event gives: of one behind a fence as little as of one that is erased. */
const readColumns = `${sourceEventRows.columns},
       case when erased_at is not null or not ${eventNotFenced('source_event')} then 1 else 0 end as is_erased,
       case when ${holdsUp('source_event')} then 1 else 0 end as is_held_up`

/** The content of an assertion behind a fence is not shown; the assertion still counts until it is erased. */
const readAssertions = `${assertionRows.columns.replace(
  ' content,',
  ` case when ${assertionNotFenced('assertion')} then content else '' end as content,`,
)},${actorOfAssertion('$1')}`

const currentWhere = (isBelow: string) => `
     select ${columnsOfV}
       from entry_version v
      where v.tenant_id = $1
        and v.ended_position is null
        and ${isBelow} and v.entry_id > $2
        and (v.expires_at is null or v.expires_at > $3)
        and ${notFenced('v')}
      order by v.entry_id limit $4`

/** The newest version of every entry, superseded and archived ones too. `offset 0`: later versions are looked up for each, not joined. */
export const listAll = (by?: NarrowedList) => `select *
       from (${bothHalves(
         (isOfHalf) => `
         select ${columnsOfV}
           from entry_version v
          where v.tenant_id = $1
            and v.memory_ref = $2
            and ${isOfHalf}
            and v.created_position <= $3
            and (v.created_position, v.ordinal) < ($5, $6)
            and v.recorded_position <= $3
            and (v.expires_at is null or v.expires_at > $4)
            and ${notFenced('v')}
            and ${accessible('v', '$8', '$9')}
            and (v.ended_position is null or v.ended_position > $3 or v.ended_reason in ('superseded', 'archived'))
            and not exists (
                  select 1
                    from entry_version later
                   where later.tenant_id = $1
                     and later.entry_id = v.entry_id
                     and later.version > v.version and later.recorded_position <= $3
                offset 0)
            ${narrowed(by)}
          order by v.created_position desc, v.ordinal desc limit $7`,
       )}) v
      order by created_position desc, ordinal desc limit $7`

export const provenanceStatements = {
  insertEvents: statement(
    'insert_source_events',
    `insert into source_event (tenant_id, ${sourceEventRows.columns})
     select c.tenant_id, ${sourceEventRows.columns}
       from ${tenantOfCall}, json_to_recordset($2::json) as r (${sourceEventRows.types})`,
  ),
  redactPayloads: statement(
    'redact_payloads',
    'update source_event set messages = null where tenant_id = $1 and source_event_id = any($2)',
  ),
  rewriteEvents: statement(
    'rewrite_source_events',
    `update source_event e
        set salt = r.salt, is_hash_private = r.is_hash_private, readers = r.readers, scope = r.scope, evidence = r.evidence, metadata = r.metadata, messages = r.messages
       from json_to_recordset($2::json) as r (${sourceRewriteRows.types})
      where e.tenant_id = $1
        and e.source_event_id = r.source_event_id
        and e.erased_at is null`,
  ),
  restate: statement(
    'restate_assertion',
    'update assertion set content = $4, seal = $5 where tenant_id = $1 and claim_id = $2 and ordinal = $3',
  ),
  saveClaims: statement(
    'save_claims',
    `insert into claim (tenant_id, ${claimRows.columns})
     select c.tenant_id, ${claimRows.columns}
       from ${tenantOfCall}, json_to_recordset($2::json) as r (${claimRows.types})
         on conflict (tenant_id, claim_id) do update
        set revision = excluded.revision, winner = excluded.winner, is_contested = excluded.is_contested,
            pin = excluded.pin, updated_position = excluded.updated_position`,
  ),
  removeClaim: statement('remove_claim', 'delete from claim where tenant_id = $1 and claim_id = $2'),
  removeAssertions: statement('remove_assertions', 'delete from assertion where tenant_id = $1 and claim_id = $2'),
  removeSomeAssertions: statement(
    'remove_some_assertions',
    'delete from assertion where tenant_id = $1 and claim_id = $2 and ordinal = any($3::bigint[])',
  ),
  attach: statement(
    'attach_assertions',
    `update assertion
        set entry_id = $4
      where tenant_id = $1
        and claim_id = $2
        and content_key = $3
        and (withdrawn_position is null or withdrawal_contained_by is not null)`,
  ),
  detach: statement(
    'detach_assertions',
    'update assertion set entry_id = null where tenant_id = $1 and claim_id = $2 and entry_id = any($3)',
  ),
  withdraw: statement(
    'withdraw_assertions',
    `update assertion
        set withdrawn_position = $4, withdrawal_contained_by = null
      where tenant_id = $1
        and claim_id = $2
        and content_key = any($3)
        and (withdrawn_position is null or withdrawal_contained_by is not null)`,
  ),
  erase: statement(
    'erase_assertions',
    "update assertion set content = '', seal = '' where tenant_id = $1 and claim_id = $2 and content_key = any($3)",
  ),
  reprice: statement(
    'reprice_assertions',
    'update assertion set priority = $4 where tenant_id = $1 and claim_id = $2 and service = $3',
  ),
  mark: statement(
    'mark_assertions',
    `update assertion
        set contained_by = marks.contained_by, withdrawal_contained_by = marks.withdrawal_contained_by
       from json_to_recordset($3::json) as marks (ordinal bigint, contained_by text, withdrawal_contained_by text)
      where tenant_id = $1
        and claim_id = $2
        and assertion.ordinal = marks.ordinal`,
  ),
  insertAssertions: statement(
    'insert_assertions',
    `insert into assertion (tenant_id, ${assertionRows.columns})
     select c.tenant_id, ${assertionRows.columns}
       from ${tenantOfCall}, json_to_recordset($2::json) as r (${assertionRows.types})`,
  ),
  event: statement(
    'source_event',
    `select ${readColumns} from source_event where tenant_id = $1 and source_event_id = $2`,
  ),
  sourceEventSummaries: statement(
    'source_event_summaries',
    `select ${withoutWords(readColumns)} from source_event where tenant_id = $1 and source_event_id = any($2::text[])`,
  ),
  named: statement(
    'source_event_named',
    `select ${readColumns} from source_event where tenant_id = $1 and service = $2 and event_id = $3`,
  ),
  namedByAny: statement(
    'source_events_named',
    `select ${withoutWords(readColumns)} from source_event where tenant_id = $1 and service = any($2::text[]) and event_id = $3`,
  ),
  events: statement(
    'source_events',
    `select ${withoutWords(readColumns)}
       from source_event
      where tenant_id = $1
        and service is not null
        and ($2::text is null or service = $2)
        and source_event_id < $3
      order by source_event_id desc
      limit $4`,
  ),
  eventsOfSubject: statement(
    'source_events_of_subject',
    `select ${withoutWords(readColumns)}
       from source_event
      where tenant_id = $1
        and service is not null
        and ($2::text is null or service = $2)
        and source_event_id < $3
        and subject = $5
        and ${eventNotFenced('source_event')}
      order by source_event_id desc
      limit $4`,
  ),
  heads: statement(
    'source_event_heads',
    `select ${sourceEventHeadRows.columns}
       from source_event
      where tenant_id = $1
        and source_event_id > $2
        and erased_at is null
        and ${eventNotFenced('source_event')}
      order by source_event_id
      limit $3`,
  ),
  kept: statement(
    'kept_payloads',
    firstEventsUpTo(
      '$5',
      `select ${readColumns}
         from source_event
        where tenant_id = $1
          and messages is not null
          and received_at < $2
          and source_event_id > $3
        order by source_event_id
        limit $4`,
    ),
  ),
  claim: statement(
    'claim',
    `select ${claimRows.columns} from claim where tenant_id = $1 and claim_id = $2 and ${claimNotFenced('claim')}`,
  ),
  claims: statement(
    'claims',
    `select ${claimRows.columns}
       from claim
      where tenant_id = $1
        and claim_id > $2
        and ($4::bigint is null or is_contested = $4)
        and ${claimNotFenced('claim')}
      order by claim_id
      limit $3`,
  ),
  claimsOfSubject: statement(
    'claims_of_subject',
    `select ${claimRows.columns}
       from claim
      where tenant_id = $1
        and claim_id > $2
        and ($4::bigint is null or is_contested = $4)
        and subject = $5
        and ${claimNotFenced('claim')}
      order by claim_id
      limit $3`,
  ),
  contested: statement(
    'claims_contested',
    `select ${claimRows.columns}
       from claim
      where tenant_id = $1
        and is_contested = 1
        and claim_id > $2
        and ($4::text is null or subject = $4)
        and ${claimNotFenced('claim')}
      order by claim_id
      limit $3`,
  ),
  assertions: statement(
    'assertions',
    `select ${readAssertions} from assertion where tenant_id = $1 and claim_id = $2 order by ordinal`,
  ),
  assertionsOfClaims: statement(
    'assertions_of_claims',
    `select ${readAssertions} from assertion where tenant_id = $1 and claim_id = any($2::text[]) order by claim_id, ordinal`,
  ),
  instants: statement(
    'instants',
    `select position, at from audit where tenant_id = $1 and position = any(${lists('$2::bigint')}::bigint[])`,
  ),
  assertionsOfEvent: statement(
    'assertions_of_event',
    `select ${readAssertions} from assertion where tenant_id = $1 and source_event_id = $2 order by candidate`,
  ),
  newest: statement(
    'newest_versions',
    `select distinct on (v.entry_id) ${columnsOfV}
       from unnest($2::text[]) as wanted (entry_id)
       join entry_version v
         on v.tenant_id = $1
        and v.entry_id = wanted.entry_id
        and ${notFenced('v')}
      order by v.entry_id, v.version desc`,
  ),
  entryVersions: statement(
    'entry_versions',
    `select ${versionColumns}
       from entry_version
      where tenant_id = $1
        and entry_id = any($2::text[])
        and ${notFenced('entry_version')}
      order by version`,
  ),
  listAll: statement('list_all_versions', listAll()),
  // The usual floor: the partial index has these entries only.
  untrusted: statement('current_untrusted', currentWhere('v.trust = 0')),
  currentBelow: statement('current_below', currentWhere('v.trust < $5::smallint')),
}

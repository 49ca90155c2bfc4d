import type { Database, Statement } from 'better-sqlite3'
import {
  actorOfAssertion,
  assertionRows,
  claimRows,
  sourceEventHeadRows,
  sourceEventRows,
  withoutWords,
} from '../sql/provenance-rows.ts'
import { versionColumns } from '../sql/version-rows.ts'
import { excerptCharacters } from '../sql/write-excerpts.ts'
import { accessible } from './access.ts'
import { assertionNotFenced, claimNotFenced, eventNotFenced, holdsUp, notFenced } from './fence.ts'

/** The statements that read provenance. */

/** What a read of an event gives: of one behind a fence as little as of one that is erased. */
const readColumns = `${sourceEventRows.columns},
       case when erased_at is not null or not ${eventNotFenced('source_event', 'source_event.tenant_id')} then 1 else 0 end as is_erased,
       case when ${holdsUp('source_event', 'source_event.tenant_id')} then 1 else 0 end as is_held_up`

/** The content of an assertion behind a fence is not shown; the assertion still counts until it is erased. */
const readAssertions = `${assertionRows.columns.replace(
  ' content,',
  ` case when ${assertionNotFenced('assertion', 'assertion.tenant_id')} then content else '' end as content,`,
)},${actorOfAssertion('assertion.tenant_id')}`

type ReadStatement =
  | 'event'
  | 'sourceEventSummary'
  | 'instant'
  | 'writeExcerpt'
  | 'named'
  | 'namedSummary'
  | 'events'
  | 'eventsOfSubject'
  | 'heads'
  | 'kept'
  | 'claim'
  | 'claims'
  | 'claimsOfSubject'
  | 'contested'
  | 'assertions'
  | 'claimRevision'
  | 'assertionsOfEvent'
  | 'newest'
  | 'entryVersions'
  | 'listAll'
  | 'untrusted'
  | 'currentBelow'

export function prepareReads(db: Database): Record<ReadStatement, Statement> {
  return {
    event: db.prepare(`select ${readColumns} from source_event where tenant_id = ? and source_event_id = ?`),
    sourceEventSummary: db.prepare(`
      select ${withoutWords(readColumns)} from source_event where tenant_id = ? and source_event_id = ?`),
    instant: db.prepare('select at from audit where tenant_id = ? and position = ?').pluck(),
    writeExcerpt: db.prepare(`
      select at, substr(body, 1, ${excerptCharacters}) as head, instr(body, :name) as named_at, instr(body, :list) as list_at
        from audit
       where tenant_id = :tenantId
         and position = :position`),
    named: db.prepare(`
      select ${readColumns}
        from source_event
       where tenant_id = ?
         and service = ?
         and event_id = ?`),
    namedSummary: db.prepare(`
      select ${withoutWords(readColumns)}
        from source_event
       where tenant_id = ?
         and service = ?
         and event_id = ?`),
    events: db.prepare(`
      select ${withoutWords(readColumns)}
        from source_event
       where tenant_id = :tenantId
         and :subject is null
         and service is not null
         and (:service is null or service = :service)
         and source_event_id < :after
       order by source_event_id desc
       limit +:limit`),
    eventsOfSubject: db.prepare(`
      select ${withoutWords(readColumns)}
        from source_event indexed by source_event_by_subject
       where tenant_id = :tenantId
         and subject = :subject
         and ${eventNotFenced('source_event')}
         and service is not null
         and (:service is null or service = :service)
         and source_event_id < :after
       order by source_event_id desc
       limit +:limit`),
    heads: db.prepare(`
      select ${sourceEventHeadRows.columns}
        from source_event
       where tenant_id = :tenantId
         and source_event_id > :after
         and erased_at is null
         and ${eventNotFenced('source_event')}
       order by source_event_id
       limit +:limit`),
    kept: db.prepare(`
      select ${readColumns}
        from source_event indexed by source_event_kept
       where tenant_id = :tenantId
         and messages is not null
         and received_at < :receivedBefore
         and source_event_id > :after
       order by source_event_id
       limit +:limit`),
    claim: db.prepare(
      `select ${claimRows.columns} from claim where tenant_id = ? and claim_id = ? and ${claimNotFenced('claim', 'claim.tenant_id')}`,
    ),
    claims: db.prepare(`
      select ${claimRows.columns}
        from claim
       where tenant_id = :tenantId
         and :subject is null
         and (:contested is null or is_contested = :contested)
         and claim_id > :after
         and ${claimNotFenced('claim')}
       order by claim_id
       limit +:limit`),
    claimsOfSubject: db.prepare(`
      select ${claimRows.columns}
        from claim indexed by claim_by_subject
       where tenant_id = :tenantId
         and subject = :subject
         and (:contested is null or is_contested = :contested)
         and claim_id > :after
         and ${claimNotFenced('claim')}
       order by claim_id
       limit +:limit`),
    contested: db.prepare(`
      select ${claimRows.columns}
        from claim indexed by claim_contested
       where tenant_id = :tenantId
         and is_contested = 1
         and :contested = 1
         and (:subject is null or subject = :subject)
         and claim_id > :after
         and ${claimNotFenced('claim')}
       order by claim_id
       limit +:limit`),
    assertions: db.prepare(`
      select ${readAssertions}
        from assertion
       where tenant_id = ?
         and claim_id = ?
         and ordinal > ?
       order by ordinal`),
    claimRevision: db.prepare('select revision from claim where tenant_id = ? and claim_id = ?').pluck(),
    assertionsOfEvent: db.prepare(`
      select ${readAssertions}
        from assertion
       where tenant_id = ?
         and source_event_id = ?
       order by candidate`),
    newest: db.prepare(`
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and entry_id = ?
         and ${notFenced('entry_version', 'entry_version.tenant_id')}
       order by version desc
       limit 1`),
    entryVersions: db.prepare(`
      select ${versionColumns}
        from entry_version
       where tenant_id = ?
         and entry_id = ?
         and version < ?
         and ${notFenced('entry_version', 'entry_version.tenant_id')}
       order by version desc`),
    listAll: db.prepare(listAll()),
    // The usual floor: the partial index has these entries only.
    untrusted: db.prepare(currentWhere('v.trust = 0')),
    currentBelow: db.prepare(currentWhere('v.trust < :floor')),
  }
}

/** The newest version of every entry, superseded and archived ones too. A condition on `v` narrows them. */
export const listAll = (condition = '') => `
      select ${versionColumns}
        from entry_version v indexed by entry_version_by_age
       where tenant_id = :tenantId
         and memory_ref = :memoryRef
         and (created_position, ordinal) < (:fromPosition, :fromOrdinal)
         and recorded_position <= :position
         and (expires_at is null or expires_at > :now)
         and ${notFenced('v')}
         and ${accessible('v')}
         and (ended_position is null or ended_position > :position or ended_reason in ('superseded', 'archived'))
         and not exists (
               select 1
                 from entry_version later indexed by entry_version_by_id
                where later.tenant_id = v.tenant_id
                  and later.entry_id = v.entry_id
                  and later.version > v.version
                  and later.recorded_position <= :position)
         ${condition}
       order by created_position desc, ordinal desc
       limit +:limit`

const currentWhere = (isBelow: string) => `
      select ${versionColumns}
        from entry_version v
       where tenant_id = :tenantId
         and ended_position is null
         and ${isBelow}
         and entry_id > :after
         and (expires_at is null or expires_at > :now)
         and ${notFenced('v')}
       order by entry_id
       limit +:limit`

import type { Database } from 'better-sqlite3'
import type { ClaimPartState } from '../../../core/commit/parts/claims.ts'
import type { SealedClaim } from '../../../core/provenance/seal-claim.ts'
import { assertionRows, claimRows } from '../../sql/provenance-rows.ts'
import type { PreparePart } from './part.ts'

export const claims: PreparePart<ClaimPartState> = (db) => {
  const sql = prepare(db)

  function saveClaim(tenantId: string, sealed: SealedClaim): void {
    const { claim, assertions, withdrawn, repriced, erased, restated, removed, detached, attached, marked } = sealed
    const { claimId } = claim
    if (sealed.isRemoved) {
      sql.removeClaim.run(tenantId, claimId)
      sql.removeAssertions.run(tenantId, claimId)
      return
    }
    sql.saveClaim.run({ tenantId, ...claimRows.toRow(claim) })
    for (const ordinal of removed) sql.removeAssertion.run(tenantId, claimId, ordinal)
    for (const entryId of detached) sql.detach.run(tenantId, claimId, entryId)
    for (const { contentKey, entryId } of attached) sql.attach.run(entryId, tenantId, claimId, contentKey)
    for (const key of withdrawn) sql.withdraw.run(claim.updatedPosition, tenantId, claimId, key)
    for (const { ordinal, content, seal } of restated) sql.restate.run(content, seal, tenantId, claimId, ordinal)
    for (const key of erased) sql.erase.run(tenantId, claimId, key)
    for (const { service, priority } of repriced) sql.reprice.run(priority, tenantId, claimId, service)
    for (const { ordinal, containedBy, withdrawalContainedBy } of marked)
      sql.mark.run(toList(containedBy), toList(withdrawalContainedBy), tenantId, claimId, ordinal)
    for (const assertion of assertions) sql.insertAssertion.run({ tenantId, ...assertionRows.toRow(assertion) })
  }

  return {
    state: (tenantId) => ({
      claim: (claimId) => (sql.revision.get(tenantId, claimId) as number | undefined) ?? 0,
    }),

    save(tenantId, rows) {
      for (const sealed of rows.claims) saveClaim(tenantId, sealed)
    },
  }
}

const toList = (ids: readonly string[] | null) => ids && JSON.stringify(ids)

const named = (columns: string) => columns.replace(/\w+/g, ':$&')

function prepare(db: Database) {
  return {
    removeClaim: db.prepare('delete from claim where tenant_id = ? and claim_id = ?'),
    removeAssertions: db.prepare('delete from assertion where tenant_id = ? and claim_id = ?'),
    removeAssertion: db.prepare('delete from assertion where tenant_id = ? and claim_id = ? and ordinal = ?'),
    attach: db.prepare(
      'update assertion set entry_id = ? where tenant_id = ? and claim_id = ? and content_key = ? and (withdrawn_position is null or withdrawal_contained_by is not null)',
    ),
    detach: db.prepare('update assertion set entry_id = null where tenant_id = ? and claim_id = ? and entry_id = ?'),
    revision: db.prepare('select revision from claim where tenant_id = ? and claim_id = ?').pluck(),
    restate: db.prepare(
      'update assertion set content = ?, seal = ? where tenant_id = ? and claim_id = ? and ordinal = ?',
    ),
    saveClaim: db.prepare(`
      insert into claim (tenant_id, ${claimRows.columns})
      values (:tenantId, ${named(claimRows.columns)})
          on conflict (tenant_id, claim_id) do update
         set revision = excluded.revision, winner = excluded.winner, is_contested = excluded.is_contested,
             pin = excluded.pin, updated_position = excluded.updated_position`),
    withdraw: db.prepare(`
      update assertion
         set withdrawn_position = ?, withdrawal_contained_by = null
       where tenant_id = ?
         and claim_id = ?
         and content_key = ?
         and (withdrawn_position is null or withdrawal_contained_by is not null)`),
    erase: db.prepare(
      "update assertion set content = '', seal = '' where tenant_id = ? and claim_id = ? and content_key = ?",
    ),
    mark: db.prepare(`
      update assertion
         set contained_by = ?, withdrawal_contained_by = ?
       where tenant_id = ?
         and claim_id = ?
         and ordinal = ?`),
    reprice: db.prepare('update assertion set priority = ? where tenant_id = ? and claim_id = ? and service = ?'),
    insertAssertion: db.prepare(`
      insert into assertion (tenant_id, ${assertionRows.columns})
      values (:tenantId, ${named(assertionRows.columns)})`),
  }
}

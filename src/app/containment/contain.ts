import { parseAuditBody } from '../../core/audit/audit.ts'
import type { AuditRow } from '../../core/commit/batch.ts'
import {
  actorOf,
  type ContainmentDraft,
  type ContainmentRequest,
  parseContainment,
} from '../../core/containment/selector.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { isEnded } from '../../core/run/run.ts'
import type { Change, WriteOptions } from '../commit.ts'
import { pauseBeforeRetry, toContention } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import type { Affected } from './affected.ts'
import {
  type ContainmentPart,
  type ContainmentRecord,
  type ContainmentState,
  type ContainmentView,
  containmentChange,
  findContainment,
  loadContainmentState,
  loadParts,
  partChanges,
  stateChange,
  toContainmentView,
} from './containment-record.ts'
import { countAffected, toPart } from './describe-affected.ts'
import { findAffected } from './find-affected.ts'
import { loadLineage } from './lineage.ts'
import { addMarks } from './marks.ts'
import { type Moves, planMoves } from './plan-moves.ts'

export type ContainmentResult =
  | { readonly dryRun: true; readonly counts: ContainmentView['counts']; readonly part: ContainmentPart }
  | {
      readonly dryRun: false
      readonly containment: ContainmentView
      readonly part: ContainmentPart
      readonly repeated: boolean
    }

/**
 * Contains everything that came from a key, writer, source event, run or agent, with what was derived from it. In one commit, its entries
 * are ended, and claims are decided as if it had not spoken. Nothing is erased. A dry run only lists it.
 */
export async function contain(
  tenant: Tenant,
  draft: ContainmentDraft,
  options: WriteOptions = {},
): Promise<ContainmentResult> {
  const request = parseContainment(draft)
  const since = draft.since === undefined ? null : String(draft.since)
  const { selector, reason } = request
  const write = { ...options, call: { operation: 'contain', ...selector, since, reason } }
  // A retry must not search again: the first call has changed what would be found.
  const first = request.dryRun ? null : await tenant.findOutcome(write)
  if (first !== null) return repeatedResult(tenant, first.admin[0] ?? '')
  const id = tenant.system.newId('ctn')
  for (let attempt = 1; ; ) {
    const decided = await decide(tenant, request, id)
    const { affected, moves, part } = decided
    const counts = countAffected(affected)
    if (request.dryRun) return { dryRun: true, counts, part }
    const actor = options.actor ?? tenant.engine.actor
    for (let position = decided.position; ; attempt++) {
      const facts = { selector, since, from: affected.from, actor, at: tenant.now(), counts, released: null }
      const record: ContainmentRecord = {
        id,
        revision: 0,
        reason,
        facts: { ...facts, position: position + 1, status: 'applied' },
      }
      try {
        const change = toChange(record, decided.state, moves, part, position)
        const { outcome, repeated } = await tenant.commit(change, write)
        if (repeated) return await repeatedResult(tenant, outcome.admin[0] ?? id)
        return { dryRun: false, containment: toContainmentView(record), part, repeated: false }
      } catch (error) {
        if (!isColophonError(error, 'version_conflict') || attempt >= limits.containmentAttemptsMax)
          throw toContention(error)
        await pauseBeforeRetry(1)
        const next = await laterPosition(tenant, position, affected)
        if (next === null) break
        position = next
      }
    }
  }
}

async function repeatedResult(tenant: Tenant, id: string): Promise<ContainmentResult> {
  const containment = toContainmentView(await findContainment(tenant, id))
  const parts: ContainmentPart = { entries: [], claims: [], runs: [] }
  const all = [parts]
  for await (const part of loadParts(tenant, id)) all.push(part)
  const part = {
    entries: all.flatMap(({ entries }) => entries),
    claims: all.flatMap(({ claims }) => claims),
    runs: all.flatMap(({ runs }) => runs),
  }
  return { dryRun: false, containment, part, repeated: true }
}

type Decided = {
  readonly affected: Affected
  readonly moves: Moves
  readonly part: ContainmentPart
  readonly state: ContainmentState
  /** The position that it was decided on. */
  readonly position: number
}

async function decide(tenant: Tenant, request: ContainmentRequest, id: string): Promise<Decided> {
  const position = (await tenant.storage.clock(tenant.id))?.position ?? 0
  const state = await loadContainmentState(tenant)
  const affected = await findAffected(tenant, request, position)
  const active = state.active.map((other) => other.id)
  const lineage = await loadLineage(tenant, active)
  for (const [entryId, { versions, ends }] of affected.entries) lineage.addEntry(entryId, versions.keys(), ends)
  const moves = await planMoves(tenant, {
    entryIds: affected.entries.keys(),
    claimIds: [...affected.claims, ...affected.claimsOfKey],
    lineage,
    positions: new Set(state.positions),
    remark: (claim, assertions, stateOf) => addMarks({ id, affected, lineage, claim, assertions, stateOf }),
    replaces: 'contained',
  })
  const isActive = async (runId: string) => {
    const run = await tenant.storage.runs.logStatus(tenant.id, runId)
    return run !== null && !isEnded(run.status)
  }
  return { affected, moves, part: await toPart(affected, moves, isActive), state, position }
}

function toChange(
  record: ContainmentRecord,
  state: ContainmentState,
  { puts, revisions, ends, expects, claims }: Moves,
  part: ContainmentPart,
  expectsPosition: number,
): Change {
  const { selector, from, position, counts } = record.facts
  const active = [...state.active, { id: record.id, selector, from, position }]
  return {
    kind: 'containment.applied',
    puts,
    revisions,
    ends,
    expects,
    claims,
    admin: [
      containmentChange(record),
      ...partChanges(record.id, part),
      stateChange({ ...state, active, positions: [...state.positions, position] }),
    ],
    counts,
    expectsPosition,
    // What runs and ingest jobs have just decided on is decided again: it may come from what is contained.
    changesRedaction: true,
  }
}

/** The position now, if no write since then concerns the containment; otherwise null, and everything is searched again. */
async function laterPosition(tenant: Tenant, position: number, affected: Affected): Promise<number | null> {
  const newest = (await tenant.storage.clock(tenant.id))?.position ?? position
  if (newest === position) return null
  // In pages, which may end early. Not to what is written meanwhile: a tenant that writes all the time would be read for ever.
  for (let from = position + 1; from <= newest; ) {
    const rows = await tenant.storage.audit({ tenantId: tenant.id, from, to: newest, limit: limits.forgetPageMax })
    const last = rows.at(-1)
    if (last === undefined || rows.some((row) => concerns(row, affected))) return null
    from = last.position + 1
  }
  return newest
}

function concerns(row: AuditRow, { selector, entries }: Affected): boolean {
  const { actor, kind, written = [], ended = [], claims, compactions, sourceEvents } = parseAuditBody(row)
  if (actor === actorOf(selector) || actor.startsWith('run:')) return true
  if (claims ?? compactions ?? sourceEvents) return true
  if (/^(containment|forget|history|memory\.(imported|redacted|erased|expired))/.test(kind)) return true
  return [...written, ...ended].some(({ id }) => entries.has(id))
}

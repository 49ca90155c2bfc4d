import { admin } from './admin.ts'
import { capacities } from './capacities.ts'
import { claims } from './claims.ts'
import { compactions } from './compactions.ts'
import { counts } from './counts.ts'
import { entries } from './entries.ts'
import { expectedPosition } from './expected-position.ts'
import { forgetting } from './forgetting.ts'
import { heartbeats } from './heartbeats.ts'
import { history } from './history.ts'
import { imported } from './imported.ts'
import { jobs } from './jobs.ts'
import type { BatchPart } from './part.ts'
import { people } from './people.ts'
import { redactionVersion } from './redaction-version.ts'
import { runs } from './runs.ts'
import { sourceEvents } from './source-events.ts'
import { storedVersions } from './stored-versions.ts'
import { tenantStatus } from './tenant-status.ts'

/**
 * Everything that a commit can store, in the order in which it is sealed: of two refusals the first is reported, and a part sees
 * the rows of the parts before it. A new kind of thing is one file here, one of the same name in each adapter, and a
 * line in each list.
 */
export const batchParts = [
  expectedPosition,
  capacities,
  entries,
  runs,
  storedVersions,
  history,
  admin,
  claims,
  sourceEvents,
  compactions,
  forgetting,
  people,
  imported,
  counts,
  heartbeats,
  redactionVersion,
  tenantStatus,
  jobs,
] as const

/** Hits are recorded in this order. Parts that are not named follow. */
export const partsToRedact = startingWith([entries, storedVersions, jobs, admin, runs, sourceEvents, claims, imported])

/** Entries after the events and claims that their names are derived from: the error names the member that the client sent. */
export const partsToRefuse = startingWith([jobs, admin, runs, sourceEvents, claims, entries, imported])

/** The parts of which a batch has something, in the order of the list. Most batches have one or two; an import adds rows to many. */
export function partsOf(batch: Partial<PartMembers>): readonly AnyPart[] {
  if (batch.imported !== undefined) return batchParts
  const present: AnyPart[] = []
  for (const part of batchParts) {
    for (const name of part.members) {
      if (isEmpty(batch[name])) continue
      present.push(part)
      break
    }
  }
  return present
}

/** The same parts in another order. */
export function inOrder(present: readonly AnyPart[], order: readonly AnyPart[]): readonly AnyPart[] {
  return present.length < 2 ? present : order.filter((part) => present.includes(part))
}

/** Whether a member of a batch is empty. */
export function isEmpty(member: unknown): boolean {
  return member === undefined || member === null || member === false || (Array.isArray(member) && member.length === 0)
}

export type AnyPart = (typeof batchParts)[number]

function startingWith(first: readonly AnyPart[]): readonly AnyPart[] {
  return [...first, ...batchParts.filter((part) => !first.includes(part))]
}

/** A type that has the members of all types of a union. */
export type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

type MembersOf<P> = P extends BatchPart<infer Members, infer _Rows, infer _State, infer _Before> ? Members : never
type RowsOf<P> = P extends BatchPart<infer _Members, infer Rows, infer _State, infer _Before> ? Rows : never
type StateOf<P> = P extends BatchPart<infer _Members, infer _Rows, infer State, infer _Before> ? State : never

/** The members of all parts, as a batch has them. */
export type PartMembers = Intersection<MembersOf<AnyPart>>
/** The rows of all parts, once a batch is sealed. */
export type PartRows = Intersection<RowsOf<AnyPart>>
/** What all parts must see under the tenant's lock. */
export type PartState = Intersection<StateOf<AnyPart>>

// From entries, not by `Object.assign`: V8 copies such an object some 40 times faster, and every batch is a copy of these.
/** The members of a batch that changes nothing: a caller names only what its batch does. */
export const noMembers = Object.fromEntries(batchParts.flatMap(({ none }) => Object.entries(none))) as PartMembers

/** The rows of a batch that changes nothing. */
export const noRows = Object.fromEntries(batchParts.flatMap((part) => Object.entries(part.noRows))) as PartRows

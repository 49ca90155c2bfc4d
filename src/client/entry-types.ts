import type { FilterForm } from '../core/filter/parse-filter.ts'
import type * as host from '../wires/host/schemas/index.ts'
import type * as provenance from '../wires/provenance/schemas/index.ts'
import type { Got } from './wire-type.ts'

export type { FilterForm } from '../core/filter/parse-filter.ts'
/** Conditions with operators. */
export type Filtered = { readonly filter?: FilterForm | undefined }

/** The runs that read an entry, and the compactions that were made of it. */
export interface EntryUses extends Got<typeof host.EntryUses> {}
/** The caller: its tenant, its key and its scopes. */
export interface SessionView extends Got<typeof host.SessionView> {}
/** Whether a session was ended. */
export interface EndedSession extends Got<typeof host.EndedSession> {}
/** The names of keys and runs. */
export interface NameList extends Got<typeof host.NameList> {}
/** A moment of memory as a position and an instant, and the range of moments that can be read. */
export interface Moment extends Got<typeof host.Moment> {}
/** Which moment of a memory to read (`as_of`: a position or an ISO instant), and for which reader. */
export type MomentQuery = Omit<Got<typeof provenance.MomentQuery>, 'as_of'> & {
  readonly as_of?: number | string | undefined
}

import type { z } from 'zod'
import type * as host from '../wires/host/schemas/log.ts'

/** The keys that signed checkpoints of a log, oldest first. */
export interface LogKeyList extends z.output<typeof host.LogKeyList> {}
/** The position whose record is proved, and the size of the log in your checkpoint. */
export interface InclusionQuery extends z.input<typeof host.InclusionQuery> {}
/** The proof that an audit record is in the log. */
export interface InclusionProof extends z.output<typeof host.InclusionProof> {}
/** The sizes of the log in your older and your newer checkpoint. */
export interface ConsistencyQuery extends z.input<typeof host.ConsistencyQuery> {}
/** The proof that the log only grew between two sizes. */
export interface ConsistencyProof extends z.output<typeof host.ConsistencyProof> {}

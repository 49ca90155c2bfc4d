import type * as wire from './log-types.ts'
import type { CallOptions, Transport } from './transport.ts'

/**
 * The audit log as a Merkle tree that others can witness.
 *
 * @example
 * const checkpoint = await client.log.checkpoint()
 * const { hashes } = await client.log.consistency({ from: 41 })
 */
export function logCalls({ send }: Transport) {
  return {
    /** The newest checkpoint: a signed note with the size and the root of the log. */
    checkpoint: (options?: CallOptions) =>
      send<string>('GET /v1/host/colophon/log/checkpoint', { reads: 'text' }, options),
    /** The keys that signed checkpoints of this log. */
    keys: (options?: CallOptions) => send<wire.LogKeyList>('GET /v1/host/colophon/log/keys', {}, options),
    /** The bytes of a tile, by its path in tlog-tiles, such as `0/000.p/17`. */
    tile: (path: string, options?: CallOptions) =>
      send<Uint8Array>('GET /v1/host/colophon/log/tile/{path}', { path: { path }, reads: 'bytes' }, options),
    /** The proof that the audit record at a position is in the log. */
    inclusion: (query: wire.InclusionQuery, options?: CallOptions) =>
      send<wire.InclusionProof>('GET /v1/host/colophon/log/proof/inclusion', { query }, options),
    /** The proof that the log of a size continues the log of a smaller size. */
    consistency: (query: wire.ConsistencyQuery, options?: CallOptions) =>
      send<wire.ConsistencyProof>('GET /v1/host/colophon/log/proof/consistency', { query }, options),
  }
}

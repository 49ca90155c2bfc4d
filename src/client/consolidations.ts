import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

/**
 * Consolidation: a job merges entries of a ref that say the same. `compactions` lists and undoes the merges.
 *
 * @example
 * const { jobId } = await client.consolidations.request({ memoryRef: 'agents/concierge' })
 * await client.jobs.wait(jobId)
 */
export function consolidationCalls({ send }: Transport) {
  return {
    /** Starts a job that merges the entries of one ref that say the same. */
    request: (body: Omit<wire.ConsolidationRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.ConsolidationStarted>('POST /v1/host/colophon/consolidations', { body }, options),
    /** What a consolidation would do now. Nothing is stored. */
    dryRun: (body: Omit<wire.ConsolidationRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.ConsolidationDryRun>(
        'POST /v1/host/colophon/consolidations',
        { body: { ...body, dryRun: true }, repeat: 'read' },
        options,
      ),
  }
}

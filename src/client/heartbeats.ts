import { type ChangesOptions, followHeartbeats } from './changes.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

/**
 * Heartbeats: they observe memory or jobs at an interval, and may start a run when what they observe changes.
 *
 * @example
 * await client.heartbeats.create({ predicate: 'count', memoryRef: 'inbox', intervalSec: 60, workflowId: 'triage' })
 */
export function heartbeatCalls(transport: Transport) {
  const { send } = transport
  return {
    /** The heartbeats, each with its last state and its next tick. */
    list: (options?: CallOptions) => send<wire.HeartbeatList>('GET /v1/host/colophon/heartbeats', {}, options),
    /** Registers a heartbeat. Its first tick is at once. */
    create: (body: wire.HeartbeatDraft, options?: CallOptions) =>
      send<wire.Heartbeat>('POST /v1/host/colophon/heartbeats', { body }, options),
    /** Changes its interval or its workflow. It observes and acts for the calling key from then on. */
    change: (id: string, body: wire.HeartbeatChange, options?: CallOptions) =>
      send<wire.Heartbeat>('PATCH /v1/host/colophon/heartbeats/{id}', { path: { id }, body }, options),
    /** Pauses a heartbeat until it is resumed. */
    pause: (id: string, options?: CallOptions) =>
      send<wire.Heartbeat>('POST /v1/host/colophon/heartbeats/{id}:pause', { path: { id } }, options),
    /** Resumes a heartbeat with a tick at once. */
    resume: (id: string, options?: CallOptions) =>
      send<wire.Heartbeat>('POST /v1/host/colophon/heartbeats/{id}:resume', { path: { id } }, options),
    /** Removes a heartbeat. A run that it started goes on. */
    remove: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/heartbeats/{id}', { path: { id } }, options),
    /** The events of heartbeats, from the stream of changes. */
    follow: (options?: ChangesOptions) => followHeartbeats(transport, options),
  }
}

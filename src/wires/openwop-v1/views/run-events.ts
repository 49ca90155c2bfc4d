import type { z } from 'zod'
import { toInstant } from '../../../core/check.ts'
import type { RunEvent } from '../../../core/run/run.ts'
import type { RunEvent as RunEventSchema } from '../schemas/run-events.ts'
import { engineVersion } from '../versions.ts'

export type RunEventView = z.output<typeof RunEventSchema>

/** The event id is derived from run and sequence, so it is unique and not stored. */
export function toEventId(runId: string, sequence: number): string {
  return `evt_${runId.replace(/^run_/, '')}_${sequence}`
}

/** An event of a run as clients see it. */
export function toEventView(runId: string, { sequence, type, nodeId, payload, at, cause }: RunEvent): RunEventView {
  // The log has an agent's id once, in the payload; a handoff is an event of the agent that hands over.
  const agentId = payload.agentId ?? payload.fromAgentId
  return {
    eventId: toEventId(runId, sequence),
    runId,
    sequence,
    type,
    ...(nodeId === null ? {} : { nodeId }),
    ...(typeof agentId === 'string' ? { agentId } : {}),
    ...(cause === undefined ? {} : { causationId: toEventId(runId, cause) }),
    payload,
    timestamp: toInstant(at),
    schemaVersion: 1,
    engineVersion: String(engineVersion),
  }
}

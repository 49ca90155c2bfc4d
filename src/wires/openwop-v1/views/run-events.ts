import type { z } from 'zod'
import { toInstant } from '../../../core/check.ts'
import type { RunEvent } from '../../../core/run/run.ts'
import type { RunEvent as RunEventSchema } from '../schemas/run-events.ts'
import { engineVersion } from '../versions.ts'

export type RunEventView = z.output<typeof RunEventSchema>

/** The event id is derived from run and sequence, so it is unique and not stored. */
export function toEventView(runId: string, { sequence, type, nodeId, payload, at }: RunEvent): RunEventView {
  return {
    eventId: `evt_${runId.replace(/^run_/, '')}_${sequence}`,
    runId,
    sequence,
    type,
    ...(nodeId === null ? {} : { nodeId }),
    payload,
    timestamp: toInstant(at),
    schemaVersion: 1,
    engineVersion: String(engineVersion),
  }
}

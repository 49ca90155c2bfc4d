import { toInstant } from '../check.ts'
import type { RunEvent } from './run.ts'

/** An event as OpenWOP shows it. */
export type RunEventDoc = {
  readonly eventId: string
  readonly runId: string
  readonly sequence: number
  readonly type: string
  readonly nodeId?: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly timestamp: string
  readonly schemaVersion: number
  readonly engineVersion: string
}

export const engineVersion = 1
export const eventLogSchemaVersion = 2

/** The id follows from run and sequence: it needs no storing, and no two events of a host share one. */
export function toEventDoc(runId: string, event: RunEvent): RunEventDoc {
  const { sequence, type, nodeId, payload, at } = event
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

import { toInstant } from '../../../core/check.ts'
import type { RunEvent } from '../../../core/run/run.ts'
import { toEventId } from '../../openwop-v1/views/run-events.ts'
import { bindId } from '../ids.ts'
import { toShownType } from './code-map.ts'
import { toShownPayload } from './payload.ts'

/** The integer version of the engine in documents of version 2. */
export const engineVersion = 1

export type EventDocument = {
  readonly eventId: string
  readonly runId: string
  readonly sequence: number
  readonly type: string
  readonly nodeId?: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly timestamp: string
  readonly schemaVersion: number
  readonly causationId?: string
  readonly engineVersion: number
}

/** A stored event as version 2 shows it. The event id is that of version 1. */
export function toEventDocument(tenantId: string, runId: string, event: RunEvent): EventDocument {
  return {
    eventId: toEventId(runId, event.sequence),
    runId: bindId(tenantId, runId),
    sequence: event.sequence,
    type: toShownType(event.type),
    ...(event.nodeId === null ? {} : { nodeId: event.nodeId }),
    payload: toShownPayload(tenantId, event),
    timestamp: toInstant(event.at),
    schemaVersion: 1,
    engineVersion,
    ...(event.cause === undefined ? {} : { causationId: toEventId(runId, event.cause) }),
  }
}
